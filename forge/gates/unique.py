"""`unique`: no other task of the environment has the same masked structure and values, nor nearly
the same question. Run once over a data set, in canonical order; near-linear."""

import hashlib
import re
from dataclasses import dataclass, field

from forge.types.task import Task

_FILLER = {
    "hi", "hello", "hey", "there", "good", "morning", "please", "could", "can", "you", "i", "need",
    "to", "also", "and", "as", "well", "the", "a", "an", "like", "d", "after", "that", "first",
    "then", "tell", "me", "check", "is", "are", "of", "it",
}  # fmt: skip


@dataclass(slots=True)
class Seen:
    """What the tasks so far were, in a form to look up: a digest of each -> the task's id."""

    structures: dict[bytes, str] = field(default_factory=dict)
    questions: dict[bytes, str] = field(default_factory=dict)


def structure(task: Task) -> str:
    """Tools and values, with facts masked by what they hold: two tasks that differ in words only
    have the same."""
    values = sorted(f"{f.name}={f.value!r}" for f in task.facts)
    return (
        f"{task.env} {task.intent.model_dump_json()} {task.actor if _acts(task) else ''} {values}"
    )


def _acts(task: Task) -> bool:
    return '"kind":"actor"' in task.intent.model_dump_json()


def gist(task: Task) -> str:
    """The words of the question that carry its sense, without order."""
    words = re.findall(r"[\w'.-]+", task.question.casefold())
    return f"{task.env} {' '.join(sorted(set(words) - _FILLER))}"


def unique(task: Task, seen: Seen) -> str | None:
    """The reason why the task repeats one of `seen`; if it does not, it is remembered."""
    same_wishes, same_question = _digest(structure(task)), _digest(gist(task))
    for kind, key, known in (
        ("wishes", same_wishes, seen.structures),
        ("question", same_question, seen.questions),
    ):
        if key in known:
            return f"{known[key] or 'an earlier task'} has the same {kind}"
    seen.structures[same_wishes] = task.id
    seen.questions[same_question] = task.id
    return None


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
