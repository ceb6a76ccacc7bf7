"""The formulas of choosing and computing: on plain values, the same for records and for what tools
show.

The intent is evaluated on records and the DAG on results; both come here with the values they
found. Nulls are left out before a formula is asked. A tie that would decide a choice, or values
that cannot be compared, are a `FormError`: nothing is picked by chance.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from statistics import median
from typing import Literal

from forge.env.conditions import is_number, meets
from forge.env.identity import same
from forge.types.data import Json
from forge.types.environment import Comparison, Op

Number = Literal["sum", "average", "median", "min", "max", "range"]
_DAY = len("2026-01-01")
LARGEST = 1e100
"""Numbers beyond are refused: what is computed from them leaves the floats."""


OPPOSITE: dict[Comparison, Comparison] = {
    "eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt",
}  # fmt: skip


class FormError(Exception):
    """Why the values allow no such choice or number."""


def ranked(values: Sequence[Json], which: Literal["min", "max"]) -> list[int]:
    """The positions of the values that are there, the least (or greatest) first."""
    there = [i for i, value in enumerate(values) if value is not None]
    _comparable([values[i] for i in there])
    return sorted(there, key=lambda i: values[i], reverse=which == "max")


def nth(values: Sequence[Json], which: Literal["min", "max"], place: int) -> int:
    """The position of the value that comes `place`-th."""
    order = ranked(values, which)
    if len(order) < place:
        raise FormError(f"there is no {place}. of {len(order)}")
    chosen = order[place - 1]
    if sum(same(values[i], values[chosen]) for i in order) > 1:
        raise FormError(f"several tie at {values[chosen]!r}")
    return chosen


def first(values: Sequence[Json], which: Literal["min", "max"], take: int) -> list[int]:
    """The positions of the `take` values that come first, in that order."""
    order = ranked(values, which)
    if len(order) < take:
        raise FormError(f"there are only {len(order)} to take {take} from")
    if len(order) > take and same(values[order[take - 1]], values[order[take]]):
        raise FormError(f"several tie at {values[order[take]]!r}")
    return order[:take]


def nearest(values: Sequence[Json], to: Json) -> int:
    """The position of the value closest to `to`."""
    there = [i for i, value in enumerate(values) if value is not None]
    gaps = {i: abs(difference(values[i], to, whole_days=False)) for i in there}
    if not gaps:
        raise FormError("no value is there to compare")
    least = min(gaps.values())
    closest = [i for i in there if gaps[i] == least]
    if len(closest) > 1:
        raise FormError(f"{len(closest)} are equally close")
    return closest[0]


def most(values: Sequence[Json]) -> Json:
    """The value that occurs most often."""
    counts = Counter(value for value in values if isinstance(value, str | int))
    best = counts.most_common(2)
    if not best or (len(best) > 1 and best[0][1] == best[1][1]):
        raise FormError("none occurs more often than all others")
    return best[0][0]


def number(form: Number, values: Sequence[Json]) -> Json:
    """A number over the values that are there, rounded as people say it; min and max of dates
    too."""
    there = [value for value in values if value is not None]
    if not there:
        raise FormError(f"there is nothing to compute the {form} of")
    if form in ("min", "max"):
        _comparable(there)
        return min(there) if form == "min" else max(there)
    numbers = [value for value in there if is_countable(value)]
    if len(numbers) < len(there):
        raise FormError("the values are no numbers")
    match form:
        case "sum":
            return tidy(sum(numbers))
        case "average":
            return tidy(sum(numbers) / len(numbers))
        case "median":
            return tidy(median(numbers))
    return tidy(max(numbers) - min(numbers))


def distinct(values: Sequence[Json]) -> int:
    """How many different values there are."""
    different: list[Json] = []
    for value in values:
        if value is not None and not any(same(value, other) for other in different):
            different.append(value)
    return len(different)


def total(values: Sequence[Json], times: Sequence[Json]) -> Json:
    """The sum of each value times its own factor: unit prices times quantities."""
    products = [
        value * factor
        for value, factor in zip(values, times, strict=True)
        if is_countable(value) and is_countable(factor)
    ]
    if not products:
        raise FormError("there is nothing to add up")
    return tidy(sum(products))


def difference(left: Json, right: Json, *, whole_days: bool = True) -> float | int:
    """The first minus the second: of numbers, or of dates in days."""
    if is_countable(left) and is_countable(right):
        return tidy(left - right)
    one, other = _moment(left), _moment(right)
    if one is None or other is None:
        raise FormError("the values have no difference")
    if whole_days:
        return (one.date() - other.date()).days
    return (one - other).total_seconds() / 86400


def moved(
    value: Json, by: Json, unit: Literal["days", "amount", "percent"], *, less: bool = False
) -> Json:
    """The value so many days later, so much more, or so many per cent more; or that much less."""
    if not is_countable(by):
        raise FormError("there is no such step")
    by = -by if less else by
    if unit == "days":
        return _later(value, by)
    if not is_countable(value):
        raise FormError("only a number grows")
    more = tidy(value + by) if unit == "amount" else tidy(value * (100 + by) / 100)
    return float(more) if isinstance(value, float) else more


def holds(left: Json, op: Op, right: Json) -> bool:
    """Whether the comparison is true. Null compares with nothing."""
    if left is None or right is None:
        raise FormError("there is nothing to compare")
    return meets(left, op, right)


def is_countable(value: Json) -> bool:
    """A number that can be computed with."""
    return is_number(value) and abs(value) <= LARGEST


def tidy(number: float) -> float | int:
    """Two decimals, and an int where it is whole: 12.0 and 12 are the same answer."""
    rounded = round(number, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def _comparable(values: Sequence[Json]) -> None:
    if not all(isinstance(value, str) for value in values) and not all(map(is_countable, values)):
        raise FormError("the values cannot be compared")


def _moment(value: Json) -> datetime | None:
    """The moment a date or a date and time stand for; None for what is neither."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment.replace(tzinfo=None)


def _later(value: Json, days: float) -> str:
    if not isinstance(value, str) or _moment(value) is None or days != int(days):
        raise FormError("only a date can be moved by days")
    try:
        if len(value) == _DAY:
            return (date.fromisoformat(value) + timedelta(days=int(days))).isoformat()
        moment = datetime.fromisoformat(value) + timedelta(days=int(days))
    except (ValueError, OverflowError):
        raise FormError("the date cannot be moved so far") from None
    return moment.isoformat().replace("+00:00", "Z")
