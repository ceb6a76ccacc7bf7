"""The tasks as Parquet, for `load_dataset`, DuckDB and the like.

Always holds: it has the rows of `tasks.jsonl` in their order; a value whose keys differ from row to
row is JSON text, since a reader would otherwise fill every row with the keys of all (so a call
would gain arguments that nobody made); equal rows give equal bytes.
"""

import io
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from forge.dataset.files import json_text, write_atomic
from forge.types.data import Json
from forge.types.task import Task

PLAIN = ("id", "env", "kind", "follows", "band", "split", "lang", "base", "now", "question", "hash")
"""Columns that are text as they are; all others hold JSON text."""
ABSENT = ("follows", "worded", "merged")
"""Fields that are not in the row of a task that has none; null in its column."""

ROWS_A_GROUP = 1000


def write_parquet(path: Path, rows: Iterable[Mapping[str, Json]]) -> None:
    """`rows` are the objects of `tasks.jsonl`; at most a thousand are in memory at once."""
    schema = pa.schema(
        [pa.field(name, pa.string(), nullable=name in ABSENT) for name in Task.model_fields]
    )
    write_atomic(path, _chunks(schema, iter(rows)))


class _Outbox(io.RawIOBase):
    """Takes what is written until it is fetched."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, part: Any) -> int:
        self._parts.append(bytes(part))
        return len(part)

    def fetched(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


def _chunks(schema: pa.Schema, rows: Iterator[Mapping[str, Json]]) -> Iterator[bytes]:
    outbox = _Outbox()
    with pq.ParquetWriter(outbox, schema, compression="zstd") as writer:
        while group := list(islice(rows, ROWS_A_GROUP)):
            columns = {name: [_cell(row.get(name), name) for row in group] for name in schema.names}
            writer.write_table(pa.table(columns, schema=schema))
            yield outbox.fetched()
    yield outbox.fetched()


def _cell(value: Json, column: str) -> str | None:
    if value is None and column in ABSENT:
        return None
    return value if column in PLAIN else json_text(value)
