"""The hand-written data set: its ten tasks pass every gate, and each bad one is refused by the gate
that is there for it."""

import copy
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forge.dataset.environments import read_environment
from forge.dataset.files import parse_model
from forge.dataset.folder import read_dataset
from forge.dataset.write import task_row
from forge.env.session import World
from forge.errors import UserError
from forge.gates.judge import GATES, judge
from forge.gates.verify import verify
from forge.types.data import Json
from forge.types.task import Task
from tests.hand.seal import played, seal, written
from tests.places import HAND

Spot = tuple[str | int, ...]

REFUSED = list(written(HAND / "refused.yaml"))
TASKS = list(read_dataset(HAND).tasks())


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World(read_environment(HAND / "envs" / "projects"), sandbox="native") as opened:
        yield opened


def name(document: dict[str, Json]) -> str:
    return document["question"][:40]


def test_what_is_on_disk_is_what_the_written_source_gives(tmp_path: Path):
    shutil.copytree(HAND / "envs", tmp_path / "envs")
    shutil.copy(HAND / "tasks.yaml", tmp_path)
    seal(tmp_path)
    for file in ("tasks.jsonl", "dataset.json", "README.md"):
        assert (tmp_path / file).read_bytes() == (HAND / file).read_bytes(), file


def test_all_tasks_pass_every_gate_in_the_sandbox_for_untrusted_tools():
    found = verify(read_dataset(HAND), sandbox="monty")
    assert found.failures == []
    assert (found.tasks, found.passed) == (10, 10)
    assert set(found.gates) == {*GATES, "unique"}


@pytest.mark.parametrize("task", TASKS, ids=[task.question[:40] for task in TASKS])
def test_a_task_says_all_it_says_at_once_and_nothing_it_tells_late(task: Task):
    for fact in task.facts:
        assert (fact.text in task.question) != fact.told


@pytest.mark.parametrize("document", REFUSED, ids=map(name, REFUSED))
def test_a_bad_task_is_refused_by_the_gate_that_is_there_for_it(
    world: World, document: dict[str, Json]
):
    content = {k: v for k, v in document.items() if k not in ("refused_by", "because")}
    reports = judge(world, played(world, content))
    refusals = {gate: report.reason for gate, report in reports.items() if not report.passed}
    assert set(document["refused_by"]) <= set(refusals)
    assert any(document["because"] in reason for reason in refusals.values()) or not refusals
    assert bool(refusals) == bool(document["refused_by"])


def test_a_careless_end_to_the_overdue_task_misses_the_golden_state(world: World):
    """The first open task of the list, the earliest of all on the project (closed already), and
    the earliest of another project are not the one that is meant."""
    (task,) = [task for task in TASKS if "overdue longest" in task.question]
    start = world.open(task.base, actor=task.actor, now=task.now)
    project = start.call("find_project", {"name": "Lumen"}).value
    listed = start.call("list_tasks", {"project_id": project["project_id"]}).value
    first_open = next(each for each in listed if each["status"] == "open")
    earliest = min(listed, key=lambda each: each["due_date"])
    elsewhere = min(start.store.find("tasks", status="open"), key=lambda each: each["due_date"])
    meant = task.golden_calls[-1].arguments["task_id"]
    assert earliest["status"] == "closed"
    assert meant not in {first_open["task_id"], earliest["task_id"], elsewhere["task_id"]}


def test_taking_someone_off_a_project_is_refused_while_they_have_open_tasks(world: World):
    (task,) = [task for task in TASKS if "take him off" in task.question]
    session = world.open(task.base, actor=task.actor, now=task.now)
    result = session.call("remove_member", task.golden_calls[-1].arguments)
    assert result.failure == "conflict"
    assert "still has 2 open tasks" in result.message
    assert session.overlay() == {}


# ------------------------------------------------------- tasks that anyone may have written

GONE = object()
JUNK = ("zzz", 7, -1, 3.5, True, None, [], {}, ["zzz"], GONE)


def spots(value: Json, spot: Spot = ()) -> Iterator[Spot]:
    """The way to every value inside."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in items:
        yield (*spot, step)
        if isinstance(inner, dict | list):
            yield from spots(inner, (*spot, step))


def with_junk(row: Json, spot: Spot, junk: object) -> Json:
    changed = copy.deepcopy(row)
    *way, last = spot
    place = changed
    for step in way:
        place = place[step]
    if junk is GONE:
        del place[last]
    else:
        place[last] = junk
    return changed


ROWS = [{k: v for k, v in task_row(task).items() if k != "gates"} for task in TASKS]
BROKEN = [(row, spot) for row in ROWS for spot in spots(row)]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(BROKEN), st.sampled_from(JUNK))
def test_whatever_a_task_says_there_is_a_verdict_on_it(
    world: World, broken: tuple[Json, Spot], junk: object
):
    row = with_junk(*broken, junk)
    try:
        task = parse_model(Task, row, "here")
    except UserError:
        return
    assert set(judge(world, task)) == set(GATES)


@pytest.mark.parametrize(
    ("spot", "junk", "said"),
    [
        (("base",), "elsewhere", "there is no base"),
        (("actor",), "usr_0", "to act as"),
        (("dag", "nodes", 1, "id"), "find", "two nodes are named 'find'"),
        (("dag", "nodes", 1, "tool"), "drop_project", "there is no tool of that name"),
        (("dag", "nodes", 1, "writes"), False, "only read"),
        (("dag", "nodes", 1, "arguments", "project_id", "node"), "make", "no earlier node"),
        (("dag", "orders"), [["make", "find"]], "'make' cannot come before 'find'"),
        (("intent", "wishes", 0, "of", "table"), "project", "table 'project'"),
        (("intent", "wishes", 0, "of", "where", 0, "column"), "title", "column 'title'"),
        (("intent", "wishes", 2, "values", "project_id", "wish"), 0, "makes none"),
        (("golden", "projects", "deleted"), ["prj_0"], "the golden state is none"),
    ],
)
def test_a_task_that_names_what_is_not_there_passes_no_gate(
    world: World, spot: Spot, junk: Json, said: str
):
    (row,) = [row for row in ROWS if "Auro" in row["question"]]
    reports = judge(world, parse_model(Task, with_junk(row, spot, junk), "here"))
    assert {report.passed for report in reports.values()} == {False}
    assert said in reports["replay"].reason
