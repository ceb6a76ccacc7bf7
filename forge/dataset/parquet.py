"""The tasks as Parquet, for `load_dataset`, DuckDB and the like.

Always holds: it has the rows of `tasks.jsonl` in their order; a value whose keys differ from row to
row is JSON text, since a reader would otherwise fill every row with the keys of all (so a call
would gain arguments that nobody made); equal rows give equal bytes.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from forge.dataset.files import json_text, write_atomic
from forge.types.data import Json
from forge.types.task import Task

PLAIN = ("id", "env", "kind", "split", "lang", "base", "now", "question", "hash")
"""Columns that are text as they are; all others hold JSON text."""

ROWS_A_GROUP = 1000


def write_parquet(path: Path, rows: Iterable[Mapping[str, Json]]) -> None:
    """`rows` are the objects of `tasks.jsonl`; at most a thousand are in memory at once."""
    schema = pa.schema([pa.field(name, pa.string(), nullable=False) for name in Task.model_fields])
    write_atomic(path, _chunks(schema, iter(rows)))


def _chunks(schema: pa.Schema, rows: Iterator[Mapping[str, Json]]) -> Iterator[bytes]:
    buffer = pa.BufferOutputStream()
    with pq.ParquetWriter(buffer, schema, compression="zstd") as writer:
        while group := list(islice(rows, ROWS_A_GROUP)):
            columns = {name: [_cell(row[name], name) for row in group] for name in schema.names}
            writer.write_table(pa.table(columns, schema=schema))
    yield buffer.getvalue().to_pybytes()


def _cell(value: Json, column: str) -> str:
    return value if column in PLAIN else json_text(value)
