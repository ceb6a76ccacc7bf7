"""Whatever a task from disk says, it gets a verdict: no gate ends in a traceback."""

import json
import random
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from forge.gates.judge import GATES, judge
from forge.types.data import Json
from forge.types.intent import Aggregate, Change, Difference, Moved, Pick, Plain
from forge.types.task import Task
from tests.test_gates_thought import GOOD, branch
from tests.wished import how, orders, said, shop, task_of

STRANGE: tuple[Json, ...] = (
    None, True, False, 0, -1, 1, 2, 3, 10**9, 10**400, 0.5, 1e308, float("inf"), float("nan"), "",
    "x", "open", "name", "price", "due", "order_id", "orders", "customers", "2030-02-30",
    "2030-04-20", "9999-12-31", "0001-01-01", "2030-04-20T00:00:00Z", [], [1, "x"], [[]], {},
    {"gt": 1}, {"nope": 1}, {"kind": "actor"}, "\ud800", "ord_03", "all", "match", "argmin",
    "first", "values", "holds", "count", "value", "difference", "min", "max", "in", "within",
    "contains", "has", "lt", "refuse", "answer", "call1", "reason2", "compute3",
)  # fmt: skip

PARTS: tuple[Json, ...] = (
    {"kind": "plain", "value": 3, "fact": "order status"},
    {"kind": "plain", "value": None, "fact": None},
    {"kind": "record", "of": {"table": "orders"}},
    {"kind": "keys", "of": {"table": "orders"}, "column": "name"},
    {"kind": "made", "wish": 0},
    {"kind": "moved", "by": {"value": 10**9}, "unit": "days"},
    {"kind": "moved", "by": {"value": "x"}, "unit": "percent"},
    {"kind": "add_item", "item": {"kind": "actor"}},
    {"kind": "computed", "of": {"op": "sum", "of": {"table": "orders"}, "column": "name"}},
    {"kind": "computed", "of": {"op": "median", "of": {"table": "orders"}, "column": "price"}},
    {"kind": "said", "fact": "order status"},
    {"kind": "told", "fact": "nobody"},
    {"kind": "output", "node": "call1", "path": [0, "price"]},
    {"kind": "reasoned", "node": "reason2", "path": ["order_id"]},
    {"kind": "default", "value": [1]},
    {"kind": "listed", "items": [{"kind": "default", "value": "x"}]},
    {"column": "price", "which": "max", "nth": 2, "take": 2},
    {"column": "price", "which": "max", "near": {"value": "x"}},
    {"column": "order_id", "which": "max", "counted": {"of": {"table": "customers"},
                                                       "column": "name"}},
    {"column": "price", "op": "has", "value": {"kind": "actor"}, "negated": True},
    {"path": ["price"], "op": "within", "value": {"kind": "default", "value": {"nope": 1}}},
    {"verb": "delete", "of": {"table": "orders"}, "each": True},
    {"verb": "insert", "table": "orders", "values": {}},
    {"verb": "refused", "why": "missing", "deed": {"verb": "delete", "of": {"table": "orders"}}},
    {"verb": "answer", "what": {"op": "total", "of": {"table": "orders"}, "column": "due",
                                "times": "price"}},
    {"made": {"ord_x": {"order_id": "ord_x"}}, "deleted": ["ord_01"]},
)  # fmt: skip


@cache
def drafts() -> tuple[Json, ...]:
    """Good tasks of every form, as they are on disk."""
    tasks = [task_of(wish, tools=[tool]) for wish, tool in GOOD.values()]
    tasks.append(task_of(branch("gt", 3, status="open"), how("count", of=orders(status="open")),
                         tools=["cancel_order"]))  # fmt: skip
    return tuple(json.loads(task.model_dump_json()) for task in tasks)


