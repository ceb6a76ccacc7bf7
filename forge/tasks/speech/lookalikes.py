"""What a question is told apart by: each wish of a task in words, beside wishes that are like it.

Written from the intent alone, in the words that the task's facts are said in; the same task gives
the same words.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from forge.tasks.intents.twists import twists
from forge.tasks.speech.listing import wish_in_words, wishes_of
from forge.types.state import StateSchema
from forge.types.task import Task

MOST_ALIKE = 3


@dataclass(frozen=True, slots=True)
class Alike:
    """A wish in words, and others that it could be taken for."""

    wish: str
    others: tuple[str, ...]


def alike(task: Task, schema: StateSchema, rng: random.Random) -> tuple[Alike, ...]:
    """One a wish: half of the others are the likest that there are, the rest are any."""
    real = wishes_of(task, schema)
    return tuple(
        Alike(words, tuple(_others(task, number, schema, real, rng)))
        for number, words in enumerate(real)
    )


def _others(
    task: Task, number: int, schema: StateSchema, real: Sequence[str], rng: random.Random
) -> list[str]:
    taken = {words.casefold() for words in real}
    found: list[str] = []
    for twist in twists(task.intent.wishes[number], schema):
        words = wish_in_words(task, number, twist, schema)
        if words.casefold() not in taken:
            taken.add(words.casefold())
            found.append(words)
    first, rest = found[: MOST_ALIKE - 1], found[MOST_ALIKE - 1 :]
    return first + rng.sample(rest, min(len(rest), MOST_ALIKE - len(first)))
