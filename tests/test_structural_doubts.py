"""What a document says in words, and a tool could not do: then there is none, or it lacks the
argument."""

from pathlib import Path
from typing import Any

import pytest

from forge.authors.author import Draft
from tests.documents import answer, body, doc_of, spec
from tests.structural import draft_of, effect, session_of, tool, value, why_left_out

TEXT: dict[str, Any] = {"type": "string"}
MOMENT = {"type": "integer", "format": "unix-time"}
KEY = [{"name": "loan", "in": "path", "required": True, "schema": TEXT}]
LOAN: dict[str, Any] = {
    "type": "object",
    "required": ["id", "status"],
    "properties": {
        "id": TEXT,
        "status": {"type": "string", "enum": ["draft", "open", "accepted", "canceled"]},
        "note": TEXT,
        "reader": {
            "type": "object",
            "properties": {"name": TEXT, "town": TEXT},
        },
        "card": {
            "type": "object",
            "required": ["brand"],
            "properties": {"brand": TEXT, "month": {"type": "integer"}},
        },
    },
}
SHOWN = answer({"$ref": "#/components/schemas/loan"})
CARD = {"type": "object", "properties": {"month": {"type": "integer"}}}


def loans(
    *,
    listed: str = "Lists loans.",
    updated: str = "Updates a loan.",
    canceled: str = "Cancels a loan.",
    filters: dict[str, str] | None = None,
    takes: dict[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    shape = {**LOAN, "properties": {**LOAN["properties"], **more}}
    parameters = [
        {"name": name, "in": "query", "schema": TEXT, "description": said}
        for name, said in (filters or {}).items()
    ]
    every = answer({"type": "array", "items": {"$ref": "#/components/schemas/loan"}})

    def act(name: str, said: str) -> dict[str, Any]:
        post = {"operationId": f"{name}_loan", "description": said, "responses": SHOWN}
        return {"parameters": KEY, "post": post}

    paths = {
        "/loans": {
            "get": {
                "operationId": "list_loans",
                "description": listed,
                "parameters": parameters,
                "responses": every,
            },
            "post": {
                "operationId": "create_loan",
                "requestBody": body({"type": "object", "properties": {"note": TEXT}}),
                "responses": SHOWN,
            },
        },
        "/loans/{loan}": {
            "parameters": KEY,
            "get": {"operationId": "get_loan", "responses": SHOWN},
            "patch": {
                "operationId": "update_loan",
                "description": updated,
                "requestBody": body(
                    {"type": "object", "properties": {"note": TEXT, **(takes or {})}}
                ),
                "responses": SHOWN,
            },
        },
        "/loans/{loan}/cancel": act("cancel", canceled),
        "/loans/{loan}/accept": act("accept", "Accepts a loan."),
    }
    return spec(paths, components={"schemas": {"loan": shape}})


def draft(folder: Path, **more: Any) -> Draft:
    return draft_of(doc_of(folder, loans(**more)))


@pytest.mark.parametrize(
    "words",
    [
        "Returns a list of loans that have `open` set to true.",
        "List loans, going back up to 30 days.",
        "Lists loans of the house. If you want to list the loans of a reader, you should use them.",
        "Lists loans, with the most recent appearing first.",
    ],
)
def test_a_list_that_is_said_to_show_some_or_an_unknown_order_is_left_out(
    tmp_path: Path, words: str
) -> None:
    assert why_left_out(draft(tmp_path, listed=words), "list_loans")


def test_a_list_that_leaves_some_out_unless_asked_is_left_out(tmp_path: Path) -> None:
    said = "Loans of this note. The answer will not include loans with notes if this is not set."
    made = draft(tmp_path, filters={"note": said})
    assert "unless note is passed" in why_left_out(made, "list_loans")


def test_a_filter_that_compares_loosely_is_not_offered(tmp_path: Path) -> None:
    made = draft(tmp_path, filters={"note": "Loans with this case-insensitive note."})
    assert tool(made, "list_loans").parameters["properties"] == {}


def test_a_moment_told_to_be_that_of_the_making_orders_a_list(tmp_path: Path) -> None:
    date = {**MOMENT, "description": "Time at which the object was created."}
    made = draft(tmp_path, listed="Lists loans, the newest first.", date=date)
    loans = {
        key: {"id": key, "status": "open", "date": at} for key, at in (("a", 1), ("b", 3), ("c", 2))
    }
    rows = value(session_of(made, {"loans": loans}).call("list_loans", {}))
    assert [row["id"] for row in rows] == ["b", "c", "a"]


@pytest.mark.parametrize(
    "words",
    [
        "Updating a loan is only possible before it is closed.",
        "Updates a loan. Expired loans can no longer be updated.",
        "Updates a loan. A loan must be attached to a reader to be updated.",
        "Updates a loan. The library validates that the note is true.",
        "Updates a loan. You may need to confirm the loan again.",
    ],
)
def test_an_update_with_a_condition_or_more_effects_is_left_out(tmp_path: Path, words: str) -> None:
    assert why_left_out(draft(tmp_path, updated=words), "update_loan")


def test_an_argument_that_is_taken_now_and_then_is_not_offered(tmp_path: Path) -> None:
    note = {**TEXT, "description": "It may only be provided if it has not been set."}
    made = draft(tmp_path, takes={"note": note, "reader": LOAN["properties"]["reader"]})
    assert sorted(tool(made, "update_loan").parameters["properties"]) == ["loan", "reader"]


def test_a_mode_that_the_record_does_not_show_leaves_the_change_out(tmp_path: Path) -> None:
    said = "Determines how to bill for the change. The default value is `now`."
    mode = {"type": "string", "enum": ["now", "later"], "description": said}
    made = draft(tmp_path, takes={"billing": mode})
    assert why_left_out(made, "update_loan")


def test_an_object_that_is_shown_with_more_than_is_given_is_not_offered(tmp_path: Path) -> None:
    made = draft(tmp_path, takes={"card": CARD, "reader": LOAN["properties"]["reader"]})
    offered = tool(made, "update_loan").parameters["properties"]
    assert "card" not in offered
    assert "reader" in offered


@pytest.mark.parametrize(
    "words",
    [
        "Cancels a loan. Its deposit will automatically be refunded.",
        "Cancels a loan. It only applies to finalized loans.",
    ],
)
def test_an_action_that_does_more_or_not_always_is_left_out(tmp_path: Path, words: str) -> None:
    assert why_left_out(draft(tmp_path, canceled=words), "cancel_loan")


def test_an_action_on_records_that_say_whether_it_can_be_is_left_out(tmp_path: Path) -> None:
    assert effect(draft(tmp_path), "cancel_loan").sets == {"status": "canceled"}
    made = draft(tmp_path, cancelable={"type": "boolean"})
    assert "cancelable" in why_left_out(made, "cancel_loan")


def test_what_comes_of_a_deal_is_not_shown(tmp_path: Path) -> None:
    assert "what comes of it" in why_left_out(draft(tmp_path), "accept_loan")
