"""The executed checks on tools: right tools pass, and each way to be wrong is noticed."""

import pytest

from forge.dataset.environments import read_environment
from forge.synth.check import ToolCheck, check_tools
from forge.types.environment import Effect, Environment
from tests.places import ROOT

HAND = read_environment(ROOT / "tests/hand/envs/projects")


def checked(name: str, environment: Environment = HAND, sandbox: str = "native") -> ToolCheck:
    """What the checks say of one tool."""
    tools = tuple(tool for tool in environment.tools if tool.name == name)
    alone = environment.model_copy(update={"tools": tools})
    return check_tools(alone, sandbox=sandbox)[name]


def changed(old: str, new: str) -> Environment:
    assert HAND.source.count(old) == 1, old
    return HAND.model_copy(update={"source": HAND.source.replace(old, new)})


def with_effect(name: str, **fields: object) -> Environment:
    """The hand-written environment, one tool declaring something else."""
    tools = tuple(
        tool.model_copy(update={"effect": tool.effect.model_copy(update=fields)})
        if tool.name == name and tool.effect is not None
        else tool
        for tool in HAND.tools
    )
    return HAND.model_copy(update={"tools": tools})


def failed(check: ToolCheck) -> set[str]:
    return {name for name, reason in check.checks.items() if reason != "pass"}


def test_the_hand_written_environment_passes_and_every_tool_kills_a_mutant():
    for name, check in check_tools(HAND).items():
        assert check.passed, (name, check.checks)
        assert 0 < check.killed <= check.mutants


@pytest.mark.parametrize("name", ["list_tasks", "close_task"])
def test_the_checks_say_the_same_in_the_other_sandbox(name):
    assert checked(name, sandbox="monty") == checked(name)


WRONG = {
    "a filter that is ignored": (
        "list_members", "find(\"members\", project_id=project_id, **given(role=role))",
        "find(\"members\", project_id=project_id)", "records"),
    "a filter on another column": (
        "my_tasks", "assignee_id=me(), **given(status=status)",
        "assignee_id=me(), **given(title=status)", "records"),
    "a boundary that is taken in": (
        "list_tasks", "due_date__lt=due_before", "due_date__le=due_before", "records"),
    "case that matters and should not": (
        "find_users", "name__icontains=name", "name__contains=name", "records"),
    "others' records": (
        "my_tasks", "assignee_id=me(), **given(status=status)", "**given(status=status)",
        "records"),
    "a page that is one too long": (
        "list_projects", "limit=limit, offset=offset", "limit=limit + 1, offset=offset",
        "pages"),
    "a default page that is one too long": (
        "list_projects", "limit: int = 20", "limit: int = 21", "page size"),
    "an offset that is off by one": (
        "list_projects", "limit=limit, offset=offset", "limit=limit, offset=max(0, offset - 1)",
        "pages"),
    "a read that writes": (
        "get_task", 'return get("tasks", task_id)',
        'return update("tasks", task_id, title="x")', "runs"),
    "another record": (
        "get_task", 'return get("tasks", task_id)', 'return find("tasks", limit=1)[0]', "shows"),
    "a record that is not looked for": (
        "get_task", 'return get("tasks", task_id)',
        'found = find("tasks", task_id=task_id)\n    return found[0] if found else {}',
        "strangers"),
    "another status": (
        "close_task", 'status="closed", closed_at=now()', 'status="open", closed_at=now()',
        "change"),
    "a time that is not now": (
        "close_task", "closed_at=now()", 'closed_at="2020-01-01T00:00:00Z"', "change"),
    "a refusal that is missing": (
        "close_task", 'if task["status"] == "closed":', 'if task["status"] == "gone":',
        "requires"),
    "a write that is dropped": (
        "rename_project", 'return update("projects", project_id, name=name)',
        'return get("projects", project_id)', "change"),
    "a write to another column": (
        "assign_task", 'update("tasks", task_id, assignee_id=user_id)',
        'update("tasks", task_id, title=user_id)', "change"),
    "a write to more than one record": (
        "delete_task", 'delete("tasks", task_id)',
        'delete("tasks", task_id)\n    delete("tasks", find("tasks", limit=1)[0]["task_id"])',
        "change"),
    "a side effect on another table": (
        "rename_project", 'return update("projects", project_id, name=name)',
        'delete("users", [u for u in find("users") if not count("tasks", '
        'assignee_id=u["user_id"])][0]["user_id"])\n'
        '    return update("projects", project_id, name=name)', "change"),
    "a write that never writes": (
        "create_project",
        'project = insert("projects", **given(name=name, description=description))\n'
        '    insert("members", project_id=project["project_id"], user_id=me(), role="admin")',
        'project = {**find("projects", limit=1)[0], **given(name=name, description=description)}',
        "changes"),
    "a write to a record that the call is not about": (
        "create_project", 'user_id=me(), role="admin")\n    return project',
        'user_id=me(), role="admin")\n'
        '    other = find("tasks", assignee_id=None, limit=1)[0]\n'
        '    update("tasks", other["task_id"], title="Other")\n    return project',
        "changes what"),
    "what was not passed is emptied": (
        "create_project", "**given(name=name, description=description)",
        "name=name", "arguments matter"),
    "a default that is not the one that is told": (
        "add_member", 'role: str = "editor"', 'role: str = "viewer"', "change"),
    "a result that does not show the record": (
        "update_task", 'return update("tasks", task_id, **given(title=title, due_date=due_date))',
        'update("tasks", task_id, **given(title=title, due_date=due_date))\n    return {}',
        "change"),
    "a bug": (
        "get_task", 'return get("tasks", task_id)', 'return get("tasks", task_id)["x"]', "runs"),
    "a list in an order that depends on nothing declared but holds a record twice": (
        "find_users", 'return find("users", sort="name", **given(name__icontains=name))',
        'rows = find("users", sort="name", **given(name__icontains=name))\n'
        "    return rows + rows[:1]", "records"),
    "a delete that is refused to none": (
        "delete_task", 'delete("tasks", task_id)\n    return {"deleted": task_id}',
        'if find("tasks", task_id=task_id):\n        delete("tasks", task_id)\n'
        '    return {"deleted": task_id}', "strangers"),
}  # fmt: skip


