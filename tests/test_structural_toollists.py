"""Environments of tool lists: what names and arguments tell of records, and what they do not."""

import re
from pathlib import Path
from typing import Any

import pytest

from forge.authors.author import Draft
from forge.authors.structural.author import StructuralAuthor
from forge.synth.build import build
from tests.documents import doc_of
from tests.places import CORPUS
from tests.structural import (
    draft_of,
    drafts,
    effect,
    session_of,
    table,
    tool,
    value,
    why_left_out,
)

Field = dict[str, Any]
TEXT: Field = {"type": "string"}
NUMBER: Field = {"type": "number"}


def listed(
    name: str, fields: dict[str, Field] | None = None, needed: str = "", **more: Any
) -> dict[str, Any]:
    schema = {"type": "object", "properties": fields or {}, "required": needed.split()}
    return {"name": name, "description": name.replace("_", " "), "parameters": schema, **more}


def draft(folder: Path, *tools: dict[str, Any]) -> Draft:
    return draft_of(doc_of(folder, list(tools), "notes.json"))


def names(made: Draft) -> set[str]:
    return {each.name for each in made.tools}


NOTES = (
    listed("create_note", {"title": TEXT, "text": TEXT, "notify": {"type": "boolean"}}, "title"),
    listed("get_note", {"note_id": TEXT}, "note_id"),
    listed(
        "update_note",
        {"note_id": TEXT, "title": TEXT, "state": {"type": "string", "enum": ["open", "done"]}},
        "note_id",
    ),
    listed(
        "list_notes",
        {"state": {"type": "string", "enum": ["open", "done", "all"]}, "limit": NUMBER},
    ),
    listed("delete_note", {"note_id": TEXT}, "note_id"),
)


def test_tools_that_make_get_change_and_list_tell_what_a_record_holds(tmp_path):
    made = draft(tmp_path, *NOTES)
    assert names(made) == {"create_note", "get_note", "update_note", "list_notes", "delete_note"}
    columns = [column.name for column in table(made.state_schema, "notes").columns]
    assert columns == ["note_id", "title", "text", "state"]
    session = session_of(made, {"notes": {}})
    note = value(session.call("create_note", {"title": "Milk"}))
    assert (note["title"], note["state"]) == ("Milk", "open")
    value(session.call("update_note", {"note_id": note["note_id"], "state": "done"}))
    assert value(session.call("list_notes", {"state": "open"})) == []
    assert value(session.call("get_note", {"note_id": note["note_id"]}))["state"] == "done"
    value(session.call("delete_note", {"note_id": note["note_id"]}))
    assert session.call("get_note", {"note_id": note["note_id"]}).failure == "not_found"


def test_a_tool_of_a_list_is_known_by_its_name(tmp_path):
    made = draft(tmp_path, *NOTES, listed("think", {"thought": TEXT}, "thought"))
    assert {each.operation for each in made.tools} == names(made)
    assert [left.operation for left in made.left_out] == ["think"]


def test_what_is_only_told_to_a_tool_is_no_part_of_the_record(tmp_path):
    parameters = tool(draft(tmp_path, *NOTES), "create_note").parameters["properties"]
    assert set(parameters) == {"title", "text"}


def test_what_a_filter_bounds_is_no_column_of_the_bounds_name(tmp_path):
    bounds = {name: TEXT | {"description": "Filter by date"} for name in ("since", "due_before")}
    filters = {"place": TEXT | {"description": "Filter by place"}, **bounds}
    made = draft(tmp_path, *NOTES[:3], listed("list_notes", filters))
    columns = [column.name for column in table(made.state_schema, "notes").columns]
    assert columns == ["note_id", "title", "text", "state", "place"]
    assert list(tool(made, "list_notes").parameters["properties"]) == ["place"]


def test_a_noun_that_no_tool_makes_has_no_records(tmp_path):
    made = draft(
        tmp_path,
        listed("get_user_details", {"user_id": TEXT}, "user_id"),
        listed("list_airports"),
        listed("calculate", {"expression": TEXT}, "expression"),
    )
    assert made.tools == ()
    assert "do not show what a record of it holds" in why_left_out(made, "get_user_details")


def test_what_is_paid_for_is_left_out(tmp_path):
    booking = {"user": TEXT, "payment_id": TEXT}
    made = draft(
        tmp_path,
        listed("book_reservation", booking, "user payment_id"),
        listed("get_reservation", {"reservation_id": TEXT}, "reservation_id"),
    )
    assert made.tools == ()


