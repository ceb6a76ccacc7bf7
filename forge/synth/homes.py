"""Which column of which table an argument tells of, and which records arguments tell of together.

Calls are drawn with it: the runner group is one of the organization that is passed beside it.
"""

from collections.abc import Mapping

from forge.authors.structural.words import split
from forge.env.identity import same
from forge.synth.bench import Bench
from forge.synth.model import column_of
from forge.synth.parts import asks, columns_taken, keys_taken, searched
from forge.types.data import Json
from forge.types.state import Column, Record, Table


def known_keys(bench: Bench) -> dict[str, tuple[Table, Column]]:
    """Argument -> the key column that the tool's own `get(table, argument)` takes it for."""
    return {
        name: (bench.tables[table], column_of(bench.tables[table], bench.tables[table].key[place]))
        for name, (table, place) in keys_taken(bench.environment.source, bench.name).items()
        if name in bench.properties
        and table in bench.tables
        and place < len(bench.tables[table].key)
    }


def named_column(bench: Bench, name: str) -> tuple[Table, Column] | None:
    """The key that the tool takes an argument for, or the column that it is named like: a key
    first, of the table the tool is about."""
    known = known_keys(bench).get(name) or _sought(bench, name)
    if known is not None:
        return known
    words = split(name)
    about = set(split(bench.tool.name))
    tables = sorted(
        bench.schema.tables, key=lambda t: -len(about & {*split(t.noun), *split(t.name)})
    )
    for home in (True, False):
        for table in tables:
            for column in table.columns:
                if split(column.name) == words and (column.name in table.key) == home:
                    return table, column
    for table in tables:
        key = column_of(table, table.key[0]) if len(table.key) == 1 else None
        if key is not None and words and words[-1] in ("id", "gid", "key") and (
            words[:-1] == split(table.noun) or not words[:-1]
        ):  # fmt: skip
            return table, key
    return None


def is_sought(bench: Bench, name: str) -> bool:
    """Whether the tool looks for records by the argument, and not by a key."""
    return name not in known_keys(bench) and _sought(bench, name) is not None


def _sought(bench: Bench, name: str) -> tuple[Table, Column] | None:
    """The column that the tool itself compares with the argument; the key that it holds, where it
    says what else a record belongs or refers to."""
    taken = columns_taken(bench.environment.source, bench.name).get(name)
    if taken is None or name not in bench.properties or taken[0] not in bench.tables:
        return None
    table = bench.tables[taken[0]]
    column = next((each for each in table.columns if each.name == taken[1]), None)
    if column is None:
        return None
    parent = table.parent
    if parent is not None and column.name in parent.columns:
        owner = bench.tables[parent.table]
        return owner, column_of(owner, owner.key[parent.columns.index(column.name)])
    if column.references is not None:
        target = bench.tables[column.references]
        return target, column_of(target, target.key[0])
    return table, column


def sought_table(bench: Bench) -> tuple[Table, dict[str, str]] | None:
    """The table whose records the tool looks for by most of its arguments, and by which columns."""
    found = {
        table: {n: c for n, c in columns.items() if n in bench.properties}
        for table, columns in searched(bench.environment.source, bench.name).items()
        if table in bench.tables
    }
    most = max(found, key=lambda table: len(found[table]), default=None)
    return (bench.tables[most], found[most]) if most is not None and found[most] else None


def agreeing(
    bench: Bench, table: Table, others: Mapping[str, Json], actor: str | int | None
) -> list[Record]:
    """The records that have what the other arguments tell of, own, belong to or refer to it, and
    to the one who calls, where the tool asks; what none fulfils is left aside."""
    tests: list[list[tuple[str, Json]]] = [[], []]
    for other, value in others.items():
        home = named_column(bench, other)
        if home is not None and home[0].name == table.name:
            tests[0].append((home[1].name, value))
        elif home is not None:
            tests[1] += _owning(bench, table, *home, value)
            pointing = _pointing(table, *home) or _named(table, other)
            tests += [[(name, value)] for name in pointing]
    actors = bench.schema.actors
    if actors is not None and asks(bench.environment.source, bench.name):
        mine = [c.name for c in table.columns if c.references == actors or actors in c.among]
        tests += [[(name, actor)] for name in mine[:1] if len(mine) == 1]
    rows = bench.all_records(table.name)
    for each in tests:
        rows = _with(rows, each) or rows
    return rows


def _with(rows: list[Record], tests: list[tuple[str, Json]]) -> list[Record]:
    return [row for row in rows if all(same(row.get(name), value) for name, value in tests)]


def _pointing(table: Table, home: Table, key: Column) -> list[str]:
    """The column of a table that holds this part of the key of another one."""
    parent = table.parent
    if parent is not None and parent.table == home.name and key.name in home.key:
        return [parent.columns[home.key.index(key.name)]]
    found = [c.name for c in table.columns if c.references == home.name or home.name in c.among]
    return found if len(found) == 1 and home.key == (key.name,) else []


def _owning(
    bench: Bench, table: Table, home: Table, key: Column, value: Json
) -> list[tuple[str, Json]]:
    """The key in `table` of what the record of `home` with this key belongs to, step by step."""
    rows = _with(bench.all_records(home.name), [(key.name, value)])
    known = dict(rows[0]) if home.key == (key.name,) and rows else {}
    at = home
    while at.parent is not None and all(name in known for name in at.parent.columns):
        owner = bench.tables[at.parent.table]
        known = {k: known[name] for k, name in zip(owner.key, at.parent.columns, strict=True)}
        if owner.name == table.name:
            return list(known.items())
        at = owner
    return []


def _named(table: Table, name: str) -> list[str]:
    """The column named like an argument, where it says what a record belongs or refers to."""
    parent = table.parent.columns if table.parent is not None else ()
    return [
        column.name
        for column in table.columns
        if split(column.name) == split(name)
        and (column.name in parent or column.references is not None or column.among)
    ]


def still_named(bench: Bench, others: Mapping[str, Json]) -> list[Table]:
    """The tables of which required arguments that have no value yet name one record."""
    homes = [named_column(bench, name) for name in bench.required if name not in others]
    return [home[0] for home in homes if home is not None and home[0].key == (home[1].name,)]


def picked_by(
    bench: Bench, arguments: Mapping[str, Json], actor: str | int | None
) -> dict[str, list[Record]]:
    """By table, the records that arguments name by their whole key, or by what the tool finds them
    by; and the one who calls."""
    parts: dict[str, set[str]] = {}
    sought: set[str] = set()
    for name in arguments:
        home = named_column(bench, name)
        if home is not None:
            parts.setdefault(home[0].name, set()).add(home[1].name)
            sought |= {home[0].name} if is_sought(bench, name) else set()
    found = {
        table: agreeing(bench, bench.tables[table], arguments, actor)
        for table, columns in parts.items()
        if set(bench.tables[table].key) <= columns or table in sought
    }
    actors = bench.schema.actors
    if actors is not None and actor is not None and actors not in found:
        key = bench.tables[actors].key[0]
        found[actors] = [row for row in bench.all_records(actors) if same(row[key], actor)]
    return found
