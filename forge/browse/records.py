"""Two states of a task side by side: its tables, with every record that was made, changed or
deleted marked, and what it was."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from forge.types.data import Json
from forge.types.state import Record, State, StateSchema, Table

MOST, FEW = 200, 20
"""Records of a table that are shown beside those that differ; of one in which none differs."""

Mark = Literal["", "made", "changed", "deleted"]


@dataclass(frozen=True, slots=True)
class Cell:
    """`was`: what it was before, where it `differs`."""

    value: Json
    was: Json = None
    differs: bool = False


@dataclass(frozen=True, slots=True)
class RecordShown:
    key: str
    mark: Mark
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class TableShown:
    """`columns`: the key, those in which a record changed, the others; `left`: how many records
    that did not change are not shown."""

    name: str
    columns: tuple[str, ...]
    records: tuple[RecordShown, ...]
    total: int
    marks: tuple[Mark, ...]
    left: int


def tables_shown(schema: StateSchema, before: State, after: State) -> list[TableShown]:
    """Those with differences first; in each, the records that differ."""
    shown = [
        _shown(table, before.get(table.name, {}), after.get(table.name, {}))
        for table in schema.tables
    ]
    return sorted(shown, key=lambda table: not table.marks)


def _shown(table: Table, old: dict[str, Record], new: dict[str, Record]) -> TableShown:
    keys = list(dict.fromkeys([*old, *new]))
    both = [(old[key], new[key]) for key in keys if key in old and key in new]
    differ = {
        column.name
        for column in table.columns
        if any(was.get(column.name) != now.get(column.name) for was, now in both)
    }
    columns = sorted(
        (column.name for column in table.columns),
        key=lambda name: (name not in table.key, name not in differ),
    )
    records = [_record(columns, key, old.get(key), new.get(key)) for key in keys]
    marked = [record for record in records if record.mark]
    same = [record for record in records if not record.mark]
    most = MOST if marked else FEW
    return TableShown(
        table.name,
        tuple(columns),
        (*marked, *same[:most]),
        len(new),
        tuple(record.mark for record in marked),
        max(0, len(same) - most),
    )


def _record(
    columns: Sequence[str], key: str, old: Record | None, new: Record | None
) -> RecordShown:
    if new is None:
        return RecordShown(key, "deleted", tuple(_cells(columns, old or {}, old or {})))
    if old is None:
        return RecordShown(key, "made", tuple(_cells(columns, new, new)))
    mark: Mark = "changed" if old != new else ""
    return RecordShown(key, mark, tuple(_cells(columns, old, new)))


def _cells(columns: Sequence[str], old: Record, new: Record) -> Iterable[Cell]:
    for name in columns:
        was, value = old.get(name), new.get(name)
        yield Cell(value, was, differs=was != value)
