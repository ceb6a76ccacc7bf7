"""Answers of a form: a model asked for one JSON object that fits a pydantic model.

Always holds: what comes out fits; a server that holds models to a schema is asked to, one that
refuses that is asked in words, and is not asked so again; what does not fit goes back once, with
what is wrong with it. Thinking, fences and text around the object are passed over.
"""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from forge.errors import EndpointLost
from forge.llm.client import FormatRefused
from forge.llm.completion import Completion, clip
from forge.llm.loose import read
from forge.types.data import Json, JsonSchema

Complete = Callable[..., Awaitable[Completion]]
"""Of a request; more may be told of it by name, for a model that is asked for several uses."""
Shape = TypeVar("Shape", bound=BaseModel)

MOST_TRIES = 50
"""Braces in a text that are looked at and turn out to begin no object."""

_THOUGHT = re.compile(r"^.*</think(?:ing)?>", re.DOTALL)


class Unreadable(EndpointLost):
    """The model wrote nothing of the form that it was asked for, when told so either."""


class Misfit(ValueError):
    """A text has no object that fits; says why not, in a line for the model."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[Shape]):
    """`text`: as the model wrote it; `repaired`: whether it had to be told what was wrong."""

    value: Shape
    text: str
    repaired: bool = False


class Structured:
    """Asks one model, by `complete`: of a client, or of what stands before one; `name`: of the
    model, as it is called in errors."""

    def __init__(self, name: str, complete: Complete) -> None:
        self.name, self._send = name, complete
        self.plain = False
        """Whether the server refused to hold a model to a schema."""

    async def ask(
        self,
        messages: Sequence[Json],
        shape: type[Shape],
        body: Mapping[str, Json],
        **told: str | int,
    ) -> Answer[Shape]:
        """`messages` say what is wanted, the form included; `body`: more of the request; `told`:
        what `complete` is told besides.

        Unreadable; what the client raises."""
        first = await self._complete(messages, shape, body, told)
        try:
            return Answer(fitting(first.message.text, shape), first.message.text)
        except Misfit as misfit:
            again: list[Json] = [
                {"role": "assistant", "content": first.message.text or "(nothing)"},
                {"role": "user", "content": f"{REPAIR} {misfit}"},
            ]
        second = await self._complete([*messages, *again], shape, body, told)
        try:
            return Answer(fitting(second.message.text, shape), second.message.text, True)
        except Misfit as misfit:
            raise Unreadable(
                f"{self.name} wrote nothing that can be read, even when told so: {misfit}"
            ) from None

    async def _complete(
        self,
        messages: Sequence[Json],
        shape: type[BaseModel],
        body: Mapping[str, Json],
        told: Mapping[str, str | int],
    ) -> Completion:
        request = {"messages": list(messages), **body}
        if not self.plain:
            try:
                return await self._send({**request, "response_format": held_to(shape)}, **told)
            except FormatRefused:
                self.plain = True
        return await self._send(request, **told)


REPAIR = "That cannot be read. Write the one JSON object and nothing else."


def held_to(shape: type[BaseModel]) -> JsonSchema:
    """The `response_format` of a request."""
    schema = schema_of(shape)
    name = shape.__name__.lower()
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}


def schema_of(shape: type[BaseModel]) -> JsonSchema:
    """A schema that servers take in their strict mode: every property is required, there are no
    others, and nothing is there but the form."""
    found: JsonSchema = _strict(shape.model_json_schema())
    return found


def _strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: _strict(each) for name, each in schema.items() if name not in _BESIDE}
    if isinstance(schema.get("properties"), dict):
        properties = {name: _strict(each) for name, each in schema["properties"].items()}
        kept["properties"] = properties
        kept |= {"required": list(properties), "additionalProperties": False}
    return kept


_BESIDE = frozenset({"title", "default", "description"})


def fitting(text: str, shape: type[Shape]) -> Shape:
    """The first object in the text that fits. Misfit."""
    text = _THOUGHT.sub("", text)
    wrong = "there is no JSON object in it"
    found = False
    at = text.find("{")
    for _ in range(MOST_TRIES):
        if at < 0:
            break
        try:
            value, end = read(text, at)
        except ValueError as error:
            if not found:
                wrong = clip(str(error))
            end = at + 1
        else:
            try:
                return shape.model_validate_json(json.dumps(value))
            except ValidationError as error:
                if not found:
                    wrong = _said(error)
                found = True
        at = text.find("{", end)
    raise Misfit(wrong)


def _said(error: ValidationError) -> str:
    """What is wrong, in a line, with the places and none of the values."""
    parts = []
    for each in error.errors(include_url=False, include_context=False, include_input=False)[:5]:
        where = ".".join(map(str, each["loc"]))
        parts.append(f"{where}: {each['msg']}" if where else each["msg"])
    return clip("; ".join(parts), 400)
