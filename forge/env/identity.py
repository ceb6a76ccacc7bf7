"""When two JSON values are the same one, and copies that share nothing.

true is not 1, "12" is not 12, 12 is 12.0, and the order of an object's members means nothing.
"""

import json
from collections.abc import Hashable
from typing import cast

from forge.types.data import Json
from forge.types.state import Record

NESTED = (dict, list)


def frozen(value: Json) -> Hashable:
    """A hashable stand-in: two values are the same if and only if theirs are equal."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, list):
        return ("list", *map(frozen, value))
    if isinstance(value, dict):
        return ("dict", *((name, frozen(value[name])) for name in sorted(value)))
    return cast(Hashable, value)


def same(one: Json, other: Json) -> bool:
    return one is other or (one == other and frozen(one) == frozen(other))


def copied(value: Json) -> Json:
    """A copy that shares no list or dict with the original."""
    if isinstance(value, dict):
        return copied_record(value)
    if isinstance(value, list):
        return [copied(v) if isinstance(v, NESTED) else v for v in value]
    return value


def copied_record(record: Record) -> Record:
    made = record.copy()
    for name, value in record.items():
        if isinstance(value, NESTED):
            made[name] = copied(value)
    return made


_written = json.JSONEncoder(ensure_ascii=False).encode


def shown(value: Json, limit: int = 60) -> str:
    """A value as JSON for a message, cut at `limit` characters."""
    if isinstance(value, str):
        value = value[: limit + 1]
    try:
        text = _written(value)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= limit else text[:limit] + "…"
