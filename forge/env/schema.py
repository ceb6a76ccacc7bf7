"""What a state schema must be before records can be held by it.

The store relies on it: names resolve, keys are texts or integers, a reference can be followed,
cleared and counted, and a template can only copy columns.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from string import Formatter

from forge.env.layout import Site, sites_of
from forge.env.values import checked, suggestion
from forge.errors import ToolError, UserError
from forge.types.state import Column, StateSchema, Table

_SPEC = re.compile(r"0?[1-9]d?")
_GENERATED_TYPES = {
    "id": {"string", "integer"},
    "counter": {"integer"},
    "time": {"string", "integer"},
    "token": {"string"},
    "derived": {"string"},
}


def check_schema(schema: StateSchema) -> None:
    """UserError that names the table and column of the first thing that cannot be."""
    _distinct((table.name for table in schema.tables), "", "table")
    tables = {table.name: table for table in schema.tables}
    for table in schema.tables:
        _distinct((column.name for column in table.columns), table.name, "column")
        _check_key(table)
        for site in sites_of(table):
            _check_site(table, site, tables)
        if table.parent is not None:
            _check_parent(table, tables)
        if table.label is not None:
            _column(table, table.label, table.name)
    if schema.actors is not None:
        actors = _table(tables, schema.actors, "actors")
        if len(actors.key) != 1:
            raise UserError(f"the key of {actors.name} must be one column", where="actors")


@cache
def template_fields(template: str) -> tuple[tuple[str, str | None, str], ...]:
    """A template as (text before, column or None, format). ValueError if it does more than fill
    columns in."""
    parts = []
    for before, name, spec, conversion in Formatter().parse(template):
        if conversion or (spec and not _SPEC.fullmatch(spec)):
            raise ValueError("only {column} and widths like {column:04d} are possible")
        parts.append((before, name, spec or ""))
    return tuple(parts)


def id_range(column: Column) -> range:
    """The numbers that generated ids of an integer column are taken from."""
    low = 1_000_000 if column.minimum is None else int(column.minimum)
    high = low + 999_000_000 if column.maximum is None else int(column.maximum) + 1
    return range(low, high)


def _check_key(table: Table) -> None:
    if not table.key and not table.singleton:
        raise UserError("the table has no key", where=table.name)
    _distinct(table.key, table.name, "key column")
    for name in table.key:
        column = _column(table, name, table.name)
        if column.type not in ("string", "integer"):
            raise UserError(
                f"a key is a string or an integer, not {column.type}", where=f"{table.name}.{name}"
            )
    if table.singleton and table.parent is not None:
        raise UserError("a table with a single record has no parent", where=table.name)


def _check_site(table: Table, site: Site, tables: dict[str, Table]) -> None:
    column, where = site.column, f"{table.name}.{site.text}"
    _distinct((inner.name for inner in column.properties), where, "property")
    for name in column.within:
        if _column(table, name, where).type in ("object", "array"):
            raise UserError(
                f"it cannot be counted within {name}, which is no plain value", where=where
            )
    if column.properties and column.values is not None and _binds(column.values):
        raise UserError(
            "an object with known properties cannot also be a map of bound values", where=where
        )
    if column.default is not None:
        try:
            checked(column, column.default, "the default")
        except ToolError as error:
            raise UserError(error.message, where=where) from error
    if column.generated is not None:
        _check_generated(table, site, where)
    if column.references is not None:
        _check_reference(table, site, where, tables)


def _check_reference(table: Table, site: Site, where: str, tables: dict[str, Table]) -> None:
    column = site.column
    target = _table(tables, column.references or "", where)
    if len(target.key) != 1:
        raise UserError(
            f"{target.name} cannot be referenced: its key is not one column", where=where
        )
    wanted = _column(target, target.key[0], where).type
    if column.type not in (wanted, "any"):
        raise UserError(
            f"it is {column.type} and the key of {target.name} is {wanted}",
            where=where,
            mend=f"make both {wanted}",
        )
    if column.on_delete == "cascade" and table.singleton:
        raise UserError("the single record of a table cannot go with another", where=where)
    if column.on_delete == "clear":
        stays = column.required and not column.nullable and site.path[-1] is not None
        if stays or (len(site.path) == 1 and site.path[0] in table.key):
            raise UserError(
                "it cannot be cleared, since it must have a value",
                where=where,
                mend='on_delete "restrict" or "cascade"',
            )


def _check_parent(table: Table, tables: dict[str, Table]) -> None:
    parent = table.parent
    assert parent is not None
    where = f"{table.name}.parent"
    target = _table(tables, parent.table, where)
    if not target.key or len(target.key) != len(parent.columns):
        raise UserError(
            f"the key of {target.name} is ({', '.join(target.key)}), and columns are "
            f"({', '.join(parent.columns)})",
            where=where,
        )
    for mine, theirs in zip(parent.columns, target.key, strict=True):
        ours, wanted = _column(table, mine, where).type, _column(target, theirs, where).type
        if ours != wanted:
            raise UserError(
                f"{mine} is {ours} and {target.name}.{theirs} is {wanted}",
                where=where,
                mend=f"make both {wanted}",
            )


def _check_generated(table: Table, site: Site, where: str) -> None:
    column = site.column
    assert column.generated is not None
    if column.type not in _GENERATED_TYPES[column.generated]:
        wanted = " or ".join(sorted(_GENERATED_TYPES[column.generated]))
        raise UserError(f"generated {column.generated} is {wanted}, not {column.type}", where=where)
    if site.path[-1] is None:
        raise UserError(
            "an item of an array or map cannot be generated, only a property of it", where=where
        )
    if column.enum is not None:
        raise UserError("a generated value has no enum", where=where)
    if column.generated == "derived":
        _check_template(table, column, where)
    elif column.generated in ("id", "token") and column.type == "string":
        room = (column.max_length or 1000) - (len(column.prefix) if column.generated == "id" else 0)
        if room < (36 if column.format == "uuid" else 8):
            raise UserError(
                "there is no room for a generated value", where=where, mend="raise max_length"
            )
    elif column.generated == "id" and len(id_range(column)) < 1_000_000:
        raise UserError(
            "there is no room for generated ids",
            where=where,
            mend="leave a million numbers between minimum and maximum",
        )


def _check_template(table: Table, column: Column, where: str) -> None:
    if column.template is None:
        raise UserError("a derived column needs a template", where=where)
    try:
        parts = template_fields(column.template)
    except ValueError as error:
        raise UserError(f"template {column.template!r}: {error}", where=where) from error
    for _, name, spec in parts:
        if name is None:
            continue
        source = _column(table, name, where)
        if source.generated == "derived" or source.type in ("object", "array", "any"):
            raise UserError(f"the template cannot use {name}", where=where)
        if spec.endswith("d") and source.type != "integer":
            raise UserError(f"the template writes {name} as an integer", where=where)


def _binds(column: Column) -> bool:
    inner = [*column.properties, *(c for c in (column.values, column.items) if c is not None)]
    bound = column.references is not None or column.unique or column.generated is not None
    return bound or any(_binds(one) for one in inner)


def _distinct(names: Iterable[str], where: str, what: str) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise UserError(f"{what} {name!r} is there {times} times", where=where)


def _table(tables: dict[str, Table], name: str, where: str) -> Table:
    if name not in tables:
        raise UserError(f"no table {name!r}: {suggestion(name, tables)}", where=where)
    return tables[name]


def _column(table: Table, name: str, where: str) -> Column:
    for column in table.columns:
        if column.name == name:
            return column
    known = [column.name for column in table.columns]
    raise UserError(f"{table.name} has no column {name!r}: {suggestion(name, known)}", where=where)
