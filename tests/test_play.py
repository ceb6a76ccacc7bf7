"""`forge play`: a person who types is an agent, or a user, in the loop of rollouts."""

import json

import pytest
from typer.testing import CliRunner

from forge.cli.main import app
from forge.dataset.folder import read_dataset
from forge.rollout.policies.person import arguments_of
from forge.types.task import Task
from tests.places import HAND


def play(task: Task | str, *lines: str, options: tuple[str, ...] = ()):
    id = task if isinstance(task, str) else task.id
    typed = "".join(f"{line}\n" for line in lines)
    return CliRunner().invoke(app, ["play", str(HAND), id, *options], input=typed)


def changing() -> Task:
    tasks = read_dataset(HAND).tasks()
    return next(t for t in tasks if t.kind == "change" and not any(f.told for f in t.facts))


def late() -> Task:
    return next(t for t in read_dataset(HAND).tasks() if any(f.told for f in t.facts))


def test_the_golden_calls_typed_by_hand_earn_the_reward():
    task = changing()
    typed = [f"{c.tool} {json.dumps(c.arguments)}" for c in task.golden_calls]
    result = play(task, *typed, "All done.")
    assert result.exit_code == 0
    assert "reward 1" in result.stdout


def test_doing_nothing_is_told_with_what_is_missing():
    result = play(changing(), "All done.")
    assert "reward 0" in result.stdout
    assert "should be" in result.stdout or "is missing" in result.stdout


def test_the_agent_sees_the_rules_the_question_and_the_tools():
    task = changing()
    found = play(task, "/tools", "/tool list_tasks", "/quit").stdout
    assert " ".join(task.question.split()) in " ".join(found.split())
    assert "list_tasks(project_id" in found
    assert '"project_id"' in found


def test_the_user_answers_what_the_agent_asks():
    task = late()
    fact = next(fact for fact in task.facts if fact.told)
    asked = f"Could you tell me the {fact.about.removeprefix('the ') or fact.name}?"
    assert fact.text in play(task, asked, "/quit").stdout


def test_arguments_may_be_written_as_name_and_value():
    assert arguments_of('{"a": [1]}') == {"a": [1]}
    assert arguments_of('a=1 b="two words" c=true d=x') == {
        "a": 1,
        "b": "two words",
        "c": True,
        "d": "x",
    }


@pytest.mark.parametrize("line", ["list_tasks nonsense", "list_tasks {bad", "list_task a=1"])
def test_a_call_that_cannot_be_read_is_told_and_not_made(line):
    found = play(changing(), line, "/quit").stdout
    assert "not called" in found or "there is no tool" in found
    assert "result:" not in found


def test_what_looks_like_a_call_can_be_said():
    found = play(changing(), "/say list_tasks is all I have").stdout
    assert "reward 0" in found


def test_leaving_or_the_end_of_the_input_scores_nothing():
    for typed in ((), ("/quit",)):
        result = play(changing(), *typed)
        assert result.exit_code == 0
        assert "nothing was scored" in result.stdout


def test_a_person_can_be_the_user_of_the_oracle():
    assert "reward 1" in play(changing(), "/done", options=("--as", "user")).stdout


def test_a_user_who_does_not_tell_leaves_the_oracle_helpless():
    found = play(late(), "I will not say.", "/done", options=("--as", "user")).stdout
    assert "reward 0" in found


def test_a_task_is_named_by_how_its_id_begins():
    task = changing()
    assert "nothing was scored" in play(task.id[:-2], "/quit").stdout


def test_an_unknown_task_is_one_line_with_what_is_near():
    result = play("projects-zzz")
    assert result.exit_code == 2
    assert "there is no task" in result.stderr
