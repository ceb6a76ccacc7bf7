"""The shape of an answer that a document shows by examples alone.

Always holds: what is inferred fits every example; nothing is said to be always there, since an
example shows one case; where examples differ in kind, nothing is said.
"""

from forge.types.data import Json, JsonSchema

_DEEPEST = 6
_SHOWN = 3
"""Values that are kept as examples of a scalar."""
_NULL: JsonSchema = {"type": "null"}
"""Of a property that is null in every example: it is there, and what it may be is not shown."""


def says_nothing(schema: JsonSchema | None) -> bool:
    """Whether a schema leaves open what an answer holds."""
    if schema is None:
        return False
    about = {"description", "title", "examples", "default", "$defs"}
    rest = {k: v for k, v in schema.items() if k not in about}
    return rest in ({}, {"type": "object"}, {"type": "object", "properties": {}}, {"type": "array"})


def schema_of_examples(examples: tuple[Json, ...] | list[Json], depth: int = 0) -> JsonSchema:
    """The JSON Schema of values like these; {} where they tell nothing together."""
    values = [e for e in examples if e is not None]
    if not values or depth > _DEEPEST:
        return {}
    made = _of_kind(values, depth)
    if made and len(values) < len(examples):
        made["type"] = [made["type"], "null"]
    return made


def _of_kind(values: list[Json], depth: int) -> JsonSchema:
    if all(isinstance(v, dict) for v in values):
        names: dict[str, list[Json]] = {}
        for value in values:
            for name, inner in value.items():
                names.setdefault(name, []).append(inner)
        found = {name: schema_of_examples(inner, depth + 1) for name, inner in names.items()}
        told = {n: s or _NULL for n, s in found.items() if s or all(v is None for v in names[n])}
        return {"type": "object", "properties": told} if told else {}
    if all(isinstance(v, list) for v in values):
        items = schema_of_examples([item for value in values for item in value], depth + 1)
        return {"type": "array", "items": items} if items else {}
    kinds = {_kind(v) for v in values}
    if kinds == {"integer", "number"}:
        kinds = {"number"}
    if len(kinds) != 1 or "" in kinds:
        return {}
    shown = [v for n, v in enumerate(values) if v not in values[:n]]
    return {"type": kinds.pop(), "examples": shown[:_SHOWN]}


def _kind(value: Json) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if isinstance(value, int) else "number"
    return "string" if isinstance(value, str) else ""
