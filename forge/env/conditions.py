"""Whether a value meets a condition: the operators of wishes, of reasoning nodes and of the tool
checks, in one place, apart from the store's own that tools call.

Null meets only `eq` null and `ne` a value. Values of different JSON types never compare, and true
is not 1.
"""

from collections.abc import Mapping

from forge.env.identity import same
from forge.types.data import Json
from forge.types.environment import Op

BOUNDS: Mapping[str, Op] = {"gt": "gt", "gte": "ge", "lt": "lt", "lte": "le"}
"""The bounds of `within`."""


def meets(value: Json, op: Op, wanted: Json) -> bool:
    match op:
        case "eq":
            return same(value, wanted)
        case "ne":
            return not same(value, wanted)
        case "in":
            return isinstance(wanted, list) and any(same(value, w) for w in wanted)
        case "has":
            return isinstance(value, list) and any(same(v, wanted) for v in value)
        case "contains" | "icontains":
            if not isinstance(value, str) or not isinstance(wanted, str):
                return False
            if op == "contains":
                return wanted in value
            return wanted.casefold() in value.casefold()
        case "within":
            if not isinstance(wanted, dict):
                return same(value, wanted)
            return all(
                name in BOUNDS and meets(value, BOUNDS[name], bound)
                for name, bound in wanted.items()
            )
        case "lt":
            return _comparable(value, wanted) and value < wanted
        case "le":
            return _comparable(value, wanted) and value <= wanted
        case "gt":
            return _comparable(value, wanted) and value > wanted
        case "ge":
            return _comparable(value, wanted) and value >= wanted


def _comparable(one: Json, other: Json) -> bool:
    return (is_number(one) and is_number(other)) or (
        isinstance(one, str) and isinstance(other, str)
    )


def is_number(value: Json) -> bool:
    """An int or a float; true is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)
