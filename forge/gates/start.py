"""Where a task starts: a fresh session on its base and setup, for a gate to run things in."""

import random

from forge.env.compare import compare
from forge.env.session import Session, World
from forge.tasks.make import random_of
from forge.types.state import Overlay
from forge.types.task import Task


def fresh(world: World, task: Task) -> Session:
    return world.open(task.base, actor=task.actor, now=task.now, setup=task.setup)


def reaches_golden(task: Task, session: Session) -> bool:
    """Whether the session has ended in the task's golden state."""
    return is_golden(task, session, session.overlay())


def is_golden(task: Task, session: Session, overlay: Overlay) -> bool:
    store = session.store
    return compare(store.schema, store.initial, task.golden, overlay).equal


def dice(task: Task, gate: str) -> random.Random:
    """A generator of the gate's own, the same for the same task."""
    return random_of(gate, task.env, task.question, task.base)
