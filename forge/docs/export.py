"""What was understood of a document, as OpenAPI 3.1: to be corrected by hand and read again.

Always holds: read again, unchanged, it gives the same operations. A tool, which has no path, is
written as POST /NAME with `x-forge-tool`, which holds its hints as MCP names them.
"""

from collections.abc import Mapping
from typing import Any

from forge.docs.hints import TOOL, hints_in_mcp
from forge.docs.names import short_hash
from forge.docs.refs import escape
from forge.docs.schema import ONE_SCHEMA, name_in
from forge.types.data import Json, JsonSchema
from forge.types.doc import ApiDoc, Operation, Parameter

_COMPONENTS = "#/components/schemas/"


def openapi_of(doc: ApiDoc) -> dict[str, Any]:
    """The document; its order is that of the operations."""
    writer = _Writer(doc)
    paths: dict[str, dict[str, Json]] = {}
    for one in doc.operations:
        method = one.method.lower() or "post"
        path = one.path or f"/{one.name}"
        if method in paths.get(path, {}):  # told apart by a fragment, as others do
            path = f"{path}#{one.name}"
        paths.setdefault(path, {})[method] = writer.operation(one)
    info = {"title": doc.title, "version": "1", "description": doc.description}
    written = {"openapi": "3.1.0", "info": _full(info), "paths": paths}
    if writer.components:
        written["components"] = {"schemas": writer.components}
    return written


class _Writer:
    def __init__(self, doc: ApiDoc) -> None:
        self.names = {one.name: one for one in doc.operations}
        self.components: dict[str, JsonSchema] = {}
        self._whole = {name: _apart(schema)[0] for name, schema in doc.schemas.items()}
        for schema in doc.schemas.values():
            self._taken(schema)
        for name, schema in doc.schemas.items():
            self.components[name] = self._schema(schema)

    def operation(self, one: Operation) -> Json:
        body = [each for each in one.parameters if each.location == "body"]
        rest = [each for each in one.parameters if each.location != "body"]
        written: dict[str, Json] = {
            "operationId": one.name,
            "summary": one.summary,
            "description": one.description,
            "tags": list(one.tags),
            "deprecated": one.deprecated,
            "parameters": [self._parameter(each) for each in rest],
            "requestBody": self._body(body, one.body_entity) if body else {},
            "responses": self._responses(one),
        }
        written = _full(written)
        if not one.method:
            written[TOOL] = {} if one.hints is None else hints_in_mcp(one.hints)
        return written

    def _parameter(self, one: Parameter) -> Json:
        return _full(
            {
                "name": one.field,
                "in": one.location,
                "required": one.required,
                "description": one.description,
                "schema": self._schema(one.schema),
            }
        )

    def _body(self, fields: list[Parameter], entity: str | None) -> Json:
        [first, *_] = fields
        schema: JsonSchema
        if entity in self._whole and _gives(self._whole[str(entity)], fields):
            schema = {"$ref": _COMPONENTS + escape(str(entity))}
        elif first.whole_body:
            schema = self._schema(first.schema)
        else:
            schema = {
                "type": "object",
                "properties": {one.field: self._schema(one.schema) for one in fields},
            }
            if required := [one.field for one in fields if one.required]:
                schema["required"] = required
        return {
            "required": any(one.required for one in fields),
            "description": first.description if first.whole_body else "",
            "content": {"application/json": {"schema": schema}},
        }

    def _responses(self, one: Operation) -> Json:
        success: dict[str, Json] = {"description": "Done."}
        if one.result is not None:
            media: dict[str, Json] = {"schema": self._result(one)}
            if one.examples:
                media["examples"] = {
                    str(place): {"value": value} for place, value in enumerate(one.examples, 1)
                }
            success["content"] = {"application/json": media}
        if one.links:
            success["links"] = {
                f"{link.target}_{place}": self._link(link.target, link.parameter, link.source)
                for place, link in enumerate(one.links, 1)
            }
        return {
            "200": success,
            **{code: {"description": why} for code, why in one.failures.items()},
        }

    def _link(self, target: str, parameter: str, source: str) -> Json:
        found = next(p for p in self.names[target].parameters if p.name == parameter)
        value = f"$response.body#{source}" if source else "$response.body"
        if found.location == "body":
            return {"operationId": target, "requestBody": {found.field: value}}
        return {"operationId": target, "parameters": {f"{found.location}.{found.field}": value}}

    # ------------------------------------------------------------------- schemas

    def _result(self, one: Operation) -> JsonSchema:
        """The schema of an answer, by its component's name where it is one."""
        result = one.result or {}
        plain, _ = _apart(result)
        if one.entity in self._whole and plain == self._whole[one.entity]:
            return {"$ref": _COMPONENTS + escape(str(one.entity))}
        return self._schema(result)

    def _taken(self, schema: JsonSchema) -> None:
        for name, definition in schema.get("$defs", {}).items():
            self._whole.setdefault(name, definition)

    def _schema(self, schema: JsonSchema) -> JsonSchema:
        """A self-contained schema with its definitions moved to the components."""
        plain, definitions = _apart(schema)
        names: dict[str, str] = {}
        for name, definition in definitions.items():
            known = self._whole.setdefault(name, definition)
            names[name] = name if known == definition else f"{name}_{short_hash(repr(definition))}"
            self._whole[names[name]] = definition
        for name, definition in definitions.items():
            if names[name] not in self.components:
                self.components[names[name]] = {}  # it may hold itself
                self.components[names[name]] = _moved(definition, names)
        return _moved(plain, names)


def _gives(schema: JsonSchema, fields: list[Parameter]) -> bool:
    """Whether a body of this schema has just these fields; what only the service sets is none."""
    known = {n for n, one in schema.get("properties", {}).items() if not one.get("readOnly")}
    needed = known & set(schema.get("required", ()))
    return known == {one.field for one in fields} and needed == {
        one.field for one in fields if one.required
    }


def _apart(schema: JsonSchema) -> tuple[JsonSchema, dict[str, JsonSchema]]:
    plain = {key: value for key, value in schema.items() if key != "$defs"}
    return plain, schema.get("$defs", {})


def _moved(schema: JsonSchema, names: Mapping[str, str]) -> JsonSchema:
    """A normal schema whose references lead to the components."""
    out: JsonSchema = {}
    for key, value in schema.items():
        if key == "$ref":
            out[key] = _led(value, names)
        elif key in ("properties", "patternProperties"):
            out[key] = {name: _moved(one, names) for name, one in value.items()}
        elif key in ("oneOf", "anyOf", "allOf", "prefixItems"):
            out[key] = [_moved(one, names) for one in value]
        elif key in ("items", "additionalProperties", *ONE_SCHEMA) and isinstance(value, dict):
            out[key] = _moved(value, names)
        elif key == "discriminator" and "mapping" in value:
            mapping = {said: _led(target, names) for said, target in value["mapping"].items()}
            out[key] = {**value, "mapping": mapping}
        else:
            out[key] = value
    return out


def _led(reference: str, names: Mapping[str, str]) -> str:
    name = name_in(reference)
    return _COMPONENTS + escape(names.get(name, name))


def _full(written: dict[str, Any]) -> dict[str, Any]:
    """Without what says nothing."""
    return {key: value for key, value in written.items() if value not in ("", [], {}, False)}
