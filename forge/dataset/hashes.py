"""Content hashes: whether a file is still what forge wrote, and where a task's id comes from.

Always holds: equal content has an equal hash, whatever the order of object keys; a hash names the
version of the way it was made; a new optional field changes no hash as long as it is not used.
"""

import hashlib

from forge.dataset.files import compact, json_text
from forge.types.data import Json
from forge.types.environment import Environment
from forge.types.task import Task

VERSION = 1
UNHASHED = {"id", "split", "gates", "hash"}
"""What follows from the rest of a task, or is found out about it."""


def environment_hash(environment: Environment) -> str:
    """`1:` and 64 hex digits, over all of it: source and base states too."""
    return _hash(compact(environment))


def task_hash(task: Task) -> str:
    """`1:` and 64 hex digits, over everything but id, split, gates and the hash itself."""
    content = compact(task)
    return _hash({name: content[name] for name in content if name not in UNHASHED})


def sealed(task: Task) -> Task:
    """The task with what its content decides: hash, id (`env-` and 10 hex digits) and split (a
    tenth of all tasks is for testing)."""
    digest = task_hash(task)
    digits = digest.partition(":")[2]
    split = "test" if int(digits[10:18], 16) % 10 == 0 else "train"
    return task.model_copy(
        update={"id": f"{task.env}-{digits[:10]}", "hash": digest, "split": split}
    )


def is_edited(task: Task) -> bool:
    """Whether someone changed the task since it was sealed (its gate reports aside)."""
    seal = sealed(task)
    return (task.id, task.hash, task.split) != (seal.id, seal.hash, seal.split)


def _hash(content: Json) -> str:
    return f"{VERSION}:{hashlib.sha256(json_text(content, sort=True).encode()).hexdigest()}"
