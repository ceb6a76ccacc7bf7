"""Content hashes: whether a file is still what forge wrote, and where a task's id comes from.

Always holds: equal content has an equal hash, whatever the order of object keys; a hash names the
version of the way it was made; a new optional field changes no hash as long as it is not used.

The split follows from hashes alone, so no task changes sides when others come or go. All tasks of
about a tenth of the environments (by the hash of their name) are for testing: how well a policy
does where it never was. So are about a tenth of the other tasks (by their own hash; those of a
sequence by that of the first, those that a model worded by that of the same in the words of rules):
how well it does at new wishes in a place that it knows.
"""

import hashlib
from collections.abc import Sequence

from forge.dataset.files import compact, json_text
from forge.tasks.difficulty import band
from forge.types.data import Json
from forge.types.environment import Environment
from forge.types.task import Task

VERSION = 1
UNHASHED = {"id", "band", "split", "gates", "hash", "merged"}
"""What follows from the rest of a task, or is known about it."""


def environment_hash(environment: Environment) -> str:
    """`1:` and 64 hex digits, over all of it: source and base states too."""
    return _hash(compact(environment))


def task_hash(task: Task) -> str:
    """`1:` and 64 hex digits, over everything but id, split, gates and the hash itself."""
    content = compact(task)
    return _hash({name: content[name] for name in content if name not in UNHASHED})


def is_held_out(env: str) -> bool:
    """Whether all tasks of the environment are for testing: about one name in ten."""
    return _is_tenth(hashlib.sha256(f"held out: {env}".encode()).hexdigest())


def sealed(task: Task) -> Task:
    """The task with what its content decides: hash, id (`env-` and 10 hex digits), band, and split;
    one that follows another keeps its split, which is that of the other."""
    digest = task_hash(task)
    digits = digest.partition(":")[2]
    first = digits if task.worded is None else task.worded.of.partition(":")[2]
    testing = is_held_out(task.env) or _is_tenth(first[10:])
    split = "test" if testing else "train"
    return task.model_copy(
        update={
            "id": f"{task.env}-{digits[:10]}",
            "hash": digest,
            "band": band(task.difficulty),
            "split": split if task.follows is None else task.split,
        }
    )


def sealed_sequence(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """The tasks of a sequence, each following the one before and on its side of the split."""
    done: list[Task] = []
    for task in tasks:
        last = done[-1] if done else None
        place = {"follows": last.id, "split": last.split} if last is not None else {}
        done.append(sealed(task.model_copy(update=place)))
    return tuple(done)


def is_edited(task: Task) -> bool:
    """Whether someone changed the task since it was sealed (its gate reports aside)."""
    seal = sealed(task)
    return seal != task


def _is_tenth(digits: str) -> bool:
    return int(digits[:8], 16) % 10 == 0


def _hash(content: Json) -> str:
    return f"{VERSION}:{hashlib.sha256(json_text(content, sort=True).encode()).hexdigest()}"
