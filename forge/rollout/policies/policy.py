"""The protocol of agents: a policy seats a player at each rollout, and the player takes turns."""

from typing import Protocol

from forge.env.session import World
from forge.rollout.dialogue import Dialogue
from forge.types.rollout import Turn
from forge.types.task import Task


class Player(Protocol):
    """One agent in one rollout; it may remember what it did."""

    async def act(self, dialogue: Dialogue) -> Turn:
        """The next turn. `dialogue` is not to be changed. EndpointLost if a model cannot be
        reached, ContextFull if the dialogue no longer fits it."""
        ...


class Policy(Protocol):
    """`name`: as it stands in trajectories."""

    @property
    def name(self) -> str: ...

    def seat(self, world: World, task: Task, seed: int) -> Player:
        """A player for one rollout. Only those that hold a task to account (`oracle`,
        `first-match`) look at more of world and task than the tools' schemas: what agents may see
        comes in the dialogue."""
        ...

    async def close(self) -> None:
        """Ends what all its players share."""
        ...
