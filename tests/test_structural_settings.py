"""Settings, switches and parts of records at paths of their own: small documents."""

import json
from pathlib import Path
from typing import Any

import pytest

from forge.authors.author import Draft
from forge.synth.check import check_tools
from tests.documents import answer, body, doc_of
from tests.structural import (
    crud,
    draft_of,
    environment_of,
    session_of,
    table,
    tool,
    value,
    why_left_out,
)

TEXT: dict[str, Any] = {"type": "string"}
DONE = {"204": {"description": "done"}}
GONE = {**DONE, "404": {"description": "not there"}}
KITE: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {"kite_id": {**TEXT, "readOnly": True}, "name": TEXT},
}
POLICY: dict[str, Any] = {
    "type": "object",
    "required": ["open_to"],
    "properties": {"open_to": {**TEXT, "enum": ["all", "selected"]}},
}


def _in(*names: str) -> list[dict[str, Any]]:
    return [{"name": n, "in": "path", "required": True, "schema": TEXT} for n in names]


def _at(path: str, *names: str, **methods: dict[str, Any]) -> dict[str, Any]:
    made = {m: {"operationId": f"{m}_it", **each} for m, each in methods.items()}
    return {path: {"parameters": _in(*names), **made}}


def _kites(extra: dict[str, Any], record: dict[str, Any] = KITE) -> dict[str, Any]:
    """Kites and pilots, and `extra` paths."""
    spec = crud("kite", record, extra)
    pilot = {"pilot_id": {**TEXT, "readOnly": True}, "name": TEXT}
    other = crud("pilot", {"type": "object", "required": ["name"], "properties": pilot})
    spec["paths"] |= other["paths"]
    spec["components"]["schemas"] |= other["components"]["schemas"]
    return spec


def _kite(draft: Draft, **more: Any) -> tuple[Any, str]:
    session = session_of(draft)
    return session, value(session.call("create_kite", {"name": "Ada", **more}))["kite_id"]


def _passes(draft: Draft) -> bool:
    checks = check_tools(environment_of(draft))
    return {n: c.checks for n, c in checks.items() if not c.passed} == {}


# ------------------------------------------------------------------------ switches

STAR = _at(
    "/kites/{kite_id}/star",
    "kite_id",
    get={"responses": GONE},
    put={"responses": DONE},
    delete={"responses": DONE},
)


def test_what_is_put_taken_back_and_asked_for_is_a_switch(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _kites(STAR)))
    session, kite = _kite(draft)
    key = {"kite_id": kite}
    assert session.call("get_it", key).failure == "not_found"
    value(session.call("put_it", key))
    assert value(session.call("get_it", key)) is None
    value(session.call("put_it", key))
    value(session.call("delete_it", key))
    assert session.call("get_it", key).failure == "not_found"
    assert session.call("put_it", {"kite_id": "none"}).failure == "not_found"
    assert _passes(draft)


def test_no_answer_shows_a_switch(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _kites(STAR)))
    assert any(c.name == "star" for c in table(draft.state_schema, "kites").columns)
    returns = tool(draft, "get_kite").returns
    assert returns is not None and "star" not in returns["properties"]


def test_what_takes_or_answers_something_is_no_switch(tmp_path: Path) -> None:
    taken = {"requestBody": body({"type": "object", "properties": {"why": TEXT}})}
    paths = _at(
        "/kites/{kite_id}/star",
        "kite_id",
        get={"responses": GONE},
        put={"responses": DONE, **taken},
        delete={"responses": DONE},
    )
    draft = draft_of(doc_of(tmp_path, _kites(paths)))
    assert why_left_out(draft, "put_it") and why_left_out(draft, "get_it")


def test_a_delete_takes_back_the_flag_that_records_show(tmp_path: Path) -> None:
    record = {**KITE, "properties": {**KITE["properties"], "locked": {"type": "boolean"}}}
    paths = _at(
        "/kites/{kite_id}/lock", "kite_id", put={"responses": DONE}, delete={"responses": DONE}
    )
    draft = draft_of(doc_of(tmp_path, _kites(paths, record)))
    session, kite = _kite(draft)
    value(session.call("put_it", {"kite_id": kite}))
    assert value(session.call("get_kite", {"kite_id": kite}))["locked"] is True
    value(session.call("delete_it", {"kite_id": kite}))
    assert value(session.call("get_kite", {"kite_id": kite}))["locked"] is False


