"""What the user tells only when asked: values that a tool must have and the user did not think of.

A value that stands elsewhere in the task too is said there, so it is never one of these.
"""

import random
from collections.abc import Iterator

from forge.tasks.intents.inside import telling_fact
from forge.tasks.wishes.scene import Wished
from forge.types.intent import Change, Insert, Intent, Value

LATE_SHARE = 0.38
"""Of the tasks in which something could be told late, those in which it is."""
SECOND_SHARE = 0.35
"""Of these, where there is more, those in which two things are."""


def told_late(
    intent: Intent, wished: list[Wished], rng: random.Random, *, always: bool = False
) -> set[str]:
    """The names of the facts told late: none, one or two; `always`: some if any can be. `wished`:
    the intent's wishes as they were proposed, with the columns that may be told late."""
    candidates = sorted(set(_candidates(intent, wished)))
    if not candidates or rng.random() >= (1.0 if always else LATE_SHARE):
        return set()
    count = 2 if rng.random() < SECOND_SHARE else 1
    return set(rng.sample(candidates, min(count, len(candidates))))


def _candidates(intent: Intent, wished: list[Wished]) -> Iterator[str]:
    text = intent.model_dump_json()
    for named, one in zip(intent.wishes, wished, strict=True):
        values: dict[str, Value] = {}
        match named:
            case Insert():
                values = named.values
            case Change():
                values = named.change
        for column in one.late:
            fact = telling_fact(values[column]) if column in values else None
            if fact is not None and text.count(f'"fact":"{fact}"') == 1:
                yield fact
