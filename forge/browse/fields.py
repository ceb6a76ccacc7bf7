"""A form made of a tool's schema, and the arguments that a filled one comes to.

Always holds: what a field cannot be is passed on as it was typed, for the tool to refuse, as it
refuses an agent; an empty field is an argument that is not passed.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from forge.types.data import Json, JsonSchema
from forge.types.environment import Tool


@dataclass(frozen=True, slots=True)
class Field:
    """`choices`: the only values, as text; `long`: it takes JSON."""

    name: str
    type: str
    required: bool
    description: str
    choices: tuple[str, ...]
    long: bool
    value: str


def fields_of(tool: Tool, given: Mapping[str, str]) -> list[Field]:
    """`given`: what stands in the fields."""
    required = tool.parameters.get("required", [])
    return [
        Field(
            name=name,
            type=_type(schema),
            required=name in required,
            description=str(schema.get("description", "")),
            choices=tuple(map(_text, _choices(schema))),
            long=not _is_plain(schema),
            value=given.get(name, ""),
        )
        for name, schema in _properties(tool).items()
    ]


def arguments_of(tool: Tool, given: Mapping[str, str]) -> dict[str, Json]:
    known = _properties(tool)
    return {name: _value(known.get(name, {}), text) for name, text in given.items() if text != ""}


def _properties(tool: Tool) -> dict[str, JsonSchema]:
    found = tool.parameters.get("properties", {})
    return {name: schema if isinstance(schema, dict) else {} for name, schema in found.items()}


def _types(schema: JsonSchema) -> list[str]:
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _type(schema: JsonSchema) -> str:
    kinds = " or ".join(kind for kind in _types(schema) if kind != "null")
    form = schema.get("format")
    return f"{kinds or 'any JSON'}{f', {form}' if isinstance(form, str) else ''}"


def _is_plain(schema: JsonSchema) -> bool:
    return bool(_types(schema)) and not {"object", "array"} & set(_types(schema))


def _choices(schema: JsonSchema) -> list[Json]:
    if isinstance(schema.get("enum"), list):
        return list(schema["enum"])
    return [True, False] if _types(schema) == ["boolean"] else []


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _value(schema: JsonSchema, text: str) -> Json:
    for choice in _choices(schema):
        if _text(choice) == text:
            return choice
    if _types(schema) == ["string"]:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