def test_a_lone_tool_that_makes_something_nobody_sees_is_left_out(tmp_path):
    made = draft(tmp_path, *NOTES, listed("create_branch", {"from_branch": TEXT}, "from_branch"))
    assert "create_branch" not in names(made)


def test_what_is_made_inside_of_a_record_asks_for_one_that_is_there(tmp_path):
    comment = listed("add_comment", {"noteId": TEXT, "body": TEXT}, "noteId body")
    made = draft(tmp_path, *NOTES, comment)
    session = session_of(made, {"notes": {"n1": {"note_id": "n1", "title": "A", "state": "open"}}})
    assert value(session.call("add_comment", {"note_id": "n1", "body": "Yes"}))["body"] == "Yes"
    assert session.call("add_comment", {"note_id": "n2", "body": "Yes"}).failure == "not_found"


def test_arguments_that_all_tools_ask_for_are_where_the_records_are(tmp_path):
    """`owner` and `repo`: numbers are counted within them."""
    place = {"owner": TEXT, "repo": TEXT}
    made = draft(
        tmp_path,
        listed("create_ticket", {**place, "title": TEXT}, "owner repo title"),
        listed("get_ticket", {**place, "ticket_number": NUMBER}, "owner repo ticket_number"),
        listed("list_tickets", place, "owner repo"),
        listed(
            "add_ticket_note",
            {**place, "ticket_number": NUMBER, "text": TEXT},
            "owner repo ticket_number text",
        ),
    )
    assert table(made.state_schema, "tickets").key == ("owner", "repo", "ticket_number")
    repos = {f"ann/{name}": {"owner": "ann", "repo": name} for name in ("a", "b")}
    session = session_of(made, {"repos": repos, "tickets": {}, "ticket_notes": {}})
    for name in ("a", "b"):
        ticket = {"owner": "ann", "repo": name, "title": name}
        assert value(session.call("create_ticket", ticket))["ticket_number"] == 1
    listing = value(session.call("list_tickets", {"owner": "ann", "repo": "a"}))
    assert [row["title"] for row in listing] == ["a"]
    assert session.call("list_tickets", {"owner": "bo", "repo": "a"}).failure == "not_found"
    note = {"owner": "ann", "repo": "b", "ticket_number": 1, "text": "Yes"}
    assert value(session.call("add_ticket_note", note))["text"] == "Yes"
    missing = session.call("add_ticket_note", {**note, "ticket_number": 2})
    assert missing.failure == "not_found"


def test_a_beginning_that_all_names_share_says_nothing_of_each(tmp_path):
    made = draft(tmp_path, *({**each, "name": f"acme_{each['name']}"} for each in NOTES))
    assert names(made) == {f"acme_{each['name']}" for each in NOTES}
    assert [each.name for each in made.state_schema.tables] == ["notes"]


def test_a_store_of_values_under_keys_is_one(tmp_path):
    pair = {"key": TEXT, "value": TEXT}
    made = draft(
        tmp_path,
        listed("cache_add", pair, "key value"),
        listed("cache_replace", pair, "key value"),
        listed("cache_retrieve", {"key": TEXT}, "key"),
        listed("cache_remove", {"key": TEXT}, "key"),
        listed("cache_clear"),
    )
    assert names(made) == {"cache_add", "cache_replace", "cache_retrieve", "cache_remove"}
    session = session_of(made, {"caches": {}})
    value(session.call("cache_add", {"key": "a", "value": "1"}))
    assert session.call("cache_add", {"key": "a", "value": "2"}).failure == "conflict"
    value(session.call("cache_replace", {"key": "a", "value": "3"}))
    assert value(session.call("cache_retrieve", {"key": "a"}))["value"] == "3"
    assert session.call("cache_replace", {"key": "b", "value": "3"}).failure == "not_found"


def test_an_answer_about_the_call_is_no_record(tmp_path):
    said = {
        "type": "object",
        "properties": {"status": {"type": "string", "description": "Status of the operation."}},
    }
    made = draft(tmp_path, *({**each, "response": said} for each in NOTES[:3]), *NOTES[3:])
    columns = [column.name for column in table(made.state_schema, "notes").columns]
    assert "status" not in columns
    session = session_of(made, {"notes": {}})
    assert set(value(session.call("create_note", {"title": "Milk"}))) == {"status"}


def answered(**properties: Field) -> Field:
    return {"type": "object", "properties": properties}


