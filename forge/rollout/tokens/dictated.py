"""What a script says, as if a model had sampled it: rows of known turns, to train on or to test by.

Always holds: the ids are those of the chat template and the tokenizer, each with the log-prob 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from forge.rollout.policies.engine import Talk
from forge.rollout.tokens.talk import Sampled, told
from forge.rollout.tokens.template import Template
from forge.types.data import Json


@dataclass(frozen=True, slots=True)
class Dictated:
    """A sampler. `talk`: says messages, and is closed by whoever opened it; `now`: its clock."""

    talk: Talk
    template: Template
    now: str

    async def sample(self, prompt: list[int], body: Mapping[str, Json]) -> Sampled:
        completion = await self.talk.complete(dict(body))
        said = {"content", "tool_calls"}
        message = completion.message.model_dump(include=said, exclude_none=True)
        ids = self.template.response(
            body["messages"],
            {"role": "assistant", "content": "", **message},
            body.get("tools"),
            told(body, self.now),
        )
        return Sampled(tuple(ids), (0.0,) * len(ids), completion.finish_reason)

    async def close(self) -> None:
        pass
