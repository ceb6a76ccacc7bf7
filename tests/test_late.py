"""What is told only when asked: which values, how it is asked for, and that it is needed."""

import random

import pytest

from forge.gates.grounded import grounded
from forge.gates.replay import replay
from forge.gates.start import Trial
from forge.tasks.intents.inside import place_of, telling_fact
from forge.tasks.wishes.late import LATE_SHARE, told_late
from forge.tasks.wishes.scene import Wished
from forge.types.dag import CallNode, Told
from forge.types.intent import (
    Change,
    Condition,
    Insert,
    Intent,
    Pick,
    Plain,
    RecordKey,
    Selection,
)
from forge.types.task import Task
from tests.worlds import hand_tasks, hand_world


def late_tasks() -> list[Task]:
    found = [t for t in hand_tasks(120) if any(f.told for f in t.facts)]
    assert found
    return found


def a_project(name: str, fact: str) -> Selection:
    where = (Condition(column="name", value=Plain(value=name, fact=fact)),)
    return Selection(table="projects", where=where)


def new_task() -> Insert:
    return Insert(
        table="tasks",
        values={
            "project_id": RecordKey(of=a_project("Lumen", "project")),
            "title": Plain(value="Order the lamps", fact="title"),
            "due_date": Plain(value="2026-04-01", fact="due"),
        },
    )


def drawn(intent: Intent, wished: list[Wished], times: int = 600) -> list[set[str]]:
    return [told_late(intent, wished, random.Random(seed)) for seed in range(times)]


def test_at_most_two_things_are_told_late():
    for task in late_tasks():
        assert 1 <= sum(f.told for f in task.facts) <= 2


def test_what_is_told_late_is_not_in_the_question():
    for task in late_tasks():
        for fact in task.facts:
            assert not fact.told or fact.text not in task.question


def test_what_is_told_late_is_asked_for_in_words_of_its_own():
    for task in late_tasks():
        asked = [f.about for f in task.facts if f.told]
        assert len(set(asked)) == len(asked)
        for about in asked:
            assert about.startswith("the ") and "_" not in about


def test_what_is_told_late_is_written_and_selects_nothing():
    for task in late_tasks():
        for fact in task.facts:
            if not fact.told:
                continue
            named = [
                telling_fact(v)
                for w in task.intent.wishes
                if isinstance(w, Insert | Change)
                for v in (w.values if isinstance(w, Insert) else w.change).values()
            ]
            assert named.count(fact.name) == 1
            assert place_of(task.intent, fact.name) is not None


def test_what_is_told_late_is_an_argument_of_a_call():
    for task in late_tasks():
        told = {
            origin.fact
            for node in task.dag.nodes
            if isinstance(node, CallNode)
            for origin in node.arguments.values()
            if isinstance(origin, Told)
        }
        assert told >= {f.name for f in task.facts if f.told}


def test_without_what_is_told_late_the_end_is_another():
    for task in late_tasks():
        fact = next(f for f in task.facts if f.told)
        nodes = tuple(
            n.model_copy(
                update={
                    "arguments": {
                        a: o
                        for a, o in n.arguments.items()
                        if not (isinstance(o, Told) and o.fact == fact.name)
                    }
                }
            )
            if isinstance(n, CallNode)
            else n
            for n in task.dag.nodes
        )
        without = task.model_copy(update={"dag": task.dag.model_copy(update={"nodes": nodes})})
        assert grounded(Trial(hand_world(), without)) is not None
        assert replay(Trial(hand_world(), without)) is not None


def test_grounded_refuses_a_question_that_says_what_is_told_late():
    for task in late_tasks():
        fact = next(f for f in task.facts if f.told)
        said = task.model_copy(update={"question": f"{task.question} I mean {fact.text}."})
        reason = grounded(Trial(hand_world(), said))
        assert reason == f"the question says {fact.text!r}, which is told late"


def test_two_things_are_told_late_now_and_then():
    wish = new_task()
    found = drawn(Intent(wishes=(wish,)), [Wished(wish, None, ["project_id", "due_date"])])
    sizes = [len(each) for each in found]
    assert set(sizes) == {0, 1, 2}
    assert abs(sum(size > 0 for size in sizes) / len(sizes) - LATE_SHARE) < 0.06
    assert set().union(*found) == {"project", "due"}


def test_nothing_is_told_late_that_is_said_elsewhere():
    wish = new_task()
    other = Change(
        of=a_project("Lumen", "project"), change={"name": Plain(value="Lumina", fact="name")}
    )
    intent = Intent(wishes=(wish, other))
    found = drawn(intent, [Wished(wish, None, ["project_id", "due_date"]), Wished(other, None)])
    assert set().union(*found) == {"due"}


def test_nothing_is_told_late_where_no_tool_must_have_it():
    wish = new_task()
    assert not any(drawn(Intent(wishes=(wish,)), [Wished(wish, None)], 50))


@pytest.mark.parametrize(
    ("of", "fact"),
    [
        (a_project("Lumen", "project"), "project"),
        (a_project("Lumen", "project").model_copy(
            update={"pick": Pick(column="created_at", which="min")}), None),
        (Selection(table="projects"), None),
    ],
)  # fmt: skip
def test_a_record_is_told_by_its_name_alone(of, fact):
    assert telling_fact(RecordKey(of=of)) == fact