# --------------------------------------------------------------------------- parts

TAIL = {"type": "object", "properties": {"length": {"type": "integer"}, "color": TEXT}}
TAILED = {
    **KITE,
    "required": ["name", "tail"],
    "properties": {**KITE["properties"], "tail": TAIL},
}


def _tails(**methods: dict[str, Any]) -> dict[str, Any]:
    return _kites(_at("/kites/{kite_id}/tail", "kite_id", **methods), TAILED)


def test_a_part_of_a_record_is_read_and_changed_at_its_own_path(tmp_path: Path) -> None:
    methods = {
        "get": {"responses": answer(TAIL)},
        "patch": {"requestBody": body(TAIL), "responses": answer(TAIL)},
    }
    draft = draft_of(doc_of(tmp_path, _tails(**methods)))
    session, kite = _kite(draft, tail={"length": 3, "color": "red"})
    assert value(session.call("get_it", {"kite_id": kite})) == {"length": 3, "color": "red"}
    changed = {"length": 5, "color": "red"}
    assert value(session.call("patch_it", {"kite_id": kite, "length": 5})) == changed
    assert value(session.call("get_kite", {"kite_id": kite}))["tail"] == changed
    assert _passes(draft)


def test_an_answer_of_other_properties_is_no_part(tmp_path: Path) -> None:
    other = {"type": "object", "properties": {"weight": {"type": "integer"}}}
    draft = draft_of(doc_of(tmp_path, _tails(get={"responses": answer(other)})))
    assert why_left_out(draft, "get_it")


# ------------------------------------------------------------------------ settings

PILOTS = {"type": "array", "items": {"$ref": "#/components/schemas/Pilot"}}


def _policies(told: str = "") -> dict[str, Any]:
    """A policy of each kite, and under it the pilots that are selected."""
    path = "/kites/{kite_id}/flights/policy"
    paths = {
        path: {
            "parameters": _in("kite_id"),
            "get": {"operationId": "get_policy", "responses": answer(POLICY)},
            "put": {"operationId": "put_policy", "requestBody": body(POLICY), "responses": DONE},
        },
        f"{path}/pilots": {
            "parameters": _in("kite_id"),
            "get": {"operationId": "selected", "description": told, "responses": answer(PILOTS)},
        },
        f"{path}/pilots/{{pilot_id}}": {
            "parameters": _in("kite_id", "pilot_id"),
            "put": {"operationId": "select", "description": told, "responses": DONE},
            "delete": {"operationId": "deselect", "description": told, "responses": DONE},
        },
    }
    return _kites(paths)


def test_a_set_may_be_under_the_settings_of_its_holder(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _policies()))
    session, kite = _kite(draft)
    pilot = value(session.call("create_pilot", {"name": "Kim"}))["pilot_id"]
    value(session.call("select", {"kite_id": kite, "pilot_id": pilot}))
    [shown] = value(session.call("selected", {"kite_id": kite}))
    assert shown["name"] == "Kim"
    value(session.call("deselect", {"kite_id": kite, "pilot_id": pilot}))
    assert value(session.call("selected", {"kite_id": kite})) == []


def test_what_must_be_set_before_is_asked_for(tmp_path: Path) -> None:
    told = "The policy for `open_to` must be configured to `selected`."
    draft = draft_of(doc_of(tmp_path, _policies(told)))
    session = session_of(draft)
    kite = value(session.call("list_kites", {}))[0]["kite_id"]
    pilot = value(session.call("list_pilots", {}))[0]["pilot_id"]
    both = {"kite_id": kite, "pilot_id": pilot}
    value(session.call("put_policy", {"kite_id": kite, "open_to": "all"}))
    assert session.call("select", both).failure == "conflict"
    value(session.call("put_policy", {"kite_id": kite, "open_to": "selected"}))
    value(session.call("select", both))
    assert _passes(draft)


def test_a_condition_on_what_no_settings_show_leaves_the_set_out(tmp_path: Path) -> None:
    told = "The policy must be set to `unknown`."
    draft = draft_of(doc_of(tmp_path, _policies(told)))
    assert why_left_out(draft, "select")


