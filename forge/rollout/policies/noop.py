"""The policy that does nothing and says it is done: no task may reward it."""

from forge.env.session import World
from forge.rollout.dialogue import Dialogue
from forge.types.rollout import Turn
from forge.types.task import Task


class Noop:
    name = "noop"

    def seat(self, world: World, task: Task, seed: int) -> "Noop":
        return self

    async def act(self, dialogue: Dialogue) -> Turn:
        return Turn(text="All done.")

    async def close(self) -> None:
        pass
