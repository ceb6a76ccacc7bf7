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

from forge.docs.names import short_hash
from forge.docs.refs import Documents, Place, Unresolved, escape, is_reference
from forge.docs.text import clean, line
from forge.types.data import Json, JsonSchema

_NUMBERS = {
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
_PLAIN = ("format", "pattern", "multipleOf", "contentEncoding", "contentMediaType")
_FLAGS = ("readOnly", "writeOnly", "deprecated", "uniqueItems")
_ONE = ("not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties")
_TYPES = ("string", "integer", "number", "boolean", "object", "array", "null")
ANNOTATIONS = ("title", "description", "default", "examples", "readOnly", "writeOnly", "deprecated")
_MOST_EXAMPLES = 10
_MOMENT = re.compile(r"^\d{4}-\d\d-\d\d[T ]\d\d:")
_POINTER_NOISE = (
    "schema items properties allOf oneOf anyOf content responses parameters requestBody paths"
    " additionalProperties application/json get put post patch delete components schemas"
    " definitions $defs"
)


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


class _Unmade(Exception):
    """A definition is needed whole while it is being made: it is part of itself."""


class Schemas:
    """Normalises the schemas of one document; a definition is made once, when first referred to."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.definitions: dict[str, JsonSchema] = {}
        self.broken: dict[str, str] = {}
        """Definitions that could not be made, and why."""
        self._names: dict[tuple[str, str], str] = {}
        self._waiting: list[tuple[str, Place]] = []
        self._direct: dict[str, frozenset[str]] = {}
        self._closures: dict[frozenset[str], tuple[str, ...]] = {}

    # ------------------------------------------------------------- the outside

    def whole(self, raw: Json, file: str) -> JsonSchema:
        """A schema of the document, normal and self-contained. Raises Unresolved."""
        return self.closed(self.normal(raw, file))

    def closed(self, schema: JsonSchema) -> JsonSchema:
        """A normal schema with the top opened and the `$defs` it needs. Raises Unresolved."""
        self._settle()
        schema = self._top(schema)
        needed = self._closure(frozenset(_references(schema)))
        if not needed:
            return schema
        return {**schema, "$defs": {name: self.definitions[name] for name in needed}}

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
        return _finished(schema, raw)

    def _reference(self, raw: JsonSchema, file: str) -> JsonSchema:
        place = self._end(raw["$ref"], file)
        beside = self._own({key: value for key, value in raw.items() if key != "$ref"}, file)
        if is_leaf(place.value):
            target = self.normal(place.value, place.file)
            return _finished(_merged(target, beside), raw) if beside else target
        reference = {"$ref": reference_to(self.name_of(raw["$ref"], file))}
        if set(beside) <= set(ANNOTATIONS):
            return _finished({**reference, **beside}, raw)
        try:
            return _finished(_merged(self._opened(reference, ()), beside), raw)
        except _Unmade:
            return _finished({"allOf": [reference, beside]}, raw)

    def _own(self, raw: JsonSchema, file: str) -> JsonSchema:
        """The keywords of a schema, without `$ref` and `allOf`."""
        out: JsonSchema = {}
        if kind := _type(raw):
            out["type"] = kind
        if title := line(raw.get("title")):
            out["title"] = title
        if description := clean(raw.get("description")):
            out["description"] = description
        if isinstance(raw.get("enum"), list) and raw["enum"]:
            out["enum"] = _distinct(fitted(value, out) for value in raw["enum"])
        elif "const" in raw:
            out["enum"] = [raw["const"]]
        for keyword in _PLAIN:
            if isinstance(raw.get(keyword), str | int | float):
                out[keyword] = raw[keyword]
        for keyword in _FLAGS:
            if raw.get(keyword) is True:
                out[keyword] = True
        _bounds(raw, out)
        properties = raw.get("properties")
        if isinstance(properties, dict):
            out["properties"] = {
                name: self.normal(value, file) for name, value in properties.items()
            }
        required = raw.get("required")
        if isinstance(required, list):
            out["required"] = _distinct(name for name in required if isinstance(name, str))
        if isinstance(raw.get("additionalProperties"), bool):
            out["additionalProperties"] = raw["additionalProperties"]
        elif isinstance(raw.get("additionalProperties"), dict):
            out["additionalProperties"] = self.normal(raw["additionalProperties"], file)
        if isinstance(raw.get("items"), dict):
            out["items"] = self.normal(raw["items"], file)
        for keyword in ("oneOf", "anyOf", "prefixItems"):
            if isinstance(raw.get(keyword), list) and raw[keyword]:
                out[keyword] = [self.normal(part, file) for part in raw[keyword]]
        for keyword in _ONE:
            if isinstance(raw.get(keyword), dict):
                out[keyword] = self.normal(raw[keyword], file)
        if isinstance(raw.get("patternProperties"), dict):
            patterns = raw["patternProperties"].items()
            out["patternProperties"] = {key: self.normal(value, file) for key, value in patterns}
        if discriminator := self._discriminator(raw.get("discriminator"), file):
            out["discriminator"] = discriminator
        if "default" in raw:
            out["default"] = fitted(raw["default"], out)
        if examples := _examples(raw):
            out["examples"] = [fitted(example, out) for example in examples]
        return out

    def _all_of(self, parts: list[Json], own: JsonSchema, file: str) -> JsonSchema:
        """`own` with the parts merged in; a lone reference with nothing but annotations stays."""
        normal = [self.normal(part, file) for part in parts]
        for part in [part for part in normal if set(part) <= set(ANNOTATIONS)]:
            normal.remove(part)
            own = {**part, **own}
        if len(normal) == 1 and "$ref" in normal[0] and set(own) <= set(ANNOTATIONS):
            return {**normal[0], **own}
        merged: JsonSchema = {}
        for part in normal:
            try:
                opened = self._opened(part, ())
            except _Unmade:
                opened = {"allOf": [part]}
            if "$ref" in part and "discriminator" in opened:  # the base's choice among its children
                choice = ("discriminator", "oneOf", "anyOf")
                opened = {key: value for key, value in opened.items() if key not in choice}
            merged = _merged(merged, opened)
        return _merged(merged, own)

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
                if isinstance(target, str):
                    is_name = "/" not in target and "#" not in target and "." not in target
                    where = f"#/components/schemas/{escape(target)}" if is_name else target
                    rewritten[value] = reference_to(self.name_of(where, file))
            out["mapping"] = rewritten
        return out

    # -------------------------------------------------------------- definitions

    def _end(self, reference: str, file: str) -> Place:
        """Where a chain of bare references ends."""
        seen = set()
        while True:
            place = self.documents.find(reference, file)
            if not is_reference(place.value) or len(place.value) > 1:
                return place
            if (place.file, place.pointer) in seen:
                raise Unresolved(f'"$ref": "{reference}" leads in a circle')
            seen.add((place.file, place.pointer))
            reference, file = place.value["$ref"], place.file

    def _free_name(self, place: Place) -> str:
        """The component's own name; for another place the last telling step of its pointer."""
        steps = [
            step.replace("~1", "/").replace("~0", "~") for step in place.pointer.split("/")[1:]
        ]
        noise = _POINTER_NOISE.split()
        telling = [step for step in steps if step not in noise and not step.isdecimal()]
        stem = place.file.rsplit("/", 1)[-1].split(".")[0]
        name = telling[-1] if telling else stem
        if place.file == self.documents.main and is_component(steps):
            return name
        taken = {*self._names.values(), *self.component_names()}
        if name in taken:
            name = f"{name}_{short_hash(place.file + '#' + place.pointer)}"
        return name

    def component_names(self) -> list[str]:
        return [name for name, _ in self.components()]

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
            made = self.normal(place.value, place.file)
            self.definitions[name] = made
        except Unresolved as error:
            self.broken[name] = str(error)
            self.definitions[name] = {}

    def _top(self, schema: JsonSchema) -> JsonSchema:
        seen: set[str] = set()
        while "$ref" in schema:
            name = name_in(schema["$ref"])
            if name in self.broken or name in seen:
                raise Unresolved(self.broken.get(name, f'"{name}" leads in a circle'))
            seen.add(name)
            around = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**self.definitions[name], **around}
        return schema

    def _closure(self, roots: frozenset[str]) -> tuple[str, ...]:
        known = self._closures.get(roots)
        if known is not None:
            return known
        reached: set[str] = set()
        todo = list(roots)
        while todo:
            name = todo.pop()
            if name in reached:
                continue
            if name in self.broken:
                raise Unresolved(self.broken[name])
            reached.add(name)
            if name not in self._direct:
                self._direct[name] = frozenset(_references(self.definitions[name]))
            todo += self._direct[name] - reached
        self._closures[roots] = tuple(sorted(reached))
        return self._closures[roots]


