"""Single rules of the structural author, each on a small document of its own."""

from pathlib import Path
from typing import Any

import pytest

from forge.env.sandbox.source import check_source
from forge.env.session import World
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
GOAL: dict[str, Any] = {
    "type": "object",
    "required": ["title"],
    "properties": {
        "goal_id": {"type": "string", "readOnly": True},
        "title": TEXT,
        "state": {"type": "string", "enum": ["open", "done"], "default": "open", "readOnly": True},
        "archived": {"type": "boolean", "default": False, "readOnly": True},
        "done_at": {"type": "string", "format": "date-time", "nullable": True, "readOnly": True},
        "weight": {"type": "integer", "minimum": 0},
        "due_on": {"type": "string", "format": "date"},
        "created_at": {"type": "string", "format": "date-time", "readOnly": True},
    },
}
KEY = [{"name": "goal_id", "in": "path", "required": True, "schema": TEXT}]
RECORD = {"$ref": "#/components/schemas/Goal"}


def _action(name: str, **more: Any) -> dict[str, Any]:
    operation = {"operationId": f"{name}_goal", "responses": answer(RECORD), **more}
    return {f"/goals/{{goal_id}}/{name}": {"parameters": KEY, "post": operation}}


def _query(**filters: Any) -> dict[str, Any]:
    """A second list, with these arguments."""
    parameters = [
        {"name": name, "in": "query", **(more if "schema" in more else {"schema": more})}
        for name, more in filters.items()
    ]
    listed = {"type": "array", "items": RECORD}
    operation = {"operationId": "find_goals", "parameters": parameters, "responses": answer(listed)}
    return {"/v2/goals": {"get": operation}}


def test_a_verb_whose_state_a_column_has_is_a_transition(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, crud("goal", GOAL, _action("complete"))))
    made = effect(draft, "complete_goal")
    assert made.sets == {"state": "done", "done_at": "$now"}
    [done_at] = [c for c in table(draft.state_schema, "goals").columns if c.name == "done_at"]
    assert done_at.compare == "ignore"
    assert [(r.column, r.op, r.value) for r in made.requires] == [("state", "ne", "done")]


def test_a_flag_named_for_the_verb_is_set_and_unset(tmp_path: Path) -> None:
    extra = {**_action("archive"), **_action("unarchive")}
    draft = draft_of(doc_of(tmp_path, crud("goal", GOAL, extra)))
    assert effect(draft, "archive_goal").sets == {"archived": True}
    assert effect(draft, "unarchive_goal").sets == {"archived": False}


@pytest.mark.parametrize("verb", ["remind", "duplicate", "merge", "capture", "recalculate"])
def test_a_verb_that_no_column_shows_is_left_out(tmp_path: Path, verb: str) -> None:
    draft = draft_of(doc_of(tmp_path, crud("goal", GOAL, _action(verb))))
    assert verb in why_left_out(draft, f"{verb}_goal")


def test_a_documented_refusal_says_what_must_hold(tmp_path: Path) -> None:
    refused = {"409": {"description": "Only a goal with state `open` can be completed."}}
    extra = _action("complete", responses={**answer(RECORD), **refused})
    draft = draft_of(doc_of(tmp_path, crud("goal", GOAL, extra)))
    assert [(r.column, r.op, r.value) for r in effect(draft, "complete_goal").requires] == [
        ("state", "eq", "open")
    ]


def test_a_required_argument_without_a_meaning_leaves_the_action_out(tmp_path: Path) -> None:
    reason = body({"type": "object", "required": ["mood"], "properties": {"mood": TEXT}})
    draft = draft_of(doc_of(tmp_path, crud("goal", GOAL, _action("complete", requestBody=reason))))
    assert "mood" in why_left_out(draft, "complete_goal")


@pytest.mark.parametrize(
    ("name", "schema", "column", "op"),
    [
        ("state", {"type": "string", "enum": ["open", "done"]}, "state", "eq"),
        ("states", {"type": "array", "items": TEXT}, "state", "in"),
        ("state", {"type": "array", "items": TEXT}, "state", "in"),
        ("due_before", {"type": "string", "format": "date"}, "due_on", "lt"),
        ("due_after", {"type": "string", "format": "date"}, "due_on", "gt"),
        ("due_since", {"type": "string", "format": "date"}, "due_on", "ge"),
        ("due_until", {"type": "string", "format": "date"}, "due_on", "le"),
        ("min_weight", {"type": "integer"}, "weight", "ge"),
        ("weight_max", {"type": "integer"}, "weight", "le"),
        ("created_after", {"type": "string", "format": "date-time"}, "created_at", "gt"),
    ],
)
def test_a_filter_is_the_column_and_comparison_that_it_names(
    tmp_path: Path, name: str, schema: dict[str, Any], column: str, op: str
) -> None:
    draft = draft_of(doc_of(tmp_path, crud("goal", GOAL, _query(**{name: schema}))))
    [match] = effect(draft, "find_goals").match.values()
    assert (match.column, match.op) == (column, op)


