"""What an agent passed, made into what a tool takes: checked and coerced by its parameters' schema.

A tool is called with what its schema describes or not at all. A slip that has one meaning is put
right ("5" for an integer); everything else is refused, by a message that names the argument, what
is allowed and what was given. Nothing in the result is shared with what was passed.
"""

import re
from collections.abc import Mapping
from typing import NoReturn

from forge.env.identity import same, shown
from forge.env.plain import plain
from forge.env.values import suggestion
from forge.errors import ToolError
from forge.types.data import Json, JsonSchema

_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,3})?")
_NOUNS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_OWN: dict[str, type] = {"string": str, "integer": int, "boolean": bool, "number": float}
_FURTHER = frozenset(
    {"$ref", "allOf", "anyOf", "oneOf", "const", "enum", "minLength", "maxLength", "minimum"}
    | {"maximum", "exclusiveMinimum", "exclusiveMaximum"}
)
"""What a schema may ask of a text, number or boolean beyond its type."""

_HOPS = 16
"""`$ref`s and alternatives within each other, without a step into the value."""

_STEPS = 50_000
"""Schemas looked at in one call: alternatives within alternatives can be very many."""


def coerce(parameters: JsonSchema, arguments: dict[str, Json]) -> dict[str, Json]:
    """The arguments to call a tool with, once; see `Parameters`."""
    return Parameters(parameters).read(arguments)


class Parameters:
    """The schema of a tool's arguments, looked through once for all its calls."""

    __slots__ = ("_definitions", "_properties", "_required", "_simple")

    def __init__(self, schema: JsonSchema) -> None:
        self._properties = _mapping(schema.get("properties"))
        self._definitions = _mapping(schema.get("$defs"))
        self._required = frozenset(_names(schema.get("required"))) & self._properties.keys()
        self._simple = {
            name: _own_type(each)
            for name, each in self._properties.items()
            if isinstance(each, dict)
        }
        """What is taken as it is, if it is of this type."""

    def read(self, arguments: dict[str, Json]) -> dict[str, Json]:
        """The arguments to call the tool with. Null for an optional one means that it was not
        passed.

        ToolError("invalid") if they do not fit. `pattern` and `format` are not looked at: they
        come from documents, and a pattern can take for ever."""
        try:
            given = plain(arguments)
        except ValueError as error:
            raise ToolError("invalid", f"the arguments cannot be read: {error}") from None
        if not isinstance(given, dict):
            raise ToolError("invalid", f"the arguments must be an object, not {shown(given)}")
        if not given.keys() <= self._properties.keys():
            name = next(name for name in given if name not in self._properties)
            there = suggestion(name, self._properties)
            raise ToolError("invalid", f"no argument {shown(name)}: {there}")
        if not self._required <= given.keys():
            missing = [n for n in self._properties if n in self._required and n not in given]
            verb = "is" if len(missing) == 1 else "are"
            raise ToolError("invalid", f"{', '.join(missing)} {verb} required")
        simple = self._simple
        for name, value in given.items():
            if type(value) is not simple.get(name):
                break
        else:
            return given
        reader = _Reader(self._definitions)
        return {
            name: value
            if type(value) is simple.get(name)
            else reader.value(self._properties[name], value, name)
            for name, value in given.items()
            if value is not None or name in self._required
        }


def _own_type(schema: JsonSchema) -> type | None:
    """What a value is that the schema takes as it is, where it asks no more than a type."""
    return _OWN.get(str(schema.get("type"))) if _FURTHER.isdisjoint(schema) else None


class _Reader:
    """Reads values by schemas whose `$ref`s are to these definitions."""

    def __init__(self, definitions: Mapping[str, Json]) -> None:
        self._definitions = definitions
        self._steps = 0

    def value(self, schema: Json, value: Json, where: str, hops: int = 0) -> Json:
        """`value` as `schema` wants it, or ToolError."""
        if not isinstance(schema, dict) or hops > _HOPS:
            return value
        if type(value) is _own_type(schema):
            return value
        self._steps += 1
        if self._steps > _STEPS:
            raise ToolError("invalid", f"{where} is too large or too deeply nested")
        if value is None and schema.get("nullable") is True:
            return None
        if "$ref" in schema:
            name = str(schema["$ref"]).removeprefix("#/$defs/")
            value = self.value(self._definitions.get(name), value, where, hops + 1)
        for part in _list(schema.get("allOf")):
            value = self.value(part, value, where, hops + 1)
        for word in ("anyOf", "oneOf"):
            if _list(schema.get(word)):
                value = self._one_of(_list(schema[word]), value, where, hops + 1)
        value = _typed(schema, value, where)
        _check_choice(schema, value, where)
        if isinstance(value, dict):
            return self._object(schema, value, where)
        if isinstance(value, list):
            _check_size(schema, value, where, "Items", "items")
            return [
                self.value(schema.get("items"), item, f"{where}[{place}]")
                for place, item in enumerate(value)
            ]
        if isinstance(value, str):
            _check_size(schema, value, where, "Length", "characters")
        elif _is_number(value):
            _check_range(schema, value, where)
        return value

    def _one_of(self, options: list[Json], value: Json, where: str, hops: int) -> Json:
        """By the first option that takes the value as it is, else the first that takes it at
        all."""
        read: list[Json] = []
        refusals: list[str] = []
        for option in options:
            try:
                read.append(self.value(option, value, where, hops))
            except ToolError as error:
                if not _is_null(option):
                    refusals.append(error.message)
        for each in read:
            if same(each, value):
                return each
        if read:
            return read[0]
        if len(refusals) == 1:
            raise ToolError("invalid", refusals[0])
        reasons = "; ".join(dict.fromkeys(refusals))
        raise ToolError("invalid", f"{where} fits none of what is allowed: {reasons}"[:1000])

    def _object(self, schema: JsonSchema, value: dict[str, Json], where: str) -> dict[str, Json]:
        properties = _mapping(schema.get("properties"))
        required = _names(schema.get("required"))
        others = schema.get("additionalProperties", True)
        for name in required:
            if name not in value:
                raise ToolError("invalid", f"{where}.{name} is required")
        read: dict[str, Json] = {}
        for name, item in value.items():
            inner = f"{where}.{name}"
            if name in properties:
                if item is None and name not in required and not self._takes_null(properties[name]):
                    continue
                read[name] = self.value(properties[name], item, inner)
            elif others is False:
                there = suggestion(name, properties)
                raise ToolError("invalid", f"{where} has no {shown(name)}: {there}")
            else:
                read[name] = self.value(others, item, inner)
        return read

    def _takes_null(self, schema: Json) -> bool:
        try:
            self.value(schema, None, "")
        except ToolError:
            return False
        return True


