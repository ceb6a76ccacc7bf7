"""What is trained on is proven."""

import pytest

from forge.dataset.folder import Dataset, read_dataset
from forge.errors import UserError
from forge.train.checks import check_proven
from forge.types.task import Task
from tests.places import HAND


@pytest.fixture
def dataset() -> Dataset:
    return read_dataset(HAND)


def tasks_of(dataset: Dataset) -> list[Task]:
    return [task for task in dataset.tasks() if task.kind != "sequence"]


def test_what_forge_sealed_and_nobody_changed_is_trained_on(dataset):
    check_proven(dataset, tasks_of(dataset))


def test_a_task_that_a_gate_refuses_is_named_in_one_line(dataset):
    first, *rest = (task for task in tasks_of(dataset) if len(task.golden_calls) > 1)
    wrong = first.model_copy(update={"golden_calls": first.golden_calls[:-1]})
    with pytest.raises(UserError) as error:
        check_proven(dataset, [wrong, *rest])
    assert f"{wrong.id} fails replay: " in str(error.value)
    assert f"(forge verify {HAND} names all" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_task_that_was_changed_and_still_holds_is_trained_on(dataset):
    task = tasks_of(dataset)[0]
    changed = task.model_copy(update={"question": f"Hello! {task.question}"})
    check_proven(dataset, [changed])


@pytest.mark.parametrize("gates", [{}, {"replay": {"passed": False, "reason": "it said"}}])
def test_what_a_task_says_of_itself_is_not_enough(dataset, gates):
    """Without a whole report the gates are asked, and they say that it is sound."""
    content = tasks_of(dataset)[0].model_dump()
    check_proven(dataset, [Task.model_validate({**content, "gates": gates})])


def test_tasks_of_an_environment_that_was_changed_are_judged_in_it(dataset, tmp_path):
    copy = tmp_path / "set"
    for path in HAND.rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            target = copy / path.relative_to(HAND)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    tools = copy / "envs" / "projects" / "tools.py"
    source = tools.read_text()
    write = "    return update("
    assert write in source
    tools.write_text(source.replace(write, '    fail("invalid", "no")\n    return update(', 1))
    changed = read_dataset(copy)
    with pytest.raises(UserError, match=r"fails \w+: "):
        check_proven(changed, tasks_of(changed))
