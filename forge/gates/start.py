"""A task on trial: its world, where it starts, and the runs that gates have made from there.

Gates share runs, not verdicts: what one has called another need not call again.
"""

import random
from collections.abc import Mapping, Sequence

from forge.env.compare import equal
from forge.env.rehearsal import Rehearsal, Run
from forge.env.session import Session, World
from forge.env.store import Store
from forge.tasks.dags.again import First, earns, first_play
from forge.tasks.dags.play import Overrides, Played, PlayError, facts_of
from forge.tasks.intents.intent import carry_out
from forge.tasks.make import random_of
from forge.types.dag import TaskDag
from forge.types.data import Json
from forge.types.state import Overlay
from forge.types.task import Task


class Trial:
    """For one thread. `rehearsal`: of runs from the task's start, made earlier. UserError if the
    task cannot start."""

    def __init__(self, world: World, task: Task, rehearsal: Rehearsal | None = None) -> None:
        self.world = world = world.of(task.kind)
        self.task = task
        self.facts: Mapping[str, Json] = facts_of(task.facts)
        self._rehearsal = rehearsal or Rehearsal(
            world.open(task.base, actor=task.actor, now=task.now, setup=task.setup)
        )
        self._start = self._rehearsal.start
        self._first: First | None = None
        self._meant: tuple[list[Json], Store] | None = None
        self._judged: dict[int, tuple[Overlay, bool]] = {}
        """Overlays that were looked at, by identity: runs that come to one place share theirs."""

    def open(self) -> Session:
        """A session of its own, that shares nothing but base and setup."""
        return self._start.fork()

    def run(self) -> Run:
        """A run from the task's start."""
        return self._rehearsal.run()

    def store(self) -> Store:
        """The records as they are at the start, to change at will."""
        return self._start.store.fork()

    def played(self) -> Played:
        """The DAG, played as it is. Raises PlayError."""
        return self.first().played

    def first(self) -> First:
        """The same, with what playing it again takes from it. Raises PlayError."""
        if self._first is None:
            self._first = first_play(self.run(), self.task.dag, self.facts, self.task.dues)
        return self._first

    def earns(
        self,
        *,
        dag: TaskDag | None = None,
        facts: Mapping[str, Json] | None = None,
        overrides: Overrides | None = None,
        order: Sequence[str] | None = None,
    ) -> bool:
        """Whether the DAG, otherwise in what is given, ends in the golden state and gives the
        answers that are due. Nothing earns where the DAG as it is cannot be played."""
        try:
            first = self.first()
        except PlayError:
            return False
        return earns(
            first,
            self.run(),
            self.is_golden,
            dag=dag,
            facts=facts,
            overrides=overrides,
            order=order,
        )

    def meant(self) -> tuple[list[Json], Store]:
        """The answers by the records, with no tool, and the records as they are then: to be read
        only. Raises IntentError and ToolError."""
        if self._meant is None:
            store = self.store()
            self._meant = carry_out(self.task.intent, store), store
        return self._meant

    def is_golden(self, overlay: Overlay) -> bool:
        """Whether that is the task's golden state. The overlay must not be changed later."""
        if id(overlay) not in self._judged:
            store = self._start.store
            found = equal(store.schema, store.initial, self.task.golden, overlay)
            self._judged[id(overlay)] = (overlay, found)
        return self._judged[id(overlay)][1]

    @property
    def idle_tables(self) -> frozenset[str]:
        """Those of which it does not count how they end."""
        tables = self.world.environment.state_schema.tables
        return frozenset(table.name for table in tables if not table.compared)

    def dice(self, gate: str) -> random.Random:
        """A generator of the gate's own, the same for the same task."""
        return random_of(gate, self.task.env, self.task.question, self.task.base)
