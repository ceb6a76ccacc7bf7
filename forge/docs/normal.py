"""The schemas of one document, made normal (see `schema`) and self-contained.

A component is made once, when first referred to, and shared by every schema that needs it, so the
time is that of the document and not of its expansions. What is made is never changed again.
"""

from collections.abc import Iterator

from forge.docs.closure import Closures
from forge.docs.keywords import FLAGS, PLAIN, bounds_in, examples_in, is_leaf, type_in
from forge.docs.merge import merged
from forge.docs.names import short_hash
from forge.docs.refs import Documents, Place, Unresolved, escape, is_reference, steps_of
from forge.docs.schema import (
    ANNOTATIONS,
    ONE_SCHEMA,
    distinct,
    fitted,
    look,
    name_in,
    reference_to,
    references,
    with_null,
)
from forge.docs.text import clean, line
from forge.docs.values import dealt, honest
from forge.types.data import Json, JsonSchema
from forge.types.doc import Skipped

_POINTER_NOISE = (
    "schema items properties allOf oneOf anyOf content responses parameters requestBody paths"
    " additionalProperties application/json get put post patch delete components schemas"
    " definitions $defs"
)


class _Unmade(Exception):
    """A definition is needed whole while it is being made: it is part of itself."""


class Schemas:
    """Normalises the schemas of one document; a definition is made once, when first referred to."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.definitions: dict[str, JsonSchema] = {}
        self.broken: dict[str, str] = {}
        """Definitions that could not be made, and why."""
        self.place = ""
        """Where in the document the schema stands that is being made, for reports."""
        self.reports: dict[Skipped, None] = {}
        """What was changed; each once, in order."""
        self._inside: list[str] = []
        """The properties around what is being made."""
        self._names: dict[tuple[str, str], str] = {}
        self._waiting: list[tuple[str, Place]] = []
        self._direct: dict[str, tuple[str, ...]] = {}
        self._closures = Closures(self._refers)
        self._sets: dict[frozenset[str], dict[str, JsonSchema]] = {}

    # ------------------------------------------------------------- the outside

    def whole(self, raw: Json, file: str, name: str = "") -> JsonSchema:
        """A schema of the document, normal and self-contained; `name` is of what it describes, for
        reports. Raises Unresolved."""
        return self.closed(self._property(name, raw, file) if name else self.normal(raw, file))

    def closed(self, schema: JsonSchema) -> JsonSchema:
        """A normal schema with the top opened and the `$defs` it needs. Raises Unresolved."""
        self._settle()
        schema = self._top(schema)
        needed = self._needed(schema)
        return {**schema, "$defs": needed} if needed else schema

    def named(self, raw: Json, file: str) -> str | None:
        """The name of the definition that a schema, or what it lists, is a reference to."""
        look_at = raw
        if isinstance(raw, dict) and not is_reference(raw) and isinstance(raw.get("items"), dict):
            look_at = raw["items"]
        if isinstance(look_at, dict) and not is_reference(look_at):
            parts = [part for part in look_at.get("allOf") or () if is_reference(part)]
            if len(parts) == 1 and len(look_at["allOf"]) == 1:
                look_at = parts[0]
        if not is_reference(look_at):
            return None
        normal = self.normal(look_at, file)
        self._settle()
        found = look(normal, self.definitions)
        items = found.schema.get("items")
        if found.name and isinstance(items, dict):
            inner = look(items, self.definitions)
            return inner.name or found.name
        return found.name

    def name_of(self, reference: str, file: str) -> str:
        """The name under which the target of a reference is defined. Raises Unresolved."""
        place = self._end(reference, file)
        key = (place.file, place.pointer)
        if key not in self._names:
            name = self._free_name(place)
            self._names[key] = name
            self._waiting.append((name, place))
        return self._names[key]

    # --------------------------------------------------------------- normalising

    def normal(self, raw: Json, file: str) -> JsonSchema:
        """One schema, its references rewritten to `#/$defs/…`. Raises Unresolved."""
        if not isinstance(raw, dict):
            return {"not": {}} if raw is False else {}
        if is_reference(raw):
            return self._reference(raw, file)
        schema = self._own(raw, file)
        parts = raw.get("allOf")
        if isinstance(parts, list) and parts:
            schema = self._all_of(parts, schema, file)
        return self._finished(schema, raw)

    def _reference(self, raw: JsonSchema, file: str) -> JsonSchema:
        place = self._end(raw["$ref"], file)
        beside = self._own({key: value for key, value in raw.items() if key != "$ref"}, file)
        if is_leaf(place.value):
            target = self._at(place)
            return self._finished(merged(target, beside), raw) if beside else target
        reference = {"$ref": reference_to(self.name_of(raw["$ref"], file))}
        if set(beside) <= set(ANNOTATIONS):
            return self._finished({**reference, **beside}, raw)
        try:
            return self._finished(merged(self._opened(reference, ()), beside), raw)
        except _Unmade:
            return self._finished({"allOf": [reference, beside]}, raw)

    def _own(self, raw: JsonSchema, file: str) -> JsonSchema:
        """The keywords of a schema, without `$ref` and `allOf`."""
        out: JsonSchema = {}
        if kind := type_in(raw):
            out["type"] = kind
        if title := line(raw.get("title")):
            out["title"] = title
        if description := clean(raw.get("description")):
            out["description"] = description
        if isinstance(raw.get("enum"), list) and raw["enum"]:
            out["enum"] = distinct(fitted(value, out) for value in raw["enum"])
        elif "const" in raw:
            out["enum"] = [raw["const"]]
        for keyword in PLAIN:
            if isinstance(raw.get(keyword), str | int | float):
                out[keyword] = raw[keyword]
        for keyword in FLAGS:
            if raw.get(keyword) is True:
                out[keyword] = True
        out |= bounds_in(raw)
        properties = raw.get("properties")
        if isinstance(properties, dict):
            out["properties"] = {
                name: self._property(name, value, file) for name, value in properties.items()
            }
        required = raw.get("required")
        if isinstance(required, list):
            out["required"] = distinct(name for name in required if isinstance(name, str))
        if isinstance(raw.get("additionalProperties"), bool):
            out["additionalProperties"] = raw["additionalProperties"]
        elif isinstance(raw.get("additionalProperties"), dict):
            out["additionalProperties"] = self.normal(raw["additionalProperties"], file)
        if isinstance(raw.get("items"), dict):
            out["items"] = self.normal(raw["items"], file)
        for keyword in ("oneOf", "anyOf", "prefixItems"):
            if isinstance(raw.get(keyword), list) and raw[keyword]:
                out[keyword] = [self.normal(part, file) for part in raw[keyword]]
        for keyword in ONE_SCHEMA:
            if isinstance(raw.get(keyword), dict):
                out[keyword] = self.normal(raw[keyword], file)
        if isinstance(raw.get("patternProperties"), dict):
            patterns = raw["patternProperties"].items()
            out["patternProperties"] = {key: self.normal(value, file) for key, value in patterns}
        if discriminator := self._discriminator(raw.get("discriminator"), file):
            out["discriminator"] = discriminator
        if "default" in raw:
            out["default"] = fitted(raw["default"], out)
        if examples := examples_in(raw):
            out["examples"] = [fitted(example, out) for example in examples]
        return out

    def _property(self, name: str, raw: Json, file: str) -> JsonSchema:
        self._inside.append(name)
        try:
            return self.normal(raw, file)
        finally:
            self._inside.pop()

    def _all_of(self, parts: list[Json], own: JsonSchema, file: str) -> JsonSchema:
        """`own` with the parts merged in; a lone reference with nothing but annotations stays."""
        normal = [self.normal(part, file) for part in parts]
        for part in [part for part in normal if set(part) <= set(ANNOTATIONS)]:
            normal.remove(part)
            own = {**part, **own}
        if len(normal) == 1 and "$ref" in normal[0] and set(own) <= set(ANNOTATIONS):
            return {**normal[0], **own}
        whole: JsonSchema = {}
        for part in normal:
            try:
                opened = self._opened(part, ())
            except _Unmade:
                opened = {"allOf": [part]}
            if "$ref" in part and "discriminator" in opened:  # the base's choice among its children
                choice = ("discriminator", "oneOf", "anyOf")
                opened = {key: value for key, value in opened.items() if key not in choice}
            whole = merged(whole, opened)
        return merged(whole, own)

    def _opened(self, schema: JsonSchema, within: tuple[str, ...]) -> JsonSchema:
        """A normal schema with its own `$ref` written out, for merging."""
        if "$ref" not in schema:
            return schema
        name = name_in(schema["$ref"])
        if name in within:
            raise _Unmade
        if name not in self.definitions:
            waiting = [item for item in self._waiting if item[0] == name]
            if not waiting:
                raise _Unmade
            self._waiting.remove(waiting[0])
            self._make(*waiting[0])
        if name in self.broken:
            raise Unresolved(self.broken[name])
        around = {key: value for key, value in schema.items() if key != "$ref"}
        target = self._opened(self.definitions[name], (*within, name))
        return {**target, **around}

    def _discriminator(self, raw: Json, file: str) -> JsonSchema | None:
        if isinstance(raw, str):  # Swagger 2
            return {"propertyName": raw}
        if not isinstance(raw, dict) or not isinstance(raw.get("propertyName"), str):
            return None
        out: JsonSchema = {"propertyName": raw["propertyName"]}
        mapping = raw.get("mapping")
        if isinstance(mapping, dict):
            rewritten = {}
            for value, target in mapping.items():
                is_name = isinstance(target, str) and not set(target) & set("/#.")
                where = f"#/components/schemas/{escape(target)}" if is_name else str(target)
                try:
                    rewritten[value] = reference_to(self.name_of(where, file))
                except Unresolved:  # the choice itself stands in oneOf; this only names it
                    continue
            out["mapping"] = rewritten
        return out

    def _finished(self, schema: JsonSchema, raw: JsonSchema) -> JsonSchema:
        """Null put in where the document says so, examples dealt out, what cannot be taken out."""
        if "properties" in schema and "examples" in schema:
            schema["properties"] = dealt(schema["properties"], schema["examples"])
        if not schema.get("required", True):
            del schema["required"]
        said = raw.get("nullable") is True or raw.get("x-nullable") is True
        if said or (None in schema.get("enum", ()) and "type" in schema):
            schema = with_null(schema)
        return honest(schema, self._tell)

    def _tell(self, reason: str) -> None:
        inside = f'"{line(".".join(self._inside), 80)}": ' if self._inside else ""
        told = Skipped(self.place, f"{inside}{reason}")
        self.reports[told] = None

    # -------------------------------------------------------------- definitions

    def _end(self, reference: str, file: str) -> Place:
        """Where a chain of bare references ends."""
        seen = set()
        while True:
            place = self.documents.find(reference, file)
            if not isinstance(place.value, dict):
                raise Unresolved(f'"$ref": "{line(reference)}" points to no schema')
            if not is_reference(place.value) or len(place.value) > 1:
                return place
            if (place.file, place.pointer) in seen:
                raise Unresolved(f'"$ref": "{line(reference)}" leads in a circle')
            seen.add((place.file, place.pointer))
            reference, file = place.value["$ref"], place.file

    def _free_name(self, place: Place) -> str:
        """The component's own name; for another place the last telling step of its pointer."""
        steps = steps_of(place.pointer)
        noise = _POINTER_NOISE.split()
        telling = [step for step in steps if step not in noise and not step.isdecimal()]
        stem = place.file.rsplit("/", 1)[-1].split(".")[0]
        name = telling[-1] if telling else stem
        if place.file == self.documents.main and _is_component(steps):
            return name
        taken = {*self._names.values(), *(component for component, _ in self.components())}
        if name in taken:
            name = f"{name}_{short_hash(place.file + '#' + place.pointer)}"
        return name

    def components(self) -> Iterator[tuple[str, str]]:
        """Name and reference of each component schema of the main file."""
        main = self.documents.load(self.documents.main)
        if isinstance(main, dict):
            holder = main.get("components")
            for where, found in (
                ("components/schemas", holder.get("schemas") if isinstance(holder, dict) else None),
                ("definitions", main.get("definitions")),
            ):
                if isinstance(found, dict):
                    for name in found:
                        yield name, f"#/{where}/{escape(name)}"

    def _settle(self) -> None:
        """Makes every definition that is waited for; iterative, so depth is no matter."""
        while self._waiting:
            self._make(*self._waiting.pop())

    def _make(self, name: str, place: Place) -> None:
        try:
            self.definitions[name] = self._at(place)
        except Unresolved as error:
            self.broken[name] = str(error)
            self.definitions[name] = {}

    def _at(self, place: Place) -> JsonSchema:
        """The schema that stands at a place, what is told of it told of that place."""
        around = self.place, self._inside
        self.place, self._inside = f"{place.file}#{place.pointer}", []
        try:
            return self.normal(place.value, place.file)
        finally:
            self.place, self._inside = around

    def _top(self, schema: JsonSchema) -> JsonSchema:
        seen: set[str] = set()
        while "$ref" in schema:
            name = name_in(schema["$ref"])
            if name in self.broken or name in seen:
                raise Unresolved(self.broken.get(name, f'"{line(name)}" leads in a circle'))
            seen.add(name)
            around = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**self.definitions[name], **around}
        return schema

    def _refers(self, name: str) -> tuple[str, ...]:
        if name not in self._direct:
            self._direct[name] = tuple(dict.fromkeys(references(self.definitions[name])))
        return self._direct[name]

    def _needed(self, schema: JsonSchema) -> dict[str, JsonSchema]:
        """The definitions a schema needs, by name; one and the same dict for the same names."""
        names = self._closures.of(references(schema))
        if names not in self._sets:
            for name in sorted(names & self.broken.keys()):
                raise Unresolved(self.broken[name])
            self._sets[names] = {name: self.definitions[name] for name in sorted(names)}
        return self._sets[names]


def _is_component(steps: list[str]) -> bool:
    """Whether a pointer leads to a component schema (or a definition of Swagger 2)."""
    return (len(steps) == 3 and steps[:2] == ["components", "schemas"]) or (
        len(steps) == 2 and steps[0] == "definitions"
    )
