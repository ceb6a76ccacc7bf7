"""The gates have teeth: good tasks pass, and a task spoilt in one way is refused by its gate."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from forge.env.keys import key_of, key_text
from forge.gates.changes import changes
from forge.gates.deterministic import deterministic
from forge.gates.grounded import grounded
from forge.gates.judge import GATES, judge
from forge.gates.meaning import meaning
from forge.gates.necessary import necessary
from forge.gates.order_free import order_free
from forge.gates.replay import replay
from forge.gates.sensitive import sensitive
from forge.gates.start import Trial
from forge.gates.unambiguous import unambiguous
from forge.gates.unique import Seen, unique
from forge.gates.wording import without_facts
from forge.tasks.dags.graph import tool_graph
from forge.tasks.intents.columns import table_named
from forge.tasks.intents.inside import single_selections
from forge.tasks.make import Proposer
from forge.tasks.wishes.scene import Unfit
from forge.types.call import Call
from forge.types.dag import CallNode, Default, ReasonNode, TaskDag
from forge.types.intent import Aggregate, Answer, Change, Condition, Intent, Plain, Selection
from forge.types.state import TableOverlay
from forge.types.task import Due, Task
from tests.wished import SOURCE, orders, shop, task_of
from tests.worlds import World, hand_environment, hand_tasks, hand_world


def some(fits) -> list[Task]:
    found = [t for t in hand_tasks() if fits(t)]
    assert found, "the sample holds no task of this kind"
    return found


def writes_of(task: Task) -> list[int]:
    kinds = {t.name: t.kind for t in hand_environment().tools}
    return [i for i, c in enumerate(task.golden_calls) if kinds[c.tool] == "write"]


def spoilt(task: Task, **changed) -> Task:
    return task.model_copy(update=changed)


def test_every_kept_task_passes_every_gate_again():
    for task in hand_tasks():
        reports = judge(hand_world(), task)
        assert list(reports) == list(GATES)
        assert all(r.passed for r in reports.values()), (task.question, reports)


def test_every_kept_task_passes_in_the_other_sandbox_too():
    with World(hand_environment(), sandbox="monty", workers=1) as world:
        for task in hand_tasks()[:12]:
            assert all(r.passed for r in judge(world, task).values()), task.question


def test_replay_refuses_a_golden_call_that_fails():
    for task in some(lambda t: t.kind == "change"):
        wrong = Call(tool="get_task", arguments={"task_id": "tsk_nowhere"})
        reason = replay(Trial(hand_world(), spoilt(task, golden_calls=(wrong, *task.golden_calls))))
        assert reason is not None and "golden call 1, get_task, fails" in reason


def test_replay_refuses_a_dropped_write():
    for task in some(writes_of):
        for number in writes_of(task):
            calls = task.golden_calls[:number] + task.golden_calls[number + 1 :]
            assert replay(Trial(hand_world(), spoilt(task, golden_calls=calls))) is not None


def test_replay_refuses_a_golden_state_that_no_call_reaches():
    for task in some(lambda t: "projects" in t.golden and t.golden["projects"].changed):
        table = task.golden["projects"]
        changed = {k: {**r, "description": "by hand"} for k, r in table.changed.items()}
        golden = {**task.golden, "projects": table.model_copy(update={"changed": changed})}
        assert replay(Trial(hand_world(), spoilt(task, golden=golden))) is not None


def test_replay_refuses_calls_that_the_dag_does_not_make():
    for task in some(lambda t: t.kind == "change"):
        extra = Call(tool="find_users", arguments={})
        reason = replay(Trial(hand_world(), spoilt(task, golden_calls=(extra, *task.golden_calls))))
        assert reason == "the DAG makes other calls than the golden ones"


def test_meaning_refuses_the_intent_of_another_task():
    tasks = some(lambda t: t.kind == "change")
    for task, other in pairwise(tasks):
        swapped = spoilt(task, intent=other.intent, base=other.base, actor=other.actor)
        assert meaning(Trial(hand_world(), swapped)) is not None


def test_meaning_refuses_newest_for_oldest():
    turned = {
        f'"which":"{one}","nth":1,"take":1,"near":null,"counted":null': other
        for one, other in (("min", "max"), ("max", "min"))
    }

    def picks(task: Task) -> bool:
        return any(pick in task.intent.model_dump_json() for pick in turned)

    for task in some(picks):
        text = task.intent.model_dump_json()
        pick = next(pick for pick in turned if pick in text)
        other = text.replace(pick, pick.replace(pick[9:12], turned[pick], 1))
        turned_task = spoilt(task, intent=Intent.model_validate_json(other))
        assert meaning(Trial(hand_world(), turned_task))


def test_meaning_refuses_a_wrong_answer():
    for task in some(lambda t: t.dues):
        wrong = tuple(d.model_copy(update={"value": "something else"}) for d in task.dues)
        reason = meaning(Trial(hand_world(), spoilt(task, dues=wrong)))
        assert reason is not None and "by the records" in reason


def test_changes_refuses_a_golden_state_that_is_the_initial_one():
    for task in some(lambda t: t.kind == "change"):
        assert changes(Trial(hand_world(), spoilt(task, golden={}))) is not None


def test_changes_refuses_an_answer_task_with_nothing_to_say():
    for task in some(lambda t: t.kind == "answer"):
        assert changes(Trial(hand_world(), spoilt(task, dues=()))) == "nothing is due to be said"


def test_necessary_refuses_a_write_that_is_undone():
    for task in some(lambda t: t.golden_calls[-1].tool == "close_task"):
        last = task.golden_calls[-1]
        again = (Call(tool="reopen_task", arguments=last.arguments), last)
        reason = necessary(
            Trial(hand_world(), spoilt(task, golden_calls=task.golden_calls + again))
        )
        assert reason is not None and "makes no difference" in reason


def test_necessary_refuses_a_write_that_changes_nothing():
    for task in some(lambda t: t.golden_calls[-1].tool == "rename_project"):
        calls = (*task.golden_calls, task.golden_calls[-1])
        assert necessary(Trial(hand_world(), spoilt(task, golden_calls=calls))) is not None


def test_sensitive_refuses_an_argument_that_does_not_matter():
    def with_lookup(task: Task) -> bool:
        return any(n.kind == "call" and n.tool == "find_project" for n in task.dag.nodes)

    for task in some(with_lookup)[:5]:
        look = CallNode(
            id="idle",
            tool="list_members",
            arguments={
                "project_id": next(
                    n.arguments["project_id"]
                    for n in task.dag.nodes
                    if isinstance(n, CallNode) and "project_id" in n.arguments
                )
            },
        )
        dag = TaskDag(nodes=(*task.dag.nodes, look), orders=task.dag.orders)
        reason = sensitive(Trial(hand_world(), spoilt(task, dag=dag)))
        assert reason is not None and "list_members" in reason


def test_changes_refuses_a_question_that_says_its_own_answer():
    def tells(task: Task) -> bool:
        return any(isinstance(due.value, str) for due in task.dues)

    for task in some(tells):
        answer = next(due.value for due in task.dues if isinstance(due.value, str))
        told = spoilt(task, question=f"{task.question} I think it is {answer}.")
        reason = changes(Trial(hand_world(), told))
        assert reason is not None and "says the answer" in reason


def test_sensitive_refuses_a_choice_of_the_first_in_the_list():
    def chooses(task: Task) -> bool:
        return any(isinstance(n, ReasonNode) and n.form in picks for n in task.dag.nodes)

    picks, refused = ("argmin", "argmax"), 0
    for task in some(chooses):
        nodes = tuple(
            n.model_copy(update={"by": ("task_id",), "tests": ()})
            if isinstance(n, ReasonNode) and n.form in picks
            else n
            for n in task.dag.nodes
        )
        dag = TaskDag(nodes=nodes, orders=task.dag.orders)
        refused += sensitive(Trial(hand_world(), spoilt(task, dag=dag))) is not None
    assert refused


def ordered_proposals(count: int) -> Iterator[Task]:
    """Proposals whose wishes must be done one after the other."""
    proposer = Proposer(hand_world(), tool_graph(hand_environment()), seed=1)
    for number in range(2000):
        try:
            task = proposer.propose(number)
        except Unfit:
            continue
        if task.intent.in_order:
            yield task
            count -= 1
        if not count:
            return
    raise AssertionError("no proposal needs an order")


def test_order_free_refuses_a_dag_without_its_order_edges():
    for task in ordered_proposals(2):
        free = spoilt(task, dag=TaskDag(nodes=task.dag.nodes))
        reason = order_free(Trial(hand_world(), free))
        assert reason is not None and reason.startswith("in the order")


def test_order_free_refuses_an_order_that_the_user_does_not_say():
    for task in ordered_proposals(2):
        assert task.intent.in_order
        unsaid = spoilt(task, intent=task.intent.model_copy(update={"in_order": False}))
        assert (
            order_free(Trial(hand_world(), unsaid))
            == "the order matters and the user does not say it"
        )


def test_order_free_refuses_order_edges_that_nothing_needs():
    def written(task: Task) -> list[str]:
        return [n.id for n in task.dag.nodes if isinstance(n, CallNode) and n.writes]

    for task in some(lambda t: len(written(t)) > 1 and not t.dag.orders):
        writes = written(task)
        dag = TaskDag(nodes=task.dag.nodes, orders=((writes[0], writes[1]),))
        intent = task.intent.model_copy(update={"in_order": True})
        reason = order_free(Trial(hand_world(), spoilt(task, dag=dag, intent=intent)))
        assert reason == "no order edge is needed"


def test_grounded_refuses_an_internal_key_in_the_question():
    for task in some(lambda t: t.kind == "change"):
        project = next(iter(hand_world().bases[task.base].records("projects")))[0]
        asked = spoilt(task, question=f"{task.question} It is about {project}.")
        reason = grounded(Trial(hand_world(), asked))
        assert reason is not None and "people do not know" in reason


def test_grounded_finds_a_key_in_which_a_number_that_is_said_stands():
    task = some(lambda t: t.kind == "change")[0]
    project = next(iter(hand_world().bases[task.base].records("projects")))[0]
    digit = next(character for character in project if character.isdigit())
    number = task.facts[0].model_copy(update={"text": digit, "value": int(digit)})
    asked = f"{task.question} Of {project}, {digit} times."
    reason = grounded(Trial(hand_world(), spoilt(task, question=asked, facts=(number,))))
    assert reason is not None
    only = spoilt(task, question=f"{digit} {project}", facts=(number,))
    assert project in without_facts(only)


def test_grounded_refuses_the_name_of_a_tool_or_field():
    for task in hand_tasks():
        for name in ("create_task", "due_date", "project_id"):
            reason = grounded(
                Trial(hand_world(), spoilt(task, question=f"{task.question} Use {name}."))
            )
            assert reason is not None and name in reason


def test_grounded_refuses_a_question_that_leaves_a_value_out():
    for task in some(lambda t: [f for f in t.facts if not f.told]):
        fact = next(f for f in task.facts if not f.told)
        asked = spoilt(task, question=task.question.replace(fact.text, "it"))
        assert grounded(Trial(hand_world(), asked)) is not None


def test_grounded_refuses_another_day_than_the_call_uses():
    def dated(task: Task) -> bool:
        return any("2026-" in str(f.value) and not f.told for f in task.facts)

    for task in some(dated):
        fact = next(f for f in task.facts if "2026-" in str(f.value) and not f.told)
        wrong = fact.model_copy(update={"text": "1 January 2031"})
        facts = tuple(wrong if f is fact else f for f in task.facts)
        asked = task.question.replace(fact.text, wrong.text)
        reason = grounded(Trial(hand_world(), spoilt(task, facts=facts, question=asked)))
        assert reason is not None and "does not say" in reason


def test_grounded_refuses_a_fact_that_nobody_has():
    for task in some(lambda t: t.facts):
        assert grounded(Trial(hand_world(), spoilt(task, facts=task.facts[1:]))) is not None


def test_unambiguous_refuses_what_two_records_fit():
    def named(task: Task) -> bool:
        picked = any(of.pick for of in single_selections(task.intent))  # the twin might be
        return bool(names(task)) and not picked and not task.setup

    def names(task: Task) -> list[str]:
        """By which projects are told in the intent."""
        return [
            str(c.value.value)
            for of in single_selections(task.intent)
            for c in of.where
            if of.table == "projects" and c.column == "name" and isinstance(c.value, Plain)
        ]

    for task in some(named):
        name = names(task)[0]
        twin = {
            "project_id": "prj_twin",
            "name": name.upper(),
            "status": "active",
            "created_at": "2026-01-01T00:00:00Z",
        }
        setup = {"projects": TableOverlay(made={"prj_twin": twin})}
        reason = unambiguous(Trial(hand_world(), spoilt(task, setup=setup)))
        assert reason is not None and "2 records of projects could be meant" in reason


def test_deterministic_refuses_nothing_that_the_store_makes():
    for task in some(lambda t: any(c.tool == "create_task" for c in t.golden_calls)):
        assert deterministic(Trial(hand_world(), task)) is None


LEAKING = """
def cancel_order(order_id: str) -> dict:
    \"\"\"Cancel an order, and tell where in memory things lie.\"\"\"
    told = str([(each for each in [number]) for number in range(200)])
    update("orders", order_id, status="cancelled")
    return {"told": told}
