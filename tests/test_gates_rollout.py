"""The gates that roll tasks out: what the oracle cannot do, and what can be had without thought."""

from forge.gates.judge import GATES
from forge.gates.solvable import solvable
from forge.gates.start import Trial
from forge.gates.unguessable import unguessable
from forge.pipeline.advice import advice
from forge.types.dag import ReasonNode
from forge.types.intent import Change, Pick
from forge.types.task import Task
from tests.rollouts import some
from tests.wished import how, orders, said, shop, task_of
from tests.worlds import hand_world


def late() -> Task:
    return some(lambda task: any(fact.told for fact in task.facts))


def test_a_fact_that_nobody_knows_makes_a_task_unsolvable():
    told = tuple(fact for fact in late().facts if not fact.told)
    assert solvable(Trial(hand_world(), late())) is None
    assert solvable(Trial(hand_world(), late().model_copy(update={"facts": told}))) is not None


def test_a_value_that_the_question_does_not_say_makes_a_task_unsolvable():
    task = some(lambda t: any(not f.told for f in t.facts))
    spoken = next(f for f in task.facts if not f.told and f.text in task.question)
    silent = task.model_copy(update={"question": task.question.replace(spoken.text, "it")})
    assert "does not say" in (solvable(Trial(hand_world(), silent)) or "")


def test_an_answer_that_the_tools_do_not_give_makes_a_task_unsolvable():
    task = some(lambda t: t.kind == "answer" and {d.type for d in t.dues} == {"string"})
    wrong = tuple(due.model_copy(update={"value": "Zanzibar"}) for due in task.dues)
    spoilt = task.model_copy(update={"dues": wrong})
    assert "Zanzibar" in (solvable(Trial(hand_world(), spoilt)) or "")


def test_another_golden_state_makes_a_task_unsolvable():
    task = some(lambda t: t.kind == "change")
    assert solvable(Trial(hand_world(), task.model_copy(update={"golden": {}}))) is not None


def shipping(name: str) -> Task:
    wish = Change(of=orders(name=name), change={"status": said("shipped")})
    return task_of(wish, tools=["ship_order"])


def test_one_call_on_one_of_a_few_records_can_be_guessed():
    row = [r for r in shop().open("main").store.rows("orders") if r["status"] == "open"][1]
    task = shipping(str(row["name"]))
    reasons = {
        unguessable(Trial(shop(), task.model_copy(update={"question": f"Ship {row['name']}, {n}"})))
        for n in range(60)
    }
    assert any(reason and "at random" in reason for reason in reasons)


def test_a_choice_that_comes_first_can_be_had_without_thought():
    first = next(iter(shop().open("main").store.rows("orders")))["name"]
    reason = unguessable(Trial(shop(), shipping(str(first))))
    assert reason == "taking the first of every list earns the reward"


def test_a_choice_that_needs_thought_and_two_writes_cannot_be_guessed():
    dearest = orders(Pick(column="price", which="max"))
    moved = Change(of=dearest, change={"due": said("2030-05-01")})
    task = task_of(
        moved,
        moved.model_copy(update={"of": orders(name="Crate F")}),
        tools=["update_order", "update_order"],
    )
    assert any(isinstance(node, ReasonNode) for node in task.dag.nodes)
    assert unguessable(Trial(shop(), task)) is None


def test_doing_nothing_must_earn_nothing():
    task = some(lambda t: t.kind == "change")
    idle = task.model_copy(update={"golden": {}})
    assert unguessable(Trial(hand_world(), idle)) == "doing nothing earns the reward"


def test_an_answer_that_is_everywhere_can_be_guessed():
    task = task_of(how("value", "status", of=orders(name="Crate F")))
    reasons = {
        unguessable(Trial(shop(), task.model_copy(update={"question": f"Is Crate F there? {n}"})))
        for n in range(60)
    }
    assert any(reason and "answers at random" in reason for reason in reasons)


def test_there_is_advice_for_what_every_gate_refuses():
    for gate in [*GATES, "unique"]:
        assert len(advice({}, {gate: 1})) == 1
