"""The hand-written data set: its ten tasks pass every gate, and each bad one is refused by the gate
that is there for it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from forge.dataset.environments import read_environment
from forge.dataset.folder import read_dataset
from forge.env.session import World
from forge.gates.judge import GATES, judge
from forge.gates.verify import verify
from forge.types.data import Json
from forge.types.task import Task
from tests.hand.seal import played, seal, written
from tests.places import HAND

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
