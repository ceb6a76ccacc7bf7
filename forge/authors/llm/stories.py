"""The pass that joins wishes: a menu in words, and which of it one person would want together.

Always holds: what is picked is numbers of wishes that forge itself has made; the reason is for the
model to think by, and is not kept.
"""

import random
from collections.abc import Sequence

from pydantic import BaseModel

from forge.authors.llm.prompts import prompt, version
from forge.types.data import Json

PROMPT = version("story")
FEWEST, MOST = 2, 3
"""Wishes of a story."""


class Picked(BaseModel):
    """`why` comes first: who has to say it picks by it."""

    why: str
    pick: list[int]


class NoStory(ValueError):
    """What was picked cannot be joined; says why, for the model."""


def asked_for(
    title: str, lines: Sequence[str], rng: random.Random, *, written: str = "", failure: str = ""
) -> list[Json]:
    """The messages that ask for a pick. `rng`: for the numbers of the example, which a weak model
    gives back; `written` and `failure`: what was wrong before."""
    example = ", ".join(map(str, rng.sample(range(1, len(lines) + 1), FEWEST)))
    text = prompt(
        "story", title=title, lines=lines, example=example, written=written, failure=failure
    )
    return [{"role": "user", "content": text}]


def places_of(picked: Picked, count: int) -> tuple[int, ...]:
    """The places in a menu of so many lines, from 0. NoStory."""
    numbers = picked.pick
    if not FEWEST <= len(numbers) <= MOST:
        raise NoStory(f"how many: {len(numbers)} numbers; pick {FEWEST} or {MOST}")
    if len(set(numbers)) < len(numbers):
        raise NoStory("twice: a number is picked twice")
    wrong = next((number for number in numbers if not 1 <= number <= count), None)
    if wrong is not None:
        raise NoStory(f"out of range: there is no {wrong}; the numbers are 1 to {count}")
    return tuple(number - 1 for number in numbers)
