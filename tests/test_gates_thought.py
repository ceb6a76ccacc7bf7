"""What the gates ask of reasoning: it is needed, and a careless reading ends elsewhere."""

import pytest

from forge.gates.grounded import grounded
from forge.gates.judge import judge
from forge.gates.meaning import meaning
from forge.gates.sensitive import sensitive
from forge.gates.start import Trial
from forge.gates.unambiguous import unambiguous
from forge.types.dag import CallNode, ComputeNode, Default, ReasonNode
from forge.types.intent import (
    Aggregate,
    Answer,
    Branch,
    Change,
    Condition,
    Difference,
    Intent,
    Keys,
    Moved,
    Pick,
    Plain,
    Selection,
    Wish,
)
from forge.types.intent import Test as Comparing
from forge.types.task import Task
from tests.wished import how, of_customer, orders, said, shop, task_of, where

CANCELLED = Plain(value="cancelled")
SHIPPED = Plain(value="shipped")


def by_price(**options) -> Pick:
    return Pick.model_validate({"column": "price", "which": "min", **options})


def cancel(pick: Pick | None = None, *, each: bool = False, **conditions) -> Task:
    deed = Change(of=orders(pick, **conditions), change={"status": CANCELLED}, each=each)
    return task_of(deed, tools=["cancel_order"])


def branch(op: str, limit: float, *, otherwise: bool = True, **conditions) -> Branch:
    """On the number of orders: cancel Crate D, or else ship it."""
    crate = orders(name="Crate D")
    return Branch(
        test=Comparing.model_validate(
            {
                "measure": Aggregate(op="count", of=orders(**conditions)),
                "op": op,
                "value": said(limit),
            }
        ),
        then=Change(of=crate, change={"status": CANCELLED}),
        otherwise=Change(of=crate, change={"status": SHIPPED}) if otherwise else None,
    )


def refused(task: Task) -> dict[str, str]:
    return {gate: r.reason for gate, r in judge(shop(), task).items() if not r.passed}


def with_node(task: Task, kind: type, **changed) -> Task:
    """With the first node of its kind changed."""
    number, node = next((i, n) for i, n in enumerate(task.dag.nodes) if isinstance(n, kind))
    nodes = list(task.dag.nodes)
    nodes[number] = node.model_copy(update=changed)
    return task.model_copy(update={"dag": task.dag.model_copy(update={"nodes": tuple(nodes)})})


GOOD: dict[str, tuple[Wish, str | None]] = {
    "sum": (how("sum", "price", of=orders(status="open")), None),
    "average": (how("average", "price", of=orders(status="open")), None),
    "min": (how("min", "price", of=orders(status="open")), None),
    "max": (how("max", "price", of=orders(status="open")), None),
    "range": (how("range", "price", of=orders(status="open")), None),
    "median": (how("median", "price", of=orders(status="shipped")), None),
    "total": (how("total", "price", of=orders(status="open"), times="quantity"), None),
    "two conditions": (how("count", of=orders(status="open", price__gt=40)), None),
    "join": (how("sum", "price", of=orders(customer_id=of_customer("Ada Byron"))), None),
    "second": (
        Change(of=orders(by_price(nth=2), status="open"), change={"status": CANCELLED}),
        "cancel_order",
    ),
    "first two": (
        Change(of=orders(by_price(take=2), status="open"), change={"status": CANCELLED}, each=True),
        "cancel_order",
    ),
    "nearest": (
        Change(of=orders(by_price(near=said(50)), status="open"), change={"status": CANCELLED}),
        "cancel_order",
    ),
    "later": (
        Change(
            of=orders(by_price(), status="open"),
            change={"due": Moved(by=said(7), unit="days")},
        ),
        "update_order",
    ),
    "lowered": (
        Change(
            of=orders(by_price(), status="open"),
            change={"price": Moved(by=said(10), unit="percent", less=True)},
        ),
        "update_order",
    ),
    "difference": (
        Answer(
            what=Difference(
                left=Aggregate(op="value", column="price", of=orders(name="Crate B")),
                right=Aggregate(op="value", column="price", of=orders(name="Crate D")),
            )
        ),
        None,
    ),
    "days left": (
        Answer(
            what=Difference(left=Aggregate(op="value", column="due", of=orders(name="Crate D")))
        ),
        None,
    ),
    "branch": (branch("gt", 4, otherwise=False, status="open"), "cancel_order"),
}