@pytest.mark.parametrize("what", sorted(WRONG))
def test_a_wrong_tool_is_refused_by_the_check_meant_for_it(what):
    name, old, new, check = WRONG[what]
    result = checked(name, changed(old, new))
    assert not result.passed
    assert failed(result) == {check}, result.checks


def with_path(name: str, operation: str, environment: Environment) -> Environment:
    """One tool of the environment made from this operation."""
    tools = (
        tool.model_copy(update={"operation": operation}) if tool.name == name else tool
        for tool in environment.tools
    )
    return environment.model_copy(update={"tools": tuple(tools)})


@pytest.mark.parametrize(
    ("operation", "found"),
    [("GET /projects/{project_id}/members", {"nothing"}), ("GET /members", set())],
)
def test_members_of_a_project_that_is_not_there_are_refused_where_it_is_in_the_path(
    operation, found
):
    guard = '    get("projects", project_id)\n    return find("members"'
    environment = changed(guard, '    return find("members"') if guard in HAND.source else HAND
    assert failed(checked("list_members", with_path("list_members", operation, environment))) == (
        found
    )


@pytest.mark.parametrize(
    ("operation", "found"), [("GET /tasks/{task_id}", {"unknown"}), ("GET /tasks", set())]
)
def test_a_read_without_an_effect_refuses_a_key_in_its_path_that_is_not_there(operation, found):
    environment = changed(
        '"""Read one task."""\n    return get("tasks", task_id)',
        '"""Read one task."""\n    rows = find("tasks", task_id=task_id)\n'
        "    return rows[0] if rows else {}",
    )
    tools = tuple(tool.model_copy(update={"effect": None}) for tool in environment.tools)
    environment = with_path("get_task", operation, environment.model_copy(update={"tools": tools}))
    assert failed(checked("get_task", environment)) == found


@pytest.mark.parametrize(
    ("total", "found"),
    [
        ("len(rows)", set()),
        ('count("members", project_id=project_id, **given(role=role))', set()),
        ('count("members")', {"totals"}),
        ("len(rows) + 1", {"totals"}),
    ],
)
def test_a_total_beside_a_list_counts_what_fits_or_what_is_shown(total, found):
    environment = changed(
        'return find("members", project_id=project_id, **given(role=role))',
        'rows = find("members", project_id=project_id, **given(role=role))\n'
        f'    return {{"rows": rows, "total": {total}}}',
    )
    environment = environment.model_copy(
        update={
            "tools": tuple(
                tool.model_copy(
                    update={
                        "returns": None,
                        "effect": tool.effect.model_copy(update={"result": ("rows",)}),
                    }
                )
                for tool in environment.tools
                if tool.name == "list_members" and tool.effect is not None
            )
        }
    )
    environment = environment.model_copy(
        update={"source": environment.source.replace(
            "(project_id: str, role: str | None = None) -> list:",
            "(project_id: str, role: str | None = None) -> dict:",
        )}
    )  # fmt: skip
    assert failed(checked("list_members", environment)) == found


