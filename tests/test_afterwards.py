"""What is asked once the other wishes are granted, and the search for long chains of calls."""

from forge.env.identity import same
from forge.gates.judge import first_refusal
from forge.gates.keep import DEEP, LEAST_DEEP, Stand, Tally, Wanted, more_tasks
from forge.gates.meaning import meaning
from forge.gates.start import Trial
from forge.tasks.dags.graph import tool_graph
from forge.tasks.dags.play import play
from forge.tasks.intents.intent import measure
from forge.types.dag import CallNode, TaskDag
from forge.types.intent import Answer, Intent
from forge.types.task import Task
from tests.worlds import hand_environment, hand_tasks, hand_world


def asked(task: Task) -> Answer:
    return next(w for w in task.intent.wishes if isinstance(w, Answer) and w.after)


def asked_later() -> list[Task]:
    found = [t for t in hand_tasks() if any(getattr(w, "after", False) for w in t.intent.wishes)]
    assert found, "the sample holds no task of this kind"
    return found


def test_what_is_asked_after_the_changes_was_otherwise_before():
    for task in asked_later():
        trial = Trial(hand_world(), task)
        due = task.dues[-1].value
        assert not same(measure(asked(task).what, trial.store(), {}), due)
        assert same(measure(asked(task).what, trial.meant()[1], {}), due)


def test_it_is_looked_up_again_after_what_changes_it():
    for task in asked_later():
        writes = {n.id for n in task.dag.nodes if isinstance(n, CallNode) and n.writes}
        reads = {n.id for n in task.dag.nodes} - writes
        assert any(first in writes and then in reads for first, then in task.dag.orders)


def test_who_looks_too_early_gives_another_answer():
    for task in asked_later():
        trial = Trial(hand_world(), task)
        free = TaskDag(nodes=task.dag.nodes)
        writes = [n.id for n in free.nodes if isinstance(n, CallNode) and n.writes]
        early = [n.id for n in free.nodes if n.id not in writes]
        needed = {o for n in free.nodes if n.id in early for o in _made_by(n, set(writes))}
        if needed:
            continue  # what a write gives is read on
        played = play(trial.run(), free, trial.facts, task.dues, order=[*early, *writes])
        assert not same(played.answers[-1], task.dues[-1].value)


def _made_by(node, writes: set[str]) -> set[str]:
    return writes & {o.node for o in getattr(node, "arguments", {}).values() if hasattr(o, "node")}


def test_the_question_says_that_it_is_asked_afterwards():
    for task in asked_later():
        said = set(task.question.lower().replace(",", " ").replace(":", " ").split())
        assert {"after", "then", "once", "done"} & said


def test_an_order_is_claimed_between_deeds_only_where_there_is_one():
    for task in hand_tasks():
        if len([w for w in task.intent.wishes if not isinstance(w, Answer)]) < 2:
            continue
        writes = {n.id for n in task.dag.nodes if isinstance(n, CallNode) and n.writes}
        if not task.dag.orders:
            assert not task.intent.in_order
        elif any(then in writes for _, then in task.dag.orders):
            assert task.intent.in_order


def test_meaning_refuses_an_answer_asked_afterwards_that_was_the_same_before():
    task = next(t for t in hand_tasks() if t.kind == "mixed" and t not in asked_later())
    wishes = tuple(
        w.model_copy(update={"after": True}) if isinstance(w, Answer) else w
        for w in task.intent.wishes
    )
    late = task.model_copy(update={"intent": Intent(wishes=wishes)})
    assert "the same before" in str(meaning(Trial(hand_world(), late)))


def test_a_question_that_does_not_say_when_is_refused():
    for task in asked_later():
        head, mark, tail = task.question.partition("fter that")
        if mark:
            silent = task.model_copy(update={"question": f"{head}lso{tail}"})
            assert first_refusal(hand_world(), silent) == "grounded"


def test_long_chains_are_sought_until_they_are_a_fair_share():
    graph = tool_graph(hand_environment())
    stand, tally = Stand(), Tally()
    tasks = list(more_tasks(hand_world(), graph, Wanted(40, 3), stand, tally))
    deep = [t for t in tasks if t.difficulty["depth"] >= DEEP]
    assert stand.deep == len(deep) >= LEAST_DEEP * len(tasks) - 1
    assert len(deep) < len(tasks)
