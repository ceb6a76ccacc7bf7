"""Looking into an intent: every value with the column it is for, every selection at any depth."""

from collections.abc import Iterator
from dataclasses import dataclass

from forge.types.data import Json
from forge.types.environment import Op
from forge.types.task import (
    AddItem,
    Answer,
    Change,
    Computed,
    Delete,
    Insert,
    Intent,
    Plain,
    RecordKey,
    RemoveItem,
    Selection,
    Value,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A value of the intent and the column that it is compared with or written to."""

    table: str
    column: str
    value: Value
    op: Op = "eq"
    """How it is compared; "eq" where it is written."""


def values(intent: Intent) -> Iterator[Place]:
    """Every value, outer ones before those inside them."""
    for wish in intent.wishes:
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
                yield from _selected(wish.what.of)


def _selected(of: Selection) -> Iterator[Place]:
    for condition in of.where:
        yield from _inside(of.table, condition.column, condition.value, condition.op)


def _inside(table: str, column: str, value: Value, op: Op = "eq") -> Iterator[Place]:
    yield Place(table, column, value, op)
    match value:
        case RecordKey():
            yield from _selected(value.of)
        case Computed():
            yield from _selected(value.of.of)
        case AddItem() | RemoveItem():
            yield from _inside(table, column, value.item)


def single_selections(intent: Intent) -> Iterator[Selection]:
    """Selections that must pick exactly one record."""
    for wish in intent.wishes:
        if isinstance(wish, Change | Delete) and not wish.each:
            yield wish.of
        if isinstance(wish, Answer) and wish.what.op == "value":
            yield wish.what.of
    for place in values(intent):
        if isinstance(place.value, RecordKey):
            yield place.value.of


def said_values(intent: Intent) -> dict[str, Json]:
    """Fact name -> value, of every plain value that is said."""
    return {
        p.value.fact: p.value.value
        for p in values(intent)
        if isinstance(p.value, Plain) and p.value.fact
    }


def place_of(intent: Intent, fact: str) -> Place | None:
    """The first place where the fact's value stands."""
    for place in values(intent):
        if isinstance(place.value, Plain) and place.value.fact == fact:
            return place
    return None
