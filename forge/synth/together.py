"""Which keys belong together: of a set and what is in it, of one who acts and what is theirs.

Calls of tools that declare no effect are drawn with it: whether someone is in a team says little
of people and teams that have nothing to do with each other.
"""

from collections.abc import Collection, Mapping

from forge.synth.bench import Bench
from forge.synth.parts import texts_in
from forge.types.data import Json
from forge.types.state import Column, Record, Table


def kept_with(bench: Bench, table: Table, records: Mapping[str, Collection[Record]]) -> list[Json]:
    """Keys of `table` that the records (by table) list; where there are none, those whose records
    list theirs, or refer to them."""
    records = _with_holders(bench, records)
    return _listed(bench, table, records) or [
        row[table.key[0]] for row in rows_with(bench, table, records)
    ]


def _with_holders(
    bench: Bench, records: Mapping[str, Collection[Record]]
) -> dict[str, Collection[Record]]:
    """With those of which the records are the only one of their kind: the settings of something."""
    found = dict(records)
    for name, some in records.items():
        table = bench.tables[name]
        own = next((c for c in table.columns if table.key == (c.name,)), None)
        if own is not None and own.references is not None and own.references not in found:
            keys = [record[own.name] for record in some]
            key = bench.tables[own.references].key[0]
            rows = bench.all_records(own.references)
            found[own.references] = [row for row in rows if row.get(key) in keys]
    return found


def _listed(bench: Bench, table: Table, records: Mapping[str, Collection[Record]]) -> list[Json]:
    found: list[Json] = []
    for name, some in records.items():
        for column in _lists_of(bench, bench.tables[name], table.name):
            for record in some:
                found += _items(record, column)
    return found


def rows_with(
    bench: Bench, table: Table, records: Mapping[str, Collection[Record]]
) -> list[Record]:
    """The records of `table` that list, or refer to, the records (by table), whatever their own
    key is."""
    found: list[Record] = []
    for name, some in records.items():
        key = bench.tables[name].key
        held = [record[key[0]] for record in some] if len(key) == 1 else []
        rows = bench.all_records(table.name) if held else []
        for column in _lists_of(bench, table, name):
            found += [r for r in rows if any(each in held for each in _items(r, column))]
        for column in _references_of(table, name):
            found += [row for row in rows if row.get(column.name) in held]
    return found


def held_by(bench: Bench, table: Table, others: Collection[Table]) -> list[Json]:
    """Keys of `table` that records of the others refer to."""
    return [
        row[column.name]
        for other in others
        for column in _references_of(other, table.name)
        for row in bench.all_records(other.name)
        if other is not table and row.get(column.name) is not None
    ]


def _lists_of(bench: Bench, table: Table, target: str) -> list[Column]:
    """Those that the tool's own source names, if it names any."""
    lists = [c for c in table.columns if c.items is not None and c.items.references == target]
    named = texts_in(bench.environment.source, bench.name)
    return [column for column in lists if column.name in named] or lists


def _references_of(table: Table, target: str) -> list[Column]:
    return [c for c in table.columns if c.references == target]


def _items(record: Record, column: Column) -> list[Json]:
    value = record.get(column.name)
    return value if isinstance(value, list) else []
