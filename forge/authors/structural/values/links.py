"""Which record a new record refers to: one that agrees with what the record says already.

A task's section is one of the task's own project; its assignee is on that project, where a table
says who is.
"""

from collections.abc import Collection, Mapping
from random import Random

from forge.types.data import Json
from forge.types.state import Column, Record, StateSchema, Table


class Links:
    """References among `rows`, the records made so far by table."""

    def __init__(self, schema: StateSchema, rows: Mapping[str, list[Record]]) -> None:
        self._tables = {table.name: table for table in schema.tables}
        self._rows = rows
        self._pairs = [pair for pair in map(_pair, schema.tables) if pair is not None]

    def choose(
        self,
        table: Table,
        column: Column,
        near: Mapping[str, Json],
        rng: Random,
        *,
        below: tuple[str, int] | None = None,
        taken: Collection[Json] = (),
    ) -> Json:
        """A key for `column`, or None if there is no record. Within the table itself only one of
        those before `below`, so that chains end."""
        target = self._tables[column.references or ""]
        rows = self._rows.get(target.name, [])
        within = below is not None and below[0] == target.name
        rows = rows[: below[1]] if below is not None and within else linked(rows)
        rows = [row for row in rows if row.get(target.key[0]) not in taken] if taken else rows
        if not rows:
            return None
        fitting = self._fitting(table, target, near, rows)
        joined = self._joined(table, target, near, fitting)
        chosen = joined or fitting or rows
        return chosen[int(len(chosen) * rng.random() ** 1.25)].get(target.key[0])

    def children(self, table: Table, column: Column, row: Record) -> list[Json] | None:
        """Of a list of the record's own children: the keys of them all, so that a child is where
        its parent says; None of any other column."""
        if column.items is None or column.items.references is None:
            return None
        child = self._tables[column.items.references]
        own = _said_of_parent(table, child, row)
        if not own:
            return None
        rows = self._rows.get(child.name, [])
        return [r[child.key[0]] for r in rows if all(r.get(c) == v for c, v in own.items())]

    def _fitting(
        self, table: Table, target: Table, near: Mapping[str, Json], rows: list[Record]
    ) -> list[Record]:
        """Those whose own references of the same name are the record's too."""
        names = {c.name for c in target.columns if c.references is not None}
        if target.parent is not None:
            names |= set(target.parent.columns)
        same = [
            name for name in sorted(names) if near.get(name) is not None and name not in target.key
        ]
        if table.name == target.name and table.parent is not None:
            same = [name for name in table.parent.columns if near.get(name) is not None]
        return [row for row in rows if all(row.get(n, near[n]) == near[n] for n in same)]

    def _joined(
        self, table: Table, target: Table, near: Mapping[str, Json], rows: list[Record]
    ) -> list[Record]:
        """Those that a linking table joins with another record that is referred to."""
        for link, columns in self._pairs:
            if link.name == table.name or target.name not in columns:
                continue
            for other, at in columns.items():
                mine = _refers_to(table, other)
                if other == target.name or mine is None or near.get(mine) is None:
                    continue
                on = {
                    row[columns[target.name]]
                    for row in self._rows.get(link.name, [])
                    if row[at] == near[mine]
                }
                found = [row for row in rows if row[target.key[0]] in on]
                if found:
                    return found
        return []


def _said_of_parent(table: Table, target: Table, near: Mapping[str, Json]) -> dict[str, Json]:
    """Of a table whose records belong to this one's: what they say of their parent."""
    parent = target.parent
    if parent is None or parent.table != table.name or len(parent.columns) != len(table.key):
        return {}
    if target.name == table.name or any(near.get(key) is None for key in table.key):
        return {}
    return {c: near[key] for c, key in zip(parent.columns, table.key, strict=True)}


def linked(rows: list[Record]) -> list[Record]:
    """Those that others may refer to: one in six is left alone, so that it can be deleted where
    references forbid it."""
    return rows[: len(rows) - len(rows) // 6]


def _pair(table: Table) -> tuple[Table, dict[str, str]] | None:
    """A table whose key is two references: which table it joins by which column."""
    by_name = {column.name: column for column in table.columns}
    parent = table.parent
    columns: dict[str, str] = {}
    for name in table.key:
        target = by_name[name].references
        if target is None and parent is not None and parent.columns == (name,):
            target = parent.table
        if target is None:
            return None
        columns[target] = name
    return (table, columns) if len(columns) == 2 else None


def _refers_to(table: Table, target: str) -> str | None:
    """The one column that refers to a table."""
    names = [c.name for c in table.columns if c.references == target]
    if table.parent is not None and table.parent.table == target and not names:
        names = list(table.parent.columns)
    return names[0] if len(names) == 1 else None
