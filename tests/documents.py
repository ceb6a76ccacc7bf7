"""Small documents for the reading tests: written to a folder, read through the public way in."""

import json
from pathlib import Path
from typing import Any

from forge.docs.read import read
from forge.types.doc import ApiDoc, Operation, Parameter

Spec = dict[str, Any]


def spec(paths: Spec, **more: Any) -> Spec:
    return {"openapi": "3.0.3", "info": {"title": "Kites", "version": "1"}, "paths": paths, **more}


def answer(schema: Spec) -> Spec:
    """A success response with this schema."""
    return {"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}}


def body(schema: Spec, *, required: bool = True) -> Spec:
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def one_operation(
    operation: Spec, *, method: str = "post", path: str = "/kites", **more: Any
) -> Spec:
    return spec({path: {method: {"responses": {}, **operation}}}, **more)


def doc_of(folder: Path, document: Spec | list[Any] | str, name: str = "") -> ApiDoc:
    """The one `ApiDoc` of a document: text is written as it is, anything else as JSON."""
    text = document if isinstance(document, str) else json.dumps(document)
    path = folder / (name or ("spec.yaml" if isinstance(document, str) else "spec.json"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    [doc] = read([path])
    return doc


def only(doc: ApiDoc) -> Operation:
    [operation] = doc.operations
    return operation


def by_name(doc: ApiDoc) -> dict[str, Operation]:
    return {operation.name: operation for operation in doc.operations}


def arguments(operation: Operation) -> dict[str, Parameter]:
    return {parameter.name: parameter for parameter in operation.parameters}
