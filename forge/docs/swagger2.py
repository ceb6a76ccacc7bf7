"""Swagger 2.0 as OpenAPI 3 says it: only what differs.

References are followed by pointer whatever the version, so definitions, shared parameters and
shared responses need nothing here. What differs are parameters with their type inline, bodies and
forms that are parameters, and responses with the schema at the top.
"""

from typing import Any

from forge.types.data import Json

_NOT_SCHEMA = (
    "name",
    "in",
    "required",
    "description",
    "collectionFormat",
    "allowEmptyValue",
    "schema",
)

Declared = list[tuple[dict[str, Any], str]]


def is_swagger2(root: dict[str, Any]) -> bool:
    return str(root.get("swagger", "")).startswith("2")


def inline_schema(parameter: dict[str, Any]) -> dict[str, Any]:
    """The schema of a parameter that has its type inline."""
    schema = {key: value for key, value in parameter.items() if key not in _NOT_SCHEMA}
    if schema.get("type") == "file":
        return {"type": "string", "format": "binary"}
    return schema


def body_apart(
    declared: Declared, operation: dict[str, Any], root: dict[str, Any]
) -> tuple[Declared, Json]:
    """The parameters that are none of the body, and the body as a `requestBody` (or None)."""
    rest: Declared = []
    form: dict[str, Any] = {}
    required = []
    body: Json = None
    for raw, file in declared:
        if raw.get("in") == "body":
            body = {
                "required": raw.get("required") is True,
                "description": raw.get("description"),
                "content": {"application/json": {"schema": raw.get("schema", {})}},
            }
        elif raw.get("in") == "formData":
            form[raw["name"]] = inline_schema(raw) | {"description": raw.get("description")}
            if raw.get("required") is True:
                required.append(raw["name"])
        else:
            rest.append((raw, file))
    if body is None and form:
        consumes = operation.get("consumes") or root.get("consumes") or []
        kind = next((one for one in consumes if "form" in str(one)), "multipart/form-data")
        schema = {"type": "object", "properties": form, "required": required}
        body = {"required": bool(required), "content": {str(kind): {"schema": schema}}}
    return rest, body


def response3(response: dict[str, Any]) -> dict[str, Any]:
    """A response as OpenAPI 3 writes it."""
    if "content" in response:
        return response
    examples = response.get("examples")
    examples = examples if isinstance(examples, dict) else {}
    kind = next((one for one in examples if "json" in one), "application/json")
    content: dict[str, Any] = {}
    if isinstance(response.get("schema"), dict):
        content["schema"] = response["schema"]
        if content["schema"].get("type") == "file":
            return {"content": {"application/octet-stream": content}}
    if kind in examples:
        content["example"] = examples[kind]
    return {"content": {kind: content}} if content else {}