# ------------------------------------------------------------------ pure parts


def is_component(steps: list[str]) -> bool:
    return (len(steps) == 3 and steps[:2] == ["components", "schemas"]) or (
        len(steps) == 2 and steps[0] == "definitions"
    )


def is_leaf(raw: Json) -> bool:
    """Whether a schema is a scalar or an enum, with nothing inside."""
    if not isinstance(raw, dict):
        return True
    inside = ("properties", "items", "allOf", "oneOf", "anyOf", "additionalProperties", "$ref")
    kinds = kinds_of({"type": raw["type"]}) if isinstance(raw.get("type"), str | list) else set()
    return not any(key in raw for key in inside) and (
        "enum" in raw or "const" in raw or bool(kinds and not kinds & {"object", "array"})
    )


def _type(raw: JsonSchema) -> str | list[str] | None:
    kind = raw.get("type")
    kinds = [kind] if isinstance(kind, str) else kind if isinstance(kind, list) else []
    kinds = _distinct(one for one in kinds if one in _TYPES)
    if not kinds:
        if isinstance(raw.get("properties"), dict) or "additionalProperties" in raw:
            kinds = ["object"]
        elif isinstance(raw.get("items"), dict):
            kinds = ["array"]
        elif isinstance(raw.get("enum"), list) or "const" in raw:
            values = raw["enum"] if isinstance(raw.get("enum"), list) else [raw["const"]]
            kinds = _distinct(_type_of(value) for value in values)
    return (kinds[0] if len(kinds) == 1 else kinds) if kinds else None


