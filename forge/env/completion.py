"""From the columns someone gave to a whole record in normal form.

Plain columns come first, then what is generated, since counters and templates look at the others:
ids, tokens and times, then counters, then generated properties inside other columns, then derived
columns. A derived value is always what its template gives, whatever was passed.
"""

from collections.abc import Callable
from typing import cast

from forge.env.layout import Layout, SitePath
from forge.env.schema import template_fields
from forge.env.values import ABSENT, LARGEST, checked_property, default_of
from forge.types.data import Json
from forge.types.state import Column, Record

Make = Callable[[Column, SitePath, Json, Record], Json]
"""The value of a generated property (not a derived one), or None for none, from its column, its
place, the value that is there (None if there is none), and the record so far."""


def completed(layout: Layout, fields: Record, make: Make, *, onto: Record | None = None) -> Record:
    """A new record of `fields`. With `onto`, that record with only `fields`, and what is made
    anew at every write, changed. ToolError("invalid") if a column refuses its value. `fields`
    names columns of the table and nothing else."""
    record: Record = {} if onto is None else dict(onto)
    for name, column in layout.stages:
        if onto is not None and name not in fields and name not in layout.refreshed:
            continue
        value = fields[name] if name in fields else record.get(name)
        if _is_plain(layout.plain.get(name), value):  # most values, so at speed
            record[name] = value
            continue
        there = name in fields or name in record
        if column.generated is not None:
            value = _made(column, (name,), value, record, make)
            there = there or value is not None
        elif name in layout.holders:
            made_whole = not there and _can_be_made(column)
            value = _filled(column, {} if made_whole else value, (name,), record, make)
            there = there or (made_whole and value != {})
        result = checked_property(column, value, name) if there else default_of(column, name)
        if result is ABSENT:
            record.pop(name, None)
        else:
            record[name] = result
    if onto is not None and record.keys() == onto.keys():
        return record
    return {name: record[name] for name in layout.columns if name in record}


def _is_plain(wanted: type | None, value: Json) -> bool:
    """Whether the value is of the type and in normal form as it is."""
    kind = type(value)
    if kind is not wanted:
        return False
    if kind is str:
        return bool(value.isascii())
    return kind is bool or bool(-LARGEST <= value < LARGEST)


def keep(column: Column, path: SitePath, present: Json, record: Record) -> Json:
    """The `Make` of records that come from a file: nothing is made."""
    return present


def _can_be_made(column: Column) -> bool:
    """Whether an absent object can come to be of nothing but what is generated in it."""
    return column.type == "object" and not any(
        inner.required and inner.default is None and inner.generated is None
        for inner in column.properties
    )


def _made(column: Column, path: SitePath, value: Json, record: Record, make: Make) -> Json:
    if column.generated == "derived":
        return derived(cast(str, column.template), record)
    return make(column, path, value, record)


def _filled(column: Column, value: Json, path: SitePath, record: Record, make: Make) -> Json:
    """The value with what is generated inside it; a value of the wrong type is left for the
    check to refuse."""
    if isinstance(value, (list, tuple)) and column.items is not None:
        return [_filled(column.items, item, (*path, None), record, make) for item in value]
    if not isinstance(value, dict) or (not column.properties and column.values is None):
        return value
    whole = dict(value)
    for inner in column.properties:
        here = (*path, inner.name)
        if inner.generated is not None:
            made = _made(inner, here, value.get(inner.name), record, make)
            if made is not None or inner.name in value:
                whole[inner.name] = made
        elif inner.name in value:
            whole[inner.name] = _filled(inner, value[inner.name], here, record, make)
    if column.values is not None:
        known = {inner.name for inner in column.properties}
        for name in value:
            if name not in known:
                whole[name] = _filled(column.values, value[name], (*path, None), record, make)
    return whole


def derived(template: str, record: Record) -> str | None:
    """The filled template; None if a column it needs is null."""
    text = ""
    for before, name, spec in template_fields(template):
        text += before
        if name is not None:
            value = record.get(name)
            if value is None:
                return None
            if isinstance(value, bool):
                value = "true" if value else "false"
            text += format(value, spec)
    return text
