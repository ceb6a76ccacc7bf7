"""Environments of the structural author, made runnable for its tests."""

from functools import cache
from pathlib import Path
from typing import Any

from forge.authors.author import Draft
from forge.authors.structural.author import StructuralAuthor
from forge.docs.read import read
from forge.env.session import Session, World
from forge.types.call import ToolResult
from forge.types.data import Json
from forge.types.doc import ApiDoc
from forge.types.environment import Effect, Environment, Tool
from forge.types.state import State, StateSchema, Table
from tests.documents import answer, spec
from tests.places import CASES

NOW = "2026-03-02T09:00:00Z"


@cache
def drafts(path: Path) -> tuple[Draft, ...]:
    [doc] = read([path])
    return tuple(StructuralAuthor().draft(doc))


def case(number: str) -> Path:
    [path] = CASES.glob(f"{number}-*/spec.*")
    return path


def draft_of(doc: ApiDoc) -> Draft:
    """The one draft of a document."""
    [draft] = StructuralAuthor().draft(doc)
    return draft


def environment_of(draft: Draft, state: State | None = None) -> Environment:
    """With the state as its base, or one that the author makes."""
    base = StructuralAuthor().base(draft.state_schema, 1) if state is None else state
    return Environment(
        name=draft.name,
        title=draft.title,
        state_schema=draft.state_schema,
        tools=draft.tools,
        source="\n\n".join(text for text in draft.sources.values() if text),
        bases={"only": base},
        nows={"only": NOW},
        author="structural",
    )


def session_of(draft: Draft, state: State | None = None, *, actor: Any = None) -> Session:
    return World(environment_of(draft, state), sandbox="native").open("only", actor=actor)


def table(schema: StateSchema, name: str) -> Table:
    return next(each for each in schema.tables if each.name == name)


def tool(draft: Draft, name: str) -> Tool:
    return next(each for each in draft.tools if each.name == name)


def effect(draft: Draft, name: str) -> Effect:
    found = tool(draft, name).effect
    assert found is not None
    return found


def why_left_out(draft: Draft, name: str) -> str:
    """The reason why an operation is no tool; empty if it is one."""
    return next((e.reason for e in draft.left_out if e.operation.split(" ")[0] == name), "")


def value(result: ToolResult) -> Json:
    assert result.failure is None, (result.failure, result.message, result.bug)
    return result.value


def crud(noun: str, schema: dict[str, Any], extra: dict[str, Any] | None = None) -> dict[str, Any]:
    """A document with create, list, get, update and delete of one entity, and `extra` paths."""
    plural = f"{noun}s"
    record = {"$ref": f"#/components/schemas/{noun.capitalize()}"}
    key = {"name": f"{noun}_id", "in": "path", "required": True, "schema": {"type": "string"}}
    body = {"content": {"application/json": {"schema": record}}, "required": True}
    paths: dict[str, Any] = {
        f"/{plural}": {
            "post": {
                "operationId": f"create_{noun}",
                "requestBody": body,
                "responses": answer(record),
            },
            "get": {
                "operationId": f"list_{plural}",
                "responses": answer({"type": "array", "items": record}),
            },
        },
        f"/{plural}/{{{noun}_id}}": {
            "parameters": [key],
            "get": {"operationId": f"get_{noun}", "responses": answer(record)},
            "patch": {
                "operationId": f"update_{noun}",
                "requestBody": body,
                "responses": answer(record),
            },
            "delete": {"operationId": f"delete_{noun}", "responses": {"204": {"description": "x"}}},
        },
        **(extra or {}),
    }
    return spec(paths, components={"schemas": {noun.capitalize(): schema}})
