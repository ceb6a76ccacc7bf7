"""A task on trial: its world, where it starts, and the runs that gates have made from there.

Gates share runs, not verdicts: what one has called another need not call again.
"""

import random
from collections.abc import Mapping

from forge.env.compare import compare
from forge.env.rehearsal import Rehearsal, Run
from forge.env.session import Session, World
from forge.env.store import Store
from forge.tasks.dags.play import Played, facts_of, play
from forge.tasks.make import random_of
from forge.types.data import Json
from forge.types.state import Overlay
from forge.types.task import Task


class Trial:
    """For one thread. UserError if the task cannot start."""

    def __init__(self, world: World, task: Task) -> None:
        self.world, self.task = world, task
        self.facts: Mapping[str, Json] = facts_of(task.facts)
        self._start = self.open()
        self._rehearsal = Rehearsal(self._start.fork())
        self._played: Played | None = None

    def open(self) -> Session:
        """A session of its own, that shares nothing but the base."""
        task = self.task
        return self.world.open(task.base, actor=task.actor, now=task.now, setup=task.setup)

    def run(self) -> Run:
        """A run from the task's start."""
        return self._rehearsal.run()

    def store(self) -> Store:
        """The records as they are at the start, to change at will."""
        return self._start.store.fork()

    def played(self) -> Played:
        """The DAG, played as it is. Raises PlayError."""
        if self._played is None:
            self._played = play(self.run(), self.task.dag, self.facts, self.task.dues)
        return self._played

    def is_golden(self, overlay: Overlay) -> bool:
        """Whether that is the task's golden state."""
        store = self._start.store
        return compare(store.schema, store.initial, self.task.golden, overlay).equal

    def dice(self, gate: str) -> random.Random:
        """A generator of the gate's own, the same for the same task."""
        return random_of(gate, self.task.env, self.task.question, self.task.base)
