"""The protocol of users: one speaks for a task's user in one rollout."""

from dataclasses import dataclass
from typing import Literal, Protocol

from forge.types.task import Task

End = Literal["done", "gave_up"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the user says, and whether the conversation is over with it. `served`: the numbers
    (from 1) of the wishes that it believes served; None: it keeps no count."""

    text: str
    end: End | None = None
    served: tuple[int, ...] | None = None


class Speaker(Protocol):
    """One user in one rollout. It hears what the agent says to it, in order, and nothing else."""

    async def opening(self) -> str:
        """What it says first, before it is asked for a reply."""
        ...

    async def reply(self, heard: str) -> Reply: ...


class User(Protocol):
    """`name`: as it stands in trajectories; `errs`: whether it may say what it should not, so that
    its rollouts are looked at for that (`slips.py`)."""

    name: str
    errs: bool

    def speaker(self, task: Task, seed: int) -> Speaker: ...

    async def close(self) -> None:
        """Ends what all its speakers share."""
        ...
