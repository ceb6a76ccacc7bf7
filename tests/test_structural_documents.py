"""Whole documents: what is built, what is left out and why, and that none is too odd."""

from pathlib import Path

import pytest

from forge.authors.structural.author import StructuralAuthor
from forge.docs.read import read
from forge.env.sandbox.source import check_source, signature_findings
from forge.env.schema import check_schema
from forge.synth.check import check_tools
from tests.places import CORPUS, ROOT
from tests.structural import (
    drafts,
    effect,
    environment_of,
    session_of,
    table,
    tool,
    value,
    why_left_out,
)

PROJECTS = ROOT / "docs_in" / "projects.md"
PETSTORE = CORPUS / "openapi-examples" / "3.0" / "petstore.yaml"
XERO = CORPUS / "openapi-xero-assets" / "openapi.json"
ASANA = CORPUS / "openapi-asana" / "openapi.json"
ODD = sorted((CORPUS / "openapi-examples").rglob("*.yaml"))


def _whole(path: Path) -> None:
    """What holds for each draft of each document."""
    [doc] = read([path])
    made = StructuralAuthor().draft(doc)
    assert made == StructuralAuthor().draft(doc)
    for draft in made:
        check_schema(draft.state_schema)
        source = "\n\n".join(text for text in draft.sources.values() if text)
        assert check_source(source, [t.name for t in draft.tools]) == []
        assert signature_findings(source, draft.tools) == []
        tables = {t.name: {c.name for c in t.columns} for t in draft.state_schema.tables}
        for each in draft.tools:
            if each.effect is not None:
                named = {*each.effect.fields.values(), *each.effect.sets, *each.effect.fixed}
                named |= {match.column for match in each.effect.match.values()}
                assert named <= tables[each.effect.table]
    tools = len({each.name for draft in made for each in draft.tools})
    left = {each.operation for draft in made for each in draft.left_out}
    assert not made or tools + len(left) == len(doc.operations)