def test_a_search_looks_in_the_one_text_that_it_says(tmp_path: Path) -> None:
    told = {"schema": TEXT, "description": "Goals whose title contains this."}
    draft = draft_of(doc_of(tmp_path, crud("goal", GOAL, _query(q=told))))
    match = effect(draft, "find_goals").match["q"]
    assert (match.column, match.op) == ("title", "icontains")


def test_an_argument_without_a_meaning_is_dropped_or_leaves_the_list_out(tmp_path: Path) -> None:
    loose = draft_of(doc_of(tmp_path, crud("goal", GOAL, _query(q=TEXT, pretty=TEXT, mood=TEXT))))
    assert tool(loose, "find_goals").parameters["properties"] == {}
    needed = {"schema": TEXT, "required": True}
    strict = draft_of(doc_of(tmp_path, crud("goal", GOAL, _query(mood=needed))))
    assert "mood" in why_left_out(strict, "find_goals")


def test_pages_by_cursor_lead_to_the_end(tmp_path: Path) -> None:
    envelope = {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": RECORD},
            "next_cursor": {"type": "string", "nullable": True},
            "total": {"type": "integer"},
        },
    }
    extra = _query(limit={"type": "integer"}, cursor=TEXT)
    extra["/v2/goals"]["get"]["responses"] = answer(envelope)
    draft = draft_of(doc_of(tmp_path, crud("goal", GOAL, extra)))
    session = session_of(draft)
    everything = [g["goal_id"] for g in value(session.call("list_goals", {}))]
    seen: list[str] = []
    cursor = None
    while True:
        arguments = {"limit": 5} if cursor is None else {"limit": 5, "cursor": cursor}
        part = value(session.call("find_goals", arguments))
        assert part["total"] == len(everything)
        seen += [goal["goal_id"] for goal in part["items"]]
        cursor = part["next_cursor"]
        if cursor is None:
            break
    assert seen == everything
    assert effect(draft, "find_goals").result == ("items",)


def test_a_put_that_asks_for_the_record_replaces_it(tmp_path: Path) -> None:
    put = {"operationId": "replace_goal", "requestBody": body(RECORD), "responses": answer(RECORD)}
    document = crud("goal", GOAL)
    document["paths"]["/goals/{goal_id}"]["put"] = put
    draft = draft_of(doc_of(tmp_path, document))
    session = session_of(draft)
    made = value(session.call("create_goal", {"title": "Swim", "weight": 3}))
    arguments = {"goal_id": made["goal_id"], "title": "Run"}
    assert "weight" not in value(session.call("replace_goal", arguments))
    assert effect(draft, "replace_goal").replaces
    assert not effect(draft, "update_goal").replaces


def test_a_put_that_may_leave_out_what_a_record_must_have_keeps_it(tmp_path: Path) -> None:
    goal = {**GOAL, "required": [*GOAL.get("required", []), "goal_id", "title", "weight"]}
    weighed = {"title": TEXT, "weight": {"type": "integer"}}
    asked = {"type": "object", "required": ["title"], "properties": weighed}
    put = {"operationId": "put_goal", "requestBody": body(asked), "responses": answer(goal)}
    document = crud("goal", goal)
    document["paths"]["/goals/{goal_id}"]["put"] = put
    draft = draft_of(doc_of(tmp_path, document))
    session = session_of(draft)
    made = value(session.call("create_goal", {"title": "Swim", "weight": 3}))
    arguments = {"goal_id": made["goal_id"], "title": "Run"}
    assert value(session.call("put_goal", arguments))["weight"] == 3
    assert not effect(draft, "put_goal").replaces


def test_what_the_server_makes_is_made_and_no_argument(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, crud("goal", GOAL)))
    assert set(tool(draft, "create_goal").parameters["properties"]) == {"title", "weight", "due_on"}
    made = value(session_of(draft).call("create_goal", {"title": "Swim"}))
    assert made["state"] == "open"
    assert made["created_at"] == "2026-03-02T09:00:00Z"


def _nested() -> dict[str, Any]:
    """Members of a club under numbers of their own, and the club that they go with."""
    club = {
        "type": "object",
        "required": ["name"],
        "properties": {"club_id": {"type": "string", "readOnly": True}, "name": TEXT},
    }
    seat = {
        "type": "object",
        "required": ["color"],
        "properties": {
            "number": {"type": "integer", "readOnly": True},
            "color": {"type": "string", "enum": ["red", "blue"]},
        },
    }
    record = {"$ref": "#/components/schemas/Seat"}
    key = [{"name": "club_id", "in": "path", "required": True, "schema": TEXT}]
    number = [
        *key,
        {"name": "number", "in": "path", "required": True, "schema": {"type": "integer"}},
    ]
    extra: dict[str, Any] = {
        "/clubs/{club_id}/seats": {
            "parameters": key,
            "get": {
                "operationId": "list_seats",
                "responses": answer({"type": "array", "items": record}),
            },
            "post": {
                "operationId": "add_seat",
                "requestBody": body(record),
                "responses": answer(record),
            },
        },
        "/clubs/{club_id}/seats/{number}": {
            "parameters": number,
            "get": {"operationId": "get_seat", "responses": answer(record)},
            "delete": {"operationId": "remove_seat", "responses": {"204": {"description": "x"}}},
        },
    }
    document = crud("club", club, extra)
    document["components"]["schemas"]["Seat"] = seat
    return document


