"""Which records a `find` means, and in which order.

A condition is `column` or `column__op`. A condition that a tool cannot mean (an unknown column or
operator, an order between a text and a number) is a bug of the tool; a value that cannot be what
the column holds just matches nothing, but for a malformed date, which the agent is told.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import get_args

from forge.env.conditions import BOUNDS
from forge.env.dates import normal_date, normal_date_time
from forge.env.identity import frozen, shown
from forge.env.layout import Bucket, Layout, SitePath
from forge.env.values import suggestion
from forge.errors import ToolBug, ToolError
from forge.types.data import Json
from forge.types.environment import Op
from forge.types.state import Column, Record

_OPS: tuple[Op, ...] = get_args(Op)
_NUMBER = (int, float)
_ORDERS: dict[Op, Callable[[Json, Json], bool]] = {"lt": lt, "le": le, "gt": gt, "ge": ge}


@dataclass(frozen=True, slots=True)
class Condition:
    """`holds` says of a value of `column` whether it fits. `path` and `values`: it fits only
    records that hold one of these values there, which an index can find."""

    column: str
    holds: Callable[[Json], bool]
    path: SitePath = ()
    values: tuple[Bucket, ...] = ()


def conditions_of(layout: Layout, where: Mapping[str, Json]) -> list[Condition]:
    """ToolBug for what a tool cannot mean, ToolError for a malformed date."""
    return [_condition(layout, name, operand) for name, operand in where.items()]


def _condition(layout: Layout, name: str, operand: Json) -> Condition:
    column, op = _resolved(layout, name)

    def bug(what: str) -> ToolBug:
        return ToolBug(f"{layout.table.name}: {name}={shown(operand)}: {what}")

    match op:
        case "eq" | "ne":
            wanted = frozen(_normal(column, operand, name))
            if op == "ne":
                return Condition(column.name, lambda value: frozen(value) != wanted)
            return Condition(
                column.name, lambda value: frozen(value) == wanted, (column.name,), ((wanted,),)
            )
        case "in":
            if not isinstance(operand, list | tuple):
                raise bug("in needs a list")
            choices = dict.fromkeys(frozen(_normal(column, item, name)) for item in operand)
            return Condition(
                column.name,
                lambda value: frozen(value) in choices,
                (column.name,),
                tuple((choice,) for choice in choices),
            )
        case "has":
            if column.type not in ("array", "any"):
                raise bug(f"has is for lists, and {column.name} is {column.type}")
            item = frozen(_normal(column.items or Column(type="any"), operand, name))
            holds = _has(item)
            if column.type == "array" and operand is not None:
                return Condition(column.name, holds, (column.name, None), ((item,),))
            return Condition(column.name, holds)
        case "contains" | "icontains":
            if column.type not in ("string", "any") or not isinstance(operand, str):
                raise bug(f"{op} looks for a text in a text")
            if op == "contains":
                return Condition(
                    column.name, lambda value: isinstance(value, str) and operand in value
                )
            low = operand.casefold()
            return Condition(
                column.name, lambda value: isinstance(value, str) and low in value.casefold()
            )
        case "within" if isinstance(operand, dict):
            if not operand.keys() <= BOUNDS.keys():
                raise bug(f"within knows {', '.join(BOUNDS)}")
            tests = [
                _ordered(column, BOUNDS[bound], value, name, bug)
                for bound, value in operand.items()
                if value is not None
            ]
            return Condition(column.name, lambda value: all(test(value) for test in tests))
        case "within":
            return _condition(layout, f"{column.name}__eq", operand)
        case _:
            return Condition(column.name, _ordered(column, op, operand, name, bug))


def _has(item: object) -> Callable[[Json], bool]:
    return lambda value: isinstance(value, list) and any(frozen(one) == item for one in value)


def _ordered(
    column: Column, op: Op, operand: Json, name: str, bug: Callable[[str], ToolBug]
) -> Callable[[Json], bool]:
    kind = _kind(operand)
    wanted = {"string": str, "integer": float, "number": float, "any": kind}.get(column.type)
    if kind is None or wanted is not kind:
        raise bug(f"{column.name} is {column.type} and has no order with that")
    bound = _normal(column, operand, name)
    order = _ORDERS[op]
    return lambda value: _kind(value) is kind and order(value, bound)


def _kind(value: Json) -> type | None:
    """What values can be ordered with: texts with texts, numbers with numbers."""
    if isinstance(value, str):
        return str
    return float if isinstance(value, _NUMBER) and not isinstance(value, bool) else None


def _resolved(layout: Layout, name: str) -> tuple[Column, Op]:
    """The column a name means is looked for first, so `a__eq` may be a column's name."""
    if name in layout.columns:
        return layout.columns[name], "eq"
    column, _, suffix = name.rpartition("__")
    for op in _OPS:
        if suffix == op and column in layout.columns:
            return layout.columns[column], op
    if column in layout.columns:
        raise ToolBug(f"{layout.table.name}: no operator {suffix!r}, there is {', '.join(_OPS)}")
    raise ToolBug(f"{layout.table.name} has no column {name!r}: {suggestion(name, layout.columns)}")


def _normal(column: Column, operand: Json, name: str) -> Json:
    """The operand as the column would hold it."""
    if isinstance(operand, tuple):
        return list(operand)
    if not isinstance(operand, str):
        return operand
    try:
        if column.format == "date":
            return normal_date(operand)
        if column.format == "date-time":
            return normal_date_time(operand)
    except ValueError:
        kind = "2026-03-02" if column.format == "date" else "2026-03-02T09:00:00Z"
        raise ToolError("invalid", f"{name} must be like {kind}, not {shown(operand)}") from None
    return operand


def in_order(layout: Layout, records: Iterable[Record], sort: str | Sequence[str]) -> list[Record]:
    """Records, given in the order of their keys, sorted by columns: "due", or "-due" from the
    greatest down. Null comes last either way."""
    rows = list(records)
    names = [sort] if isinstance(sort, str) else sort
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ToolBug(f"{layout.table.name}: sort takes names of columns, not {shown(sort)}")
    for name in reversed(names):
        down = name not in layout.columns and name.startswith("-")
        column = name[1:] if down else name
        if column not in layout.columns:
            raise ToolBug(
                f"{layout.table.name} cannot be sorted by {name!r}: "
                f"{suggestion(column, layout.columns)}"
            )
        there = [row for row in rows if row.get(column) is not None]
        there.sort(key=lambda row: _rank(row[column]), reverse=down)
        rows = there + [row for row in rows if row.get(column) is None]
    return rows


def _rank(value: Json) -> tuple[int, Json]:
    if isinstance(value, bool):
        return 0, value
    if isinstance(value, _NUMBER):
        return 1, value
    if isinstance(value, str):
        return 2, value
    return 3, repr(frozen(value))


def window(limit: int | None, offset: int) -> tuple[int, int | None]:
    """The positions from which and up to which records are wanted."""
    for name, number in (("limit", limit), ("offset", offset)):
        if number is None:
            continue
        if isinstance(number, bool) or not isinstance(number, int):
            raise ToolBug(f"{name} is a whole number, not {shown(number)}")
        if number < 0:
            raise ToolError("invalid", f"{name} must be at least 0, not {number}")
    return offset, None if limit is None else offset + limit
