"""JSON Schemas as the rules look at them: `$ref` followed and null told apart.

Always holds: a `Shape` has no `$ref` and no null alternative at its top, so its type and properties
are what they seem; a property is only opened when asked for, so recursive schemas are finite.
"""

from dataclasses import dataclass

from forge.authors.structural.words import Words, stem
from forge.docs.schema import look
from forge.types.data import Json, JsonSchema


@dataclass(frozen=True)
class Shape:
    schema: JsonSchema
    defs: JsonSchema
    name: str | None = None
    """The component schema that it is, where the document says."""
    nullable: bool = False
    several: bool = False
    """A choice of objects: what is merged here need not come together."""
    choices: tuple[JsonSchema, ...] = ()
    """What it is a choice of."""

    @property
    def type(self) -> str:
        """A JSON Schema type, or "any" where the schema allows several or says none."""
        said = self.schema.get("type")
        if isinstance(said, str):
            return said
        if "properties" in self.schema or "additionalProperties" in self.schema:
            return "object"
        if "items" in self.schema:
            return "array"
        values = self.enum
        return "string" if values and all(isinstance(v, str) for v in values) else "any"

    @property
    def noun(self) -> Words:
        return stem(self.name) if self.name else ()

    @property
    def enum(self) -> list[Json]:
        values = self.schema.get("enum")
        return values if isinstance(values, list) else []

    @property
    def description(self) -> str:
        return str(self.schema.get("description") or "")

    @property
    def examples(self) -> list[Json]:
        found = self.schema.get("examples")
        return found if isinstance(found, list) else []

    @property
    def write_only(self) -> bool:
        """No answer shows it."""
        return self.schema.get("writeOnly") is True

    @property
    def read_only(self) -> bool:
        return self.schema.get("readOnly") is True

    @property
    def deprecated(self) -> bool:
        return self.schema.get("deprecated") is True or (
            self.description.lstrip("*[ ").lower().startswith("deprecated")
        )

    def names(self) -> list[str]:
        """Of the properties, in the document's order."""
        found = self.schema.get("properties")
        return list(found) if isinstance(found, dict) else []

    def required(self) -> set[str]:
        names = self.schema.get("required")
        known = set(self.names())
        return {n for n in names if n in known} if isinstance(names, list) else set()

    def property(self, name: str) -> "Shape":
        return shape_of(self.schema["properties"][name], self.defs)

    def items(self) -> "Shape | None":
        inner = self.schema.get("items")
        return shape_of(inner, self.defs) if isinstance(inner, dict) else None

    def records(self) -> list["Shape"]:
        """Of a text that is the key of a record: what may be shown in its place."""
        if self.type != "string":
            return []
        shapes = [shape_of(choice, self.defs) for choice in self.choices]
        return [shape for shape in shapes if shape.type == "object"]

    def values(self) -> "Shape | None":
        """What each value is, of an object used as a map."""
        inner = self.schema.get("additionalProperties")
        return shape_of(inner, self.defs) if isinstance(inner, dict) and inner else None


def shape_of(schema: Json, defs: JsonSchema | None = None, name: str | None = None) -> Shape:
    """The shape of a normal schema (`forge/docs/schema.py`); `defs` are the definitions around it,
    if not its own; `name` is what the document calls it, where a `$ref` no longer says so."""
    if not isinstance(schema, dict):
        return Shape({}, defs or {}, name, nullable=True)
    own = schema.get("$defs")
    around: JsonSchema = own if isinstance(own, dict) else (defs or {})
    seen = look({k: v for k, v in schema.items() if k != "$defs"}, around)
    opened, nullable = seen.schema, seen.nullable
    choices: list[JsonSchema] = []
    called = seen.name or name
    for word in ("oneOf", "anyOf"):
        found = opened.get(word)
        if isinstance(found, list) and found:
            beside = {k: v for k, v in opened.items() if k not in (word, "discriminator")}
            choices = [c for c in found if isinstance(c, dict) and not _is_unset(c)]
            nullable = nullable or len(choices) < len(found)
            choices = _there(choices, around)
            if len(choices) == 1:
                called = look(choices[0], around).name or called
            opened = _choice(beside, choices, around)
            break
    if "$ref" in opened:
        opened = {}
    several = len(choices) > 1
    return Shape(opened, around, called, nullable, several, tuple(choices))


def _there(choices: list[JsonSchema], defs: JsonSchema) -> list[JsonSchema]:
    """The alternatives without notes that a record is gone, where there are others."""
    return [c for c in choices if not is_gone(look(c, defs).schema)] or choices


def is_gone(schema: JsonSchema) -> bool:
    """Whether it is a note that a record was deleted, and no record."""
    deleted = schema.get("properties", {}).get("deleted")
    return isinstance(deleted, dict) and deleted.get("enum") == [True]


def _is_unset(choice: JsonSchema) -> bool:
    """Whether an alternative is only there to take a value away: the empty text of a form."""
    return choice.get("enum") == [""]


def _choice(beside: JsonSchema, choices: list[JsonSchema], defs: JsonSchema) -> JsonSchema:
    """The properties of all alternatives together, if they are objects."""
    shapes = [look(c, defs).schema for c in choices]
    if len(shapes) == 1:
        return {**shapes[0], **beside}
    if _is_expandable(choices, shapes):
        return {"type": "string", **beside}
    if not shapes or not all("properties" in s for s in shapes):
        types = {s["type"] for s in shapes if isinstance(s.get("type"), str)}
        if types == {"string"}:
            return {"type": "string", **beside}
        if types and types <= {"integer", "number"}:
            return {"type": "number", **beside}
        return {k: v for k, v in beside.items() if k != "type"}
    properties: JsonSchema = {}
    for shape in shapes:
        properties |= {k: v for k, v in shape["properties"].items() if k not in properties}
    common = [
        n for n in shapes[0].get("required", []) if all(n in s.get("required", []) for s in shapes)
    ]
    return {**beside, "type": "object", "properties": properties, "required": common}


def _is_expandable(choices: list[JsonSchema], shapes: list[JsonSchema]) -> bool:
    """Whether it is the key of a record or, where one asks for that, the record itself."""
    texts = [s for s in shapes if s.get("type") == "string" and "enum" not in s]
    records = [c for c, s in zip(choices, shapes, strict=True) if "$ref" in c and "properties" in s]
    return len(texts) == 1 and bool(records) and len(texts) + len(records) == len(shapes)
