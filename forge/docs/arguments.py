"""The arguments of an operation: its parameters and what its body holds.

What only carries the call is no argument (see `transport`; security schemes name more of it). An
object body is flattened, what only the service sets (readOnly) left out; any other body is one
argument.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from forge.docs import swagger2
from forge.docs.media import example_values, media_of
from forge.docs.names import argument_names
from forge.docs.normal import Schemas
from forge.docs.refs import Unresolved
from forge.docs.schema import fitted, kinds_of, parsed
from forge.docs.text import clean, line
from forge.docs.transport import carries
from forge.docs.values import dealt, with_examples
from forge.types.data import Json, JsonSchema
from forge.types.doc import Location, Parameter

_SAYS_FILE = re.compile(r"\bfile to (be )?upload", re.IGNORECASE)


class Unfit(Exception):
    """An operation that cannot be a tool; the message says why."""


class Arguments:
    """Reads the arguments of one document's operations; `skip(where, reason)` reports a part."""

    def __init__(
        self, root: dict[str, Any], schemas: Schemas, skip: Callable[[str, str], None]
    ) -> None:
        self.root, self.schemas, self.skip = root, schemas, skip
        self.documents = schemas.documents
        self.is_swagger2 = swagger2.is_swagger2(root)
        self.credentials = self._credentials()

    def read(
        self, raw: dict[str, Any], shared: list[Json], path: str, file: str, where: str
    ) -> tuple[tuple[Parameter, ...], str | None]:
        """The arguments of an operation (`shared` are its path's parameters), and the name of its
        body's schema. Raises Unresolved and Unfit."""
        declared = self._declared(raw, shared, file, where)
        body = raw.get("requestBody")
        if self.is_swagger2:
            declared, body = swagger2.body_apart(declared, raw, self.root)
        fields = self._plain(declared, path, where)
        in_body, entity = self._body(body, file, where)
        fields += in_body
        names = argument_names([(one.field, one.location) for one in fields], path)
        named = zip(fields, names, strict=True)
        return tuple(replace(one, name=name) for one, name in named), entity

    def _credentials(self) -> set[tuple[str, str]]:
        """(place, name in lower case) of each parameter that a security scheme names."""
        components = self.root.get("components")
        schemes = self.root.get("securityDefinitions") or (
            components.get("securitySchemes") if isinstance(components, dict) else None
        )
        result = set()
        for raw in schemes.values() if isinstance(schemes, dict) else ():
            scheme = self._followed(raw)
            if isinstance(scheme, dict) and scheme.get("type") == "apiKey":
                result.add((str(scheme.get("in")), str(scheme.get("name")).lower()))
        return result

    def _followed(self, raw: Json) -> Json:
        try:
            return self.documents.follow(raw, self.documents.main)[0]
        except Unresolved:
            return None

    def _declared(
        self, raw: dict[str, Any], shared: list[Json], file: str, where: str
    ) -> swagger2.Declared:
        """The parameter objects, references followed; the operation's own replace its path's."""
        own = raw.get("parameters")
        result: dict[tuple[str, str], tuple[dict[str, Any], str]] = {}
        for together in (shared, own if isinstance(own, list) else []):
            seen = set()
            for one in together:
                value, at = self.documents.follow(one, file)
                if not isinstance(value, dict) or not isinstance(value.get("name"), str):
                    self.skip(f"{where}/parameters", "a parameter without a name")
                    continue
                key = value["name"], str(value.get("in"))
                if key in seen:
                    self.skip(
                        f"{where}/parameters", f'"{line(key[0])}" is there twice; the last counts'
                    )
                seen.add(key)
                result[key] = (value, at)
        return list(result.values())

    def _plain(self, declared: swagger2.Declared, path: str, where: str) -> list[Parameter]:
        """The arguments that go in path, query, header or cookie."""
        in_path = re.findall(r"\{([^{}/]+)\}", path)
        declared_so = {raw["name"] for raw, _ in declared if raw.get("in") == "path"}
        result = []
        for raw, file in declared:
            name, location = raw["name"], raw.get("in")
            if name in in_path and name not in declared_so and location not in ("header", "cookie"):
                told = f'"{line(name)}" is in the path, not in {line(str(location), 20)} as it says'
                self.skip(f"{where}/parameters", told)
                declared_so.add(name)
                location = "path"
            if location not in ("path", "query", "header", "cookie"):
                self.skip(f"{where}/parameters", f'"{line(name)}" is in no known place')
                continue
            if location == "path" and name not in in_path:
                self.skip(f"{where}/parameters", f'"{line(name)}" is not in the path {path}')
                continue
            if carries(name, location) or (location, name.lower()) in self.credentials:
                continue
            result.append(self._parameter(raw, file, name, location, where))
        known = {one.field for one in result if one.location == "path"}
        for name in in_path:
            if name not in known:
                self.skip(where, f'"{line(name)}" of the path is not declared; taken as text')
                result.append(Parameter(name, name, "path", {"type": "string"}, required=True))
        return result

    def _parameter(
        self, raw: dict[str, Any], file: str, name: str, location: Location, where: str
    ) -> Parameter:
        schema_raw = raw.get("schema")
        if schema_raw is None and isinstance(raw.get("content"), dict):
            first = next(iter(raw["content"].values()), None)
            schema_raw = first.get("schema") if isinstance(first, dict) else None
        if schema_raw is None and self.is_swagger2:
            schema_raw = swagger2.inline_schema(raw)
        schema = self.schemas.whole(schema_raw, file, name)
        if "examples" not in schema:
            given = example_values(raw, file, self.documents)
            if given:
                fit = [fitted(_parsed_for(schema, one), schema) for one in given]
                schema = with_examples(schema, fit, self._teller(f"{where}/parameters", name))
        return Parameter(
            name=name,
            field=name,
            location=location,
            schema=schema,
            required=location == "path" or raw.get("required") is True,
            description=clean(raw.get("description")) or schema.get("description", ""),
        )

    def _teller(self, where: str, name: str) -> Callable[[str], None]:
        return lambda reason: self.skip(where, f'"{line(name)}": {reason}')

    def _body(self, raw: Json, file: str, where: str) -> tuple[list[Parameter], str | None]:
        """The arguments that go in the body, and the name of its schema."""
        body, file = self.documents.follow(raw, file)
        if not isinstance(body, dict):
            return [], None
        media = media_of(body.get("content"), file, self.documents)
        if media is None:
            return [], None
        if media.is_binary:
            raise Unfit(f"its body is a file ({media.kind})")
        schema = self.schemas.whole(media.schema, media.file)
        entity = self.schemas.named(media.schema, media.file)
        if _holds_nothing(schema):
            return [], None
        if not _is_flat(schema):
            if "examples" not in schema and media.examples:
                fit = [fitted(one, schema) for one in media.examples]
                tell = self._teller(f"{where}/requestBody", "body")
                schema = with_examples(schema, fit, tell)
            description = clean(body.get("description")) or schema.get("description", "")
            required = body.get("required") is True
            return [
                Parameter("body", "body", "body", schema, required, description, whole_body=True)
            ], entity
        properties = dealt(schema["properties"], media.examples)
        wanted = schema.get("required", ())
        multipart = media.kind.lower().startswith("multipart/")
        for name in wanted:
            if name not in properties:
                self.skip(f"{where}/requestBody", f'"{line(name)}" is required, but not described')
        result = []
        for name, value in properties.items():
            opened = self.schemas.closed(value)
            if opened.get("readOnly"):
                continue
            if _is_file(opened) or (multipart and _SAYS_FILE.search(opened.get("description", ""))):
                if name in wanted or len(properties) == 1:
                    raise Unfit(f'its argument "{line(name)}" is a file')
                self.skip(f"{where}/requestBody", f'"{line(name)}" is a file; left out')
                continue
            description = opened.get("description", "")
            result.append(Parameter(name, name, "body", opened, name in wanted, description))
        return result, entity


def _parsed_for(schema: JsonSchema, value: Json) -> Json:
    return value if kinds_of(schema) <= {"string", "null"} else parsed(value)


def _is_file(schema: JsonSchema) -> bool:
    return "binary" in (schema.get("format"), schema.get("items", {}).get("format"))


def _holds_nothing(schema: JsonSchema) -> bool:
    """Whether a body is said to be an object and to have no properties at all."""
    only = {"type", "title", "description", "properties", "additionalProperties"}
    named_none = schema.get("properties") == {} or schema.get("additionalProperties") is False
    return (
        kinds_of(schema) == {"object"}
        and set(schema) <= only
        and named_none
        and (not schema.get("properties") and not schema.get("additionalProperties"))
    )


def _is_flat(schema: JsonSchema) -> bool:
    """Whether a body is an object whose properties can be arguments."""
    return bool(schema.get("properties")) and "oneOf" not in schema and not _chooses(schema)


def _chooses(schema: JsonSchema) -> bool:
    """Whether `anyOf` offers other properties, more than which of the known are required."""
    parts = schema.get("anyOf", ())
    return any(set(part) - {"required", "type", "title", "description"} for part in parts)
