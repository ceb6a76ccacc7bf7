"""What a model is asked of a question: to write it, and, shown it without the wishes, to know these
from others that are like them.

Always holds: whoever reads the question is told nothing that whoever wrote it was told, and gets
every wish beside others; what is right is known here alone.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, create_model

from forge.authors.llm.prompts import prompt, version
from forge.types.data import Json

WRITING = version("question")
PEOPLE = (
    "Someone who does this kind of thing every day.",
    "Someone who is new here and a little unsure how this works.",
    "Someone on the way home, with little time.",
    "Someone who sees to this for a colleague.",
    "Someone who likes to have everything in order.",
    "Someone who has asked here before and is glad of the help.",
)
REASONS = (
    "They were reminded of it a moment ago.",
    "They came across it while going through their notes.",
    "They want it off their mind.",
    "They are tidying up.",
    "Something has changed since last time.",
    "They keep the reason to themselves.",
)
TONES = (
    "Friendly, in full sentences.",
    "Short and to the point.",
    "Polite and rather formal.",
    "Chatty and warm.",
    "Plain, in short sentences.",
)
NONE = "none of these"
_ASKING = ("how ", "what ", "when ", "where ", "which ", "who ", "whose ", "whether ")
LETTERS = "abcdefgh"


class Written(BaseModel):
    """What is written."""

    question: str


@dataclass(frozen=True, slots=True)
class Brief:
    """What the writer is told. `wishes` in words; `said`: what stands in the question letter for
    letter; `unsaid`: what the things are called that are not said yet; `words`: what things are
    called in the language of the question, where that is not English."""

    title: str
    wishes: tuple[str, ...]
    in_order: bool
    said: tuple[str, ...]
    unsaid: tuple[str, ...]
    language: str
    words: tuple[tuple[str, str], ...] = ()


def wanted(wish: str) -> str:
    """A wish as one has it who speaks: "be told how many there are" as "ask how many there are"."""
    told, _, rest = wish.partition("be told ")
    if told or not rest:
        return wish
    return f"ask {rest}" if rest.startswith(_ASKING) else f"ask for {rest}"


def writing(
    brief: Brief, rng: random.Random, *, written: str = "", failure: str = ""
) -> list[Json]:
    """The messages that ask for the question. `written` and `failure`: what was wrong before."""
    text = prompt(
        "question",
        brief=brief,
        wishes=[wanted(wish) for wish in brief.wishes],
        person=f"{rng.choice(PEOPLE)} {rng.choice(REASONS)} {rng.choice(TONES)}",
        written=written,
        failure=failure,
    )
    return [{"role": "user", "content": text}]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Numbered options, of which one of each number is right."""

    groups: tuple[tuple[str, ...], ...]
    right: tuple[int, ...]

    @property
    def form(self) -> type[BaseModel]:
        """Of what is understood: one option of each number."""
        fields: dict[str, Any] = {
            f"wish_{number}": (Literal[tuple(_names(number, row))], ...)
            for number, row in enumerate(self.groups, 1)
        }
        return create_model("Picked", **fields)


def sheet(wishes: Sequence[tuple[str, Sequence[str]]], rng: random.Random) -> Sheet:
    """Each wish among those that are like it, shuffled. There is no number of which nothing is
    right: a small model that finds all wishes picks something there too."""
    rows = [(wish, rng.sample([wish, *others], 1 + len(others))) for wish, others in wishes]
    rng.shuffle(rows)
    right = tuple(row.index(wish) for wish, row in rows)
    return Sheet(tuple((*row, NONE) for _, row in rows), right)


def reading(question: str, options: Sheet) -> list[Json]:
    """The messages that ask what the question asks for."""
    groups = [
        [(name, wanted(text)) for name, text in zip(_names(number, row), row, strict=True)]
        for number, row in enumerate(options.groups, 1)
    ]
    text = prompt("understood", question=question, groups=groups)
    return [{"role": "user", "content": text}]


def misread(options: Sheet, picked: BaseModel) -> str:
    """What was understood otherwise than it is meant, in words; "" if nothing was. `picked`: of the
    sheet's form."""
    chosen = picked.model_dump().values()
    for number, (row, right, name) in enumerate(
        zip(options.groups, options.right, chosen, strict=True), 1
    ):
        found = _names(number, row).index(name)
        if found != right:
            return f'it reads as "{row[found]}" where "{row[right]}" is meant'
    return ""


def _names(number: int, row: Sequence[str]) -> list[str]:
    """Of its options: 1a, 1b, …"""
    return [f"{number}{LETTERS[at]}" for at in range(len(row))]
