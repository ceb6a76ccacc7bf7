"""Sets of records that no answer shows: put in, taken out, asked for, listed. Small documents."""

from pathlib import Path
from typing import Any

import pytest

from forge.authors.author import Draft
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
DONE = {"204": {"description": "done"}}
GONE = {**DONE, "404": {"description": "not found"}}


def _record(noun: str, **more: Any) -> dict[str, Any]:
    own = {f"{noun}_id": {**TEXT, "readOnly": True}, "name": TEXT}
    return {"type": "object", "required": ["name"], "properties": {**own, **more}}


def _in(*names: str) -> list[dict[str, Any]]:
    return [{"name": n, "in": "path", "required": True, "schema": TEXT} for n in names]


def _people() -> dict[str, Any]:
    return crud("user", _record("user"))


def _teams(extra: dict[str, Any]) -> dict[str, Any]:
    """Teams and users, and `extra` paths."""
    spec, other = crud("team", _record("team"), extra), _people()
    spec["paths"] |= other["paths"]
    spec["components"]["schemas"] |= other["components"]["schemas"]
    return spec


USERS = {"type": "array", "items": {"$ref": "#/components/schemas/User"}}
TEAMS = {"type": "array", "items": {"$ref": "#/components/schemas/Team"}}
LISTED = {"operationId": "list_members", "parameters": _in("team_id"), "responses": answer(USERS)}
BOTH = _in("team_id", "user_id")
MEMBERS: dict[str, Any] = {
    "/teams/{team_id}/members": {"get": LISTED},
    "/teams/{team_id}/members/{user_id}": {
        "parameters": BOTH,
        "put": {"operationId": "put_member", "responses": DONE},
        "delete": {"operationId": "take_member", "responses": DONE},
        "get": {"operationId": "is_member", "responses": GONE},
    },
}


def _made(draft: Draft) -> tuple[Any, str, str]:
    session = session_of(draft)
    team = value(session.call("create_team", {"name": "Ops"}))["team_id"]
    user = value(session.call("create_user", {"name": "Kim"}))["user_id"]
    return session, team, user


def test_a_set_by_paths_is_put_in_asked_for_listed_and_taken_out(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _teams(MEMBERS)))
    session, team, user = _made(draft)
    both = {"team_id": team, "user_id": user}
    assert session.call("is_member", both).failure == "not_found"
    assert value(session.call("put_member", both)) is None
    assert value(session.call("is_member", both)) is None
    assert value(session.call("list_members", {"team_id": team}))[0]["name"] == "Kim"
    before = session.state()
    value(session.call("put_member", both))
    assert session.state() == before
    value(session.call("take_member", both))
    assert value(session.call("list_members", {"team_id": team})) == []


def test_what_a_set_is_asked_for_must_be_there(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _teams(MEMBERS)))
    session, team, user = _made(draft)
    for name in ("put_member", "take_member", "is_member"):
        assert session.call(name, {"team_id": team, "user_id": "none"}).failure == "not_found"
        assert session.call(name, {"team_id": "none", "user_id": user}).failure == "not_found"


def test_taking_out_what_is_not_in_is_refused_where_the_document_says_so(tmp_path: Path) -> None:
    paths = {path: dict(each) for path, each in MEMBERS.items()}
    taken = {"operationId": "take_member", "responses": GONE}
    paths["/teams/{team_id}/members/{user_id}"]["delete"] = taken
    session, team, user = _made(draft_of(doc_of(tmp_path, _teams(paths))))
    refused = session.call("take_member", {"team_id": team, "user_id": user})
    assert refused.failure == "not_found"


def test_no_answer_shows_a_hidden_set_and_effects_say_what_is_put_in(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _teams(MEMBERS)))
    [column] = [c for c in table(draft.state_schema, "teams").columns if c.name == "members"]
    assert column.compare == "unordered"
    returns = tool(draft, "get_team").returns
    assert returns is not None and "members" not in returns["properties"]
    made = effect(draft, "put_member")
    assert (made.verb, made.table, made.fields) == ("add", "teams", {"user_id": "members"})
    rows = environment_of(draft).bases["only"]["teams"].values()
    assert any(row["members"] for row in rows)


def test_all_tools_of_a_set_pass_the_tool_checks(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _teams(MEMBERS)))
    checks = check_tools(environment_of(draft))
    assert {n: c.checks for n, c in checks.items() if not c.passed} == {}


def test_a_record_that_is_made_in_another_is_no_tie(tmp_path: Path) -> None:
    note = {"type": "object", "properties": {"text": TEXT}}
    made = {"operationId": "put_note", "requestBody": body(note), "responses": DONE}
    gone = {"operationId": "drop_note", "responses": DONE}
    path = {"parameters": _in("team_id", "note_id"), "put": made, "delete": gone}
    draft = draft_of(doc_of(tmp_path, _teams({"/teams/{team_id}/notes/{note_id}": path})))
    assert why_left_out(draft, "put_note") and why_left_out(draft, "drop_note")


def _verb(name: str, field: str, schema: dict[str, Any]) -> dict[str, Any]:
    takes = {"type": "object", "required": [field], "properties": {field: schema}}
    operation = {"operationId": name, "requestBody": body(takes), "responses": DONE}
    return {"parameters": _in("team_id"), "post": operation}