def test_numbers_are_counted_within_what_they_are_nested_in(tmp_path: Path) -> None:
    draft = draft_of(doc_of(tmp_path, _nested()))
    assert table(draft.state_schema, "seats").key == ("club_id", "number")
    state = {"clubs": {c: {"club_id": c, "name": c} for c in ("a", "b")}, "seats": {}}
    session = session_of(draft, state)
    numbers = [
        value(session.call("add_seat", {"club_id": club, "color": "red"}))["number"]
        for club in ("a", "a", "b")
    ]
    assert numbers == [1, 2, 1]
    assert value(session.call("get_seat", {"club_id": "b", "number": 1})) == {
        "number": 1,
        "color": "red",
    }
    assert session.call("get_seat", {"club_id": "b", "number": 2}).failure == "not_found"
    assert session.call("list_seats", {"club_id": "z"}).failure == "not_found"
    value(session.call("delete_club", {"club_id": "a"}))
    assert list(session.state()["seats"]) == ["b/1"]
    assert effect(draft, "delete_club").cascades == ("seats",)


def test_hostile_text_never_becomes_code(tmp_path: Path) -> None:
    nasty = "'''\"\"\"\n    import os\\N{DASH} {x!r} </script> \\"
    goal = {**GOAL, "description": nasty}
    goal["properties"] = {
        **GOAL["properties"],
        "class": {"type": "string", "enum": [nasty, "def"], "description": nasty},
        "__class__": TEXT,
        "limit": {"type": "integer"},
        "a b'": TEXT,
        "find": TEXT,
    }
    document = crud("goal", goal, _query(sort={"type": "string", "enum": ["title", nasty]}))
    document["paths"]["/goals"]["post"]["summary"] = nasty
    document["paths"]["/goals"]["post"]["description"] = nasty * 300
    draft = draft_of(doc_of(tmp_path, document))
    environment = environment_of(draft)
    assert check_source(environment.source, [t.name for t in draft.tools]) == []
    assert len(tool(draft, "create_goal").description) < 1000
    names = {column: name for name, column in effect(draft, "create_goal").fields.items()}
    arguments = {names[c]: v for c, v in {"title": nasty, "class": nasty, "limit": 3}.items()}
    results = []
    for kind in ("native", "monty"):
        with World(environment, sandbox=kind) as world:  # type: ignore[arg-type]
            session = world.open("only")
            results.append(value(session.call("create_goal", arguments)))
            value(session.call("find_goals", {"sort": "title"}))
    assert results[0] == results[1]
    assert results[0]["class"] == nasty
    assert results[0]["limit"] == 3


def test_arguments_may_be_named_like_anything_in_a_function(tmp_path: Path) -> None:
    names = [
        "row",
        "rows",
        "item",
        "items",
        "order",
        "part",
        "total",
        "found",
        "kept",
        "keys",
        "holder",
        "answer",
        "name",
        "key",
    ]
    goal = {**GOAL, "properties": {**GOAL["properties"], **dict.fromkeys(names, TEXT)}}
    filters: dict[str, Any] = dict.fromkeys(names, TEXT)
    filters |= {"sort_by": {"type": "string", "enum": ["title"]}, "page": {"type": "integer"}}
    document = crud("goal", goal, _query(**filters))
    put = {"operationId": "replace_goal", "requestBody": body(RECORD), "responses": answer(RECORD)}
    document["paths"]["/goals/{goal_id}"]["put"] = put
    session = session_of(draft_of(doc_of(tmp_path, document)))
    values = {name: f"a {name}" for name in names}
    made = value(session.call("create_goal", {"title": "Swim", **values}))
    assert {name: made[name] for name in names} == values
    wanted = {"sort_by": "title", "page_number": 1, **values}
    assert value(session.call("find_goals", wanted)) == [made]
    changed = {"goal_id": made["goal_id"], "title": "Run", "row": "b"}
    assert value(session.call("update_goal", changed))["row"] == "b"
    replaced = value(session.call("replace_goal", changed))
    assert (replaced["row"], replaced.get("kept")) == ("b", None)


@pytest.mark.parametrize("last", ["search", "login", "export", "upgrade"])
def test_a_post_that_does_something_makes_no_record_of_it(tmp_path: Path, last: str) -> None:
    asked = body({"type": "object", "properties": {"text": TEXT}})
    operation = {"operationId": f"do_{last}", "requestBody": asked, "responses": answer(TEXT)}
    for path in (f"/{last}", f"/goals/{{goal_id}}/{last}"):
        parameters = KEY if "{" in path else []
        extra = {path: {"parameters": parameters, "post": operation}}
        draft = draft_of(doc_of(tmp_path, crud("goal", GOAL, extra)))
        assert why_left_out(draft, f"do_{last}")
        assert [t.name for t in draft.state_schema.tables] == ["goals"]
