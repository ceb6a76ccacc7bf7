"""A schema laid out for the store: which columns, at any depth, bind records to others.

A site is a place in a table's records where one column's values are: a path of property names,
with None for "every item" of an array or "every value" of a map.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from forge.env.identity import NESTED, frozen
from forge.types.data import Json
from forge.types.state import Column, OnDelete, Record, StateSchema, Table

SitePath = tuple[str | None, ...]
Bucket = tuple[Hashable, ...]
"""A value at a site and the values of the columns it is counted within, all frozen."""


@dataclass(frozen=True, slots=True)
class Site:
    path: SitePath
    column: Column
    watched: frozenset[str]
    """The columns of the table whose values decide what the site binds."""

    @property
    def text(self) -> str:
        return path_text(self.path)


@dataclass(frozen=True, slots=True)
class Incoming:
    """A way to be referred to: from `site` of `table`, or (site None) as the parent of its
    records, by `columns`."""

    table: str
    site: Site | None
    path: SitePath
    within: tuple[str, ...]
    on_delete: OnDelete


@dataclass(frozen=True, slots=True)
class Layout:
    table: Table
    columns: dict[str, Column]
    stages: tuple[tuple[str, Column], ...]
    """The columns and their names, in the order in which a record is completed."""
    plain: dict[str, type]
    """Columns of whose values nothing is asked but to be of this type: a text, a truth value, a
    whole number."""
    nested: tuple[str, ...]
    """Columns whose values may be lists or objects."""
    settled: frozenset[str]
    """Columns that no tool writes to once there is a record: of the key, or generated."""
    fixed: tuple[str, ...]
    """Those of them that stay as they were made: all but the derived ones."""
    references: tuple[Site, ...]
    uniques: tuple[Site, ...]
    counters: tuple[Site, ...]
    holders: tuple[str, ...]
    """Columns with a generated property somewhere inside them."""
    free: frozenset[str]
    """Columns that can be written on their own: neither they nor what is made anew with them
    bind the record to others, and what is made anew is but times and derived texts."""
    refreshed: tuple[str, ...]
    """Columns that are made anew at every write: derived, `on_update`, and holders of those."""
    incoming: tuple[Incoming, ...]


def lay_out(schema: StateSchema) -> dict[str, Layout]:
    """The layout of each table of a schema that `check_schema` accepts."""
    sites = {table.name: tuple(sites_of(table)) for table in schema.tables}
    incoming: dict[str, list[Incoming]] = {table.name: [] for table in schema.tables}
    for table in schema.tables:
        for site in sites[table.name]:
            if site.column.references is not None:
                incoming[site.column.references].append(
                    Incoming(table.name, site, site.path, (), site.column.on_delete)
                )
        if table.parent is not None:
            first, *others = table.parent.columns
            incoming[table.parent.table].append(
                Incoming(table.name, None, (first,), tuple(others), table.parent.on_delete)
            )
    return {
        table.name: _layout(table, sites[table.name], tuple(incoming[table.name]))
        for table in schema.tables
    }


def _layout(table: Table, sites: tuple[Site, ...], incoming: tuple[Incoming, ...]) -> Layout:
    generated = [site for site in sites if site.column.generated is not None]
    inside = {site.path[0] for site in generated if len(site.path) > 1}
    anew = {site.path[0] for site in generated if is_refreshed(site.column)}
    settled = frozenset(
        column.name
        for column in table.columns
        if column.name in table.key or column.generated is not None
    )
    binding = {*table.key, *inside, *(table.parent.columns if table.parent is not None else ())}
    for site in sites:
        if site.column.references is not None or site.column.unique or site.column.within:
            binding |= site.watched
    free = {column.name for column in table.columns} - settled - binding
    return Layout(
        table=table,
        columns={column.name: column for column in table.columns},
        stages=tuple(
            (column.name, column)
            for column in sorted(table.columns, key=lambda each: _stage(each, each.name in inside))
        ),
        plain={
            column.name: _PLAIN[column.type]
            for column in table.columns
            if column.type in _PLAIN and column.name not in inside and _asks_no_more(column)
        },
        nested=tuple(
            column.name for column in table.columns if column.type in ("object", "array", "any")
        ),
        settled=settled,
        fixed=tuple(
            column.name
            for column in table.columns
            if column.name in table.key or column.generated not in (None, "derived")
        ),
        references=tuple(site for site in sites if site.column.references is not None),
        uniques=tuple(site for site in sites if site.column.unique),
        counters=tuple(site for site in sites if site.column.generated == "counter"),
        holders=tuple(column.name for column in table.columns if column.name in inside),
        free=frozenset(free if anew.isdisjoint(binding) else ()),
        refreshed=tuple(column.name for column in table.columns if column.name in anew),
        incoming=incoming,
    )


_PLAIN: dict[str, type] = {"string": str, "boolean": bool, "integer": int}


def _asks_no_more(column: Column) -> bool:
    """Whether the column asks no more of a value than its type."""
    limits = (column.min_length, column.max_length, column.minimum, column.maximum)
    others = (column.generated, column.enum, column.format, *limits)
    return all(each is None for each in others)


def _stage(column: Column, holder: bool) -> int:
    if column.generated is None:
        return 3 if holder else 0
    return {"counter": 2, "derived": 4}.get(column.generated, 1)


def is_refreshed(column: Column) -> bool:
    return column.generated == "derived" or (column.generated == "time" and column.on_update)


def sites_of(table: Table) -> Iterator[Site]:
    """Every column of the table, at any depth."""
    for column in table.columns:
        yield from _sites((column.name,), column)


def _sites(path: SitePath, column: Column) -> Iterator[Site]:
    yield Site(path, column, frozenset((str(path[0]), *column.within)))
    for inner in column.properties:
        yield from _sites((*path, inner.name), inner)
    for each in (column.values, column.items):
        if each is not None:
            yield from _sites((*path, None), each)


def path_text(path: SitePath) -> str:
    """`("lines", None, "sku")` -> "lines[].sku"."""
    text = ""
    for step in path:
        text += "[]" if step is None else f".{step}" if text else step
    return text


def values_at(record: Record, path: SitePath) -> Iterator[Json]:
    """The values at a site: one, or None, where the path is a plain column; those that are not
    null where it leads inside one."""
    value = record.get(str(path[0]))
    if len(path) == 1:
        yield value
    else:
        yield from _values(value, path, 1)


def _values(value: Json, path: SitePath, at: int) -> Iterator[Json]:
    if value is None:
        return
    if at == len(path):
        yield value
        return
    step = path[at]
    if step is not None:
        if isinstance(value, dict):
            yield from _values(value.get(step), path, at + 1)
    elif isinstance(value, NESTED):
        for item in value if isinstance(value, list) else value.values():
            yield from _values(item, path, at + 1)


def holds(record: Record, path: SitePath, within: tuple[str, ...], bucket: Bucket) -> bool:
    """Whether an index over a site files the record under `bucket`."""
    if len(path) == 1 and frozen(record.get(str(path[0]))) != bucket[0]:
        return False
    return bucket in buckets(record, path, within)


def buckets(record: Record, path: SitePath, within: tuple[str, ...]) -> Iterator[Bucket]:
    """What an index over a site files the record under."""
    group = tuple(frozen(record.get(name)) for name in within)
    for value in values_at(record, path):
        yield (frozen(value), *group)
