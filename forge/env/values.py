"""Values: checked against their columns, at any depth, and put into one normal form.

In that form dates are normalised, whole numbers are integers, an object's known properties come
in the schema's order, and an absent optional one has its default (null, where it may be null;
an optional column that may not be null is absent). Nothing in a result is shared with the input.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from enum import Enum
from typing import Final, Literal, NoReturn

from forge.env.dates import moment_of, normal_date, normal_date_time
from forge.env.identity import same, shown
from forge.errors import ToolError
from forge.types.data import Json
from forge.types.state import Column

DEEPEST = 64
"""Levels of nesting a value may have."""
LARGEST = 2**63
"""Whole numbers are smaller, and no less than as far below zero."""
_NUMBER = (int, float)
_LIST = (list, tuple)


class Absent(Enum):
    """The one value of a property that is not there."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


def checked(column: Column, value: Json, where: str, depth: int = 0) -> Json:
    """`value` in normal form. ToolError("invalid"), which names `where`, if the column forbids
    it. References, uniqueness and generated values are the store's business, not checked here.
    `depth`: how many levels above this one the value has."""
    if value is None:
        if not column.nullable:
            raise ToolError("invalid", f"{where} must not be null")
        return None
    if depth > DEEPEST:
        raise ToolError("invalid", f"{where} is nested more than {DEEPEST} levels deep")
    match column.type:
        case "string":
            value = _string(column, value, where)
        case "integer":
            value = _integer(column, value, where)
        case "number":
            value = _number(column, value, where)
        case "boolean":
            if not isinstance(value, bool):
                _refuse(where, "true or false", value)
        case "array":
            value = _array(column, value, where, depth)
        case "object":
            value = _object(column, value, where, depth)
        case "any":
            value = _plain(value, where, depth)
    if column.enum is not None and not any(same(value, choice) for choice in column.enum):
        choices = ", ".join(shown(choice) for choice in column.enum[:30])
        _refuse(where, f"one of {choices}", value)
    return value


def checked_property(
    column: Column, value: Json, where: str, depth: int = 0
) -> Json | Literal[Absent.ABSENT]:
    """Like `checked`, for a property of an object: null is absent where the two are the same."""
    if value is None and not (column.required or column.nullable) and column.default is None:
        return ABSENT
    return checked(column, value, where, depth)


def default_of(column: Column, where: str) -> Json | Literal[Absent.ABSENT]:
    """What an absent property is. ToolError if it has to be there."""
    if column.default is not None:
        return checked(column, column.default, where)
    if column.required:
        raise ToolError("invalid", f"{where} is required")
    return None if column.nullable else ABSENT


def suggestion(name: str, known: Iterable[str]) -> str:
    """ "did you mean …?" or what there is."""
    names = sorted(known)
    close = get_close_matches(name, names, n=1)
    if close:
        return f'did you mean "{close[0]}"?'
    return f"there is {', '.join(names[:20])}" if names else "there is none"


def _string(column: Column, value: Json, where: str) -> str:
    if not isinstance(value, str):
        _refuse(where, "a text", value)
    if not value.isascii():
        _encodable(value, where)
    if column.format == "date":
        try:
            value = normal_date(value)
        except ValueError:
            _refuse(where, "a date like 2026-03-02", value)
    elif column.format == "date-time":
        try:
            value = normal_date_time(value)
        except ValueError:
            _refuse(where, "a date and time like 2026-03-02T09:00:00Z", value)
    _sized(column, value, where, "characters")
    return str(value)


def _integer(column: Column, value: Json, where: str) -> int:
    value = _whole(value)
    if column.format == "unix-time" and isinstance(value, str):
        value = _seconds(value, where)
    if isinstance(value, bool) or not isinstance(value, int):
        _refuse(where, "a whole number", value)
    return int(_ranged(column, value, where))


def _seconds(value: str, where: str) -> int:
    """A date and time, as the clock has it, in seconds since 1970."""
    try:
        return int(moment_of(normal_date_time(value)).timestamp())
    except ValueError:
        _refuse(where, "a whole number of seconds since 1970", value)


