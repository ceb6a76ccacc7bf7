"""Lists of new records, counts by a value, records picked in a body: small documents."""

from pathlib import Path
from typing import Any

from tests.documents import answer, body, doc_of
from tests.structural import crud, draft_of, effect, session_of, tool, value, why_left_out

TEXT: dict[str, Any] = {"type": "string"}
KITE: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "kite_id": {"type": "string", "readOnly": True},
        "name": TEXT,
        "state": {"type": "string", "enum": ["new", "worn"], "default": "new"},
        "labels": {"type": "array", "items": {"type": "object", "properties": {"name": TEXT}}},
    },
}
RECORD = {"$ref": "#/components/schemas/Kite"}
MANY = {"type": "array", "items": RECORD}
COUNTS = {"type": "object", "additionalProperties": {"type": "integer"}}


def _kites(extra: dict[str, Any]) -> dict[str, Any]:
    return crud("kite", KITE, extra)


def test_a_list_of_new_records_makes_each_or_none(tmp_path: Path) -> None:
    bulk = {"operationId": "create_kites", "requestBody": body(MANY), "responses": answer(MANY)}
    draft = draft_of(doc_of(tmp_path, _kites({"/kites/bulk": {"post": bulk}})))
    session = session_of(draft)
    before = len(session.state()["kites"])
    made = value(session.call("create_kites", {"body": [{"name": "Ada"}, {"name": "Bo"}]}))
    assert [each["name"] for each in made] == ["Ada", "Bo"]
    assert all(each["state"] == "new" for each in made)
    assert len(session.state()["kites"]) == before + 2
    refused = session.call("create_kites", {"body": [{"name": "Cy"}, {"state": "worn"}]})
    assert refused.failure == "invalid"
    assert len(session.state()["kites"]) == before + 2
    assert tool(draft, "create_kites").effect is None


def test_a_list_that_is_not_said_to_make_records_is_left_out(tmp_path: Path) -> None:
    send = {"operationId": "send_kites", "requestBody": body(MANY), "responses": answer(MANY)}
    draft = draft_of(doc_of(tmp_path, _kites({"/kites/send": {"post": send}})))
    assert "many records" in why_left_out(draft, "send_kites")


def test_a_count_by_a_value_counts_what_it_names(tmp_path: Path) -> None:
    tally = {
        "summary": "Counts kites by state",
        "operationId": "tally",
        "responses": answer(COUNTS),
    }
    draft = draft_of(doc_of(tmp_path, _kites({"/sky/inventory": {"get": tally}})))
    session = session_of(draft)
    counts = value(session.call("tally", {}))
    states = [kite.get("state") for kite in session.state()["kites"].values()]
    assert counts == {state: states.count(state) for state in ("new", "worn")}


def test_a_count_that_names_no_column_is_left_out(tmp_path: Path) -> None:
    tally = {"summary": "Counts kites by mood", "operationId": "tally", "responses": answer(COUNTS)}
    draft = draft_of(doc_of(tmp_path, _kites({"/sky/inventory": {"get": tally}})))
    assert why_left_out(draft, "tally")


def _put(failures: dict[str, Any]) -> dict[str, Any]:
    responses = {**answer(RECORD), **failures}
    put = {"operationId": "replace_kite", "requestBody": body(RECORD), "responses": responses}
    spec = _kites({})
    spec["paths"]["/kites"]["put"] = put
    return spec


def test_a_put_of_a_whole_record_is_picked_by_the_key_in_it(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _put({"404": {"description": "No such kite"}})))
    made = effect(draft, "replace_kite")
    assert made.match["kite_id"].column == "kite_id"
    assert "kite_id" in tool(draft, "replace_kite").parameters["required"]


def test_a_put_that_never_misses_a_record_is_left_out(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _put({})))
    assert why_left_out(draft, "replace_kite") == "nothing shows which record it changes"


def test_a_filter_may_look_into_the_items_of_a_column(tmp_path: Path) -> None:
    names = {"name": "labels", "in": "query", "required": True}
    asked = [{**names, "schema": {"type": "array", "items": TEXT}}]
    found = {"operationId": "kites_by_label", "parameters": asked, "responses": answer(MANY)}
    draft = draft_of(doc_of(tmp_path, _kites({"/kites/findByLabels": {"get": found}})))
    session = session_of(draft)
    value(session.call("create_kite", {"name": "Ada", "labels": [{"name": "red"}, {"name": "x"}]}))
    value(session.call("create_kite", {"name": "Bo", "labels": [{"name": "blue"}]}))
    listed = value(session.call("kites_by_label", {"labels": ["red", "green"]}))
    assert [kite["name"] for kite in listed if kite["name"] in ("Ada", "Bo")] == ["Ada"]
