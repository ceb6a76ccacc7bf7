"""Comparing in words: which one comes first or third, what is below, above, before or after."""

from typing import cast

from forge.tasks.intents.forms import OPPOSITE
from forge.tasks.speech.called import (
    ACTIVE,
    bare,
    called,
    event,
    is_count,
    is_several,
    is_time,
    leads,
)
from forge.tasks.speech.days import is_relative
from forge.tasks.speech.lexicon import WHEN_DATES
from forge.tasks.speech.words import a, singular
from forge.types.environment import Comparison
from forge.types.intent import Condition, Pick, Plain
from forge.types.state import Column, Table

_SIZES = {
    "disk",
    "memory",
    "size",
    "area",
    "length",
    "width",
    "height",
    "distance",
    "amount",
    "quantity",
    "capacity",
}
_ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
DATE_OPS = {
    "lt": "before", "gt": "after", "le": "on or before", "ge": "on or after",
    "ne": "on another day than", "eq": "on",
}  # fmt: skip
OPS = {
    "lt": "below", "gt": "above", "le": "at most", "ge": "at least", "ne": "not", "eq": "exactly",
}  # fmt: skip
COUNT_OPS = {
    "lt": "fewer than", "gt": "more than", "le": "at most", "ge": "at least", "ne": "other than",
    "eq": "exactly",
}  # fmt: skip


def when(column: Column, table: Table, text: str) -> str:
    """A date as part of a phrase: "due 4 May", "lent on 4 May", "needed by 4 May"."""
    words = bare(column, table)
    done = event(column, table)
    if words.startswith("due"):
        return f"due {on(text)}"
    if done is not None:
        return f"{done} {on(text)}"
    if words in WHEN_DATES:
        return on(text)
    verb, _, last = words.partition(" ")
    if verb.endswith("s") and last in ("at", "on"):
        return f"that {verb} {on(text)}"
    if words.startswith(("start", "begin")):
        return f"starting {on(text)}"
    leading = leads(column, table)
    return f"{leading} {text}" if leading else f"with {a(called(column, table))} of {text}"


def strung(parts: list[str]) -> str:
    """What comes after a noun, in one: " with the engine pg and three nodes due on Friday"."""
    said = ""
    last = ""
    for part in parts:
        also = part.startswith("with ") and last.startswith("with ")
        said += f" and {part.removeprefix('with ')}" if also else f" {part}"
        last = part
    return said


def on(text: str) -> str:
    """A day with its preposition: "on 4 May", "tomorrow"."""
    return text if is_relative(text) else f"on {text}"


def most(pick: Pick, counted: str) -> str:
    """ "with the most open tasks", "with the second-fewest"."""
    place = f"{_ORDINALS[pick.nth]}-" if pick.nth > 1 else ""
    return f"with the {place}{'fewest' if pick.which == 'min' else 'most'} {counted}"


def closest(column: Column, table: Table, text: str) -> str:
    done = event(column, table)
    if done is not None:
        return f"that {'' if done in ACTIVE else 'was '}{done} closest to {text}"
    return f"with the {called(column, table)} closest to {text}"


def ranked(pick: Pick, column: Column | None, table: Table, of: str = "") -> str:
    """Which one of several a pick means: by its place in an order, by what it is closest to (`of`),
    or, without a column, by how many of a group (`of`) it has."""
    if column is None:
        return most(pick, of)
    return closest(column, table, of) if pick.near is not None else rank(pick, column, table)


def rank(pick: Pick, column: Column, table: Table) -> str:
    """ "with the earliest due date", "that starts last", "with the second-highest price"."""
    words, named = bare(column, table), called(column, table)
    least, many = pick.which == "min", pick.take > 1
    place = f"{_ORDINALS[pick.nth]}-" if pick.nth > 1 else ""
    if is_time(column):
        return _in_time(column, table, least, many, place)
    if words == "year":
        be = "are" if many else "is"
        return f"that {be} the {place}{'oldest' if least else 'newest'}"
    if is_count(column, table):
        return f"with the {place}{'fewest' if least else 'most'} {words}"
    if words in ("price", "cost") and not many and not place:
        return f"that costs the {'least' if least else 'most'}"
    if words.split()[-1] in _SIZES:
        return f"with the {place}{'smallest' if least else 'largest'} {named}"
    return f"with the {place}{'lowest' if least else 'highest'} {named}"


def _in_time(column: Column, table: Table, least: bool, many: bool, place: str) -> str:
    words, done = bare(column, table), event(column, table)
    end = "first" if least else "last"
    if done is not None:
        be = "were" if many else "was"
        if place:
            end = place.removesuffix("-") + ("" if least else " to last")
        return f"that {'' if done in ACTIVE else f'{be} '}{done} {end}"
    if words.startswith("due") and (not place or least):
        place = place.removesuffix("-") or end
        return f"that {'are' if many else 'is'} due {place}"
    for verb in ("start", "end", "begin"):
        if not place and words.startswith(verb):
            return f"that {verb}{'' if many else 's'} {end}"
    noun = _without_preposition(words) if done is None else called(column, table)
    noun = f"{noun}s" if many and noun.endswith("date") else noun
    return f"with the {place}{'earliest' if least else 'latest'} {noun}"


def compared(condition: Condition, column: Column, table: Table, text: str) -> str:
    """A condition that is no plain equality: "due before 4 May", "whose price is above 20"."""
    words = bare(column, table)
    if isinstance(condition.value, Plain) and condition.value.value is None:
        lacks = condition.negated == (condition.op == "ne")
        return f"with {'no ' + called(column, table) if lacks else a(called(column, table))}"
    if condition.op in ("contains", "icontains"):
        return _holding(condition, column, table, text)
    op = cast(Comparison, condition.op)
    op = OPPOSITE[op] if condition.negated else op
    if column.format in ("date", "date-time"):
        word, done = DATE_OPS[op], event(column, table)
        if words.startswith("due"):
            return f"due {word} {text}"
        if done is not None:
            return f"{done} {word} {text}"
        return f"with {a(called(column, table))} {word} {text}"
    if is_count(column, table):
        return f"with {COUNT_OPS[op]} {text} {words}"
    verb = "are" if is_several(column, table) else "is"
    return f"whose {called(column, table)} {verb} {OPS[op]} {text}"


def _holding(condition: Condition, column: Column, table: Table, text: str) -> str:
    """Of a list or a text that has something in it: "with the tag blue"."""
    if column.type == "array":
        word = "without" if condition.negated else "with"
        return f"{word} the {singular(bare(column, table))} {text}"
    verb = "does not contain" if condition.negated else "contains"
    return f"whose {called(column, table)} {verb} {text}"


def _without_preposition(words: str) -> str:
    head, _, last = words.rpartition(" ")
    return f"{head} date" if head and last in ("at", "on", "by", "until") else words
