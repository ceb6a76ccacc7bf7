"""Looking into an intent: every value with the column it is for, every selection at any depth."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from forge.types.data import Json
from forge.types.environment import Op
from forge.types.intent import (
    AddItem,
    Aggregate,
    Answer,
    Branch,
    Change,
    Computed,
    Deed,
    Delete,
    Difference,
    Insert,
    Intent,
    Keys,
    Measure,
    Moved,
    Plain,
    RecordKey,
    Refused,
    RemoveItem,
    Selection,
    Test,
    Value,
    Wish,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A value of the intent and the column that it is compared with or written to."""

    table: str
    column: str
    value: Value
    op: Op = "eq"
    """How it is compared; "eq" where it is written."""
    role: Literal["value", "near", "step", "test"] = "value"
    """Of the column itself; what a pick is to be closest to; what a value is moved by; something
    in the test of a branch."""


def values(intent: Intent) -> Iterator[Place]:
    """Every value, outer ones before those inside them."""
    for wish in intent.wishes:
        yield from in_wish(wish)


def in_wish(wish: Wish) -> Iterator[Place]:
    match wish:
        case Insert():
            for column, value in wish.values.items():
                yield from _inside(wish.table, column, value)
        case Change():
            yield from _selected(wish.of)
            for column, value in wish.change.items():
                yield from _inside(wish.of.table, column, value)
        case Delete():
            yield from _selected(wish.of)
        case Answer():
            yield from _measured(wish.what)
        case Branch():
            for place in _tested(wish.test):
                yield replace(place, role="test")
            for deed in deeds(wish):
                yield from in_wish(deed)
        case Refused():
            yield from in_wish(wish.deed)


def deeds(wish: Wish) -> list[Deed]:
    """What the wish might do to records: both ways of a branch, a deed that is refused too."""
    match wish:
        case Answer():
            return []
        case Branch():
            return [wish.then] if wish.otherwise is None else [wish.then, wish.otherwise]
        case Refused():
            return [wish.deed]
    return [wish]


def _tested(test: Test) -> Iterator[Place]:
    yield from _measured(test.measure)
    measure = test.measure.left if isinstance(test.measure, Difference) else test.measure
    yield Place(measure.of.table, measure.column or "", test.value, test.op)


def _measured(what: Measure) -> Iterator[Place]:
    for each in aggregates(what):
        yield from _selected(each.of)


def aggregates(what: Measure) -> list[Aggregate]:
    """The aggregate, or both sides of a difference."""
    if isinstance(what, Aggregate):
        return [what]
    return [what.left] if what.right is None else [what.left, what.right]


def measured(intent: Intent) -> Iterator[Aggregate]:
    """Everything that is computed: to be told, to decide a branch, to compare with."""
    for wish in intent.wishes:
        if isinstance(wish, Answer | Branch):
            yield from aggregates(wish.what if isinstance(wish, Answer) else wish.test.measure)
    for place in values(intent):
        if isinstance(place.value, Computed):
            yield from aggregates(place.value.of)


def _selected(of: Selection) -> Iterator[Place]:
    for condition in of.where:
        yield from _inside(of.table, condition.column, condition.value, condition.op)
    if of.pick is not None:
        if of.pick.near is not None:
            yield Place(of.table, of.pick.column, of.pick.near, role="near")
        if of.pick.counted is not None:
            yield from _selected(of.pick.counted.of)


def _inside(table: str, column: str, value: Value, op: Op = "eq") -> Iterator[Place]:
    yield Place(table, column, value, op)
    match value:
        case RecordKey() | Keys():
            yield from _selected(value.of)
        case Computed():
            yield from _measured(value.of)
        case Moved():
            yield Place(table, column, value.by, role="step")
        case AddItem() | RemoveItem():
            yield from _inside(table, column, value.item)


def selections(intent: Intent) -> Iterator[tuple[Selection, bool]]:
    """Every selection at any depth, and whether it must pick exactly one record."""
    for of, single in _outer_selections(intent):
        yield of, single
        if of.pick is not None and of.pick.counted is not None:
            yield of.pick.counted.of, False


def _outer_selections(intent: Intent) -> Iterator[tuple[Selection, bool]]:
    for wish in intent.wishes:
        if isinstance(wish, Answer):
            yield from _of_measure(wish.what)
        if isinstance(wish, Branch):
            yield from _of_measure(wish.test.measure)
        for deed in deeds(wish):
            missing = isinstance(wish, Refused) and wish.why == "missing"
            if not isinstance(deed, Insert):
                yield deed.of, not deed.each and not missing
    for place in values(intent):
        if isinstance(place.value, RecordKey | Keys):
            yield place.value.of, isinstance(place.value, RecordKey)
        if isinstance(place.value, Computed):
            yield from _of_measure(place.value.of)


def _of_measure(what: Measure) -> Iterator[tuple[Selection, bool]]:
    for each in aggregates(what):
        yield each.of, each.op == "value"


def single_selections(intent: Intent) -> Iterator[Selection]:
    """Selections that must pick exactly one record."""
    return (of for of, single in selections(intent) if single)


def said_values(intent: Intent) -> dict[str, Json]:
    """Fact name -> value, of every plain value that is said."""
    return {
        p.value.fact: p.value.value
        for p in values(intent)
        if isinstance(p.value, Plain) and p.value.fact
    }


def place_of(intent: Intent, fact: str) -> Place | None:
    """The first place where the fact's value stands; one in a test only if there is no other."""
    there = [p for p in values(intent) if isinstance(p.value, Plain) and p.value.fact == fact]
    return min(there, key=lambda place: place.role == "test", default=None)


def telling_fact(value: Value) -> str | None:
    """The fact that alone tells the value; of a record that is named by one, its name."""
    if isinstance(value, RecordKey) and value.of.pick is None and len(value.of.where) == 1:
        value = value.of.where[0].value
    return value.fact if isinstance(value, Plain) and value.fact else None
