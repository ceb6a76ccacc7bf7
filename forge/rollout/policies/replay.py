"""The policy that plays turns written down before: of a trajectory, or of a script by hand."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from forge.env.session import World
from forge.errors import UserError
from forge.rollout.dialogue import Dialogue
from forge.types.rollout import Turn
from forge.types.task import Task

LAST = Turn(text="That is all.")
"""Said when the turns are used up and the user still waits."""


@dataclass(slots=True)
class Replay:
    """`turns_of`: the turns for a task and the rollout's seed, None if there are none."""

    name: str
    turns_of: Callable[[str, int], Sequence[Turn] | None]

    def seat(self, world: World, task: Task, seed: int) -> "Reader":
        turns = self.turns_of(task.id, seed)
        if turns is None:
            raise UserError(f"{self.name} has no turns for task {task.id}")
        return Reader(iter(turns))

    async def close(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Reader:
    turns: Iterator[Turn]

    async def act(self, dialogue: Dialogue) -> Turn:
        return next(self.turns, LAST)