NOTED = {"status": {**TEXT, "description": "Status of the operation."}}
SETTINGS = (
    listed("setting_add", {"key": TEXT, "value": TEXT}, "key value"),
    listed("setting_remove", {"key": TEXT}, "key"),
    listed("setting_retrieve", {"key": TEXT}, "key", outputSchema=answered(value=TEXT)),
    listed("setting_list_keys", outputSchema=answered(keys={"type": "array", "items": TEXT})),
    listed("setting_clear", outputSchema=answered(**NOTED))
    | {"description": "Clear all settings. This cannot be undone."},
)
SET = {"settings": {key: {"key": key, "value": "dark"} for key in ("theme", "zoom")}}


def test_an_answer_that_shows_no_key_is_given_without_it(tmp_path):
    session = session_of(draft(tmp_path, *SETTINGS), SET)
    assert value(session.call("setting_retrieve", {"key": "theme"})) == {"value": "dark"}


def test_a_list_of_plain_values_has_them_of_each_record(tmp_path):
    made = draft(tmp_path, *SETTINGS)
    assert effect(made, "setting_list_keys").shows == {"key": ()}
    session = session_of(made, SET)
    assert value(session.call("setting_list_keys", {})) == {"keys": ["theme", "zoom"]}


def test_a_list_of_values_that_no_column_has_is_left_out(tmp_path):
    owners = listed(
        "setting_list_owners", outputSchema=answered(owners={"type": "array", "items": TEXT})
    )
    made = draft(tmp_path, *SETTINGS, owners)
    assert why_left_out(made, "setting_list_owners") == "its answer is no list of records"


def test_what_clears_all_takes_every_record(tmp_path):
    session = session_of(draft(tmp_path, *SETTINGS), SET)
    assert value(session.call("setting_clear", {})) == {"status": "cleared"}
    assert value(session.call("setting_list_keys", {})) == {"keys": []}


def test_what_clears_without_saying_that_it_is_all_is_left_out(tmp_path):
    silent = listed("setting_clear", outputSchema=answered(**NOTED))
    made = draft(tmp_path, *SETTINGS[:4], silent)
    assert why_left_out(made, "setting_clear") == "nothing shows which records it clears"


def test_tools_of_values_under_keys_pass_the_tool_checks(tmp_path):
    made = draft(tmp_path, *SETTINGS)
    environment, checks = build(made, StructuralAuthor(), seed=0)
    assert len(environment.tools) == len(SETTINGS), checks


POSTS = (
    listed(
        "create_post",
        {"text": TEXT, "tags": {"type": "array", "items": TEXT}},
        "text",
        outputSchema={
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "text": TEXT,
                "tags": {"type": "array", "items": TEXT},
            },
        },
    ),
    listed("get_post", {"post_id": {"type": "integer"}}, "post_id"),
    listed(
        "tag",
        {"post_id": {"type": "integer"}, "words": {"type": "array", "items": TEXT}},
        "post_id words",
        outputSchema={
            "type": "object",
            "properties": {"tag_status": {**TEXT, "description": "Status of the tag action."}},
        },
    ),
)


def test_a_verb_that_a_list_is_called_after_adds_to_it(tmp_path):
    session = session_of(
        draft(tmp_path, *POSTS), {"posts": {"7": {"id": 7, "text": "Hi", "tags": ["a"]}}}
    )
    assert value(session.call("tag", {"post_id": 7, "words": ["b", "c"]})) == {"tag_status": "done"}
    assert value(session.call("get_post", {"post_id": 7}))["tags"] == ["a", "b", "c"]
    assert session.call("tag", {"post_id": 8, "words": ["b"]}).failure == "not_found"


def test_a_verb_that_no_list_is_called_after_is_left_out(tmp_path):
    repost = listed("repost", {"post_id": {"type": "integer"}}, "post_id")
    made = draft(tmp_path, *POSTS, repost)
    assert why_left_out(made, "repost") == "nothing in the record shows what repost does"


def test_a_search_by_likeness_is_left_out(tmp_path):
    search = listed("search_notes", {"query": TEXT}, "query")
    search["description"] = "Find the most similar notes."
    made = draft(tmp_path, *NOTES, search)
    assert "likeness" in why_left_out(made, "search_notes")


def test_a_tool_whose_hints_contradict_its_name_is_left_out(tmp_path):
    reading = {"annotations": {"readOnlyHint": True}}
    made = draft(tmp_path, *NOTES[:4], {**NOTES[4], **reading})
    assert "only reads" in why_left_out(made, "delete_note")
    writing = {"annotations": {"readOnlyHint": False}}
    made = draft(tmp_path, NOTES[0], {**NOTES[1], **writing}, *NOTES[2:])
    assert "changes something" in why_left_out(made, "get_note")


