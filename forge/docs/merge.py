"""`allOf` merged: two normal schemas that hold at once, as one.

Where only one can be (a description, a default) the later wins; the first is what it builds on.
"""

from forge.docs.schema import ANNOTATIONS, distinct
from forge.types.data import JsonSchema

_TIGHTER = {
    "minimum": max,
    "exclusiveMinimum": max,
    "minLength": max,
    "minItems": max,
    "minProperties": max,
    "maximum": min,
    "exclusiveMaximum": min,
    "maxLength": min,
    "maxItems": min,
    "maxProperties": min,
}


def merged(left: JsonSchema, right: JsonSchema) -> JsonSchema:
    """Both schemas at once, `right` the later; both normal, with no `$ref` at the top."""
    if not left or not right:
        return dict(left or right)
    out = {**left, **right}
    if "properties" in left and "properties" in right:
        both = dict(left["properties"])
        for name, value in right["properties"].items():
            both[name] = _property(both[name], value) if name in both else value
        out["properties"] = both
    if "required" in left and "required" in right:
        out["required"] = distinct([*left["required"], *right["required"]])
    if "enum" in left and "enum" in right:
        out["enum"] = [value for value in right["enum"] if value in left["enum"]] or right["enum"]
    if "type" in left and "type" in right:
        out["type"] = _shared(_as_list(left["type"]), _as_list(right["type"]))
    for keyword, choose in _TIGHTER.items():
        if keyword in left and keyword in right:
            out[keyword] = choose(left[keyword], right[keyword])
    if "allOf" in left and "allOf" in right:
        out["allOf"] = [*left["allOf"], *right["allOf"]]
    for union in ("oneOf", "anyOf"):
        if union in left and union in right and left[union] != right[union]:
            out[union] = right[union]
            out["allOf"] = [*out.get("allOf", ()), {union: left[union]}]
    return out


def _property(left: JsonSchema, right: JsonSchema) -> JsonSchema:
    if "$ref" in left or "$ref" in right:
        if left.get("$ref") == right.get("$ref"):
            return {**left, **right}
        if "$ref" in left and set(right) <= set(ANNOTATIONS):
            return {**left, **right}
        return right
    return merged(left, right)


def _as_list(kind: str | list[str]) -> list[str]:
    return kind if isinstance(kind, list) else [kind]


def _shared(left: list[str], right: list[str]) -> str | list[str]:
    """The types that both allow; those of `right` where there is none. An integer is a number."""
    kinds = [kind for kind in right if kind in left or (kind == "integer" and "number" in left)]
    if "number" in right and "integer" in left and "number" not in left:
        kinds = [
            "integer" if kind == "number" else kind for kind in right if kind in (*left, "number")
        ]
    kinds = distinct(kinds or right)
    return kinds[0] if len(kinds) == 1 else kinds