def places(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    if isinstance(value, dict):
        for name, part in value.items():
            found += places(part, (*path, name))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            found += places(part, (*path, number))
    return found


def at(value: Json, path: tuple[str | int, ...]) -> Json:
    for step in path:
        value = value[step]
    return value


def mutated(draft: Json, rng: random.Random) -> Json:
    """The draft with a few of its parts replaced, by strange values or by other parts of it."""
    made = json.loads(json.dumps(draft))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        path = rng.choice(places(made))
        holder = at(made, path[:-1])
        others = [p for p in places(made) if p[-1] == path[-1]]
        new = rng.choice(
            [rng.choice(STRANGE), rng.choice(PARTS), at(made, rng.choice(others)),
             at(made, rng.choice(places(made)))]
        )  # fmt: skip
        if rng.random() < 0.15 and isinstance(holder, list):
            holder.pop(path[-1])
        else:
            holder[path[-1]] = json.loads(json.dumps(new))
    return made


@given(seed=st.integers(0, 2**32))
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_task_that_can_be_read_gets_a_verdict(seed: int):
    rng = random.Random(seed)
    try:
        task = Task.model_validate(mutated(rng.choice(drafts()), rng))
    except (ValidationError, UnicodeError):
        return
    assert list(judge(shop(), task)) == list(GATES)


def refusal(task: Task) -> set[str]:
    reports = judge(shop(), task)
    return {report.reason for report in reports.values() if not report.passed}


def changed(task: Task, path: tuple[str | int, ...], value: Json) -> Task:
    content = json.loads(task.model_dump_json())
    at(content, path[:-1])[path[-1]] = value
    return Task.model_validate(content)


@pytest.mark.parametrize(
    ("name", "path", "value", "reason"),
    [
        ("second", ("dag", "nodes", 1, "nth"), 10**9, "there is no 1000000000. of 5"),
        ("second", ("dag", "nodes", 1, "form"), "match", "the 2. of what has no order"),
        ("first two", ("dag", "nodes", 1, "form"), "all", "where its form gives one value"),
        ("first two", ("intent", "wishes", 0, "of", "pick", "nth"), 2, "in two ways at once"),
        ("nearest", ("intent", "wishes", 0, "of", "pick", "near", "value"), "x", "closest to 'x'"),
        ("nearest", ("intent", "wishes", 0, "of", "pick", "take"), 2, "in two ways at once"),
        ("nearest", ("dag", "nodes", 1, "to"), None, "is nearest but not to a value"),
        ("total", ("dag", "nodes", 1, "times"), [], "is total without a factor"),
        ("sum", ("dag", "nodes", 1, "times"), ["price"], "is sum with a factor"),
        ("branch", ("dag", "nodes", 3, "when"), "reason2", "hangs on 'reason2'"),
        ("later", ("dag", "nodes", 2, "op"), "lt", "computes a later and compares"),
        ("later", ("dag", "nodes", 2, "each"), "reason2", "which is no earlier list"),
        ("later", ("intent", "wishes", 0, "change", "due", "by", "value"), "x", "due by 'x'"),
        ("later", ("intent", "wishes", 0, "change", "due", "by", "value"), 10**9, "so far"),
    ],
)
def test_a_task_that_says_nothing_sensible_is_refused_with_a_reason(
    name: str, path: tuple[str | int, ...], value: Json, reason: str
):
    wish, tool = GOOD[name]
    found = refusal(changed(task_of(wish, tools=[tool]), path, value))
    assert any(reason in each for each in found), found


def test_a_task_that_is_nested_without_end_is_refused_with_a_reason():
    task = task_of(GOOD["sum"][0])
    deep: Json = []
    for _ in range(500):
        deep = [deep]
    facts = (task.facts[0].model_copy(update={"value": deep}), *task.facts[1:])
    assert refusal(task.model_copy(update={"facts": facts})) == {
        "it is nested more than 60 levels deep"
    }


def test_a_selection_within_a_selection_without_end_is_refused_with_a_reason():
    of = orders()
    for _ in range(400):
        of = of.model_construct(
            table="orders",
            where=({"column": "name", "value": {"kind": "record", "of": of}},),
            pick=None,
        )
    task = task_of(GOOD["sum"][0])
    wish = task.intent.wishes[0].model_copy(update={"what": Aggregate(of=orders(), op="count")})
    what = wish.what.model_copy(update={"of": of})
    intent = task.intent.model_copy(update={"wishes": (wish.model_copy(update={"what": what}),)})
    assert refusal(task.model_copy(update={"intent": intent})) == {
        "it is nested more than 60 levels deep"
    }


def test_numbers_without_measure_are_refused_with_a_reason():
    move = Change(
        of=orders(Pick(column="price", which="min"), status="open"),
        change={"price": Moved(by=said(10), unit="percent")},
    )
    task = task_of(move, tools=["update_order"])
    for value in (float("inf"), float("nan"), 10**400, 1e308):
        wish = move.model_copy(
            update={"change": {"price": Moved(by=Plain(value=value), unit="percent")}}
        )
        intent = task.intent.model_copy(update={"wishes": (wish,)})
        assert refusal(task.model_copy(update={"intent": intent}))


def test_a_difference_of_names_is_refused_with_a_reason():
    task = task_of(GOOD["difference"][0])
    left = Aggregate(op="value", column="name", of=orders(name="Crate B"))
    wish = task.intent.wishes[0].model_copy(update={"what": Difference(left=left)})
    intent = task.intent.model_copy(update={"wishes": (wish,)})
    found = refusal(task.model_copy(update={"intent": intent}))
    assert any("the values have no difference" in each for each in found)


def test_one_who_acts_where_no_one_does_is_refused_with_a_reason():
    wish, tool = GOOD["second"]
    path = ("intent", "wishes", 0, "of", "where", 0, "value")
    task = changed(task_of(wish, tools=[tool]), path, {"kind": "actor"})
    assert any("no one is signed in" in reason for reason in refusal(task))
