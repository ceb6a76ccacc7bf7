"""The protocol of what samples for a model policy: a server, a model in this process, or a script.

An engine is shared by all rollouts; each talks to it through a talk of its own, which may remember
what it read, so that it reads only what is new.
"""

from typing import Protocol

from forge.llm.completion import Completion
from forge.types.data import Json


class Talk(Protocol):
    """One rollout's."""

    async def complete(self, body: dict[str, Json]) -> Completion:
        """What the model writes next. `body` is a request of chat completions, without the model.

        EndpointLost if it cannot be reached, ContextFull if the messages no longer fit it."""
        ...


class Engine(Protocol):
    """`name`: as it stands in trajectories."""

    @property
    def name(self) -> str: ...

    def talk(self, now: str) -> Talk:
        """For one rollout. `now`: its clock, for what writes the date to a model."""
        ...

    def head(self, text: str, tokens: int) -> str:
        """As much of the beginning of a text as so many tokens hold."""
        ...

    async def close(self) -> None: ...
