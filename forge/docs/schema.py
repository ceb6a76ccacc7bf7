"""Schemas in one normal form, whatever dialect they were written in.

A schema that leaves here is JSON Schema 2020-12 and has this form:

- `$ref` is only `#/$defs/NAME`, with that name in the schema's own `$defs` (just those it needs).
  A named object, list or union stays a `$ref` where it is nested, so its name can be seen; a named
  scalar or enum is written out; the top of a schema is never a `$ref`. Beside `$ref` there may be
  annotations (description, readOnly, examples…).
- "may be null" is `"type": ["string", "null"]`, or `anyOf: [{…}, {"type": "null"}]` round a `$ref`
  or a union. `look()` takes both off.
- `allOf` is merged, `required` beside it too (it is left only where a schema would have to be
  merged into a part of itself). `oneOf`, `anyOf` and `discriminator` (its mapping
  rewritten to `#/$defs/NAME`) stay.
- `type` is there wherever it can be told; `const` is a one-value `enum`; `example` and `examples`
  are the list `examples`, fitted to the type; an object's example is dealt out to its properties.
- descriptions are plain text; extensions (`x-…`) and display hints are gone.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from forge.docs.refs import escape
from forge.types.data import Json, JsonSchema

ANNOTATIONS = ("title", "description", "default", "examples", "readOnly", "writeOnly", "deprecated")
"""What says something of a value and nothing of which values there may be."""
ONE_SCHEMA = ("not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties")
"""Keywords that hold one schema and are kept as they are."""
_MOMENT = re.compile(r"^\d{4}-\d\d-\d\d[T ]\d\d:")


@dataclass(frozen=True, slots=True)
class Look:
    """What a schema is once `$ref` and null are taken off: `name` is that of the definition."""

    schema: JsonSchema
    name: str | None
    nullable: bool


def look(schema: JsonSchema, definitions: Mapping[str, JsonSchema]) -> Look:
    """Takes `$ref` and "or null" off a normal schema; `definitions` is the `$defs` of its root."""
    name, nullable = None, False
    seen: set[str] = set()
    while True:
        for union in ("anyOf", "oneOf"):
            parts = schema.get(union)
            if parts and {"type": "null"} in parts:
                nullable = True
                rest = [part for part in parts if part != {"type": "null"}]
                around = {key: value for key, value in schema.items() if key != union}
                schema = {**rest[0], **around} if len(rest) == 1 else {**around, union: rest}
        if "$ref" not in schema:
            break
        name = name_in(schema["$ref"])
        if name in seen or name not in definitions:
            break
        seen.add(name)
        around = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**definitions[name], **around}
    kind = schema.get("type")
    if isinstance(kind, list) and "null" in kind:
        nullable = True
        kinds = [one for one in kind if one != "null"]
        schema = {**schema, "type": kinds[0] if len(kinds) == 1 else kinds}
        if "enum" in schema:
            schema["enum"] = [value for value in schema["enum"] if value is not None]
    return Look(schema, name, nullable)


def name_in(reference: str) -> str:
    """The definition that `#/$defs/NAME` names."""
    return reference.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")


def reference_to(name: str) -> str:
    """How a schema refers to a definition."""
    return "#/$defs/" + escape(name)


def fitted(value: Json, schema: JsonSchema) -> Json:
    """An example or default as the type wants it: 5 for a string is "5", "5" for an integer is 5.
    What cannot be fitted is left as it is."""
    kinds = kinds_of(schema)
    if isinstance(value, bool | int | float) and kinds and kinds <= {"string", "null"}:
        return json.dumps(value)
    if isinstance(value, str) and kinds and kinds <= {"integer", "number", "boolean", "null"}:
        try:
            read = json.loads(value, parse_constant=lambda name: name)
        except ValueError:
            return value
        wanted: type | tuple[type, ...] = bool if "boolean" in kinds else (int, float)
        return read if isinstance(read, wanted) else value
    if isinstance(value, str) and schema.get("format") == "date" and _MOMENT.match(value):
        return value[:10]
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [fitted(item, schema["items"]) for item in value]
    if isinstance(value, dict) and isinstance(schema.get("properties"), dict):
        known = schema["properties"]
        return {key: fitted(item, known.get(key, {})) for key, item in value.items()}
    return value


def kinds_of(schema: JsonSchema) -> set[str]:
    """The types a schema allows; empty where it says none."""
    kind = schema.get("type")
    return set(kind) if isinstance(kind, list) else {kind} if kind else set()


def parsed(value: Json) -> Json:
    """An example that is JSON text in a string, parsed; anything else as it is."""
    if isinstance(value, str) and value.strip()[:1] in ("{", "["):
        try:
            return json.loads(value, parse_constant=lambda name: name)
        except ValueError:
            return value
    return value


def distinct(values: Iterable[Json]) -> list[Json]:
    """In order, each once; 1 and true are two."""
    seen: dict[str, Json] = {}
    for value in values:
        seen.setdefault(json.dumps(value, sort_keys=True), value)
    return list(seen.values())


def with_null(schema: JsonSchema) -> JsonSchema:
    """The same schema, null allowed too."""
    for union in ("anyOf", "oneOf"):
        if union in schema and "$ref" not in schema:
            parts = [part for part in schema[union] if part != {"type": "null"}]
            return {**schema, union: [*parts, {"type": "null"}]}
    if "$ref" in schema:
        around = {key: value for key, value in schema.items() if key in ANNOTATIONS}
        return {"anyOf": [{"$ref": schema["$ref"]}, {"type": "null"}], **around}
    if "type" not in schema:
        return schema
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    schema = {**schema, "type": [*(kind for kind in kinds if kind != "null"), "null"]}
    if "enum" in schema and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]
    return schema


def references(schema: Json) -> Iterator[str]:
    """The definitions a normal schema refers to, discriminator mappings too."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield name_in(schema["$ref"])
    for keyword in ("properties", "patternProperties"):
        for value in schema.get(keyword, {}).values():
            yield from references(value)
    for keyword in ("oneOf", "anyOf", "allOf", "prefixItems"):
        for value in schema.get(keyword, ()):
            yield from references(value)
    for keyword in ("items", "additionalProperties", *ONE_SCHEMA):
        yield from references(schema.get(keyword))
    for target in schema.get("discriminator", {}).get("mapping", {}).values():
        yield name_in(target)
