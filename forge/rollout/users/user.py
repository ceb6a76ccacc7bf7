"""The protocol of users: one speaks for a task's user in one rollout."""

from dataclasses import dataclass
from typing import Literal, Protocol

from forge.types.task import Task

End = Literal["done", "gave_up"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the user says, and whether the conversation is over with it."""

    text: str
    end: End | None = None


class Speaker(Protocol):
    """One user in one rollout. It hears what the agent says to it, in order, and nothing else."""

    async def reply(self, heard: str) -> Reply: ...


class User(Protocol):
    """`name`: as it stands in trajectories."""

    name: str

    def speaker(self, task: Task, seed: int) -> Speaker: ...

    async def close(self) -> None:
        """Ends what all its speakers share."""
        ...
