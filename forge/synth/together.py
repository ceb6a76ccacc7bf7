"""Which keys belong together: of a set and what is in it, of one who acts and what is theirs.

Calls of tools that declare no effect are drawn with it: whether someone is in a team says little
of people and teams that have nothing to do with each other.
"""

from collections.abc import Collection, Mapping

from forge.synth.bench import Bench
from forge.types.data import Json
from forge.types.state import Column, Record, Table


def kept_with(bench: Bench, table: Table, records: Mapping[str, Collection[Record]]) -> list[Json]:
    """Keys of `table` that the records (by table) list; where there are none, those whose records
    list theirs."""
    return _listed(bench, table, records) or [
        row[table.key[0]] for row in rows_with(bench, table, records)
    ]


def _listed(bench: Bench, table: Table, records: Mapping[str, Collection[Record]]) -> list[Json]:
    found: list[Json] = []
    for name, some in records.items():
        for column in _lists_of(bench.tables[name], table.name):
            for record in some:
                found += _items(record, column)
    return found


def rows_with(
    bench: Bench, table: Table, records: Mapping[str, Collection[Record]]
) -> list[Record]:
    """The records of `table` that list the records (by table), whatever their own key is."""
    found: list[Record] = []
    for name, some in records.items():
        key = bench.tables[name].key
        held = [record[key[0]] for record in some] if len(key) == 1 else []
        for column in _lists_of(table, name) if held else []:
            found += [
                row
                for row in bench.all_records(table.name)
                if any(each in held for each in _items(row, column))
            ]
    return found


def _lists_of(table: Table, target: str) -> list[Column]:
    return [c for c in table.columns if c.items is not None and c.items.references == target]


def _items(record: Record, column: Column) -> list[Json]:
    value = record.get(column.name)
    return value if isinstance(value, list) else []