def _number(column: Column, value: Json, where: str) -> int | float:
    value = _whole(value)
    if isinstance(value, bool) or not isinstance(value, _NUMBER):
        _refuse(where, "a number", value)
    return _ranged(column, value, where)


def _array(column: Column, value: Json, where: str, depth: int) -> list[Json]:
    if not isinstance(value, _LIST):
        _refuse(where, "a list", value)
    _sized(column, value, where, "items")
    items = column.items
    if items is None:
        return [_plain(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value)]
    return [checked(items, item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value)]


def _object(column: Column, value: Json, where: str, depth: int) -> dict[str, Json]:
    if not isinstance(value, Mapping):
        _refuse(where, "an object", value)
    if not column.properties and column.values is None:
        return _plain_object(value, where, depth)
    made: dict[str, Json] = {}
    for known in column.properties:
        inner = f"{where}.{known.name}"
        if known.name in value:
            result = checked_property(known, value[known.name], inner, depth + 1)
        else:
            result = default_of(known, inner)
        if result is not ABSENT:
            made[known.name] = result
    if value.keys() <= made.keys():
        return made
    names = {known.name for known in column.properties}
    for name, item in value.items():
        if name in names:
            continue
        _named(name, where)
        if column.values is None:
            raise ToolError("invalid", f"{where} has no {shown(name)}: {suggestion(name, names)}")
        made[name] = checked(column.values, item, f"{where}.{name}", depth + 1)
    return made


def _plain(value: Json, where: str, depth: int) -> Json:
    """Any JSON value, in normal form."""
    if depth > DEEPEST:
        raise ToolError("invalid", f"{where} is nested more than {DEEPEST} levels deep")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        _encodable(value, where)
        return value
    if isinstance(value, _NUMBER):
        return _bounded(_whole(value), where)
    if isinstance(value, _LIST):
        return [_plain(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value)]
    if not isinstance(value, Mapping):
        _refuse(where, "a JSON value", value)
    return _plain_object(value, where, depth)


def _plain_object(value: Mapping[str, Json], where: str, depth: int) -> dict[str, Json]:
    made: dict[str, Json] = {}
    for name, item in value.items():
        _named(name, where)
        made[name] = _plain(item, f"{where}.{name}", depth + 1)
    return made


def _named(name: Json, where: str) -> None:
    if not isinstance(name, str):
        raise ToolError("invalid", f"{where} has the name {shown(name)}, which is no text")
    _encodable(name, where)


def _encodable(text: str, where: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ToolError("invalid", f"{where} holds half a character (a lone surrogate)") from None


def _whole(value: Json) -> Json:
    """12.0 is written 12."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def _bounded(value: int | float, where: str) -> int | float:
    if isinstance(value, float) and not math.isfinite(value):
        _refuse(where, "a finite number", str(value))
    if isinstance(value, int) and not -LARGEST <= value < LARGEST:
        raise ToolError("invalid", f"{where} is too large a number (64 bits at most)")
    return value


def _ranged(column: Column, value: int | float, where: str) -> int | float:
    _bounded(value, where)
    if column.minimum is not None and value < column.minimum:
        _refuse(where, f"at least {shown(_whole(column.minimum))}", value)
    if column.maximum is not None and value > column.maximum:
        _refuse(where, f"at most {shown(_whole(column.maximum))}", value)
    return value


def _sized(column: Column, value: Sequence[Json], where: str, unit: str) -> None:
    if column.min_length is not None and len(value) < column.min_length:
        _refuse(where, f"at least {column.min_length} {unit} long", value)
    if column.max_length is not None and len(value) > column.max_length:
        _refuse(where, f"at most {column.max_length} {unit} long", value)


def _refuse(where: str, what: str, value: Json) -> NoReturn:
    raise ToolError("invalid", f"{where} must be {what}, not {shown(value)}")
