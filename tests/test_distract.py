"""Records laid on the base: what they are like, and that they leave what is meant as it was."""

import random
import re

import pytest

from forge.env.store import Store
from forge.gates.judge import judge
from forge.tasks.intents.inside import selections, single_selections
from forge.tasks.intents.intent import IntentError, select
from forge.tasks.intents.likeness import akin
from forge.tasks.intents.rivals import count_rivals, rivals
from forge.tasks.wishes.distract import distract
from forge.types.intent import (
    Aggregate,
    Answer,
    Condition,
    Delete,
    Intent,
    Pick,
    Plain,
    RecordKey,
    Selection,
)
from forge.types.state import TableOverlay
from forge.types.task import Task
from tests.worlds import hand_tasks, hand_world


def laid() -> list[Task]:
    found = [t for t in hand_tasks() if t.setup]
    assert found
    return found


def start(task: Task) -> Store:
    session = hand_world().open(task.base, actor=task.actor, now=task.now, setup=task.setup)
    return session.store


def project(name: str) -> Selection:
    where = (Condition(column="name", value=Plain(value=name, fact="project")),)
    return Selection(table="projects", where=where)


def tasks_of(name: str, *, status: str, first: str) -> Selection:
    where = (
        Condition(column="project_id", value=RecordKey(of=project(name))),
        Condition(column="status", value=Plain(value=status, fact="status")),
    )
    return Selection(table="tasks", where=where, pick=Pick(column=first, which="min"))


def wishing(of: Selection) -> Intent:
    return Intent(wishes=(Delete(of=of),))


def made_for(intent: Intent, seed: int = 0) -> list[tuple[str, dict]]:
    store = hand_world().open("main", actor="usr_a6f0682c", seed=99).store
    overlay = distract(intent, store, random.Random(seed), {})
    return [(table, r) for table, rows in overlay.items() for r in rows.made.values()]


def test_a_setup_only_adds_a_few_records():
    for task in laid():
        for rows in task.setup.values():
            assert rows.made and not rows.changed and not rows.deleted
        assert sum(len(rows.made) for rows in task.setup.values()) <= 3


def test_what_is_meant_is_the_same_with_and_without_the_setup():
    for task in laid():
        base = hand_world().open(task.base, actor=task.actor, now=task.now).store
        here = start(task)
        for of, _ in selections(task.intent):
            try:
                assert select(of, here, {}) == select(of, base, {})
            except IntentError:
                continue  # it is about what an earlier wish makes


def test_no_record_that_was_laid_is_touched_by_the_golden_calls():
    for task in laid():
        for table, rows in task.setup.items():
            touched = task.golden.get(table, TableOverlay())
            assert not set(rows.made) & ({*touched.changed} | {*touched.deleted})


def test_each_record_that_was_laid_can_be_taken_for_one_that_is_meant():
    for task in laid():
        store = start(task)
        near = [r for of, _ in selections(task.intent) for r in rivals(of, store)]
        for rows in task.setup.values():
            for record in rows.made.values():
                assert record in near


def test_keys_of_records_that_were_laid_look_like_any_other():
    for task in laid():
        for table, rows in task.setup.items():
            known = hand_world().bases[task.base].records(table)
            lengths = {len(str(key[0])) for key in known}
            for text in rows.made:
                assert len(text.split("/")[0]) in lengths
                assert re.match(r"[a-z]{3}_[0-9a-f]{8}", text)


def test_a_named_record_gets_one_beside_it_with_nearly_the_same_name():
    ((table, record),) = made_for(wishing(project("Lumen")))
    assert table == "projects" and akin(record["name"], "Lumen")


def test_none_is_laid_where_the_base_has_one_like_it():
    """There are Auro and Aurora."""
    assert made_for(wishing(project("Auro"))) == []


def test_a_person_gets_a_namesake():
    where = (Condition(column="name", value=Plain(value="Priya Nair", fact="user")),)
    ((_, record),) = made_for(wishing(Selection(table="users", where=where)))
    first, last = record["name"].split()
    assert (first == "Priya") != (last == "Nair")


def test_a_pick_gets_a_better_one_outside_its_filter():
    store = hand_world().open("main", actor="usr_a6f0682c").store
    names = [r["name"] for r in store.find("projects")]
    made = []
    for name in names:
        of = tasks_of(name, status="open", first="due_date")
        try:
            found = select(of, store, {})
        except IntentError:
            continue
        if found:
            made += [(r, found[0], name) for t, r in made_for(wishing(of)) if t == "tasks"]
    assert made
    for record, picked, _ in made:
        assert record["due_date"] < picked["due_date"]
        same_project = record["project_id"] == picked["project_id"]
        assert same_project != (record["status"] == "open")


def test_the_same_dice_lay_the_same_records():
    intent = wishing(project("Lumen"))
    assert made_for(intent, 5) == made_for(intent, 5)
    assert made_for(intent, 5) != made_for(intent, 8)


def test_a_setup_of_more_than_twenty_records_is_malformed():
    task = laid()[0]
    rows = {
        f"usr_{n:08x}": {"user_id": f"usr_{n:08x}", "name": f"N {n}", "email": f"n{n}@example.org"}
        for n in range(21)
    }
    reports = judge(
        hand_world(), task.model_copy(update={"setup": {"users": TableOverlay(made=rows)}})
    )
    assert all("more than 20" in r.reason for r in reports.values())


def test_rivals_are_counted_where_they_are():
    store = hand_world().open("main", actor="usr_a6f0682c").store
    assert count_rivals(wishing(project("Auro")), store) == 1
    count = Answer(what=Aggregate(of=Selection(table="tasks"), op="count"))
    assert count_rivals(Intent(wishes=(count,)), store) == 0
    open_on_lumen = tasks_of("Lumen", status="open", first="due_date").model_copy(
        update={"pick": None}
    )
    lumen = select(project("Lumen"), store, {})[0]["project_id"]
    either = [
        r for r in store.find("tasks") if (r["project_id"] == lumen) != (r["status"] == "open")
    ]
    assert rivals(open_on_lumen, store) == either
    counted = Answer(what=Aggregate(of=open_on_lumen, op="count"))
    assert count_rivals(Intent(wishes=(counted,)), store) == min(20, len(either))


def test_a_task_says_how_many_records_could_be_taken_for_what_is_meant():
    for task in hand_tasks():
        store = start(task)
        assert task.difficulty["distractors"] == count_rivals(task.intent, store)
    assert any(t.difficulty["distractors"] for t in hand_tasks())


def test_every_record_that_is_named_is_still_one():
    for task in laid():
        store = start(task)
        for of in single_selections(task.intent):
            try:
                assert len(select(of, store, {})) == 1
            except IntentError:
                continue


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Auro", "Aurora", True),
        ("Tom Becker", "Tom Okafor", True),
        ("Book the room", "Book the caterer", True),
        ("Lumen", "lumen", False),
        ("Lumen", "Payroll switch", False),
        ("Book the room", "Print the banners", False),
    ],
)
def test_a_hasty_reader_takes_one_name_for_another(one, other, alike):
    assert akin(one, other) is alike
