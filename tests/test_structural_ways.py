"""Other ways to the records of a collection, and names given by another name. Small documents."""

from pathlib import Path
from typing import Any

from forge.authors.author import Draft
from tests.documents import answer, body, doc_of, spec
from tests.structural import draft_of, session_of, tool, value, why_left_out

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "integer"}
GONE = {"204": {"description": "done"}, "404": {"description": "not there"}}


def _key(name: str, schema: dict[str, Any], told: str = "") -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": schema, "description": told},
    ]


def _does(name: str, responses: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"operationId": name, "responses": responses, **more}


def _kites(folder: Path, extra: dict[str, Any], **shown: Any) -> Draft:
    """Kites with an id, and `extra` paths."""
    kite = {
        "type": "object",
        "properties": {"id": {**NUMBER, "readOnly": True}, "tag_name": TEXT, **shown},
    }
    takes = {"type": "object", "required": ["tag_name"], "properties": {"tag_name": TEXT, **shown}}
    record = answer({"$ref": "#/components/schemas/Kite"})
    many = answer({"type": "array", "items": {"$ref": "#/components/schemas/Kite"}})
    paths: dict[str, Any] = {
        "/kites": {
            "post": _does("create_kite", record, requestBody=body(takes)),
            "get": _does("list_kites", many),
        },
        "/kites/{id}": {"get": _does("get_kite", record, parameters=_key("id", NUMBER))},
        **extra,
    }
    return draft_of(doc_of(folder, spec(paths, components={"schemas": {"Kite": kite}})))


RECORD = answer({"$ref": "#/components/schemas/Kite"})
BY_TAG: dict[str, Any] = {
    "/kites/tags/{tag}": {
        "parameters": _key("tag", TEXT),
        "get": _does("kite_by_tag", RECORD),
        "delete": _does("delete_by_tag", GONE),
    }
}


def test_a_word_of_a_path_that_is_a_property_picks_by_it(tmp_path: Path) -> None:
    session = session_of(_kites(tmp_path, BY_TAG))
    made = value(session.call("create_kite", {"tag_name": "red-1"}))
    assert value(session.call("kite_by_tag", {"tag": "red-1"})) == made
    assert session.call("create_kite", {"tag_name": "red-1"}).failure is not None
    assert session.call("kite_by_tag", {"tag": "red-2"}).failure == "not_found"
    value(session.call("delete_by_tag", {"tag": "red-1"}))
    assert session.call("get_kite", {"kite_id": made["id"]}).failure == "not_found"


def test_a_word_of_a_path_that_may_be_two_properties_picks_by_none(tmp_path: Path) -> None:
    assert why_left_out(_kites(tmp_path, BY_TAG, tag_id=TEXT), "kite_by_tag")


def _things(folder: Path, other: str) -> Draft:
    """Records called by owner and name, one of them got by its number elsewhere."""
    thing = {
        "type": "object",
        "properties": {"id": {**NUMBER, "readOnly": True}, "owner": TEXT, "name": TEXT},
    }
    record = answer({"$ref": "#/components/schemas/Airplane"})
    takes = {
        "type": "object",
        "required": ["owner", "name"],
        "properties": {"owner": TEXT, "name": TEXT},
    }
    both = [*_key("owner", TEXT), *_key("plane", TEXT)]
    paths: dict[str, Any] = {
        "/planes": {"post": _does("create_plane", record, requestBody=body(takes))},
        "/planes/{owner}/{plane}": {
            "parameters": both,
            "get": _does("get_plane", record),
            "patch": _does("rename_plane", record, requestBody=body(takes)),
        },
        f"/{other}/{{id}}": {"get": _does("get_by_id", record, parameters=_key("id", NUMBER))},
    }
    return draft_of(doc_of(folder, spec(paths, components={"schemas": {"Airplane": thing}})))


def test_a_record_is_got_by_its_id_at_the_whole_name_of_its_schema(tmp_path: Path) -> None:
    draft = _things(tmp_path, "airplanes")
    session = session_of(draft)
    made = value(session.call("create_plane", {"owner": "ada", "name": "Sled"}))
    [argument] = tool(draft, "get_by_id").parameters["required"]
    assert value(session.call("get_by_id", {argument: made["id"]})) == made
    assert session.call("get_by_id", {argument: made["id"] + 1}).failure == "not_found"


def test_a_record_is_not_got_at_a_path_called_otherwise(tmp_path: Path) -> None:
    assert why_left_out(_things(tmp_path, "hangars"), "get_by_id")


def test_a_new_record_is_given_the_name_that_paths_pick_it_by(tmp_path: Path) -> None:
    mark = {"type": "object", "properties": {"id": {**TEXT, "readOnly": True}, "name": TEXT}}
    record = answer({"$ref": "#/components/schemas/Mark"})
    many = answer({"type": "array", "items": {"$ref": "#/components/schemas/Mark"}})
    takes = {"type": "object", "required": ["mark_name"], "properties": {"mark_name": TEXT}}
    paths: dict[str, Any] = {
        "/marks": {
            "post": _does("create_mark", record, requestBody=body(takes)),
            "get": _does("list_marks", many),
        },
        "/marks/{mark}": {
            "parameters": _key("mark", TEXT, "name of the mark"),
            "get": _does("get_mark", record),
            "delete": _does("delete_mark", GONE),
        },
    }
    draft = draft_of(doc_of(tmp_path, spec(paths, components={"schemas": {"Mark": mark}})))
    session = session_of(draft)
    made = value(session.call("create_mark", {"mark_name": "v1"}))
    assert made["name"] == "v1" and set(made) == {"id", "name"}
    assert value(session.call("get_mark", {"mark": "v1"})) == made
