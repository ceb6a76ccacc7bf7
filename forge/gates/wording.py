"""Whether the question turns a choice round: it says "latest" where the intent means the earliest.

Only words of rank are looked at, since facts are held against the question by themselves.
"""

import re
from collections.abc import Iterator
from typing import Literal

from forge.tasks.intents.inside import aggregates, selections
from forge.types.intent import Answer, Branch, Intent
from forge.types.state import StateSchema
from forge.types.task import Task

Which = Literal["min", "max"]

_PLAIN: dict[Which, frozenset[str]] = {
    "min": frozenset(("earliest", "oldest", "lowest", "smallest", "fewest", "cheapest", "soonest")),
    "max": frozenset(("latest", "newest", "highest", "greatest", "largest", "biggest", "dearest")),
}
"""Words that mean nothing else."""
_EITHER = frozenset(("longest", "shortest"))
"""Overdue longest is due earliest."""
_OTHER: dict[Which, frozenset[str]] = {
    "min": frozenset(("first", "least", "minimum")) | _EITHER,
    "max": frozenset(("last", "most", "maximum", "recent", "recently")) | _EITHER,
}
"""Words that may mean it."""
OPPOSITES = {
    one: other
    for pair in (
        ("earliest", "latest"), ("oldest", "newest"), ("lowest", "highest"), ("first", "last"),
        ("fewest", "most"), ("smallest", "largest"), ("cheapest", "dearest"), ("least", "most"),
    )
    for one, other in (pair, pair[::-1])
}  # fmt: skip
_BOUNDS = re.compile(r"\bat (?:least|most)\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")


def without_facts(task: Task) -> str:
    """The question, without the words that say the values: a "3" is no part of "prj_83f2"."""
    text = task.question
    for fact in sorted(task.facts, key=lambda f: -len(f.text)):
        text = re.sub(rf"(?<![\w-]){re.escape(fact.text)}(?![\w-])", " ", text)
    return text


def turned_round(intent: Intent, said: str, schema: StateSchema) -> str | None:
    """`said` is the question without the facts. A word that is part of a column's name says
    nothing of rank."""
    names = " ".join(c.name for table in schema.tables for c in table.columns).casefold()
    words = set(_WORD.findall(_BOUNDS.sub(" ", said).casefold())) - set(_WORD.findall(names))
    meant = set(_directions(intent))
    for which in ("min", "max"):
        if which in meant and not words & (_PLAIN[which] | _OTHER[which]):
            return f"the question does not say that the {which} is meant"
        if which not in meant and words & _PLAIN[which]:
            word = min(words & _PLAIN[which])
            return f"the question says {word!r}, and no {which} is meant"
    return None


def _directions(intent: Intent) -> Iterator[Which]:
    for of, _ in selections(intent):
        if of.pick is not None and of.pick.near is None:
            yield of.pick.which
    for wish in intent.wishes:
        if isinstance(wish, Answer | Branch):
            what = wish.what if isinstance(wish, Answer) else wish.test.measure
            for each in aggregates(what):
                if each.op in ("min", "range"):
                    yield "min"
                if each.op in ("max", "range"):
                    yield "max"
