"""Lists whose filters say more than columns do: every, choices, what is chosen unasked."""

from pathlib import Path
from typing import Any

import pytest

from forge.synth.check import check_tools
from tests.documents import answer, doc_of
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


def _issues(**state: Any) -> dict[str, Any]:
    issue = {
        "type": "object",
        "required": ["title"],
        "properties": {
            "issue_id": {**TEXT, "readOnly": True},
            "title": TEXT,
            "state": TEXT,
        },
    }
    spec = crud("issue", issue)
    described = {"name": "state", "in": "query", **state}
    spec["paths"]["/issues"]["get"]["parameters"] = [described]
    return spec


def test_what_means_every_record_is_no_choice_of_a_filter_and_the_others_are_the_columns(
    tmp_path: Path,
) -> None:
    choices = {"schema": {**TEXT, "enum": ["closed", "open", "all"]}}
    draft = draft_of(doc_of(tmp_path, _issues(**choices)))
    listed = tool(draft, "list_issues").parameters["properties"]["state"]
    assert listed["enum"] == ["closed", "open"]
    state = next(c for c in table(draft.state_schema, "issues").columns if c.name == "state")
    assert state.enum == ("closed", "open")


def test_a_list_that_chooses_by_itself_what_is_not_asked_is_left_out(tmp_path: Path) -> None:
    told = {"description": 'open, closed and all. Defaults to "open"', "schema": TEXT}
    draft = draft_of(doc_of(tmp_path, _issues(**told)))
    assert why_left_out(draft, "list_issues") == "without its argument state it chooses open"


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("this parameter is ignored", "its argument issue_id is told to be ignored"),
        ("identified by ID and if not available by name", "may be one of several things"),
        ("the title or id", "may be one of several things"),
    ],
)
def test_what_picks_by_several_things_or_not_at_all_is_left_out(
    tmp_path: Path, told: str, reason: str
) -> None:
    spec = _issues(schema=TEXT)
    picks = {"name": "issue_id", "in": "path", "required": True, "description": told}
    for each in spec["paths"]["/issues/{issue_id}"].values():
        if isinstance(each, dict) and each.get("operationId") == "get_issue":
            each["parameters"] = [{**picks, "schema": TEXT}]
    assert reason in why_left_out(draft_of(doc_of(tmp_path, spec)), "get_issue")


def test_what_one_is_in_is_the_other_end_of_the_members(tmp_path: Path) -> None:
    def record(noun: str) -> dict[str, Any]:
        own = {f"{noun}_id": {**TEXT, "readOnly": True}, "name": TEXT}
        return {"type": "object", "required": ["name"], "properties": own}

    def path(*names: str) -> list[dict[str, Any]]:
        return [{"name": n, "in": "path", "required": True, "schema": TEXT} for n in names]

    def listed(noun: str) -> dict[str, Any]:
        return answer({"type": "array", "items": {"$ref": f"#/components/schemas/{noun}"}})

    done = {"204": {"description": "done"}}
    extra = {
        "/teams/{team_id}/members": {
            "get": {"operationId": "m", "parameters": path("team_id"), "responses": listed("User")}
        },
        "/teams/{team_id}/members/{user_id}": {
            "put": {
                "operationId": "put_member",
                "parameters": path("team_id", "user_id"),
                "responses": done,
            }
        },
        "/users/{user_id}/teams": {
            "get": {
                "operationId": "teams_of",
                "parameters": path("user_id"),
                "responses": listed("Team"),
            }
        },
    }
    spec, other = crud("team", record("team"), extra), crud("user", record("user"))
    spec["paths"] |= other["paths"]
    spec["components"]["schemas"] |= other["components"]["schemas"]
    session = session_of(draft_of(doc_of(tmp_path, spec)))
    team = value(session.call("create_team", {"name": "Ops"}))["team_id"]
    user = value(session.call("create_user", {"name": "Kim"}))["user_id"]
    assert value(session.call("teams_of", {"user_id": user})) == []
    value(session.call("put_member", {"team_id": team, "user_id": user}))
    assert [t["name"] for t in value(session.call("teams_of", {"user_id": user}))] == ["Ops"]


def test_a_choice_that_is_told_to_be_made_unasked_is_the_default_and_all_is_every(
    tmp_path: Path,
) -> None:
    told = "Recognized values are open, closed and all. Defaults to open"
    spec = _issues(description=told, schema=TEXT)
    issue = spec["components"]["schemas"]["Issue"]
    issue["properties"]["state"] = {**TEXT, "enum": ["open", "closed"]}
    draft = draft_of(doc_of(tmp_path, spec))
    assert check_tools(environment_of(draft))["list_issues"].passed
    session = session_of(draft)
    value(session.call("create_issue", {"title": "A", "state": "closed"}))
    value(session.call("create_issue", {"title": "B", "state": "open"}))
    assert {i["state"] for i in value(session.call("list_issues", {}))} == {"open"}
    both = value(session.call("list_issues", {"state": "all"}))
    assert {"open", "closed"} <= {i.get("state") for i in both}


def test_an_argument_is_the_property_that_its_description_names(tmp_path: Path) -> None:
    mirror = {"type": "object", "properties": {"remote_name": TEXT, "interval": TEXT}}
    spec = crud("mirror", mirror)
    picks = spec["paths"].pop("/mirrors/{mirror_id}")
    named = {"name": "name", "in": "path", "required": True, "description": "remote name of it"}
    got = {**picks["get"], "parameters": [{**named, "schema": TEXT}]}
    spec["paths"]["/mirrors/{name}"] = {"get": got}
    draft = draft_of(doc_of(tmp_path, spec))
    assert table(draft.state_schema, "mirrors").key == ("remote_name",)
    assert "get('mirrors', name)" in draft.sources["get_mirror"]


def test_of_two_sizes_of_a_page_the_deprecated_one_is_not_offered(tmp_path: Path) -> None:
    spec = _issues(schema=TEXT)
    spec["paths"]["/issues"]["get"]["parameters"] = [
        {"name": "per_page", "in": "query", "description": "deprecated - use limit"},
        {"name": "limit", "in": "query", "description": "page size"},
    ]
    for each in spec["paths"]["/issues"]["get"]["parameters"]:
        each["schema"] = {"type": "integer"}
    listed = tool(draft_of(doc_of(tmp_path, spec)), "list_issues")
    assert list(listed.parameters["properties"]) == ["limit"]


def test_a_path_that_says_name_of_the_thing_picks_by_its_name(tmp_path: Path) -> None:
    tag = {"type": "object", "properties": {"id": TEXT, "name": TEXT}}
    spec = crud("tag", tag)
    picks = spec["paths"].pop("/tags/{tag_id}")
    named = {"name": "tag", "in": "path", "required": True, "description": "name of tag"}
    got = {**picks["get"], "parameters": [{**named, "schema": TEXT}]}
    spec["paths"]["/tags/{tag}"] = {"get": got}
    draft = draft_of(doc_of(tmp_path, spec))
    [match] = tool(draft, "get_tag").effect.match.values()
    assert match.column == "name"