def _typed(schema: JsonSchema, value: Json, where: str) -> Json:
    """`value` as it is if one of the schema's types is its own, else as the first type that it
    can be read as."""
    types = _types(schema)
    if not types or any(_is(kind, value) for kind in types):
        if isinstance(value, float) and "number" not in types and "integer" in types:
            return int(value)
        return value
    for kind in types:
        read = _read(kind, value)
        if read is not None:
            return read
    nouns = [_NOUNS[kind] for kind in types if kind != "null"]
    return _refuse(where, " or ".join(nouns) or "null", value)


def _types(schema: JsonSchema) -> list[str]:
    """The types a schema names, or those of its choices; none if it takes any."""
    named = schema.get("type")
    if named is not None:
        kinds = [named] if isinstance(named, str) else _names(named)
    elif "properties" in schema:
        kinds = ["object"]
    else:
        choices = [schema["const"]] if "const" in schema else _list(schema.get("enum"))
        kinds = [kind for kind in _NOUNS if any(_is(kind, each) for each in choices)]
    return kinds if all(kind in _NOUNS for kind in kinds) else []


def _is(kind: str, value: Json) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return _is_number(value) and _is_whole(value)
        case "number":
            return _is_number(value)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case _:
            return value is None


def _is_whole(number: float) -> bool:
    """Whether it is an integer of at most 64 bits, however it is written."""
    return -(2**63) <= number < 2**63 and (isinstance(number, int) or number.is_integer())


def _read(kind: str, value: Json) -> Json:
    """The one meaning a value of another type can have, or None."""
    match kind, value:
        case "string", int() if not isinstance(value, bool):
            return str(value)
        case "integer", str() if _INTEGER.fullmatch(value.strip()):
            number = int(value)
            return number if _is_whole(number) else None
        case "number", str() if _INTEGER.fullmatch(value.strip()):
            number = int(value)
            return number if _is_whole(number) else float(number)
        case "number", str() if _NUMBER.fullmatch(value.strip()):
            parsed = float(value)
            return parsed if abs(parsed) != float("inf") else None
        case "boolean", str() if value.strip().lower() in ("true", "false"):
            return value.strip().lower() == "true"
        case _:
            return None


def _check_choice(schema: JsonSchema, value: Json, where: str) -> None:
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(choices, list) or any(same(value, each) for each in choices):
        return
    _refuse(where, "one of " + ", ".join(shown(each) for each in choices[:40]), value)


def _check_range(schema: JsonSchema, value: int | float, where: str) -> None:
    least, most = _number(schema, "minimum"), _number(schema, "maximum")
    above, below = _number(schema, "exclusiveMinimum"), _number(schema, "exclusiveMaximum")
    if least is not None and value < least:
        _refuse(where, f"at least {least}", value)
    if most is not None and value > most:
        _refuse(where, f"at most {most}", value)
    if above is not None and value <= above:
        _refuse(where, f"more than {above}", value)
    if below is not None and value >= below:
        _refuse(where, f"less than {below}", value)


def _check_size(
    schema: JsonSchema, value: str | list[Json], where: str, what: str, unit: str
) -> None:
    least, most = _number(schema, f"min{what}"), _number(schema, f"max{what}")
    if least is not None and len(value) < least:
        _refuse(where, f"at least {least} {unit} long", value)
    if most is not None and len(value) > most:
        _refuse(where, f"at most {most} {unit} long", value)


def _number(schema: JsonSchema, word: str) -> int | float | None:
    value = schema.get(word)
    return value if _is_number(value) else None


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_null(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _names(value: Json) -> list[str]:
    return [each for each in _list(value) if isinstance(each, str)]


def _refuse(where: str, what: str, value: Json) -> NoReturn:
    raise ToolError("invalid", f"{where} must be {what}, not {shown(value)}")