def test_words_that_only_look_worked_out_name_settings(tmp_path: Path) -> None:
    shown = {"type": "object", "required": ["days"], "properties": {"days": {"type": "integer"}}}
    for text, kept in (("log-retention", True), ("retention-log", False)):
        paths = _at(
            f"/kites/{{kite_id}}/{text}",
            "kite_id",
            get={"responses": answer(shown)},
            put={"requestBody": body(shown), "responses": DONE},
        )
        draft = draft_of(doc_of(tmp_path, _kites(paths)))
        assert bool(why_left_out(draft, "put_it")) is not kept


# --------------------------------------------------------------------------- names


def test_an_id_shown_as_a_text_may_be_passed_as_a_number(tmp_path: Path) -> None:
    number = {"name": "kite_id", "in": "path", "required": True, "schema": {"type": "integer"}}
    told = {**number, "description": "It is the value of the `id` field of a kite."}
    shown = {"type": "object", "required": ["id"], "properties": {"id": TEXT, "name": TEXT}}
    for argument, kept in ((told, True), (number, False)):
        got = {"operationId": "get_it", "parameters": [argument], "responses": answer(shown)}
        listed = {"operationId": "list_it", "responses": answer({"type": "array", "items": shown})}
        paths = {"/kites/{kite_id}": {"get": got}, "/kites": {"get": listed}}
        spec = {"openapi": "3.0.0", "info": {"title": "Kites", "version": "1"}, "paths": paths}
        assert bool(why_left_out(draft_of(doc_of(tmp_path, spec)), "get_it")) is not kept


def test_two_first_words_with_one_argument_are_one_resource(tmp_path: Path) -> None:
    limit = {"type": "object", "required": ["most"], "properties": {"most": {"type": "integer"}}}
    paths = _at(
        "/aircraft/{kite_id}/limit",
        "kite_id",
        get={"responses": answer(limit)},
        put={"requestBody": body(limit), "responses": DONE},
    )
    spec = json.loads(json.dumps(_kites(paths)).replace("{kite_id}", "{kite}"))
    for each in spec["paths"].values():
        for argument in [*each.get("parameters", []), *_arguments(each)]:
            argument["name"] = argument["name"].replace("kite_id", "kite")
    session = session_of(draft_of(doc_of(tmp_path, spec)))
    kite = value(session.call("list_kites", {}))[0]["kite_id"]
    value(session.call("put_it", {"kite": kite, "most": 4}))
    assert value(session.call("get_it", {"kite": kite})) == {"most": 4}


def _arguments(path: dict[str, Any]) -> list[dict[str, Any]]:
    methods = [each for each in path.values() if isinstance(each, dict)]
    return [argument for each in methods for argument in each.get("parameters", [])]


# --------------------------------------------------- deep ways, versions, unseen values


def _boxes(word: str = "boxes") -> dict[str, Any]:
    """Boxes with a number within a kite, and the reels in them."""
    box = {
        "type": "object",
        "required": ["id", "number"],
        "properties": {"id": {"type": "integer"}, "number": {"type": "integer"}, "label": TEXT},
    }
    reel = {
        "type": "object",
        "required": ["id"],
        "properties": {"id": {"type": "integer"}, "length": {"type": "integer"}},
    }
    number = {"name": "box_number", "in": "path", "required": True, "schema": {"type": "integer"}}
    reel_id = {**number, "name": "reel_id"}
    first = f"/kites/{{kite_id}}/{word}"
    one_box, reels = f"{first}/{{box_number}}", f"{first}/{{box_number}}/reels"
    many_boxes, many_reels = ({"type": "array", "items": each} for each in (box, reel))
    paths: dict[str, Any] = {
        first: (_in("kite_id"), "list_boxes", answer(many_boxes)),
        one_box: ([*_in("kite_id"), number], "get_box", answer(box)),
        reels: ([*_in("kite_id"), number], "list_reels", answer(many_reels)),
        f"{reels}/{{reel_id}}": ([*_in("kite_id"), number, reel_id], "get_reel", answer(reel)),
    }
    made = {
        path: {"get": {"operationId": name, "parameters": parameters, "responses": responses}}
        for path, (parameters, name, responses) in paths.items()
    }
    return _kites(made)