def test_a_create_that_takes_an_unknown_reference_is_refused():
    environment = changed(
        '    return insert(\n        "tasks",\n        **given(project_id=project_id, title=title,'
        " due_date=due_date, assignee_id=assignee_id),\n    )",
        '    known = find("projects", project_id=project_id) or find("projects", limit=1)\n'
        '    return insert("tasks", **given(project_id=known[0]["project_id"], title=title,'
        " due_date=due_date, assignee_id=assignee_id))",
    )
    environment = environment.model_copy(
        update={
            "source": environment.source.replace(
                '    get("projects", project_id)\n    if assignee_id', "    if assignee_id"
            )
        }
    )
    assert failed(checked("create_task", environment)) == {"references"}


@pytest.mark.parametrize(
    ("name", "fields", "check"),
    [
        ("close_task", {"sets": {"status": "open"}}, "change"),
        ("list_members", {"match": {}}, "records"),
        ("delete_project", {"cascades": ()}, "change"),
        ("get_task", {"shows": {"title": ("name",)}}, "shows"),
        ("update_task", {"replaces": True}, "change"),
        ("reopen_task", {"requires": ()}, None),
    ],
)
def test_an_effect_that_the_tool_does_not_have_is_refused(name, fields, check):
    result = checked(name, with_effect(name, **fields))
    assert failed(result) == ({check} if check else set()), result.checks


def test_a_result_that_is_not_what_the_tool_declares_is_refused():
    tools = tuple(
        tool.model_copy(update={"returns": {"type": "object", "required": ["priority"]}})
        for tool in HAND.tools
    )
    result = checked("get_task", HAND.model_copy(update={"tools": tools}))
    assert failed(result) == {"result"}


def test_a_pattern_of_the_document_cannot_stop_the_checks():
    returns = {
        "properties": {"title": {"type": "string", "pattern": "^(([a-z ])+.)+[A-Z]([a-z])+$"}}
    }
    tools = tuple(tool.model_copy(update={"returns": returns}) for tool in HAND.tools)
    assert checked("get_task", HAND.model_copy(update={"tools": tools})).passed


def test_a_source_that_breaks_the_rules_spoils_no_other_tool():
    environment = changed(
        '"""Read one task."""\n    return get("tasks", task_id)',
        '"""Read one task."""\n    return open(task_id)',
    )
    checks = check_tools(environment)
    assert [name for name, check in checks.items() if not check.passed] == ["get_task"]
    assert "files" in checks["get_task"].checks["loads"]


def test_a_type_that_cannot_be_is_found_before_anything_runs():
    result = checked(
        "get_task",
        changed('return get("tasks", task_id)', 'return get("tasks", task_id).append(1)'),
    )
    assert failed(result) == {"loads"}


def test_a_tool_without_an_effect_gets_the_generic_checks_only():
    check = checked("create_project")
    assert check.passed
    assert "change" not in check.checks
    assert "arguments matter" in check.checks


def test_an_argument_that_does_nothing_is_refused():
    environment = changed(
        "def get_task(task_id: str) -> dict:", 'def get_task(task_id: str, lang: str = "") -> dict:'
    )
    tools = tuple(
        tool.model_copy(
            update={
                "parameters": {
                    **tool.parameters,
                    "properties": {**tool.parameters["properties"], "lang": {"type": "string"}},
                }
            }
        )
        if tool.name == "get_task"
        else tool
        for tool in environment.tools
    )
    result = checked("get_task", environment.model_copy(update={"tools": tools}))
    assert failed(result) == {"arguments matter"}
    assert "lang" in result.checks["arguments matter"]


def test_an_effect_on_a_count_is_held_to_the_number():
    effect = Effect(verb="count", table="users", result=("total",))
    for expression, good in (("count('users')", True), ("count('users') - 1", False)):
        environment = changed(
            '"""Read one task."""\n    return get("tasks", task_id)',
            f'"""Read one."""\n    get("tasks", task_id)\n    return {{"total": {expression}}}',
        )
        tools = tuple(
            tool.model_copy(update={"effect": effect}) if tool.name == "get_task" else tool
            for tool in environment.tools
        )
        result = checked("get_task", environment.model_copy(update={"tools": tools}))
        assert ("records" in failed(result)) is not good
