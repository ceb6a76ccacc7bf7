"""Comparing in words: which one comes first or third, what is below, above, before or after."""

from typing import cast

from forge.tasks.intents.forms import OPPOSITE
from forge.tasks.speech.called import ACTIVE, bare, called, event, is_count, is_several
from forge.tasks.speech.lexicon import PRICES
from forge.tasks.speech.words import a
from forge.types.environment import Comparison
from forge.types.intent import Condition, Pick
from forge.types.state import Column, Table

_ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
DATE_OPS = {
    "lt": "before", "gt": "after", "le": "no later than", "ge": "no earlier than",
    "ne": "on another day than",
}  # fmt: skip
OPS = {
    "lt": "below", "gt": "above", "le": "at most", "ge": "at least", "ne": "not", "eq": "exactly",
}  # fmt: skip
COUNT_OPS = {
    "lt": "fewer than", "gt": "more than", "le": "at most", "ge": "at least", "ne": "other than",
    "eq": "exactly",
}  # fmt: skip


def most(pick: Pick, counted: str) -> str:
    """ "with the most open tasks"."""
    return f"with the {'fewest' if pick.which == 'min' else 'most'} {counted}"


def closest(column: Column, table: Table, text: str) -> str:
    return f"whose {called(column, table)} is closest to {text}"


def rank(pick: Pick, column: Column, table: Table) -> str:
    """ "with the earliest due date", "that starts last", "with the second-highest price"."""
    words = bare(column, table)
    least, many = pick.which == "min", pick.take > 1
    place = f"{_ORDINALS[pick.nth]}-" if pick.nth > 1 else ""
    if column.format in ("date", "date-time"):
        return _in_time(column, table, least, many, place)
    if words == "year":
        be = "are" if many else "is"
        return f"that {be} the {place}{'oldest' if least else 'newest'}"
    if is_count(column, table):
        return f"with the {place}{'fewest' if least else 'most'} {words}"
    if set(words.split()) & PRICES or place:
        return f"with the {place}{'lowest' if least else 'highest'} {words}"
    return f"with the {'smallest' if least else 'highest'} {words}"


def _in_time(column: Column, table: Table, least: bool, many: bool, place: str) -> str:
    words, done = bare(column, table), event(column, table)
    end = "first" if least else "last"
    if not place and done is not None:
        be = "were" if many else "was"
        return f"that {'' if done in ACTIVE else f'{be} '}{done} {end}"
    if not place and words.startswith("due"):
        return f"that {'are' if many else 'is'} due {end}"
    for verb in ("start", "end", "begin"):
        if not place and words.startswith(verb):
            return f"that {verb}{'' if many else 's'} {end}"
    noun = _without_preposition(words) if done is None else called(column, table)
    noun = f"{noun}s" if many and noun.endswith("date") else noun
    return f"with the {place}{'earliest' if least else 'latest'} {noun}"


def compared(condition: Condition, column: Column, table: Table, text: str) -> str:
    """A condition that is no plain equality: "due before 4 May", "whose price is above 20"."""
    words = bare(column, table)
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


def _without_preposition(words: str) -> str:
    head, _, last = words.rpartition(" ")
    return f"{head} date" if head and last in ("at", "on", "by", "until") else words