@pytest.mark.parametrize("word", ["boxes", "boxesV2"])
def test_what_is_in_something_numbered_is_listed_by_the_whole_way(
    tmp_path: Path, word: str
) -> None:
    draft = draft_of(doc_of(tmp_path, _boxes(word)))
    session = session_of(draft)
    kites = value(session.call("list_kites", {}))
    ways = [
        {"kite_id": kite["kite_id"], "box_number": box["number"]}
        for kite in kites
        for box in value(session.call("list_boxes", {"kite_id": kite["kite_id"]}))
    ]
    found = {json.dumps(way): value(session.call("list_reels", way)) for way in ways}
    way, reels = next((json.loads(way), reels) for way, reels in found.items() if reels)
    got = value(session.call("get_reel", {**way, "reel_id": reels[0]["id"]}))
    assert got == reels[0]
    other = {**way, "box_number": 10_000}
    assert session.call("list_reels", other).failure == "not_found"


SECRET = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": TEXT},
}


def _secrets(told: str, **taken: str) -> dict[str, Any]:
    given = {name: {**TEXT, "description": text} for name, text in taken.items()}
    needed = [name for name in given if name.endswith("id")]
    asked = {"type": "object", "properties": given, **({"required": needed} if needed else {})}
    listed = {"type": "array", "items": {"$ref": "#/components/schemas/Secret"}}
    got = {"operationId": "get_secret", "responses": answer(SECRET)}
    put = {
        "operationId": "put_secret",
        "description": told,
        "requestBody": body(asked),
        "responses": DONE,
    }
    keyed = {"parameters": _in("secret_name"), "get": got, "put": put}
    paths = {
        "/secrets": {"get": {"operationId": "list_secrets", "responses": answer(listed)}},
        "/secrets/{secret_name}": keyed,
    }
    spec = _kites({})
    spec["paths"] |= paths
    spec["components"]["schemas"]["Secret"] = SECRET
    return spec


def test_a_value_that_the_first_words_name_is_taken_though_nothing_shows_it(
    tmp_path: Path,
) -> None:
    told = "Creates or updates a secret with a sealed value."
    draft = draft_of(doc_of(tmp_path, _secrets(told, sealed_value="the value")))
    assert set(tool(draft, "put_secret").parameters["properties"]) == {
        "secret_name",
        "sealed_value",
    }
    session = session_of(draft)
    value(session.call("put_secret", {"secret_name": "A", "sealed_value": "x"}))
    assert value(session.call("get_secret", {"secret_name": "A"})) == {"name": "A"}
    silent = _secrets("Creates or updates a secret.", sealed_value="the value")
    assert why_left_out(draft_of(doc_of(tmp_path, silent)), "put_secret")


def test_the_id_of_what_a_value_is_encrypted_with_names_no_record(tmp_path: Path) -> None:
    told = "Creates or updates a secret with a sealed value."
    for text, kept in (("The kite used to encrypt the value.", True), ("The kite.", False)):
        spec = _secrets(told, sealed_value="the value", seal_id=text)
        draft = draft_of(doc_of(tmp_path, spec))
        assert bool(why_left_out(draft, "put_secret")) is not kept


def test_a_list_of_updates_is_not_what_the_record_then_holds(tmp_path: Path) -> None:
    marks = {"type": "array", "items": TEXT}
    record = {**KITE, "properties": {**KITE["properties"], "marks": marks}}
    for told, kept in (("The marks.", True), ("A list of updates to apply.", False)):
        given = {"type": "object", "properties": {"marks": {**marks, "description": told}}}
        spec = _kites({}, record)
        spec["paths"]["/kites/{kite_id}"]["patch"]["requestBody"] = body(given)
        draft = draft_of(doc_of(tmp_path, spec))
        assert bool(why_left_out(draft, "update_kite")) is not kept


def test_a_create_that_may_answer_what_is_there_is_left_out(tmp_path: Path) -> None:
    spec = _kites({})
    told = "If a kite of that name already exists, the existing kite is returned."
    spec["paths"]["/kites"]["post"]["description"] = told
    assert why_left_out(draft_of(doc_of(tmp_path, spec)), "create_kite")