@pytest.mark.parametrize("schema", [TEXT, {"type": "array", "items": TEXT}])
def test_verbs_that_add_and_remove_share_a_set(tmp_path: Path, schema: dict[str, Any]) -> None:
    paths = {
        "/teams/{team_id}/addUser": _verb("add_user", "user", schema),
        "/teams/{team_id}/removeUser": _verb("remove_user", "user", schema),
    }
    session, team, user = _made(draft_of(doc_of(tmp_path, _teams(paths))))
    item: Any = user if schema is TEXT else [user]
    value(session.call("add_user", {"team_id": team, "user": item}))
    assert session.state()["teams"][team]["users"] == [user]
    value(session.call("remove_user", {"team_id": team, "user": item}))
    assert session.state()["teams"][team]["users"] == []


def test_an_add_alone_shows_no_set(tmp_path: Path) -> None:
    paths = {"/teams/{team_id}/addUser": _verb("add_user", "user", TEXT)}
    draft = draft_of(doc_of(tmp_path, _teams(paths)))
    assert "no list of its users" in why_left_out(draft, "add_user")


def test_the_other_end_of_a_tie_is_the_same_tie(tmp_path: Path) -> None:
    listed = {"operationId": "teams_of", "parameters": _in("user_id"), "responses": answer(TEAMS)}
    paths = {
        "/teams/{team_id}/addUser": _verb("add_user", "user", TEXT),
        "/teams/{team_id}/removeUser": _verb("remove_user", "user", TEXT),
        "/users/{user_id}/teams": {"get": listed},
    }
    draft = draft_of(doc_of(tmp_path, _teams(paths)))
    session, team, user = _made(draft)
    assert value(session.call("teams_of", {"user_id": user})) == []
    value(session.call("add_user", {"team_id": team, "user": user}))
    assert [t["name"] for t in value(session.call("teams_of", {"user_id": user}))] == ["Ops"]
    assert effect(draft, "teams_of").match["user_id"].op == "has"


def test_a_list_alone_is_a_set_of_people_and_nothing_else(tmp_path: Path) -> None:
    kites = crud("kite", _record("kite"))
    shown = {"type": "array", "items": {"$ref": "#/components/schemas/Kite"}}
    near = {"operationId": "near", "parameters": _in("team_id"), "responses": answer(shown)}
    paths = {
        "/teams/{team_id}/watchers": {"get": {**LISTED, "operationId": "watchers"}},
        "/teams/{team_id}/neighbours": {"get": near},
    }
    spec = _teams(paths)
    spec["paths"] |= kites["paths"]
    spec["components"]["schemas"] |= kites["components"]["schemas"]
    draft = draft_of(doc_of(tmp_path, spec))
    session = session_of(draft)
    teams = session.state()["teams"]
    team = next(key for key, row in teams.items() if row["watchers"])
    listed = value(session.call("watchers", {"team_id": team}))
    assert {user["user_id"] for user in listed} == set(teams[team]["watchers"])
    assert why_left_out(draft, "near")


def test_a_set_of_the_one_who_asks_is_kept_at_their_own_record(tmp_path: Path) -> None:
    me = {"operationId": "who", "responses": answer({"$ref": "#/components/schemas/User"})}
    followed = {"operationId": "followed", "responses": answer(USERS)}
    spec = _people()
    spec["paths"] |= {
        "/me": {"get": me},
        "/me/following": {"get": followed},
        "/me/following/{user_id}": {
            "parameters": _in("user_id"),
            "put": {"operationId": "follow", "responses": DONE},
            "delete": {"operationId": "unfollow", "responses": DONE},
        },
    }
    draft = draft_of(doc_of(tmp_path, spec))
    users = environment_of(draft).bases["only"]["users"]
    actor, other = sorted(users)[:2]
    session = session_of(draft, actor=actor)
    value(session.call("follow", {"user_id": other}))
    assert other in [user["user_id"] for user in value(session.call("followed", {}))]
    value(session.call("unfollow", {"user_id": other}))
    assert other not in [user["user_id"] for user in value(session.call("followed", {}))]


def test_a_set_that_only_some_holders_have_is_refused_for_the_others(tmp_path: Path) -> None:
    kite = {
        "type": "object",
        "required": ["name", "access"],
        "properties": {
            "kite_id": {"type": "string", "readOnly": True},
            "name": {"type": "string"},
            "access": {"type": "string", "enum": ["all", "selected"]},
        },
    }
    flyer = {
        "type": "object",
        "required": ["name"],
        "properties": {
            "flyer_id": {"type": "string", "readOnly": True},
            "name": {"type": "string"},
        },
    }
    spec = crud("kite", kite)
    other = crud("flyer", flyer)
    spec["paths"] |= other["paths"]
    spec["components"]["schemas"] |= other["components"]["schemas"]
    keys = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in ("kite_id", "flyer_id")
    ]
    gone = {"204": {"description": "done"}}
    refused = {"409": {"description": "Conflict when access is not set to selected"}}
    flyers = {"type": "array", "items": {"$ref": "#/components/schemas/Flyer"}}
    spec["paths"]["/kites/{kite_id}/flyers"] = {
        "get": {
            "operationId": "list_kite_flyers",
            "parameters": keys[:1],
            "responses": answer(flyers),
        }
    }
    spec["paths"]["/kites/{kite_id}/flyers/{flyer_id}"] = {
        "parameters": keys,
        "put": {"operationId": "put_it", "responses": {**gone, **refused}},
        "delete": {"operationId": "take_it", "responses": {**gone, **refused}},
    }
    session = session_of(draft_of(doc_of(tmp_path, spec)))
    someone = value(session.call("create_flyer", {"name": "Ada"}))["flyer_id"]
    for access, failure in (("all", "conflict"), ("selected", None)):
        kite_id = value(session.call("create_kite", {"name": access, "access": access}))["kite_id"]
        done = session.call("put_it", {"kite_id": kite_id, "flyer_id": someone})
        assert done.failure == failure
