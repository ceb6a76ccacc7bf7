"""The tasks of a data set as they lie on disk, to be asked by DuckDB.

Always holds: `tasks.parquet` is read where it is no older than `tasks.jsonl`, which is the truth.
"""

from functools import lru_cache
from pathlib import Path

import duckdb

from forge.browse.files import Stamp, stamp
from forge.dataset.files import parse_json, parse_model
from forge.dataset.parquet import PLAIN
from forge.dataset.query import LARGEST_TASK
from forge.errors import UserError
from forge.types.task import Task

LINES, TWIN = "tasks.jsonl", "tasks.parquet"


def read_task(folder: Path, id: str) -> Task | None:
    """UserError if its line cannot be read."""
    try:
        with _lines(folder, stamps_of(folder)).cursor() as cursor:
            found = cursor.execute("select * from found where id = ? limit 1", (id,)).fetchall()
    except duckdb.Error as error:
        raise UserError(str(error).splitlines()[0], where=str(folder / LINES)) from None
    if not found:
        return None
    where = f"{folder / LINES}, task {id}"
    row = {
        name: value if name in PLAIN or value is None else parse_json(value, where)
        for name, value in zip(Task.model_fields, found[0], strict=True)
    }
    return parse_model(Task, {name: v for name, v in row.items() if v is not None}, where)


def stamps_of(folder: Path) -> tuple[Stamp, Stamp]:
    """Of the file of tasks and of its twin."""
    return stamp(folder / LINES), stamp(folder / TWIN)


@lru_cache(maxsize=4)
def _lines(folder: Path, stamps: tuple[Stamp, Stamp]) -> duckdb.DuckDBPyConnection:
    return open_tasks(folder, stamps)


def open_tasks(folder: Path, stamps: tuple[Stamp, Stamp]) -> duckdb.DuckDBPyConnection:
    """A database of its own, with a view `found` of the files: a row a task, of null where a line
    is torn; none where there are no tasks yet. UserError if they cannot be read."""
    connection = duckdb.connect(":memory:")
    try:
        if has_twin(stamps):
            names = ", ".join(f'"{name}"' for name in Task.model_fields)
            connection.read_parquet(str(folder / TWIN)).select(names).create_view("found")
        elif not stamps[0][1]:
            columns = ", ".join(f'"{name}" varchar' for name in Task.model_fields)
            connection.execute(f"create table found ({columns})")
        else:
            connection.read_json(
                str(folder / LINES),
                columns={n: "VARCHAR" if n in PLAIN else "JSON" for n in Task.model_fields},
                format="newline_delimited",
                maximum_object_size=LARGEST_TASK,
                ignore_errors=True,
            ).create_view("found")
    except duckdb.Error as error:
        raise UserError(str(error).splitlines()[0], where=str(folder)) from None
    return connection


def has_twin(stamps: tuple[Stamp, Stamp]) -> bool:
    """Whether the twin is read instead; no line of it can be torn."""
    (written, _), (twin, size) = stamps
    return size > 0 and twin >= written
