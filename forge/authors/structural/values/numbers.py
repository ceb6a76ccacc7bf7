"""Invented numbers in the range that a person expects of them."""

import re
from collections.abc import Mapping
from datetime import datetime
from random import Random

from forge.authors.structural.values.dates import moment_for
from forge.authors.structural.values.kinship import price_range
from forge.authors.structural.values.life import Life
from forge.authors.structural.values.meaning import Meaning, words_of
from forge.authors.structural.values.phrases import thing_of
from forge.authors.structural.values.scales import like, range_of, usual_of
from forge.authors.structural.words import split, word_set
from forge.types.data import Json
from forge.types.state import Column

_ENDS = (0.0, 0.25, 0.4, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)
_NAMED_PRICES = {
    "salary": (29000.0, 92000.0), "wage": (14.0, 48.0), "budget": (1800.0, 90000.0),
    "balance": (40.0, 18500.0), "deposit": (50.0, 1600.0), "rent": (540.0, 2300.0),
    "fee": (2.0, 45.0), "fees": (2.0, 45.0), "fare": (3.0, 90.0), "revenue": (4000.0, 240000.0),
    "tax": (1.0, 90.0), "turnover": (4000.0, 240000.0), "income": (900.0, 9000.0),
    "payment": (20.0, 900.0), "limit": (200.0, 5000.0), "hourly": (18.0, 120.0),
}  # fmt: skip
_SLEEPS = {
    "single": (1, 1), "double": (2, 2), "twin": (2, 2), "triple": (3, 3), "family": (3, 4),
    "quad": (4, 4), "suite": (2, 4), "dormitory": (4, 8), "dorm": (4, 8), "studio": (1, 2),
}  # fmt: skip
"""How many people sleep in a room of a kind."""
_ROOM_RATES = {
    "single": (52.0, 94.0), "double": (78.0, 148.0), "twin": (78.0, 140.0),
    "triple": (98.0, 168.0), "family": (112.0, 198.0), "suite": (168.0, 320.0),
    "dormitory": (18.0, 36.0), "dorm": (18.0, 36.0), "studio": (88.0, 160.0),
}  # fmt: skip
"""What a night in it costs."""
_RANGES: dict[str, tuple[int, int]] = {
    "quantity": (1, 24), "age": (18, 84), "year": (1998, 2026), "month": (1, 12), "day": (1, 28),
    "seats": (4, 180), "floor": (0, 9), "rank": (1, 99), "bytes": (18_000, 8_400_000),
}  # fmt: skip


_PERCENT = re.compile(r"(\d+)\s?%")
_SCALED = ("quantity", "number", "price", "minutes", "weight", "length", "bytes")
"""Kinds of which the document's examples tell how large they are."""


