"""Models behind vLLM's server that tell their tokens.

- `Told`: it writes the prompts, by its own template, and tells them: what it read of a response may
  be written otherwise than it was sampled
- `Completions`: it is sent prompts as ids, so that they are those that were held, id for id
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from forge.errors import UserError
from forge.llm.client import Client
from forge.llm.completion import Completion
from forge.rollout.tokens.rows import common
from forge.rollout.tokens.talk import Sampled
from forge.types.data import Json
from forge.types.rollout import Tokens


@dataclass(frozen=True, slots=True)
class Told:
    """An engine."""

    client: Client

    @property
    def name(self) -> str:
        return self.client.name

    def talk(self, now: str) -> "ToldTalk":
        return ToldTalk(self.client)

    def head(self, text: str, tokens: int) -> str:
        return self.client.head(text, tokens)

    async def close(self) -> None:
        await self.client.close()


@dataclass(slots=True)
class ToldTalk:
    client: Client
    _held: list[int] = field(default_factory=list)

    async def complete(self, body: dict[str, Json]) -> Completion:
        completion = await self.client.complete(
            {**body, "return_token_ids": True, "logprobs": True}
        )
        told = _told(completion)
        prompt = list(told.prompt)
        held = common(self._held, prompt)
        self._held = [*prompt, *told.response]
        tokens = told.model_copy(update={"held": held, "prompt": told.prompt[held:]})
        return completion.model_copy(update={"tokens": tokens})


@dataclass(frozen=True, slots=True)
class Completions:
    """A sampler. `ends`: ids that end a response, beside those that the server has for it."""

    client: Client
    ends: frozenset[int]

    async def sample(self, prompt: list[int], body: Mapping[str, Json]) -> Sampled:
        of_chat = {"messages", "tools", "chat_template_kwargs"}
        completion = await self.client.complete(
            {
                "max_tokens": None,  # as many as there is room for, not few
                **{name: value for name, value in body.items() if name not in of_chat},
                "prompt": prompt,
                "logprobs": 0,  # of the ids that were sampled, and of no others
                "return_token_ids": True,
                "stop_token_ids": sorted(self.ends),
            }
        )
        told = _told(completion)
        if list(told.prompt) != prompt:
            raise UserError("the server read another prompt than it was sent", mend="--tokens")
        return Sampled(told.response, told.logprobs, completion.finish_reason)

    async def close(self) -> None:
        await self.client.close()


def _told(completion: Completion) -> Tokens:
    if completion.tokens is None:
        raise UserError(
            "the server does not tell token ids and log-probs, as vLLM does",
            mend="serve the model with vLLM, or leave out --tokens and --tokenizer",
        )
    return completion.tokens