def test_new_values_in_one_object_are_the_arguments_of_a_change(tmp_path):
    updates = {"type": "object", "properties": {"title": TEXT, "text": TEXT}}
    edit = listed("edit_note", {"note_id": TEXT, "updates": updates}, "note_id updates")
    made = draft(tmp_path, NOTES[0], NOTES[1], edit)
    assert effect(made, "edit_note").fields == {"title": "title", "text": "text"}


def test_whose_records_are_asked_is_asked_for_where_no_one_is_signed_in(tmp_path):
    whose = listed("get_user_notes", {"userId": TEXT, "limit": NUMBER})
    whose["description"] = "Notes assigned to a user, or to whoever asks."
    listing = listed(
        "list_notes", {"assigneeId": {**TEXT, "description": "Filter by the assignee's user id."}}
    )
    made = draft(tmp_path, *NOTES[:3], listing, whose)
    assert tool(made, "get_user_notes").parameters["required"] == ["user_id"]
    assert effect(made, "get_user_notes").match["user_id"].column == "assigneeId"


def test_what_counts_or_ranks_is_whole_where_a_list_knows_only_numbers(tmp_path):
    create = listed("create_note", {"title": TEXT, "priority": NUMBER, "weight": NUMBER}, "title")
    made = draft(tmp_path, create, *NOTES[1:])
    kinds = {c.name: c.type for c in table(made.state_schema, "notes").columns}
    assert (kinds["priority"], kinds["weight"]) == ("integer", "number")


def test_a_day_with_a_time_is_written_as_the_document_has_it():
    [made] = drafts(CORPUS / "tools-acebench" / "en.agent-tools.json")
    state = StructuralAuthor().base(made.state_schema, 1)
    times = [str(row["time"]) for row in state["reminders"].values()]
    assert times
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", each) for each in times)


def test_who_makes_a_record_is_who_is_signed_in_where_the_list_says_so():
    [made] = drafts(CORPUS / "tools-bfcl" / "posting_api.json")
    assert made.state_schema.actors == "users"
    state = {"users": {n: {"username": n, "name": n} for n in ("ann", "bo")}, "tweets": {}}
    session = session_of(made, {**state, "tweet_comments": {}}, actor="bo")
    tweet = value(session.call("post_tweet", {"content": "Hello"}))
    assert tweet["username"] == "bo"
    session.call("comment", {"tweet_id": tweet["id"], "comment_content": "First"})
    assert value(session.call("get_tweet_comments", {"tweet_id": tweet["id"]})) == {
        "comments": [{"username": "bo", "content": "First"}]
    }
    found = value(session.call("get_user_tweets", {"username": "ann"}))
    assert found == {"user_tweets": []}


def test_a_maker_that_no_tool_tells_of_leaves_the_making_out(tmp_path):
    shown = {"type": "object", "properties": {"id": TEXT, "title": TEXT, "author": TEXT}}
    made = draft(tmp_path, NOTES[0], {**NOTES[1], "response": shown})
    assert "author" in why_left_out(made, "create_note")


def test_tools_are_checked_where_a_property_is_named_like_a_keyword(tmp_path):
    fields = {"title": TEXT, "class": TEXT, "from": TEXT}
    tools = (
        listed("create_ride", fields, "title"),
        listed("get_ride", {"ride_id": TEXT}, "ride_id"),
        listed("update_ride", {"ride_id": TEXT, **fields}, "ride_id"),
    )
    environment, checks = build(draft(tmp_path, *tools), StructuralAuthor(), seed=0)
    assert len(environment.tools) == 3, checks


TOOLS = {
    "mcp-toolslists/github.json": 10,
    "mcp-toolslists/linear.json": 5,
    "tools-bfcl/memory_kv.json": 12,
    "tools-bfcl/memory_vector.json": 8,
    "tools-bfcl/posting_api.json": 7,
    "tools-bfcl/ticket_api.json": 4,
    "tools-acebench/en.agent-tools.json": 5,
    "tools-acebench/zh.agent-tools.json": 5,
}


@pytest.mark.parametrize("name", TOOLS)
def test_known_lists_give_checked_tools(name):
    [made] = drafts(CORPUS / name)
    environment, checks = build(made, StructuralAuthor(), seed=0)
    assert len(environment.tools) >= TOOLS[name], checks


@pytest.mark.parametrize(
    "name",
    ["math_api", "gorilla_file_system", "vehicle_control", "web_search", "travel_booking"],
)
def test_lists_whose_meaning_no_name_tells_give_no_tools(name):
    [made] = drafts(CORPUS / "tools-bfcl" / f"{name}.json")
    assert made.tools == ()
    assert all(left.reason for left in made.left_out)
