"""Questions to the tasks in SQL, answered by DuckDB from the file as it lies there.

Always holds: the database is in memory and only reads; every column but the plain ones is JSON.
"""

from pathlib import Path

import duckdb

from forge.dataset.parquet import PLAIN
from forge.errors import UserError
from forge.types.data import Json
from forge.types.task import Task

LARGEST_TASK = 256 * 1024 * 1024  # bytes a line


def query(folder: Path, sql: str, values: tuple[Json, ...] = ()) -> list[tuple[Json, ...]]:
    """The rows that `sql` finds in the view `tasks`; `?` in it stand for `values`."""
    path = folder / "tasks.jsonl"
    if not path.exists():
        raise UserError("there are no tasks", where=str(path))
    types = {name: "VARCHAR" if name in PLAIN else "JSON" for name in Task.model_fields}
    with duckdb.connect(":memory:") as connection:
        relation = connection.read_json(  # in place: nothing is read before `sql` runs
            str(path),
            columns=types,
            format="newline_delimited",
            maximum_object_size=LARGEST_TASK,
        )
        relation.create_view("tasks")
        try:
            return connection.execute(sql, values).fetchall()
        except duckdb.Error as error:
            raise UserError(str(error).splitlines()[0], where=str(path)) from None
