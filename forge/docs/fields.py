"""What Markdown says of one field: its type, whether it must be there, its default and examples.

The grammar of a type, case and order free, parts apart by commas:

    string | text | integer | number | boolean | date | date-time | time | email | uri | uuid
    object | OBJECT NAME | list of TYPE | one of `a`, `b` | TYPE or null
    required | optional | read-only | write-only | unique | nullable
    default `x` | at least N | at most N

A description may end in "Example: `x`" or "Examples: `x`, `y`".
"""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass

from forge.docs.refs import escape
from forge.docs.text import LIMIT, clean
from forge.types.data import Json, JsonSchema

_TYPES: dict[str, JsonSchema] = {
    "string": {"type": "string"},
    "text": {"type": "string"},
    "str": {"type": "string"},
    "integer": {"type": "integer"},
    "int": {"type": "integer"},
    "number": {"type": "number"},
    "decimal": {"type": "number"},
    "float": {"type": "number"},
    "boolean": {"type": "boolean"},
    "bool": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "date-time": {"type": "string", "format": "date-time"},
    "datetime": {"type": "string", "format": "date-time"},
    "time": {"type": "string", "format": "time"},
    "email": {"type": "string", "format": "email"},
    "uri": {"type": "string", "format": "uri"},
    "url": {"type": "string", "format": "uri"},
    "uuid": {"type": "string", "format": "uuid"},
    "object": {"type": "object"},
}
_MARKS = {
    "required": "required",
    "mandatory": "required",
    "optional": "optional",
    "read-only": "readOnly",
    "readonly": "readOnly",
    "write-only": "writeOnly",
    "unique": "unique",
    "nullable": "nullable",
    "or null": "nullable",
    "null": "nullable",
}
_CODE = r"`([^`]+)`"
_ONE_OF = re.compile(rf"\b(?:one of|enum:?)\s+({_CODE}(?:\s*(?:,|or|\|)+\s*{_CODE})*)", re.I)
_DEFAULT = re.compile(rf"\bdefaults?(?:\s+to|\s+is|:)?\s+{_CODE}", re.I)
_BOUND = re.compile(r"\b(at least|at most|min(?:imum)?|max(?:imum)?)\s+`?(-?\d+(?:\.\d+)?)`?", re.I)
_LIST = re.compile(r"^(?:a |an )?(?:list|array)\s+of\s+(.+)$|^(.+)\[\]$", re.I)
_EXAMPLES = re.compile(rf"\s*\bExamples?:\s*({_CODE}(?:\s*,\s*{_CODE})*)\.?\s*$", re.I)
_LINK = re.compile(r"\[([^\[\]\n]{0,300})\]\([^)\s]{0,300}\)")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.{1,300}?)(?<=\S)\1")


@dataclass(frozen=True, slots=True)
class Field:
    """A field as it would stand in OpenAPI: `schema` may refer to `#/components/schemas/NAME`."""

    name: str
    schema: JsonSchema
    required: bool
    unknown: tuple[str, ...] = ()
    """Words of the type that mean nothing to forge."""


def plain(text: str) -> str:
    """Markdown inline text without its links and bold marks; code keeps its backticks."""
    return clean(_BOLD.sub(r"\2", _LINK.sub(r"\1", text[: 4 * LIMIT])))


def field(name: str, kind: str, about: str, objects: Collection[str]) -> Field:
    """A field from its name, the words for its type, and its description."""
    about = plain(about)
    examples: list[str] = []
    if found := _EXAMPLES.search(about):
        examples, about = _codes(found[1]), about[: found.start()].rstrip()
    schema, marks, unknown = type_of(kind, objects)
    if "unique" in marks and "unique" not in about.lower():
        about = f"{about} Must be unique.".strip()
    beside: JsonSchema = {}
    if about:
        beside["description"] = about
    if examples:
        beside["examples"] = [_value(one, schema) for one in examples]
    beside |= {mark: True for mark in ("readOnly", "writeOnly") if mark in marks}
    return Field(name, {**schema, **beside}, "required" in marks, unknown)


def type_of(text: str, objects: Collection[str]) -> tuple[JsonSchema, set[str], tuple[str, ...]]:
    """The schema that the words of a type mean, their marks, and the words not understood."""
    text = _LINK.sub(r"\1", text[:LIMIT]).strip()
    schema: JsonSchema = {}
    marks: set[str] = set()
    default = _DEFAULT.search(text)
    text = _DEFAULT.sub("", text)
    if found := _ONE_OF.search(text):
        schema = {"enum": _codes(found[1])}
        text = text[: found.start()] + text[found.end() :]
    for bound, number in _BOUND.findall(text):
        keyword = "minimum" if bound.lower() in ("at least", "min", "minimum") else "maximum"
        schema[keyword] = json.loads(number)
    text = re.sub(r"\bor null\b", ", nullable", _BOUND.sub("", text), flags=re.I)
    unknown = []
    for part in text.split(","):
        word = part.strip().strip("`*").strip()
        if not word:
            continue
        if word.lower() in _MARKS:
            marks.add(_MARKS[word.lower()])
        elif (known := _kind(word, objects)) is not None:
            schema = {**known, **schema}
        else:
            unknown.append(word)
    if not schema or set(schema) == {"enum"}:
        schema = {"type": "string", **schema}
    if "enum" in schema:
        schema["enum"] = [_value(value, schema) for value in schema["enum"]]
    if default:
        schema["default"] = _value(default[1], schema)
    if "nullable" in marks:
        schema["nullable"] = True
    return schema, marks, tuple(unknown)


def _kind(word: str, objects: Collection[str]) -> JsonSchema | None:
    if found := _LIST.match(word):
        items = _kind((found[1] or found[2]).strip().strip("`").strip(), objects)
        return None if items is None else {"type": "array", "items": items}
    if word in objects:
        return {"$ref": f"#/components/schemas/{escape(word)}"}
    return dict(_TYPES[word.lower()]) if word.lower() in _TYPES else None


def _codes(text: str) -> list[str]:
    return re.findall(_CODE, text)


def _value(text: str, schema: JsonSchema) -> Json:
    """A value written in code: text stays text, all else is read as JSON where it can be."""
    if schema.get("type") == "string" and text != "null":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