@pytest.mark.parametrize("name", GOOD)
def test_reasoning_that_is_needed_passes_every_gate(name: str):
    wish, tool = GOOD[name]
    assert refused(task_of(wish, tools=[tool])) == {}


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (lambda: cancel(by_price(nth=3), status="open"), "argmin chooses the first or last"),
        (lambda: cancel(by_price(near=said(30)), status="open"), "nearest chooses the first or"),
        (lambda: cancel(by_price(take=3), status="open", each=True), "first chooses the first or"),
        (lambda: cancel(by_price(), name="Crate E"), "argmin has only 1 candidates"),
        (lambda: task_of(how("median", "price", of=orders(status="open"))), "median gives what"),
        (lambda: task_of(how("min", "price", of=orders(name="Crate A"))), "min has only 1"),
        (lambda: task_of(how("sum", "price", of=orders(name="Crate A"))), "computed of only 1"),
        (lambda: task_of(how("distinct", "name", of=orders(status="open"))), "all different"),
        (lambda: task_of(how("count", of=orders(status="open", price__gt=90))), "not there"),
        (lambda: task_of(how("count", of=orders(status="open", price__gt=1))), "leaves out none"),
        (lambda: cancel(by_price(), status="open", price__gt=1), "leaves out none"),
    ],
)  # fmt: skip
def test_sensitive_refuses_reasoning_that_a_careless_agent_could_do_without(task, reason: str):
    found = sensitive(Trial(shop(), task()))
    assert found is not None and reason in found


def test_sensitive_refuses_a_total_that_is_the_plain_sum():
    total = how("total", "price", of=orders(quantity__lt=2), times="quantity")
    assert "plain sum" in (sensitive(Trial(shop(), task_of(total))) or "")


def test_sensitive_refuses_a_set_difference_that_leaves_none():
    idle = Condition(
        column="customer_id",
        op="in",
        negated=True,
        value=Keys(of=orders(status="open"), column="customer_id"),
    )
    task = task_of(how("count", of=Selection(table="customers", where=(idle,))))
    assert sensitive(Trial(shop(), task)) == "what is to be counted is not there"


def test_sensitive_refuses_a_branch_that_ends_the_same_either_way():
    both = branch("gt", 3, status="open")
    same_end = both.model_copy(update={"otherwise": both.then})
    task = task_of(same_end, tools=["cancel_order"])
    assert sensitive(Trial(shop(), task)) == "the branch ends the same either way"


def test_sensitive_refuses_a_computation_whose_operand_does_not_matter():
    move = Change(
        of=orders(by_price(), status="open"), change={"due": Moved(by=said(7), unit="days")}
    )
    task = task_of(move, tools=["update_order"])
    node = next(n for n in task.dag.nodes if isinstance(n, ComputeNode))
    idle = node.model_copy(update={"id": "idle"})
    dag = task.dag.model_copy(update={"nodes": (*task.dag.nodes, idle)})
    reason = sensitive(Trial(shop(), task.model_copy(update={"dag": dag})))
    assert reason is not None and "at node idle it ends the same" in reason


def test_meaning_refuses_a_branch_that_is_decided_by_something_else():
    task = task_of(branch("gt", 3, status="open"), tools=["cancel_order"])
    node = next(n for n in task.dag.nodes if isinstance(n, ComputeNode))
    other = with_node(task, ComputeNode, values=(node.values[0], Default(value=2)))
    reason = meaning(Trial(shop(), other))
    assert reason is not None and "decides by something else than the intent" in reason


@pytest.mark.parametrize("op", ["ne", "ge"])
def test_meaning_refuses_a_branch_that_is_decided_by_another_comparison(op: str):
    task = task_of(branch("gt", 3, status="open"), tools=["cancel_order"])
    assert "something else" in (meaning(Trial(shop(), with_node(task, ComputeNode, op=op))) or "")


def test_meaning_refuses_a_call_that_hangs_on_what_nobody_asks():
    asked = task_of(branch("gt", 3, otherwise=False, status="open"), tools=["cancel_order"])
    wish = asked.intent.wishes[0]
    assert isinstance(wish, Branch)
    plain = asked.model_copy(update={"intent": Intent(wishes=(wish.then,))})
    assert meaning(Trial(shop(), plain)) == "the DAG decides something that the intent does not ask"


