"""Calls made by hand: from where a task starts, in the sandbox, each with what it changed.

Always holds: nothing is kept between two times but what is open to run tools in: a session is the
calls that were made in it, made again, which gives the same; what tools do reaches no file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from types import TracebackType
from typing import Self

from forge.dataset.hashes import environment_hash
from forge.dataset.states import differences, initial_state, laid_on, played_in
from forge.env.session import World
from forge.errors import SandboxLost, UserError
from forge.rollout.reward import deviations_of
from forge.types.call import Call, ToolResult
from forge.types.environment import Environment
from forge.types.state import Overlay
from forge.types.task import Task

MOST = 3
"""Environments that are open at once."""


@dataclass(frozen=True, slots=True)
class Made:
    """A call, what it gave, and a line a record that it changed."""

    call: Call
    result: ToolResult
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """`golden`: whether the records are as the golden calls leave them."""

    made: tuple[Made, ...]
    end: Overlay
    golden: bool


class Worlds:
    """The environments last used, open; one session is played at a time."""

    def __init__(self) -> None:
        self._open: dict[str, World] = {}
        self._lock = Lock()

    def play(self, environment: Environment, task: Task, calls: Sequence[Call]) -> Played:
        """UserError if the environment or the task does not fit, or the sandbox is lost."""
        with self._lock:
            try:
                return self._play(self._world(environment), environment, task, calls)
            except SandboxLost:
                raise UserError("the sandbox was lost", mend="load the page again") from None

    def close(self) -> None:
        with self._lock:
            for world in self._open.values():
                world.close()
            self._open.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _world(self, environment: Environment) -> World:
        digest = environment_hash(environment)
        world = self._open.pop(digest, None) or World(environment, workers=1)
        while len(self._open) >= MOST:
            self._open.pop(next(iter(self._open))).close()
        self._open[digest] = world
        return world

    def _play(
        self, world: World, environment: Environment, task: Task, calls: Sequence[Call]
    ) -> Played:
        session = world.of(task.kind).open(
            task.base, actor=task.actor, now=task.now, setup=task.setup
        )
        environment = played_in(environment, task)
        initial = initial_state(environment, task)
        made, before = [], session.overlay()
        for call in calls:
            result = session.call(call.tool, call.arguments)
            after = session.overlay()
            changes = (
                differences(
                    environment.state_schema, laid_on(initial, before), laid_on(initial, after)
                )
                if after != before
                else []
            )
            made.append(Made(call, result, tuple(changes)))
            before = after
        return Played(tuple(made), before, not deviations_of(task, session.store, before))
