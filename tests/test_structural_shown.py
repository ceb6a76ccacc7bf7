"""What answers may leave out, and what a server makes: small documents."""

from pathlib import Path
from typing import Any

from forge.authors.author import Draft
from tests.documents import answer, body, doc_of, spec
from tests.structural import crud, draft_of, session_of, table, tool, value, why_left_out

TEXT: dict[str, Any] = {"type": "string"}


def _kite(required: list[str], **properties: Any) -> dict[str, Any]:
    own = {"kite_id": {**TEXT, "readOnly": True}, "name": TEXT, "colour": TEXT}
    every = {**own, **{n: {**s, "readOnly": True} for n, s in properties.items()}}
    return {"type": "object", "required": ["name", *required], "properties": every}


def test_links_of_the_api_are_no_columns_and_keep_nothing_out(tmp_path: Path) -> None:
    kite = _kite(["url", "html_url", "node_id"], url=TEXT, html_url=TEXT, node_id=TEXT)
    draft = draft_of(doc_of(tmp_path, crud("kite", kite)))
    names = {column.name for column in table(draft.state_schema, "kites").columns}
    assert names == {"kite_id", "name", "colour"}
    made = value(session_of(draft).call("create_kite", {"name": "Ada"}))
    assert set(made) == {"kite_id", "name"}


def test_an_address_that_someone_writes_is_a_column(tmp_path: Path) -> None:
    kite = _kite([])
    kite["properties"]["page_url"] = TEXT
    draft = draft_of(doc_of(tmp_path, crud("kite", kite)))
    assert "page_url" in tool(draft, "create_kite").parameters["properties"]


def test_a_copy_of_many_forms_is_left_out_of_an_answer(tmp_path: Path) -> None:
    forms = {"oneOf": [{"type": "object", "properties": {"a": TEXT}}, TEXT]}
    draft = draft_of(doc_of(tmp_path, crud("kite", _kite(["maker"], maker=forms))))
    returns = tool(draft, "get_kite").returns
    assert returns is not None and "maker" not in returns["properties"]


def test_an_answer_of_which_little_can_be_shown_is_left_out(tmp_path: Path) -> None:
    forms = {"oneOf": [{"type": "object", "properties": {"a": TEXT}}, TEXT]}
    many = dict.fromkeys(("maker", "wind", "tail"), forms)
    draft = draft_of(doc_of(tmp_path, crud("kite", _kite(list(many), **many))))
    assert "too little" in why_left_out(draft, "get_kite")


def test_a_token_is_made_and_another_text_keeps_the_create_out(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, crud("kite", _kite(["secret"], secret=TEXT))))
    session = session_of(draft)
    first = value(session.call("create_kite", {"name": "Ada"}))
    second = value(session.call("create_kite", {"name": "Bo"}))
    assert first["secret"] and first["secret"] != second["secret"]
    other = draft_of(doc_of(tmp_path, crud("kite", _kite(["motto"], motto=TEXT))))
    assert why_left_out(other, "create_kite") == "nothing shows the motto of a new kite"


def test_a_secret_that_is_shown_once_is_in_no_answer(tmp_path: Path) -> None:
    secret = {**TEXT, "description": "The signing secret. Only returned at creation."}
    kite = {
        "type": "object",
        "required": ["name"],
        "properties": {"kite_id": {**TEXT, "readOnly": True}, "name": TEXT, "secret": secret},
    }
    draft = draft_of(doc_of(tmp_path, crud("kite", kite)))
    [made] = [t for t in draft.state_schema.tables if t.name == "kites"]
    assert "name" in {c.name for c in made.columns}
    assert "secret" not in {c.name for c in made.columns}


def _requests(folder: Path, place: dict[str, Any]) -> Draft:
    """Of requests, whose `head` is given as a text and shown as `place`."""
    shown = {
        "type": "object",
        "properties": {"id": {**TEXT, "readOnly": True}, "title": TEXT, "head": place},
    }
    takes = {"type": "object", "properties": {"title": TEXT, "head": TEXT}}
    record = answer({"$ref": "#/components/schemas/Request"})
    key = {"name": "id", "in": "path", "required": True, "schema": TEXT}
    made = {"operationId": "create_request", "requestBody": body(takes), "responses": record}
    paths: dict[str, Any] = {
        "/requests": {"post": made},
        "/requests/{id}": {
            "parameters": [key],
            "get": {"operationId": "get_request", "responses": record},
        },
    }
    return draft_of(doc_of(folder, spec(paths, components={"schemas": {"Request": shown}})))


def test_a_place_that_is_taken_as_a_text_is_shown_as_the_ref_of_an_object(tmp_path: Path) -> None:
    place = {"type": "object", "properties": {"ref": TEXT, "sha": TEXT}}
    session = session_of(_requests(tmp_path, place))
    made = value(session.call("create_request", {"title": "Sails", "head": "fix/sails"}))
    assert made["head"] == {"ref": "fix/sails"}
    assert value(session.call("get_request", {"request_id": made["id"]})) == made
    bare = value(session.call("create_request", {"title": "Sails"}))
    assert "head" not in bare


def test_an_object_that_always_has_more_than_its_ref_is_no_text(tmp_path: Path) -> None:
    place = {"type": "object", "required": ["sha"], "properties": {"ref": TEXT, "sha": TEXT}}
    draft = _requests(tmp_path, place)
    assert "head" not in tool(draft, "create_request").parameters["properties"]
