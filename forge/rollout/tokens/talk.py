"""What samples by ids, as the engine of a model policy.

Always holds: where a conversation goes on from the last sampling, the prompt is what was read and
written then, id for id, and what the template writes behind it; else the template writes all of it
anew, and how much is as before is told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from forge.llm.completion import Completion, Message
from forge.rollout.tokens.rows import common
from forge.rollout.tokens.template import Template, at
from forge.types.data import Json
from forge.types.rollout import Tokens


@dataclass(frozen=True, slots=True)
class Sampled:
    """A response. `ids`: what ends it is among them; `logprobs`: one for each; `finish`: `stop`, or
    `length` where it was cut."""

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    finish: str


class Sampler(Protocol):
    """What writes ids behind ids, for many rollouts at once."""

    async def sample(self, prompt: list[int], body: Mapping[str, Json]) -> Sampled:
        """`body`: the request of chat completions that the prompt was made of.

        EndpointLost, ContextFull, or UserError if it cannot do what the request asks for."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class TokenEngine:
    name: str
    template: Template
    sampler: Sampler

    def talk(self, now: str) -> "TokenTalk":
        return TokenTalk(self.template, self.sampler, now)

    def head(self, text: str, tokens: int) -> str:
        return self.template.head(text, tokens)

    async def close(self) -> None:
        await self.sampler.close()


@dataclass(slots=True)
class TokenTalk:
    template: Template
    sampler: Sampler
    now: str
    _messages: Sequence[Json] = ()
    """Those of the last sampling; what it gave: `_said`; all its ids, and those of the response."""
    _said: str = ""
    _held: list[int] = field(default_factory=list)
    _response: tuple[int, ...] = ()

    async def complete(self, body: dict[str, Json]) -> Completion:
        messages = list(body["messages"])
        prompt = self._prompt(messages, body)
        held = common(self._held, prompt)
        sampled = await self.sampler.sample(prompt, body)
        self._messages, self._said = messages, self._text(sampled.ids, body)
        self._held, self._response = [*prompt, *sampled.ids], sampled.ids
        return Completion(
            message=Message(content=self._said),
            finish_reason=sampled.finish,
            prompt_tokens=len(prompt),
            completion_tokens=len(sampled.ids),
            tokens=Tokens(
                held=held,
                prompt=tuple(prompt[held:]),
                response=sampled.ids,
                logprobs=sampled.logprobs,
            ),
            spelled=True,
        )

    def _prompt(self, messages: Sequence[Json], body: Mapping[str, Json]) -> list[int]:
        tools = body.get("tools")
        more = told(body, self.now)
        last = len(self._messages)
        if self._held and self._goes_on(messages):
            behind = self.template.after(messages, last, self._response, tools, more)
            if behind is not None:
                return [*self._held, *behind]
        return self.template.prompt(messages, tools, more)

    def _text(self, ids: Sequence[int], body: Mapping[str, Json]) -> str:
        """What was said, up to where it was to stop."""
        text = self.template.text(ids)
        ends = [at for stop in body.get("stop") or () if (at := text.find(stop)) >= 0]
        return text[: min(ends, default=len(text))]

    def _goes_on(self, messages: Sequence[Json]) -> bool:
        """Whether these are the messages of the last sampling, what it gave, and more."""
        last = len(self._messages)
        if len(messages) <= last + 1 or messages[:last] != self._messages:
            return False
        sent = messages[last]
        return bool(sent["role"] == "assistant" and sent["content"] == self._said)


def told(body: Mapping[str, Json], now: str) -> dict[str, Json]:
    """What a template is told beside messages and tools."""
    return {**at(now), **(body.get("chat_template_kwargs") or {})}
