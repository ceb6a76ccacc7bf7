"""JSON Schemas as columns, so that values for what a schema allows are made as a table's are."""

from forge.types.data import Json, JsonSchema
from forge.types.state import Column

_TYPES = ("string", "integer", "number", "boolean", "object", "array")


def column_from(name: str, schema: JsonSchema, defs: JsonSchema, depth: int = 0) -> Column:
    """A column that holds what the schema allows, as far as a column can say it."""
    schema = _plain(schema, defs)
    kinds = schema.get("type", "object" if "properties" in schema else "string")
    kind = next((k for k in ([kinds] if isinstance(kinds, str) else kinds) if k in _TYPES), "any")
    inner = depth < 4
    properties = schema.get("properties", {}) if inner else {}
    needed = schema.get("required", [])
    text, form = kind == "string", schema.get("format")
    return Column(
        name=name,
        type=kind,
        format=form if form in ("date", "date-time", "email") else None,
        enum=tuple(schema["enum"]) if isinstance(schema.get("enum"), list) else None,
        minimum=schema.get("minimum"),
        maximum=schema.get("maximum"),
        min_length=schema.get("minLength" if text else "minItems"),
        max_length=schema.get("maxLength" if text else "maxItems"),
        properties=tuple(
            column_from(each, part, defs, depth + 1).model_copy(
                update={"required": each in needed, "nullable": each not in needed}
            )
            for each, part in properties.items()
        ),
        items=column_from("", schema.get("items", {}), defs, depth + 1)
        if kind == "array" and inner
        else None,
    )  # fmt: skip


def _plain(schema: Json, defs: JsonSchema) -> JsonSchema:
    """References followed, parts put together, the first of several ways taken."""
    for _ in range(8):
        if not isinstance(schema, dict):
            return {}
        if "$ref" in schema:
            schema = defs.get(str(schema["$ref"]).removeprefix("#/$defs/"), {})
            continue
        merged = {name: v for name, v in schema.items() if name not in ("allOf", "anyOf", "oneOf")}
        options = [o for way in ("anyOf", "oneOf") for o in schema.get(way, [])]
        parts = [*schema.get("allOf", []), *[o for o in options if o.get("type") != "null"][:1]]
        if not parts:
            return merged
        for part in parts:
            flat = _plain(part, defs)
            both = {**merged.get("properties", {}), **flat.get("properties", {})}
            merged = {**merged, **flat, **({"properties": both} if both else {})}
        schema = merged
    return {}