def number_for(
    column: Column,
    kind: Meaning,
    noun: str,
    *,
    rng: Random,
    near: Mapping[str, Json],
    now: datetime,
    label: str = "",
    life: Life | None = None,
) -> int | float:
    """A number of the column's type within its limits; one that fits a record of this label and
    in this part of its life."""
    whole = column.type == "integer"
    words = words_of(column, noun) or ("value",)
    if kind == "epoch":
        moment = moment_for(rng, column.name, noun, near, now, timed=True, life=life)
        seconds = int(moment.timestamp())
        millis = any(isinstance(e, int) and e > 10**11 for e in column.examples)
        return _within(column, seconds * 1000 if millis else seconds, rng)
    about = column.description.lower()
    if (
        not whole
        and kind in ("percent", "number", "rating")
        and any(word in about for word in ("price", "cost", "euro", "dollar", "amount", "fee "))
    ):
        kind = "price"
    if kind == "floor":
        doors = [value for name, value in near.items() if name.endswith("number")]
        if doors and isinstance(doors[0], int) and 100 <= doors[0] < 1000:
            return _within(column, doors[0] // 100, rng)
    if kind == "id":
        return _within(column, rng.randint(10_000, 999_999), rng)
    if whole and kind != "price":
        usual = usual_of(words, noun)
        if usual:
            return _within(column, rng.choice(usual), rng)
    known = (
        range_of(split(column.name), noun)
        if whole and kind in ("quantity", "rank", "weight")
        else None
    )
    if known is None and kind in _SCALED and not (kind == "price" and price_range(noun, label)):
        shown = [e for e in column.examples if isinstance(e, int | float)]
        scaled = like([e for e in shown if not isinstance(e, bool)], rng)
        if scaled is not None:
            return _within(column, max(1, round(scaled)) if whole else scaled, rng)
    if words[-1] in ("number", "no", "num") and whole and known is None:
        low, high = (101, 648) if noun in ("room", "flat", "office", "locker") else (1042, 9870)
        return _within(column, rng.randint(low, high), rng)
    if kind == "price":
        least, most = _bounds(words, near)
        rates = [_ROOM_RATES[v] for v in near.values() if isinstance(v, str) and v in _ROOM_RATES]
        in_room = noun.split()[-1:] == ["room"] and bool(rates)
        range_ = rates[0] if in_room else price_range(noun, label)
        value = _price(words, noun, rng, whole, range_)
        if not least <= value <= most:
            share = 0.15 + 0.75 * rng.random()
            value = most * share if value > most else least / share
            value = max(1, round(value)) if whole or value > 100 else round(value, 2)
        return _within(column, value, rng)
    if kind == "latitude":
        return _within(column, round(rng.uniform(36, 60), 5), rng)
    if kind == "longitude":
        return _within(column, round(rng.uniform(-9, 24), 5), rng)
    if kind == "rating":
        return _within(column, rng.randint(1, 5) if whole else rng.randint(21, 50) / 10, rng)
    if kind == "percent" and {"progress", "completion", "complete"} & set(words):
        whole_way = 1 if column.maximum is not None and column.maximum <= 1 else 100
        if life == "over":
            return _within(column, whole_way, rng)
        return _within(column, whole_way * rng.randint(1, 18) / 20 if not whole else
                       5 * rng.randint(0 if life == "ahead" else 1, 18), rng)  # fmt: skip
    if kind == "percent":
        named = _PERCENT.search(label)
        if named:
            return _within(column, int(named[1]) if whole else float(named[1]), rng)
        if noun.split()[-1:] in (["tax"], ["vat"]) or "tax" in noun.split():
            return _within(column, rng.choice((4, 5, 7, 9, 10, 15, 19, 20, 21, 23, 25)), rng)
        if column.maximum is not None and column.maximum <= 1:
            return _within(column, rng.randint(5, 95) / 100, rng)
        return _within(column, 5 * rng.randint(1, 19) if whole else rng.randint(10, 190) / 2, rng)
    if kind in ("weight", "length", "number"):
        return _within(column, rng.randint(4, 900) if whole else rng.randint(5, 1200) / 10, rng)
    if kind == "minutes":
        seconds = "seconds" in words or "sec" in words
        short = rng.choice((10, 15, 20, 25, 30, 40, 45, 50, 60, 75, 90, 105, 120))
        hours = rng.choice((1, 2, 3, 4, 5, 6, 7, 8))
        return _within(column, hours if "hours" in words else short * (60 if seconds else 1), rng)
    if words[-1] in ("beds", "sleeps", "persons", "capacity"):
        for value in near.values():
            sleeps = _SLEEPS.get(value) if isinstance(value, str) else None
            if sleeps is not None:
                return _within(column, rng.randint(*sleeps), rng)
    low, high = _RANGES.get(kind, (1, 60))
    if kind == "quantity" and noun.split()[-1:] in (["line"], ["item"], ["order"]):
        high = 9
    if kind == "year":
        low, high = _years(set(split(column.name)), near)
    low, high = known or (low, high)
    return _within(column, rng.randint(low, high), rng)


_FIRST = word_set("start from begin begins since birth born founded formation built opened")
_LAST = word_set("end ends to until death died closed dissolved disbanded demolished")


def _years(words: set[str], near: Mapping[str, Json]) -> tuple[int, int]:
    """Between which years one lies: what ends does not end before it began."""
    low, high = _RANGES["year"]
    for name, value in near.items():
        other = set(split(name))
        if "year" not in other or isinstance(value, bool) or not isinstance(value, int):
            continue
        if words & _LAST and other & _FIRST:
            low = max(low, value)
        if words & _FIRST and other & _LAST:
            high = min(high, value)
    return low, max(low, high)


_LOWER = word_set(
    "book residual disposal resale current remaining discounted sale depreciated accumulated accum "
    "prior limit gain loss"
)
_UPPER = word_set("purchase original acquisition list retail regular")


def is_part(words: tuple[str, ...]) -> bool:
    """Whether a price is of what is left of another one: a book value, a sale price."""
    return bool(_LOWER & set(words))


def _bounds(words: tuple[str, ...], near: Mapping[str, Json]) -> tuple[float, float]:
    """Between which amounts a price lies: a book value is no more than the purchase price."""
    part, whole = bool(_LOWER & set(words)), bool(_UPPER & set(words))
    least, most = 0.0, float("inf")
    for name, value in near.items():
        other = set(split(name))
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            continue
        if part and _UPPER & other:
            most = min(most, value)
        if whole and not part and _LOWER & other and other & {"price", "value"}:
            least = max(least, value)
    return least, most


def _price(
    words: tuple[str, ...],
    noun: str,
    rng: Random,
    whole: bool,
    known: tuple[float, float] | None = None,
) -> int | float:
    thing = thing_of(noun)
    low, high = known or (thing.price if thing is not None else None) or (5.0, 240.0)
    for word in words:
        low, high = _NAMED_PRICES.get(word, (low, high))
    middle: float = rng.random() ** 1.7
    amount = low + (high - low) * middle
    if high > 20_000 and amount > 2_000:
        return round(amount / 100) * 100
    if whole or high > 5_000:
        return max(1, round(amount / 5) * 5 if high > 200 else round(amount))
    return float(round(int(amount) + rng.choice(_ENDS), 2)) or 0.5


def _within(column: Column, value: int | float, rng: Random) -> int | float:
    """The value, or one drawn anew inside the column's limits."""
    low, high = column.minimum, column.maximum
    if (low is None or value >= low) and (high is None or value <= high):
        return value
    if low is None:
        low = min(0.0 if value >= 0 else -100.0, high or 0)
    if high is None:
        high = low + max(100.0, abs(low))
    if column.type == "integer":
        first, last = -int(-low // 1), int(high // 1)
        return rng.randint(first, max(first, min(last, first + 10**6)))
    return float(round(min(max(low, low + (high - low) * rng.random()), high), 2))
