"""What each record has one of: small documents."""

from pathlib import Path
from typing import Any

from forge.synth.check import check_tools
from tests.documents import answer, body, doc_of
from tests.structural import (
    crud,
    draft_of,
    effect,
    environment_of,
    session_of,
    table,
    tool,
    value,
    why_left_out,
)

TEXT: dict[str, Any] = {"type": "string"}
FLAG: dict[str, Any] = {"type": "boolean"}
DONE = {"204": {"description": "done"}}
KITE: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {"kite_id": {**TEXT, "readOnly": True}, "name": TEXT},
}
KEY = [{"name": "kite_id", "in": "path", "required": True, "schema": TEXT}]
RULES: dict[str, Any] = {
    "type": "object",
    "required": ["height"],
    "properties": {"height": {"type": "integer"}, "note": TEXT, "strict": FLAG},
}


def _kites(path: str, **methods: dict[str, Any]) -> dict[str, Any]:
    made = {m: {"operationId": f"{m}_it", **each} for m, each in methods.items()}
    return crud("kite", KITE, {path: {"parameters": KEY, **made}})


def _rules(**more: dict[str, Any]) -> dict[str, Any]:
    got = {"responses": answer(RULES)}
    put = {"requestBody": body(RULES), "responses": answer(RULES)}
    return _kites("/kites/{kite_id}/night-flight/rules", get=got, put=put, **more)


def test_what_is_put_and_deleted_may_be_there_or_not(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _rules(delete={"responses": DONE})))
    session = session_of(draft)
    kite = value(session.call("create_kite", {"name": "Ada"}))["kite_id"]
    assert session.call("get_it", {"kite_id": kite}).failure == "not_found"
    assert session.call("delete_it", {"kite_id": kite}).failure == "not_found"
    value(session.call("put_it", {"kite_id": kite, "height": 3, "note": "low"}))
    assert value(session.call("get_it", {"kite_id": kite})) == {"height": 3, "note": "low"}
    value(session.call("put_it", {"kite_id": kite, "height": 5}))
    assert value(session.call("get_it", {"kite_id": kite})) == {"height": 5}
    value(session.call("delete_it", {"kite_id": kite}))
    assert session.call("get_it", {"kite_id": kite}).failure == "not_found"
    assert session.call("put_it", {"kite_id": "none", "height": 1}).failure == "not_found"


def test_it_goes_with_what_it_is_of(tmp_path: Path) -> None:
    session = session_of(draft_of(doc_of(tmp_path, _rules(delete={"responses": DONE}))))
    kite = value(session.call("create_kite", {"name": "Ada"}))["kite_id"]
    value(session.call("put_it", {"kite_id": kite, "height": 3}))
    value(session.call("delete_kite", {"kite_id": kite}))
    [name] = [name for name in session.state() if name != "kites"]
    assert kite not in session.state()[name]


def test_what_nothing_makes_is_there_for_every_record(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _rules()))
    base = environment_of(draft).bases["only"]
    [name] = [t.name for t in draft.state_schema.tables if t.name != "kites"]
    assert len(base[name]) == len(base["kites"])
    parent = table(draft.state_schema, name).parent
    assert parent is not None and parent.each
    made = effect(draft, "put_it")
    assert (made.verb, made.table) == ("update", name)


def test_what_may_be_missing_is_there_for_some(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _rules(delete={"responses": DONE})))
    base = environment_of(draft).bases["only"]
    [name] = [t.name for t in draft.state_schema.tables if t.name != "kites"]
    assert 0 < len(base[name]) < len(base["kites"])


def test_the_tools_of_what_there_is_one_of_pass_the_tool_checks(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _rules(delete={"responses": DONE})))
    checks = check_tools(environment_of(draft))
    assert {n: c.checks for n, c in checks.items() if not c.passed} == {}


def test_a_put_without_a_body_switches_the_flag_on_and_a_delete_off(tmp_path: Path) -> None:
    shown = {"type": "object", "required": ["enabled"], "properties": {"enabled": FLAG}}
    draft = draft_of(
        doc_of(
            tmp_path,
            _kites(
                "/kites/{kite_id}/night-light",
                get={"responses": answer(shown)},
                put={"responses": DONE},
                delete={"responses": DONE},
            ),
        )
    )
    assert effect(draft, "put_it").sets == {"enabled": True}
    assert effect(draft, "delete_it").sets == {"enabled": False}
    assert tool(draft, "put_it").parameters["required"] == ["kite_id"]


def test_what_is_worked_out_from_other_records_is_left_out(tmp_path: Path) -> None:
    deep = {"type": "object", "properties": {"parts": {"type": "array", "items": RULES}}}
    draft = draft_of(
        doc_of(tmp_path, _kites("/kites/{kite_id}/plan", get={"responses": answer(deep)}))
    )
    assert why_left_out(draft, "get_it")
    usage = {"type": "object", "properties": {"minutes": {"type": "integer"}}}
    path = "/kites/{kite_id}/usage"
    draft = draft_of(doc_of(tmp_path, _kites(path, get={"responses": answer(usage)})))
    assert why_left_out(draft, "get_it")


def test_a_record_of_another_table_is_no_part_of_this_one(tmp_path: Path) -> None:
    twin = {"responses": answer({"$ref": "#/components/schemas/Kite"})}
    draft = draft_of(doc_of(tmp_path, _kites("/kites/{kite_id}/twin", get=twin)))
    assert why_left_out(draft, "get_it")


def test_what_a_path_picks_one_of_is_no_part_that_each_has_one_of(tmp_path: Path) -> None:
    pod = {"type": "object", "properties": {"spec": {"type": "object"}}}
    several = {"type": "object", "properties": {"version": {"type": "string"}, "items": pod}}
    document = _kites(
        "/kites/{kite_id}/pods",
        get={"responses": answer(several)},
        post={"requestBody": body(pod), "responses": answer(pod)},
        delete={"responses": answer(several)},
    )
    one = {"get": {"operationId": "get_pod", "responses": answer(pod)}}
    names = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in ("kite_id", "name")
    ]
    document["paths"]["/kites/{kite_id}/pods/{name}"] = {"parameters": names, **one}
    draft = draft_of(doc_of(tmp_path, document))
    assert all(why_left_out(draft, name) for name in ("get_it", "post_it", "delete_it"))


def test_the_column_that_names_what_it_is_of_is_its_key(tmp_path: Path) -> None:
    shown = {**RULES, "properties": {**RULES["properties"], "kite": TEXT}}
    shown["properties"]["kite"] = {**TEXT, "description": "The id of the kite."}
    spec = _kites("/kites/{kite_id}/rules", get={"responses": answer(shown)})
    draft = draft_of(doc_of(tmp_path, spec))
    assert table(draft.state_schema, "kite_rules").key == ("kite",)
    session = session_of(draft)
    kite = value(session.call("list_kites", {}))[0]["kite_id"]
    assert value(session.call("get_it", {"kite_id": kite}))["kite"] == kite
