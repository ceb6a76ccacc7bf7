"""What a column may hold and what it refers to, where the document says so in words only."""

from pathlib import Path
from typing import Any

import pytest

from forge.types.state import Column
from tests.documents import doc_of
from tests.structural import crud, draft_of, table
from tests.test_structural_rules import GOAL, TEXT


def goal_column(tmp_path: Path, name: str, schema: dict[str, Any]) -> Column | None:
    goal = {**GOAL, "properties": {**GOAL["properties"], name: schema}}
    draft = draft_of(doc_of(tmp_path, crud("goal", goal)))
    columns = table(draft.state_schema, "goals").columns
    return next((column for column in columns if column.name == name), None)


@pytest.mark.parametrize(
    ("said", "low", "high"),
    [("How much it counts, between 1 and 5.", 1, 5), ("The share (0-100) that is done.", 0, 100),
     ("From 2 to 8 of them.", 2, 8), ("At most 12.", None, 12), ("Amount in cents.", 0, None),
     ("How many there are.", None, None), ("Open from 9:00 to 17:00.", None, None)],
)  # fmt: skip
def test_bounds_that_a_description_says_are_read(tmp_path: Path, said, low, high) -> None:
    column = goal_column(tmp_path, "effort", {"type": "integer", "description": said})
    assert column is not None
    assert (column.minimum, column.maximum) == (low, high)


def test_bounds_of_the_schema_come_before_those_in_words(tmp_path: Path) -> None:
    schema = {"type": "integer", "minimum": 2, "description": "Between 1 and 5."}
    column = goal_column(tmp_path, "effort", schema)
    assert column is not None
    assert (column.minimum, column.maximum) == (2, 5)


def test_one_of_two_numbers_is_a_choice(tmp_path: Path) -> None:
    schema = {"type": "number", "description": "This can only be 0 or 1."}
    column = goal_column(tmp_path, "weight", schema)
    assert column is not None
    assert column.enum == (0, 1)


@pytest.mark.parametrize(
    ("name", "schema", "form"),
    [("due_on", {"format": "date-time", "description": "The day it is due."}, "date"),
     ("due_at", {"format": "date", "description": "The date and time it is due."}, "date-time"),
     ("due_on", {"examples": ["2026-02-03T10:00:00.000Z"]}, "date"),
     ("due_at", {"examples": ["2026-02-03T10:00:00.000Z"]}, "date-time"),
     ("due", {"examples": ["2026-02-03T10:00:00Z"], "description": "As YYYY-MM-DD."}, "date")],
)  # fmt: skip
def test_days_and_moments_are_told_apart_by_name_and_description(tmp_path, name, schema, form):
    column = goal_column(tmp_path, name, {"type": "string", **schema})
    assert column is not None
    assert column.format == form


def owned_by_a_team(schema: dict[str, Any], *, shown: bool) -> dict[str, Any]:
    """A goal with a `team`, in a document that has teams."""
    team = {"type": "object", "required": ["name"], "properties": {
        "team_id": {"type": "string", "readOnly": True}, "name": TEXT}}  # fmt: skip
    properties = dict(GOAL["properties"])
    taken = {**GOAL, "properties": {**properties, "team": schema}}
    goal = taken if shown else GOAL
    document = crud("goal", goal)
    if not shown:
        body = {"content": {"application/json": {"schema": taken}}, "required": True}
        document["paths"]["/goals"]["post"]["requestBody"] = body
    document["paths"] |= crud("team", team)["paths"]
    document["components"]["schemas"] |= crud("team", team)["components"]["schemas"]
    return document


@pytest.mark.parametrize("shown", [True, False])
def test_a_text_named_like_a_table_whose_example_is_an_id_refers_to_it(tmp_path, shown) -> None:
    document = owned_by_a_team({"type": "string", "example": "1331"}, shown=shown)
    draft = draft_of(doc_of(tmp_path, document))
    [column] = [c for c in table(draft.state_schema, "goals").columns if c.name == "team"]
    assert column.references == "teams"


def test_a_text_named_like_a_table_whose_example_is_a_name_is_a_text(tmp_path: Path) -> None:
    document = owned_by_a_team({"type": "string", "example": "Night shift"}, shown=True)
    draft = draft_of(doc_of(tmp_path, document))
    [column] = [c for c in table(draft.state_schema, "goals").columns if c.name == "team"]
    assert column.references is None


def test_a_text_named_like_a_table_that_no_answer_shows_is_left_out(tmp_path: Path) -> None:
    document = owned_by_a_team({"type": "string"}, shown=False)
    draft = draft_of(doc_of(tmp_path, document))
    assert "team" not in [c.name for c in table(draft.state_schema, "goals").columns]
    [tool] = [t for t in draft.tools if t.name == "create_goal"]
    assert "team" not in tool.parameters["properties"]