"""


def test_deterministic_refuses_a_tool_that_tells_where_in_memory_things_lie():
    """The one way that is left in the native sandbox to differ from one run to the next."""
    head, _, tail = SOURCE.partition("def cancel_order")
    rest = tail[tail.index("def ship_order") :]
    leaking = shop().environment.model_copy(update={"source": head + rest + LEAKING})
    wish = Change(of=orders(name="Crate D"), change={"status": Plain(value="cancelled")})
    task = task_of(wish, tools=["cancel_order"])
    assert deterministic(Trial(shop(), task)) is None
    with World(leaking, sandbox="native") as world:
        reason = deterministic(Trial(world, task))
    number = len(task.golden_calls)
    assert reason == f"golden call {number}, cancel_order, gives another result when run again"
    with World(leaking, sandbox="monty", workers=1) as world:
        assert deterministic(Trial(world, task)) is None


def test_unique_refuses_the_same_wishes_in_other_words():
    seen = Seen()
    task = hand_tasks()[0]
    assert unique(task, seen) is None
    again = spoilt(task, question="Something quite different.")
    assert unique(again, seen) == f"{task.id} has the same wishes"


def test_unique_refuses_nearly_the_same_question():
    seen = Seen()
    task = some(lambda t: t.question.endswith("?"))[0]
    assert unique(task, seen) is None
    other = spoilt(
        task, question=f"Hello there! {task.question}", base="other", intent=Intent(wishes=())
    )
    assert unique(other, seen) == f"{task.id} has the same question"


@pytest.mark.parametrize("gate", ["replay", "meaning", "unambiguous", "sensitive", "order_free"])
def test_a_gate_refuses_a_task_whose_records_are_gone(gate):
    """A gate reads the task anew and trusts no earlier verdict."""
    task = some(lambda t: t.kind == "change" and any(f.name == "project name" for f in t.facts))[0]
    store = hand_world().open("main").store
    setup = {
        table: TableOverlay(
            deleted=tuple(sorted(key_text(key_of(found, r)) for r in store.find(table)))
        )
        for table in ("projects", "members", "tasks")
        for found in [table_named(store.schema, table)]
    }
    assert GATES[gate](Trial(hand_world(), spoilt(task, setup=setup))) is not None


def test_a_fact_said_in_the_intent_must_be_in_the_facts():
    task = some(lambda t: t.facts)[0]
    loose = Plain(value="x", fact="another")
    text = task.intent.model_dump_json()
    fact = next(f for f in task.facts if f'"fact":"{f.name}"' in text)
    renamed = text.replace(f'"fact":"{fact.name}"', f'"fact":"{loose.fact}"')
    reason = grounded(Trial(hand_world(), spoilt(task, intent=Intent.model_validate_json(renamed))))
    assert reason is not None


def test_meaning_refuses_an_answer_that_the_changes_change():
    def closed(task: Task) -> int:
        """How many tasks it closes, if it changes the number of open ones in no other way."""
        tools = [c.tool for c in task.golden_calls]
        others = {"reopen_task", "create_task", "delete_task", "delete_project"}
        return 0 if others & set(tools) else tools.count("close_task")

    where = (Condition(column="status", value=Plain(value="open")),)
    how_many = Answer(what=Aggregate(of=Selection(table="tasks", where=where), op="count"))
    for task in some(lambda t: t.kind == "change" and closed(t)):
        start = hand_world().open("main", setup=task.setup).store
        before = start.count("tasks", status="open")
        wishes = task.intent.wishes
        for asked, value in (
            ((how_many, *wishes), before),
            ((*wishes, how_many), before - closed(task)),
        ):
            due = Due(wish=asked.index(how_many), origin=Default(), type="integer", value=value)
            intent = Intent(wishes=asked, in_order=True)
            reason = meaning(Trial(hand_world(), spoilt(task, intent=intent, dues=(due,))))
            assert reason is not None and "before or after" in reason
