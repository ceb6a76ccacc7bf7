"""What the keywords of a raw schema say, in the dialects that differ: types, bounds, examples."""

from forge.docs.schema import distinct, kinds_of, parsed
from forge.types.data import Json, JsonSchema

PLAIN = ("format", "pattern", "multipleOf", "contentEncoding", "contentMediaType")
FLAGS = ("readOnly", "writeOnly", "deprecated", "uniqueItems")
_BOUNDS = (
    "minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems"
    " minProperties maxProperties"
)
_TYPES = ("string", "integer", "number", "boolean", "object", "array", "null")
_MOST_EXAMPLES = 10


def is_leaf(raw: Json) -> bool:
    """Whether a schema is a scalar or an enum, with nothing inside."""
    if not isinstance(raw, dict):
        return True
    inside = ("properties", "items", "allOf", "oneOf", "anyOf", "additionalProperties", "$ref")
    kinds = kinds_of({"type": type_in(raw)})
    return not any(key in raw for key in inside) and (
        "enum" in raw or "const" in raw or bool(kinds and not kinds & {"object", "array"})
    )


def type_in(raw: JsonSchema) -> str | list[str] | None:
    """The type or types, told from the other keywords where there is none."""
    kind = raw.get("type")
    kinds = [kind] if isinstance(kind, str) else kind if isinstance(kind, list) else []
    kinds = distinct(one for one in kinds if one in _TYPES)
    if not kinds:
        if isinstance(raw.get("properties"), dict) or "additionalProperties" in raw:
            kinds = ["object"]
        elif isinstance(raw.get("items"), dict):
            kinds = ["array"]
        elif isinstance(raw.get("enum"), list) or "const" in raw:
            values = raw["enum"] if isinstance(raw.get("enum"), list) else [raw["const"]]
            kinds = distinct(kind_of(value) for value in values)
    return (kinds[0] if len(kinds) == 1 else kinds) if kinds else None


def kind_of(value: Json) -> str:
    """The JSON type of a value."""
    for kind, name in (
        (bool, "boolean"),
        (int, "integer"),
        (float, "number"),
        (str, "string"),
        (list, "array"),
        (dict, "object"),
    ):
        if isinstance(value, kind):
            return name
    return "null"


def bounds_in(raw: JsonSchema) -> JsonSchema:
    """Least and most, lengths and counts; the flags of OpenAPI 3.0 and 2.0 become numbers."""
    out: JsonSchema = {}
    for keyword in _BOUNDS.split():
        value = raw.get(keyword)
        if isinstance(value, int | float) and not isinstance(value, bool):
            out[keyword] = value
    for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if raw.get(flag) is True and bound in out:
            out[flag] = out.pop(bound)
    return out


def examples_in(raw: JsonSchema) -> list[Json]:
    """The examples, however they are written, but for null; JSON in text is parsed."""
    found = []
    if "example" in raw:
        found.append(raw["example"])
    if "x-example" in raw:
        found.append(raw["x-example"])
    if isinstance(raw.get("examples"), list):
        found += raw["examples"]
    elif isinstance(raw.get("examples"), dict):
        for one in raw["examples"].values():
            found.append(one["value"] if isinstance(one, dict) and "value" in one else one)
    kinds = kinds_of({"type": type_in(raw)})
    if not kinds <= {"string", "null"}:
        found = [parsed(value) for value in found]
    return distinct(value for value in found if value is not None)[:_MOST_EXAMPLES]