@pytest.mark.parametrize("path", ODD, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_every_example_document_is_built_or_left_out_with_reasons(path: Path) -> None:
    if path.stem == "webhooks":
        pytest.skip("has no operations")
    _whole(path)


@pytest.mark.parametrize("path", [PROJECTS, XERO, ASANA], ids=lambda p: p.parent.name)
def test_every_operation_is_a_tool_or_left_out_with_a_reason(path: Path) -> None:
    _whole(path)


# --------------------------------------------------------------------- projects


def test_functions_without_paths_are_understood_by_their_names() -> None:
    [draft] = drafts(PROJECTS)
    members = table(draft.state_schema, "members")
    assert members.key == ("project_id", "user_id")
    assert members.parent is not None
    assert members.parent.table == "projects"
    assert effect(draft, "get_project_id_by_name").match["name"].column == "name"
    assert effect(draft, "close_task").sets == {"status": "closed"}
    assert effect(draft, "delete_project").cascades == ("members", "tasks")
    assert [e.operation for e in draft.left_out] == ["recalculate_progress", "send_task_reminder"]


def test_a_deleted_project_takes_its_members_and_tasks_along() -> None:
    [draft] = drafts(PROJECTS)
    session = session_of(draft)
    tasks = session.state()["tasks"].values()
    project = next(task["project_id"] for task in tasks)
    value(session.call("delete_project", {"project_id": project}))
    state = session.state()
    assert all(t["project_id"] != project for t in state["tasks"].values())
    assert all(m["project_id"] != project for m in state["members"].values())
    assert session.call("list_tasks", {"project_id": project}).failure == "not_found"


def test_a_closed_task_is_not_closed_again() -> None:
    [draft] = drafts(PROJECTS)
    session = session_of(draft)
    task = next(t for t in session.state()["tasks"].values() if t["status"] == "open")
    assert value(session.call("close_task", {"task_id": task["task_id"]}))["status"] == "closed"
    refused = session.call("close_task", {"task_id": task["task_id"]})
    assert refused.failure == "conflict"


@pytest.mark.parametrize("name", ["projects.md", "hotel.yaml"])
def test_every_tool_of_the_sample_documents_passes_the_tool_checks(name: str) -> None:
    [draft] = drafts(ROOT / "docs_in" / name)
    checks = check_tools(environment_of(draft), sandbox="native")
    assert {n: c.checks for n, c in checks.items() if not c.passed} == {}


def test_tools_say_what_the_document_says() -> None:
    [draft] = drafts(PROJECTS)
    listed = tool(draft, "list_tasks")
    assert listed.description == "Lists the tasks of a project."
    assert listed.parameters["properties"]["status"]["enum"] == ["open", "closed"]
    assert listed.parameters["properties"]["assignee_id"]["description"]
    assert listed.parameters["required"] == ["project_id"]


# --------------------------------------------------------------------- petstore


def test_the_petstore_is_built_and_what_needs_meaning_is_left_out() -> None:
    [draft] = drafts(PETSTORE)
    assert len(draft.tools) == 17
    for name in ("upload_file", "login_user", "logout_user"):
        assert why_left_out(draft, name)
    assert effect(draft, "update_pet").match["id"].column == "id"
    assert effect(draft, "find_pets_by_status").match["status"].op == "in"


def test_a_user_is_picked_by_name_and_may_get_another() -> None:
    [draft] = drafts(PETSTORE)
    session = session_of(draft)
    value(session.call("create_user", {"username": "kim", "first_name": "Kim"}))
    value(session.call("update_user", {"username": "kim", "username_body": "kimi"}))
    assert value(session.call("get_user_by_name", {"username": "kimi"}))["firstName"] == "Kim"
    assert session.call("get_user_by_name", {"username": "kim"}).failure == "not_found"
    assert session.call("create_user", {"username": "kimi"}).failure == "conflict"


def test_an_id_that_the_server_makes_is_no_argument() -> None:
    [draft] = drafts(PETSTORE)
    for name in ("add_pet", "place_order", "create_user"):
        assert not {"id", "order_id", "user_id"} & set(tool(draft, name).parameters["properties"])


# ------------------------------------------------------------------ xero, asana


def test_assets_are_listed_by_status_in_pages_and_in_order() -> None:
    [draft] = drafts(XERO)
    assert draft.left_out == ()
    session = session_of(draft)
    asked = {"status": "Registered", "page_size": 2, "order_by": "AssetName"}
    first = value(session.call("get_assets", asked))
    names = [asset["assetName"] for asset in first["items"]]
    assert names == sorted(names)
    assert {asset["assetStatus"] for asset in first["items"]} == {"Registered"}
    fitting = [
        a for a in session.state()["assets"].values() if a.get("assetStatus") == "Registered"
    ]
    assert first["pagination"]["itemCount"] == len(fitting)
    assert first["pagination"]["pageCount"] == -(-len(fitting) // 2)
    down = value(session.call("get_assets", {**asked, "sort_direction": "desc", "page_size": 99}))
    names = [asset["assetName"] for asset in down["items"]]
    assert names == sorted(names, reverse=True)


def test_an_id_of_what_no_operation_shows_is_no_argument() -> None:
    [draft] = drafts(XERO)
    arguments = tool(draft, "create_asset_type").parameters["properties"]
    assert not [name for name in arguments if name.endswith("_account_id")]


def test_most_of_asana_is_built_in_environments_of_at_most_sixty_tools() -> None:
    made = drafts(ASANA)
    assert len({each.name for draft in made for each in draft.tools}) >= 100
    assert all(len(draft.tools) <= 60 for draft in made)
    for name in (
        "create_batch_request",
        "duplicate_task",
        "instantiate_project",
        "project_save_as_template",
        "search_tasks_for_workspace",
        "create_organization_export",
        "typeahead_for_workspace",
        "insert_section_for_project",
    ):
        assert any(why_left_out(each, name) for each in made)


def test_a_reference_is_shown_as_the_record_that_it_names() -> None:
    draft = next(d for d in drafts(ASANA) if any(t.name == "create_task" for t in d.tools))
    session = session_of(draft)
    user = next(iter(session.state()["users"].values()))
    [space, *_] = session.state()["workspaces"]
    asked = {"name": "Call Anna", "assignee": user["gid"], "workspace": space}
    made = value(session.call("create_task", asked))
    assert made["data"]["assignee"] == {"gid": user["gid"], "name": user["name"]}
    assert effect(draft, "get_task").shows["assignee"] == ("assignee", "gid")  # type: ignore[index]
    gid = made["data"]["gid"]
    shown = value(session.call("get_task", {"task_gid": gid}))
    assert shown["data"]["assignee"]["name"] == user["name"]


def test_items_are_added_to_and_taken_from_the_list_of_a_record() -> None:
    draft = next(d for d in drafts(ASANA) if any(t.name == "add_tag_for_task" for t in d.tools))
    session = session_of(draft)
    state = session.state()
    tag = next(iter(state["tags"]))
    task = next(t["gid"] for t in state["tasks"].values() if tag not in t["tags"])
    value(session.call("add_tag_for_task", {"task_gid": task, "tag": tag}))
    assert tag in session.state()["tasks"][task]["tags"]
    listed = value(session.call("get_tasks_for_tag", {"tag_gid": tag}))
    assert task in [t["gid"] for t in listed["data"]]
    before = session.state()["tasks"][task]["tags"]
    value(session.call("add_tag_for_task", {"task_gid": task, "tag": tag}))
    assert session.state()["tasks"][task]["tags"] == before
    value(session.call("remove_tag_for_task", {"task_gid": task, "tag": tag}))
    assert tag not in session.state()["tasks"][task]["tags"]
