"""What an endpoint answered, read without trust: servers differ in more than they should.

Always holds: a `Completion` is text that can be written to a file (no lone surrogates); what cannot
be used raises `Unusable` and is asked for again.
"""

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from forge.types.data import Json
from forge.types.rollout import Tokens


class Unusable(Exception):
    """An answer that is none: not JSON, or without a choice."""


class _Lax(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Function(_Lax):
    name: str | None = None
    arguments: Json = None
    """A text of JSON, by the protocol; some servers send the object itself."""


class NativeCall(_Lax):
    id: str | None = None
    function: Function = Function()


class Message(_Lax):
    """What the model wrote. `reasoning_content` and `reasoning`: what it thought, under the name
    that the server has for it."""

    content: str | list[dict[str, Json]] | None = None
    tool_calls: list[NativeCall] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None

    @property
    def text(self) -> str:
        """Of all its parts, where it has some."""
        if isinstance(self.content, list):
            return "".join(str(part.get("text") or "") for part in self.content)
        return self.content or ""


class _Likely(_Lax):
    logprob: float


class _LogProbs(_Lax):
    """`content`: as chat completions have them; `token_logprobs`: as completions do."""

    content: list[_Likely] | None = None
    token_logprobs: list[float] | None = None


class _Choice(_Lax):
    """`text`: of a completion that is none of a chat. The ids are vLLM's."""

    message: Message | None = None
    text: str | None = None
    finish_reason: str | None = None
    logprobs: _LogProbs | None = None
    token_ids: list[int] | None = None
    prompt_token_ids: list[int] | None = None


class _Usage(_Lax):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Body(_Lax):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None
    prompt_token_ids: list[int] | None = None


class Completion(_Lax):
    """`prompt_tokens` and `completion_tokens` are 0 where the server does not count."""

    message: Message
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tokens: Tokens | None = None
    """Where what samples tells them."""
    spelled: bool = False
    """Whether the text is all that was sampled, calls among it as the model spells them."""


def completion_of(body: str) -> Completion:
    """The first choice. Unusable: says in a line what is wrong."""
    try:
        value = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        raise Unusable(f"the answer is not JSON: {clip(body)!r}") from None
    said = error_of(value)
    if said:
        raise Unusable(f"the answer is an error: {clip(said)}")
    try:
        read = _Body.model_validate(sound(value))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise Unusable(f"the answer has no usable {where}: {first['msg']}") from None
    choice, usage = read.choices[0], read.usage or _Usage()
    message = choice.message
    if message is None:
        if choice.text is None:
            raise Unusable("the answer has no usable choices.0.message: it is missing")
        message = Message(content=choice.text)
    return Completion(
        message=message,
        finish_reason=choice.finish_reason or "",
        prompt_tokens=usage.prompt_tokens or 0,
        completion_tokens=usage.completion_tokens or 0,
        tokens=_tokens(choice, read.prompt_token_ids or choice.prompt_token_ids),
    )


def _tokens(choice: _Choice, prompt: list[int] | None) -> Tokens | None:
    """Where the server tells them all. Unusable if they do not fit each other."""
    likely = choice.logprobs or _LogProbs()
    logprobs = likely.token_logprobs
    if likely.content is not None:
        logprobs = [each.logprob for each in likely.content]
    if prompt is None or choice.token_ids is None or logprobs is None:
        return None
    if len(logprobs) != len(choice.token_ids):
        raise Unusable(f"the answer has {len(logprobs)} log-probs of {len(choice.token_ids)} ids")
    return Tokens(prompt=tuple(prompt), response=tuple(choice.token_ids), logprobs=tuple(logprobs))


def error_of(value: Json) -> str:
    """The message of an error's body, however it is nested; "" if it is none."""
    while isinstance(value, dict):
        if "choices" in value:
            return ""
        value = value.get("error") or value.get("message") or value.get("detail") or ""
    return value if isinstance(value, str) else json.dumps(value)


def sound(value: Json) -> Any:
    """The same without halves of characters, which a text cut in two has."""
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [sound(item) for item in value]
    if isinstance(value, dict):
        return {sound(name): sound(item) for name, item in value.items()}
    return value


def clip(text: str, length: int = 200) -> str:
    """In one line, and not more than `length` characters of it."""
    line = " ".join(text[: 4 * length].split())
    return line if len(line) <= length else line[: length - 1] + "…"
