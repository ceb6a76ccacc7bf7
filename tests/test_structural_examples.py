"""Answers that a document shows by examples alone."""

from pathlib import Path
from typing import Any

from forge.authors.structural.reading.examples import schema_of_examples
from tests.documents import answer, body, doc_of, spec
from tests.structural import draft_of, session_of, table, value, why_left_out

TEXT: dict[str, Any] = {"type": "string"}
KITE = {"id": "k1", "name": "Delta", "span": 2.5, "tags": ["red"], "sold_on": None}


def _shown(example: Any, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    media = {"examples": {"one": {"value": example}}} | ({"schema": schema} if schema else {})
    return {"200": {"description": "ok", "content": {"application/json": media}}}


def _document(**schema: Any) -> dict[str, Any]:
    key = {"name": "kite_id", "in": "path", "required": True, "schema": TEXT}
    listed = {"object": "list", "type": "kite", "results": [KITE], "next_cursor": None, "kite": {}}
    make = body({"type": "object", "required": ["name"], "properties": {"name": TEXT}})
    paths = {
        "/kites": {
            "get": {"operationId": "list_kites", "responses": _shown(listed, **schema)},
            "post": {"operationId": "make_kite", "requestBody": make, "responses": _shown(KITE)},
        },
        "/kites/{kite_id}": {
            "parameters": [key],
            "get": {"operationId": "get_kite", "responses": _shown(KITE, **schema)},
        },
    }
    return spec(paths)


def test_a_record_known_by_an_example_has_the_columns_of_the_example(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _document()))
    kites = table(draft.state_schema, "kites")
    kinds = {column.name: column.type for column in kites.columns}
    assert kinds == {"id": "string", "name": "string", "span": "number", "tags": "array"}
    assert kites.key == ("id",)


def test_a_schema_that_says_only_object_leaves_the_word_to_the_example(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _document(schema={"type": "object"})))
    session = session_of(draft)
    made = value(session.call("make_kite", {"name": "Box"}))
    assert value(session.call("get_kite", {"kite_id": made["id"]}))["name"] == "Box"
    found = value(session.call("list_kites", {}))
    assert made["id"] in [kite["id"] for kite in found["results"]]


def test_a_schema_that_says_more_is_believed(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"code": TEXT}}
    draft = draft_of(doc_of(tmp_path, _document(schema=schema)))
    assert why_left_out(draft, "list_kites")


def test_examples_that_differ_in_kind_say_nothing() -> None:
    assert schema_of_examples(({"a": 1, "b": 1}, {"a": "x", "b": 1.5})) == {
        "type": "object",
        "properties": {"b": {"type": "number", "examples": [1, 1.5]}},
    }
    assert schema_of_examples((None,)) == {}
    assert schema_of_examples(([], [{}])) == {}


def test_a_value_that_is_null_in_some_examples_may_be_null() -> None:
    assert schema_of_examples((None, "x"))["type"] == ["string", "null"]


PARTS = [
    {"name": "start_cursor", "in": "query", "schema": TEXT},
    {"name": "page_size", "in": "query", "schema": {"type": "integer", "default": 100}},
]


def _with_clubs(parameters: list[dict[str, Any]]) -> dict[str, Any]:
    """Clubs, whose list is shown as an object of anything, beside kites listed in parts."""
    document = _document()
    document["paths"]["/kites"]["get"]["parameters"] = PARTS
    club = {"id": "c1", "name": "North"}
    key = {"name": "club_id", "in": "path", "required": True, "schema": TEXT}
    document["paths"]["/clubs"] = {
        "get": {
            "operationId": "list_clubs",
            "parameters": parameters,
            "responses": answer({"type": "object"}),
        }
    }
    document["paths"]["/clubs/{club_id}"] = {
        "parameters": [key],
        "get": {"operationId": "get_club", "responses": _shown(club)},
    }
    return document


def test_a_list_that_nothing_shows_is_answered_like_those_with_the_same_parts(
    tmp_path: Path,
) -> None:
    state = {"clubs": {k: {"id": k, "name": k} for k in ("c1", "c2", "c3")}, "kites": {}}
    session = session_of(draft_of(doc_of(tmp_path, _with_clubs(PARTS))), state)
    first = value(session.call("list_clubs", {"page_size": 2}))
    assert [club["id"] for club in first["results"]] == ["c1", "c2"]
    rest = value(session.call("list_clubs", {"start_cursor": first["next_cursor"]}))
    assert [club["id"] for club in rest["results"]] == ["c3"]
    assert rest["next_cursor"] is None


def test_a_list_that_nothing_shows_and_none_is_like_is_left_out(tmp_path: Path) -> None:
    assert why_left_out(draft_of(doc_of(tmp_path, _with_clubs([]))), "list_clubs")


def test_a_property_that_is_null_in_all_examples_is_there_and_not_told() -> None:
    assert schema_of_examples(({"a": None},))["properties"] == {"a": {"type": "null"}}
