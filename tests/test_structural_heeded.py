"""What sentences of documents say of arguments, refusals and order. Small documents."""

from pathlib import Path
from typing import Any

import pytest

from forge.authors.author import Draft
from tests.documents import answer, body, doc_of
from tests.structural import crud, draft_of, session_of, table, tool, value, why_left_out

TEXT: dict[str, Any] = {"type": "string"}
FLAG: dict[str, Any] = {"type": "boolean"}
MADE: dict[str, Any] = {"readOnly": True}


def _record(noun: str, **more: Any) -> dict[str, Any]:
    own = {f"{noun}_id": {**TEXT, **MADE}, "name": TEXT}
    return {"type": "object", "properties": {**own, **more}}


def _boards(*others: tuple[str, dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Boards with further properties, and other entities."""
    spec = crud("board", _record("board", **more))
    for noun, schema in others:
        other = crud(noun, schema)
        spec["paths"] |= other["paths"]
        spec["components"]["schemas"] |= other["components"]["schemas"]
    return spec


def _told(spec: dict[str, Any], name: str, words: str) -> dict[str, Any]:
    """The document, with a description of one operation."""
    for item in spec["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict) and operation.get("operationId") == name:
                operation["description"] = words
    return spec


def _draft(folder: Path, spec: dict[str, Any]) -> Draft:
    return draft_of(doc_of(folder, spec))


def _taken(draft: Draft, name: str) -> set[str]:
    return set(tool(draft, name).parameters["properties"])


def test_what_is_given_once_is_in_no_update(tmp_path: Path) -> None:
    once = {**TEXT, "description": "*Create-Only* The region of the board."}
    draft = _draft(tmp_path, _boards(region=once))
    assert "region" in _taken(draft, "create_board")
    assert "region" not in _taken(draft, "update_board")


def test_what_is_said_to_be_for_another_operation_is_in_no_put(tmp_path: Path) -> None:
    moved = {**TEXT, "description": "It cannot be modified using a PUT request; move the board."}
    spec = _boards(region=moved)
    spec["paths"]["/boards/{board_id}"]["put"] = spec["paths"]["/boards/{board_id}"].pop("patch")
    assert "region" not in _taken(_draft(tmp_path, spec), "update_board")


def test_what_an_update_is_said_not_to_change_it_does_not_take(tmp_path: Path) -> None:
    spec = _told(_boards(kind=TEXT), "update_board", "A board's `kind` cannot be updated.")
    assert "kind" not in _taken(_draft(tmp_path, spec), "update_board")


def test_what_a_sentence_asks_for_must_be_passed(tmp_path: Path) -> None:
    words = "Every board is required to be created in a specific room, and this room cannot be "
    spec = _told(_boards(room=TEXT), "create_board", words + "changed once set.")
    draft = _draft(tmp_path, spec)
    assert tool(draft, "create_board").parameters["required"] == ["room"]
    assert "room" not in _taken(draft, "update_board")


def test_what_must_be_said_and_cannot_leaves_a_create_out(tmp_path: Path) -> None:
    words = "Every board is required to be created in a specific room."
    spec = _told(_boards(room={**TEXT, **MADE}), "create_board", words)
    assert "the room it is made in" in why_left_out(_draft(tmp_path, spec), "create_board")


@pytest.mark.parametrize(
    "words",
    [
        "Must be used together with `end`.",
        "This cannot be set unless there is an end.",
        "Note you can only write to this property if `metric` is set.",
    ],
)
def test_an_argument_that_goes_with_others_only_is_not_taken(tmp_path: Path, words: str) -> None:
    draft = _draft(tmp_path, _boards(start={**TEXT, "description": words}))
    assert "start" not in _taken(draft, "create_board") | _taken(draft, "update_board")


def test_of_arguments_that_exclude_each_other_one_is_taken(tmp_path: Path) -> None:
    more = {"width": {**TEXT, "description": "Cannot be used with size."}, "size": TEXT}
    taken = _taken(_draft(tmp_path, _boards(**more)), "create_board")
    assert len(taken & {"width", "size"}) == 1


def test_a_list_that_asks_for_one_of_some_arguments_has_it_required(tmp_path: Path) -> None:
    spec = _boards(room=TEXT, owner=TEXT)
    listed = spec["paths"]["/boards"]["get"]
    names = ("room", "owner")
    listed["parameters"] = [{"name": n, "in": "query", "schema": TEXT} for n in names]
    words = "You must specify a `room` or `tag` if you do not specify `owner` and `team`."
    schema = tool(_draft(tmp_path, _told(spec, "list_boards", words)), "list_boards").parameters
    assert schema["required"] == ["room"]


def test_text_as_markup_beside_the_text_is_no_column(tmp_path: Path) -> None:
    draft = _draft(tmp_path, _boards(notes=TEXT, html_notes=TEXT))
    assert _taken(draft, "create_board") == {"name", "notes"}


def test_a_part_called_after_its_record_is_no_such_record(tmp_path: Path) -> None:
    part = {"type": "object", "properties": {"board_id": TEXT, "kind": TEXT}}
    spec = _boards(resource={"$ref": "#/components/schemas/BoardResource"})
    spec["components"]["schemas"]["BoardResource"] = part
    columns = table(_draft(tmp_path, spec).state_schema, "boards").columns
    assert not [c for c in columns if c.references]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("delete_board", "Note that boards must be empty to be deleted."),
        ("delete_board", "A user can only delete boards they have created."),
        ("update_board", "Only open boards can have their name changed."),
        ("create_board", "The user making this call must be an admin."),
        ("create_board", "A board's name must be unique within a workspace."),
    ],
)
def test_a_refusal_by_what_no_record_shows_leaves_it_out(
    tmp_path: Path, name: str, words: str
) -> None:
    reason = why_left_out(_draft(tmp_path, _told(_boards(), name, words)), name)
    assert "a condition that no column shows" in reason


def test_other_forms_of_an_id_are_not_promised(tmp_path: Path) -> None:
    told = 'A user. This can either be the string "me", an email, or the gid of a user.'
    user = _record("user", manager={**TEXT, "description": told})
    schema = tool(_draft(tmp_path, crud("user", user)), "create_user").parameters["properties"]
    assert schema["manager"]["description"] == "A user. This can be the gid of a user."


def test_a_count_of_other_records_and_when_a_flag_was_set_are_no_columns(tmp_path: Path) -> None:
    more = {"num_cards": {"type": "integer", **MADE}, "archived": FLAG}
    when = {"archived_at": {**TEXT, "format": "date-time", "nullable": True, **MADE}}
    spec = _boards(("card", _record("card")), num_lamps={"type": "integer", **MADE}, **more, **when)
    names = {c.name for c in table(_draft(tmp_path, spec).state_schema, "boards").columns}
    assert names == {"board_id", "name", "archived", "num_lamps"}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("The boards, sorted alphabetically.", ["Ant", "Bee", "Cat"]),
        ("The boards, sorted by creation time in ascending order.", ["Cat", "Ant", "Bee"]),
    ],
)
def test_a_list_is_in_the_order_that_is_said(tmp_path: Path, words: str, named: list[str]) -> None:
    made = {**TEXT, "format": "date-time", **MADE}
    draft = _draft(tmp_path, _told(_boards(created_at=made), "list_boards", words))
    session = session_of(draft, {"boards": {}})
    for name in ("Cat", "Ant", "Bee"):
        value(session.call("create_board", {"name": name}))
    assert [row["name"] for row in value(session.call("list_boards", {}))] == named


@pytest.mark.parametrize(
    "told",
    [
        "The parent of the note. This can be a board or card.",
        "The card that this note is attached to.",
    ],
)
def test_a_parent_said_to_be_another_is_no_record_of_the_same(tmp_path: Path, told: str) -> None:
    parent = {"type": "object", "description": told, "properties": {"note_id": TEXT}}
    note = _record("note", parent=parent)
    spec = _boards(("card", _record("card")), ("note", note))
    columns = table(_draft(tmp_path, spec).state_schema, "notes").columns
    assert not [c for c in columns if c.references == "notes"]


def test_what_another_reference_has_is_no_parent(tmp_path: Path) -> None:
    cards = answer({"type": "array", "items": {"$ref": "#/components/schemas/Card"}})
    listed = {
        "operationId": "list_cards_of_board",
        "parameters": [{"name": "board_id", "in": "path", "required": True, "schema": TEXT}],
        "responses": cards,
    }
    board = {"$ref": "#/components/schemas/Board"}
    user = {"$ref": "#/components/schemas/User"}
    card = _record("card", assignee={**user}, assignee_board={**board})
    spec = _boards(("card", card), ("user", _record("user")))
    spec["paths"]["/boards/{board_id}/cards"] = {"get": listed}
    assert "belongs to a board" in why_left_out(_draft(tmp_path, spec), "list_cards_of_board")


def test_what_its_parent_lists_too_is_not_made(tmp_path: Path) -> None:
    card = {"$ref": "#/components/schemas/Card"}
    spec = _boards(("card", _record("card")), cards={"type": "array", "items": card, **MADE})
    del spec["paths"]["/cards"]
    spec["paths"]["/boards/{board_id}/cards"] = {
        "post": {
            "operationId": "create_card",
            "parameters": [{"name": "board_id", "in": "path", "required": True, "schema": TEXT}],
            "requestBody": body(_record("card")),
            "responses": answer(card),
        }
    }
    assert "the cards of a board" in why_left_out(_draft(tmp_path, spec), "create_card")


def test_a_new_record_is_not_made_to_need_what_the_document_calls_optional(tmp_path: Path) -> None:
    record = _record("board", colour={**TEXT, "description": "Optional colour of the board."})
    record["required"] = ["colour"]
    spec = _boards(colour=record["properties"]["colour"])
    spec["components"]["schemas"]["Board"] = record
    spec["paths"]["/boards"]["post"]["requestBody"] = body(
        {**record, "required": [], "properties": {**record["properties"]}}
    )
    assert "colour" in why_left_out(_draft(tmp_path, spec), "create_board")


def test_ids_of_another_system_deep_inside_refer_to_nothing(tmp_path: Path) -> None:
    ids = {"card_id": TEXT, "mirror_account_id": TEXT}
    outer = {"type": "object", "properties": {"mirror": {"type": "object", "properties": ids}}}
    hook = {"type": "object", "properties": {"target": outer}}
    draft = _draft(tmp_path, _boards(("card", _record("card")), hook=hook))
    assert "references='cards'" not in repr(table(draft.state_schema, "boards"))


def test_a_default_in_brackets_is_what_a_new_record_has(tmp_path: Path) -> None:
    kind = {
        **TEXT,
        "enum": ["open", "closed"],
        "description": "either `closed` (default) or `open`",
    }
    session = session_of(_draft(tmp_path, _boards(kind=kind)))
    assert value(session.call("create_board", {"name": "Ada"}))["kind"] == "closed"


def test_an_argument_that_is_now_and_then_ignored_is_not_offered(tmp_path: Path) -> None:
    why = {**TEXT, "description": "The reason. Ignored unless `state` is changed."}
    draft = _draft(tmp_path, _boards(state={**TEXT, "enum": ["open", "closed"]}, why=why))
    assert "state" in _taken(draft, "update_board")
    assert "why" not in _taken(draft, "update_board")


def test_a_flag_that_does_more_than_to_be_stored_is_not_offered(tmp_path: Path) -> None:
    draft_flag = {
        **FLAG,
        "description": "`true` makes it a draft, and `false` publishes the board.",
    }
    assert "draft" not in _taken(_draft(tmp_path, _boards(draft=draft_flag)), "update_board")


def test_an_update_with_an_argument_required_now_and_then_is_left_out(tmp_path: Path) -> None:
    why = {**TEXT, "description": "Required when the state is `closed`."}
    draft = _draft(tmp_path, _boards(state={**TEXT, "enum": ["open", "closed"]}, why=why))
    assert "required now and then" in why_left_out(draft, "update_board")


def test_a_filter_that_takes_several_values_in_one_text_is_not_offered(tmp_path: Path) -> None:
    spec = _boards(kind=TEXT)
    told = {"name": "kind", "in": "query", "schema": TEXT, "description": "Comma-separated kinds."}
    spec["paths"]["/boards"]["get"]["parameters"] = [told]
    assert "kind" not in _taken(_draft(tmp_path, spec), "list_boards")


def test_how_many_there_are_refers_to_none_of_them(tmp_path: Path) -> None:
    card = {"type": "object", "properties": {"id": {"type": "integer", **MADE}, "name": TEXT}}
    spec = _boards(("card", card), cards={"type": "integer", **MADE})
    [cards] = [
        c for c in table(_draft(tmp_path, spec).state_schema, "boards").columns if c.name == "cards"
    ]
    assert cards.references is None


def test_an_object_of_counts_is_no_column(tmp_path: Path) -> None:
    number = {"type": "integer"}
    sums = {"type": "object", "properties": {"total_count": number, "up": number, "down": number}}
    draft = _draft(tmp_path, _boards(votes={**sums, **MADE}))
    assert "votes" not in {c.name for c in table(draft.state_schema, "boards").columns}
