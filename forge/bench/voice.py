"""Models that play a part beside the agent: the user, or who judges what was said.

Always holds: what a model thought is in nothing that it says; where it says nothing, the endpoint
counts as lost.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from forge.errors import ContextFull, EndpointLost
from forge.llm.client import Client
from forge.llm.completion import Message
from forge.rollout.policies.calls import read_text
from forge.rollout.policies.chat import Sampling
from forge.types.data import Json


@dataclass(frozen=True, slots=True)
class Voice:
    """`part`: whom it plays, for errors."""

    part: str
    client: Client
    sampling: Sampling = field(default_factory=Sampling)

    async def says(self, messages: Sequence[Json], seed: int) -> str:
        """EndpointLost where there is no text to be had."""
        text = spoken(await self.complete(messages, [], seed))
        if not text:
            raise EndpointLost(f"the {self.part}'s model wrote nothing")
        return text

    async def complete(self, messages: Sequence[Json], tools: Sequence[Json], seed: int) -> Message:
        """`tools`: those it can call, as requests have them. EndpointLost."""
        body = {
            "messages": list(messages),
            "tools": list(tools) or None,
            "temperature": self.sampling.temperature,
            "max_tokens": self.sampling.max_tokens,
            "seed": seed & 0x7FFFFFFF,
            **self.sampling.extra,
        }
        given = {name: value for name, value in body.items() if value is not None}
        try:
            return (await self.client.complete(given)).message
        except ContextFull as full:
            raise EndpointLost(f"the {self.part}'s model: {full}") from None


def spoken(message: Message) -> str:
    """Its text, without what was thought."""
    return read_text(message.text, {}).text.strip()
