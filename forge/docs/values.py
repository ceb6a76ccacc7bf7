"""The values that a schema names itself: choices, a default, examples. What cannot be is taken out,
and told.

Always holds: a default, an example and a value of an enum that leaves here is one that the schema
allows, as far as types, choices, bounds and dates go (patterns of a stranger are not run, and what
must be there may be missing from an example).
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime

from forge.docs.keywords import kind_of
from forge.docs.schema import distinct, fitted, kinds_of, name_in
from forge.docs.text import line
from forge.types.data import Json, JsonSchema

_PAIRS = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)
_MOST_ITEMS = 100
_NOTHING: Mapping[str, JsonSchema] = {}


def honest(schema: JsonSchema, tell: Callable[[str], None]) -> JsonSchema:
    """A normal schema without what cannot be; `tell(reason)` for each part that is changed."""
    schema = _honest_enum(schema, tell)
    for least, most in _PAIRS:
        if least in schema and most in schema and schema[least] > schema[most]:
            tell(f"its {least} {schema[least]} is more than its {most} {schema[most]}; left out")
            schema = {key: value for key, value in schema.items() if key not in (least, most)}
    if "default" in schema and (why := misfit(schema["default"], schema)):
        tell(f"its default {why}; left out")
        schema = {key: value for key, value in schema.items() if key != "default"}
    if "examples" in schema:
        return with_examples(schema, schema["examples"], tell)
    return schema


def with_examples(
    schema: JsonSchema,
    examples: list[Json],
    tell: Callable[[str], None],
    definitions: Mapping[str, JsonSchema] = _NOTHING,
) -> JsonSchema:
    """The schema with those of the examples that fit it."""
    good = fitting(examples, schema, tell, definitions)
    around = {key: value for key, value in schema.items() if key != "examples"}
    return {**around, "examples": good} if good else around


def fitting(
    examples: list[Json],
    schema: JsonSchema,
    tell: Callable[[str], None],
    definitions: Mapping[str, JsonSchema] = _NOTHING,
) -> list[Json]:
    """Those that fit; the others are told."""
    good = []
    for example in examples:
        if why := misfit(example, schema, definitions):
            tell(f"its example {why}; left out")
        else:
            good.append(example)
    return good


def dealt(properties: dict[str, JsonSchema], examples: Iterable[Json]) -> dict[str, JsonSchema]:
    """The properties of an object, those without an example given the one they have in `examples`
    of the object, where it fits."""
    result = dict(properties)
    for example in examples:
        for name, value in example.items() if isinstance(example, dict) else ():
            known = result.get(name)
            if known is not None and value is not None and "examples" not in known:
                fit = fitted(value, known)
                if not misfit(fit, known):
                    result[name] = {**known, "examples": [fit]}
    return result


def misfit(
    value: Json, schema: JsonSchema, definitions: Mapping[str, JsonSchema] = _NOTHING
) -> str:
    """Why a normal schema does not allow a value; empty where it does, or where that cannot be
    told. Null is what an example has where it says nothing."""
    if "$ref" in schema:
        schema = definitions.get(name_in(schema["$ref"]), {})
    if value is None or "$ref" in schema:
        return ""
    for union in ("anyOf", "oneOf"):
        parts = schema.get(union)
        if parts and all(misfit(value, part, definitions) for part in parts):
            return f"{_short(value)} is none of what it may be"
    kinds = kinds_of(schema)
    if kinds and not any(_is(value, kind) for kind in kinds):
        return f"{_short(value)} is no {' or '.join(sorted(kinds - {'null'}))}"
    if "enum" in schema and not any(_same(value, one) for one in schema["enum"]):
        return f"{_short(value)} is none of its values"
    return _beyond(value, schema) or _no_date(value, schema) or _within(value, schema, definitions)


def _beyond(value: Json, schema: JsonSchema) -> str:
    if isinstance(value, bool):
        return ""
    if isinstance(value, int | float):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            return f"{_short(value)} is out of its bounds"
        low, high = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
        if (low is not None and value <= low) or (high is not None and value >= high):
            return f"{_short(value)} is out of its bounds"
    for kind, least, most in ((str, "minLength", "maxLength"), (list, "minItems", "maxItems")):
        if isinstance(value, kind):
            length = len(value)
            if not schema.get(least, length) <= length <= schema.get(most, length):
                return f"{_short(value)} is shorter or longer than it may be"
    return ""


def _no_date(value: Json, schema: JsonSchema) -> str:
    form = schema.get("format")
    if not isinstance(value, str) or form not in ("date", "date-time"):
        return ""
    try:
        (date if form == "date" else datetime).fromisoformat(value)
    except ValueError:
        return f"{_short(value)} is no {form}"
    return ""


def _within(value: Json, schema: JsonSchema, definitions: Mapping[str, JsonSchema]) -> str:
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        for item in value[:_MOST_ITEMS]:
            if why := misfit(item, schema["items"], definitions):
                return f"has an item: {why}"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name, inner in value.items():
            if name in known and (why := misfit(inner, known[name], definitions)):
                return f'has "{line(name, 40)}": {why}'
    return ""


def _honest_enum(schema: JsonSchema, tell: Callable[[str], None]) -> JsonSchema:
    """Values of another type go; where all are of another type, the type is what is wrong."""
    kinds = kinds_of(schema)
    values = schema.get("enum", [])
    bad = [v for v in values if v is not None and not any(_is(v, kind) for kind in kinds)]
    if not kinds or not bad:
        return schema
    good = [value for value in values if value not in bad]
    if any(value is not None for value in good):
        told = ", ".join(_short(value) for value in bad[:3])
        tell(f"its value {told} is no {' or '.join(sorted(kinds - {'null'}))}; left out")
        return {**schema, "enum": good}
    told = " or ".join(sorted(kinds - {"null"}))
    found = distinct(kind_of(value) for value in bad)
    tell(f"all its values are no {told}; their own type is taken")
    return {**schema, "type": found[0] if len(found) == 1 else found}


def _is(value: Json, kind: str) -> bool:
    found = kind_of(value)
    if kind == "number":
        return found in ("integer", "number")
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return found == kind


def _same(one: Json, other: Json) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _short(value: Json) -> str:
    return line(repr(value) if not isinstance(value, str) else f'"{value}"', 60)