def test_meaning_refuses_a_branch_that_nothing_decides():
    asked = task_of(branch("gt", 3, otherwise=False, status="open"), tools=["cancel_order"])
    nodes = tuple(
        n.model_copy(update={"when": None}) if isinstance(n, CallNode) else n
        for n in asked.dag.nodes
        if not isinstance(n, ComputeNode)
    )
    dag = asked.dag.model_copy(update={"nodes": nodes})
    assert meaning(Trial(shop(), asked.model_copy(update={"dag": dag}))) is not None


@pytest.mark.parametrize("name", ["later", "lowered"])
def test_grounded_refuses_a_constant_in_a_computation(name: str):
    wish, tool = GOOD[name]
    task = task_of(wish, tools=[tool])
    node = next(n for n in task.dag.nodes if isinstance(n, ComputeNode))
    step = 7 if name == "later" else 10
    smuggled = with_node(task, ComputeNode, values=(node.values[0], Default(value=step)))
    assert (
        grounded(Trial(shop(), smuggled))
        == f"nobody says {step}, which node {node.id} computes with"
    )


def test_grounded_refuses_a_constant_that_a_choice_is_to_be_near():
    wish, tool = GOOD["nearest"]
    smuggled = with_node(task_of(wish, tools=[tool]), ReasonNode, to=Default(value=50))
    assert "is to be near" in (grounded(Trial(shop(), smuggled)) or "")


def test_grounded_refuses_an_answer_that_no_tool_shows():
    wish, _ = GOOD["sum"]
    task = task_of(wish)
    dues = tuple(due.model_copy(update={"origin": Default(value=due.value)}) for due in task.dues)
    reason = grounded(Trial(shop(), task.model_copy(update={"dues": dues})))
    assert reason == "nothing that a tool shows gives the answer 153"


@pytest.mark.parametrize("name", ["nearest", "later", "branch", "two conditions"])
def test_grounded_refuses_a_fact_of_any_place_that_the_question_leaves_out(name: str):
    wish, tool = GOOD[name]
    task = task_of(wish, tools=[tool])
    for fact in task.facts:
        asked = task.model_copy(update={"question": task.question.replace(fact.text, "some")})
        assert grounded(Trial(shop(), asked)) == f"the question does not say {fact.text!r}"


def test_unambiguous_refuses_a_choice_that_upper_case_would_change():
    name = {"name": "crate n", "price": 2.0, "status": "open", "due": "2030-04-20"}
    twin = {"order_id": "ord_twin", "customer_id": "cus_0", "quantity": 1, **name}
    setup = {"orders": {"made": {"ord_twin": twin}}}
    for task in (cancel(by_price(), name="Crate N"), cancel(name="Crate N")):
        assert unambiguous(Trial(shop(), task)) is None
        again = Task.model_validate({**task.model_dump(), "setup": setup})
        assert "could be meant" in (unambiguous(Trial(shop(), again)) or "")


def test_a_condition_turned_round_names_what_does_not_fit():
    (open_ones,) = where(status="open")
    others = Selection(
        table="orders", where=(open_ones.model_copy(update={"negated": True}),), pick=by_price()
    )
    task = task_of(Change(of=others, change={"due": said("2030-05-01")}), tools=["update_order"])
    assert "could be meant" not in (unambiguous(Trial(shop(), task)) or "")


@pytest.mark.parametrize(
    ("name", "said", "asked"),
    [
        ("second", "lowest", "highest"),
        ("second", "second", "third"),
        ("second", "second-", ""),
        ("first two", "lowest", "highest"),
        ("sum", "total", "average"),
        ("average", "average", "total"),
        ("median", "median", "average"),
        ("min", "lowest", "highest"),
        ("range", "lowest", "total"),
    ],
)
def test_grounded_refuses_a_question_for_another_choice_or_number(name: str, said: str, asked: str):
    wish, tool = GOOD[name]
    task = task_of(wish, tools=[tool])
    assert said in task.question
    turned = task.model_copy(update={"question": task.question.replace(said, asked)})
    assert grounded(Trial(shop(), task)) is None
    assert "the question" in (grounded(Trial(shop(), turned)) or "")