def _type_of(value: Json) -> str:
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


def _bounds(raw: JsonSchema, out: JsonSchema) -> None:
    for keyword in _NUMBERS:
        value = raw.get(keyword)
        if isinstance(value, int | float) and not isinstance(value, bool):
            out[keyword] = value
    for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if raw.get(flag) is True and bound in out:  # OpenAPI 3.0 and 2.0
            out[flag] = out.pop(bound)


def _examples(raw: JsonSchema) -> list[Json]:
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
    kinds = kinds_of({"type": _type(raw)})
    if not kinds <= {"string", "null"}:
        found = [parsed(value) for value in found]
    return _distinct(value for value in found if value is not None)[:_MOST_EXAMPLES]


def _distinct(values: Iterable[Json]) -> list[Json]:
    """In order, each once; 1 and true are two."""
    seen: dict[str, Json] = {}
    for value in values:
        seen.setdefault(json.dumps(value, sort_keys=True), value)
    return list(seen.values())


def _finished(schema: JsonSchema, raw: JsonSchema) -> JsonSchema:
    """Null put in where the document says so, examples dealt out."""
    if "properties" in schema:
        _deal_out(schema)
    if not schema.get("required", True):
        del schema["required"]
    if raw.get("nullable") is True or raw.get("x-nullable") is True:
        return with_null(schema)
    if None in schema.get("enum", ()) and "type" in schema:
        return with_null(schema)
    return schema


