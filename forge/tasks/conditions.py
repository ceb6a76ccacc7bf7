"""Whether a value meets a condition: the operators of wishes and of reasoning nodes, in one place.

Null meets only `eq` null and `ne` a value. Values of different JSON types never compare, and true
is not 1.
"""

from forge.env.identity import same
from forge.types.data import Json
from forge.types.environment import Op


def _ordered(a: Json, b: Json) -> bool:
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    return (numbers and not isinstance(a, bool) and not isinstance(b, bool)) or (
        isinstance(a, str) and isinstance(b, str)
    )


def meets(value: Json, op: Op, wanted: Json) -> bool:
    match op:
        case "eq":
            return same(value, wanted)
        case "ne":
            return not same(value, wanted)
        case "in":
            return any(same(value, w) for w in wanted)
        case "has":
            return isinstance(value, list) and any(same(v, wanted) for v in value)
        case "contains":
            return isinstance(value, str) and wanted in value
        case "icontains":
            return isinstance(value, str) and wanted.casefold() in value.casefold()
        case "lt":
            return _ordered(value, wanted) and value < wanted
        case "le":
            return _ordered(value, wanted) and value <= wanted
        case "gt":
            return _ordered(value, wanted) and value > wanted
        case "ge":
            return _ordered(value, wanted) and value >= wanted