def with_null(schema: JsonSchema) -> JsonSchema:
    if "$ref" in schema or "oneOf" in schema or "anyOf" in schema:
        for union in ("anyOf", "oneOf"):
            if union in schema and "$ref" not in schema:
                parts = schema[union]
                return (
                    schema
                    if {"type": "null"} in parts
                    else {**schema, union: [*parts, {"type": "null"}]}
                )
        around = {key: value for key, value in schema.items() if key in ANNOTATIONS}
        return {"anyOf": [{"$ref": schema["$ref"]}, {"type": "null"}], **around}
    if "type" not in schema:
        return schema
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    schema = {**schema, "type": [*(kind for kind in kinds if kind != "null"), "null"]}
    if "enum" in schema and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]
    return schema


def _deal_out(schema: JsonSchema) -> None:
    """Gives each property without an example the one it has in an example of the object."""
    for example in schema.get("examples", ()):
        if isinstance(example, dict):
            deal(schema["properties"], example)


def deal(properties: dict[str, JsonSchema], example: Mapping[str, Json]) -> None:
    """Puts the values of an example object into the properties that have none of their own."""
    for name, value in example.items():
        known = properties.get(name)
        if known is not None and value is not None and "examples" not in known:
            properties[name] = {**known, "examples": [fitted(value, known)]}


def _merged(left: JsonSchema, right: JsonSchema) -> JsonSchema:
    """Both schemas at once, `right` winning where only one can be: both are normal and opened."""
    if not left or not right:
        return dict(left or right)
    out = {**left, **right}
    if "properties" in left and "properties" in right:
        both = dict(left["properties"])
        for name, value in right["properties"].items():
            both[name] = _merged_property(both[name], value) if name in both else value
        out["properties"] = both
    if "required" in left and "required" in right:
        out["required"] = _distinct([*left["required"], *right["required"]])
    if "enum" in left and "enum" in right:
        out["enum"] = [value for value in right["enum"] if value in left["enum"]] or right["enum"]
    if "type" in left and "type" in right:
        shared = [kind for kind in _as_list(left["type"]) if kind in _as_list(right["type"])]
        if "integer" in (*_as_list(left["type"]), *_as_list(right["type"])) and not shared:
            shared = ["integer"]
        out["type"] = (shared[0] if len(shared) == 1 else shared) if shared else right["type"]
    for keyword, choose in _NUMBERS.items():
        if keyword in left and keyword in right:
            out[keyword] = choose(left[keyword], right[keyword])
    if "allOf" in left and "allOf" in right:
        out["allOf"] = [*left["allOf"], *right["allOf"]]
    for union in ("oneOf", "anyOf"):
        if union in left and union in right and left[union] != right[union]:
            out[union] = right[union]
            out["allOf"] = [*out.get("allOf", ()), {union: left[union]}]
    return out


def _merged_property(left: JsonSchema, right: JsonSchema) -> JsonSchema:
    if "$ref" in left or "$ref" in right:
        if left.get("$ref") == right.get("$ref"):
            return {**left, **right}
        if "$ref" in left and set(right) <= set(ANNOTATIONS):
            return {**left, **right}
        return right
    return _merged(left, right)


def _as_list(kind: str | list[str]) -> list[str]:
    return kind if isinstance(kind, list) else [kind]


def _references(schema: Json) -> Iterator[str]:
    """The definitions a normal schema refers to, discriminator mappings too."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield name_in(schema["$ref"])
    for keyword in ("properties", "patternProperties"):
        for value in schema.get(keyword, {}).values():
            yield from _references(value)
    for keyword in ("oneOf", "anyOf", "allOf", "prefixItems"):
        for value in schema.get(keyword, ()):
            yield from _references(value)
    for keyword in ("items", "additionalProperties", *_ONE):
        yield from _references(schema.get(keyword))
    for target in schema.get("discriminator", {}).get("mapping", {}).values():
        yield name_in(target)
