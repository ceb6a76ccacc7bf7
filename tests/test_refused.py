"""Wishes that cannot be granted: what is proposed, and which gate refuses one that could be."""

import pytest

from forge.env.session import World
from forge.gates.changes import changes
from forge.gates.judge import judge
from forge.gates.necessary import necessary
from forge.gates.replay import replay
from forge.gates.sensitive import sensitive
from forge.gates.start import Trial
from forge.gates.unambiguous import unambiguous
from forge.tasks.dags.graph import tool_graph
from forge.tasks.dags.refusing import part_done_by
from forge.tasks.intents.intent import IntentError, carry_out, select
from forge.tasks.intents.likeness import mistakable
from forge.tasks.make import Proposer
from forge.tasks.wishes.scene import Unfit
from forge.types.dag import CallNode, ReasonNode, TaskDag
from forge.types.environment import Effect, Environment, Match, Tool
from forge.types.intent import Change, Delete, Insert, Intent, Plain, Refused, Selection
from forge.types.state import TableOverlay
from forge.types.task import Task
from tests.worlds import hand_environment, hand_world


def refuse_tasks(world: World, count: int = 400) -> list[Task]:
    proposer = Proposer(world, tool_graph(world.environment), seed=5)
    found = []
    for number in range(count):
        try:
            task = proposer.propose(number)
        except Unfit:
            continue
        if task.kind == "refuse":
            found.append(task)
    return found


@pytest.fixture(scope="module")
def kept() -> list[Task]:
    world = hand_world()
    return [t for t in refuse_tasks(world) if all(r.passed for r in judge(world, t).values())]


def refused_of(task: Task) -> Refused:
    return next(w for w in task.intent.wishes if isinstance(w, Refused))


def why(tasks: list[Task], reason: str) -> list[Task]:
    found = [t for t in tasks if refused_of(t).why == reason]
    assert found, f"no task is refused for {reason}"
    return found


def spoilt(task: Task, **changed) -> Task:
    return task.model_copy(update=changed)


def tolerant() -> Environment:
    """The hand-written environment with a tool that sets any status, no questions asked."""
    source = (
        hand_environment().source
        + '''

def set_status(task_id: str, status: str) -> dict:
    """Set the status of a task."""
    return update("tasks", task_id, status=status)
'''
    )
    tool = Tool(
        name="set_status",
        description="Set the status of a task.",
        parameters={
            "type": "object",
            "properties": {"task_id": {"type": "string"}, "status": {"type": "string"}},
            "required": ["task_id", "status"],
            "additionalProperties": False,
        },
        kind="write",
        effect=Effect(
            verb="update",
            table="tasks",
            match={"task_id": Match(column="task_id")},
            fields={"status": "status"},
        ),
    )
    environment = hand_environment()
    return environment.model_copy(
        update={"source": source, "tools": (*environment.tools, tool), "name": "tolerant"}
    )


def restricting() -> Environment:
    """The hand-written environment, where a project with tasks cannot be deleted."""
    environment = hand_environment()
    schema = environment.state_schema
    tables = []
    for table in schema.tables:
        held = table
        if table.name == "tasks":
            assert table.parent is not None
            parent = table.parent.model_copy(update={"on_delete": "restrict"})
            columns = tuple(
                c.model_copy(update={"on_delete": "restrict"}) if c.name == "project_id" else c
                for c in table.columns
            )
            held = table.model_copy(update={"parent": parent, "columns": columns})
        tables.append(held)
    return environment.model_copy(
        update={"state_schema": schema.model_copy(update={"tables": tuple(tables)})}
    )


def test_a_refused_wish_stands_beside_one_that_is_granted(kept):
    for task in kept:
        assert len(task.intent.wishes) > 1
        assert task.golden or task.dues


def test_what_is_refused_leaves_the_records_as_they_are(kept):
    for task in kept:
        others = tuple(w for w in task.intent.wishes if not isinstance(w, Refused))
        if any('"made"' in w.model_dump_json() for w in others):
            continue
        store = hand_world().open(task.base, actor=task.actor, now=task.now, setup=task.setup).store
        carry_out(Intent(wishes=others), store)
        touched = {table: sorted(o.changed) for table, o in store.overlay().items()}
        assert touched == {table: sorted(o.changed) for table, o in task.golden.items()}


def test_who_names_a_missing_record_means_none_that_is_there(kept):
    for task in why(kept, "missing"):
        deed = refused_of(task).deed
        assert not isinstance(deed, Insert)
        names = [c.value.value for c in deed.of.where if isinstance(c.value, Plain)]
        store = hand_world().open(task.base, setup=task.setup).store
        label = "name" if deed.of.table in ("projects", "users") else "title"
        there = [r[label] for r in store.find(deed.of.table)]
        assert not any(mistakable(str(n), str(t)) for n in names for t in there)
        assert str(names[0]) in task.question


def test_the_way_sees_that_a_missing_record_is_in_no_list_or_is_not_found(kept):
    for task in why(kept, "missing"):
        assert any(
            (isinstance(n, ReasonNode) and n.form == "none")
            or (isinstance(n, CallNode) and n.refused)
            for n in task.dag.nodes
        )


def test_what_is_closed_already_is_closed_in_vain(kept):
    for task in why(kept, "state"):
        deed = refused_of(task).deed
        assert isinstance(deed, Change)
        ((column, value),) = deed.change.items()
        assert isinstance(value, Plain)
        store = hand_world().open(task.base, actor=task.actor, setup=task.setup).store
        (record,) = select(deed.of, store, {})
        assert record[column] == value.value
        tried = [n.tool for n in task.dag.nodes if isinstance(n, CallNode) and n.refused]
        assert set(tried) <= {"close_task", "reopen_task", "archive_project"} and tried


def test_a_name_that_is_taken_is_another_records(kept):
    for task in why(kept, "taken"):
        deed = refused_of(task).deed
        assert isinstance(deed, Insert | Change)
        store = hand_world().open(task.base, actor=task.actor, setup=task.setup).store
        if isinstance(deed, Change):
            ((column, value),) = deed.change.items()
            assert isinstance(value, Plain)
            assert store.count(deed.of.table, **{column: value.value}) == 1


def test_what_others_belong_to_is_deleted_in_vain():
    with World(restricting(), sandbox="native") as world:
        tasks = [t for t in refuse_tasks(world, 300) if refused_of(t).why == "in_use"]
        passed = [t for t in tasks if all(r.passed for r in judge(world, t).values())]
    assert passed
    assert all(isinstance(refused_of(t).deed, Delete) for t in passed)


def test_a_deletion_that_takes_along_what_belongs_to_a_record_is_not_refused():
    assert not [t for t in refuse_tasks(hand_world(), 300) if refused_of(t).why == "in_use"]


def test_nothing_is_refused_that_another_tool_grants():
    with World(tolerant(), sandbox="native") as world:
        for task in refuse_tasks(world, 300):
            deed = refused_of(task).deed
            if refused_of(task).why == "state" and isinstance(deed, Change):
                assert deed.of.table != "tasks", task.question


def test_replay_refuses_what_another_tool_grants(kept):
    closing = [
        t
        for t in why(kept, "state")
        if isinstance(d := refused_of(t).deed, Change) and "status" in d.change
        if d.of.table == "tasks"
    ]
    assert closing
    with World(tolerant(), sandbox="native") as world:
        for task in closing:
            assert replay(Trial(world, task)) == "set_status may grant what is to be refused"


def test_replay_refuses_a_wish_that_the_tool_grants(kept):
    """Opened again before the task starts, the closed task can be closed."""
    for task in why(kept, "state"):
        deed = refused_of(task).deed
        assert isinstance(deed, Change)
        store = hand_world().open(task.base, actor=task.actor).store
        other = {"closed": "open", "open": "closed", "archived": "active"}
        table = deed.of.table
        key = "task_id" if table == "tasks" else "project_id"
        value = deed.change["status"]
        assert isinstance(value, Plain)
        records = {
            r[key]: {**r, "status": other[str(value.value)]}
            for r in store.find(table)
            if r["status"] == value.value
        }
        setup = {table: TableOverlay(changed=records)}
        assert replay(Trial(hand_world(), spoilt(task, setup=setup))) is not None


def test_necessary_refuses_a_way_that_does_not_find_out_what_cannot_be_done(kept):
    for task in kept:
        nodes = tuple(
            n
            for n in task.dag.nodes
            if not (isinstance(n, CallNode) and n.refused)
            and not (isinstance(n, ReasonNode) and n.form == "none")
        )
        reason = necessary(Trial(hand_world(), spoilt(task, dag=TaskDag(nodes=nodes))))
        assert reason is not None


def test_changes_refuses_a_task_with_nothing_else_to_do(kept):
    alone = [t for t in kept if not t.dues]
    for task in alone:
        idle = spoilt(task, golden={}, golden_calls=())
        assert changes(Trial(hand_world(), idle)) is not None


def test_unambiguous_refuses_a_missing_name_that_is_nearly_there(kept):
    for task in why(kept, "missing"):
        deed = refused_of(task).deed
        assert not isinstance(deed, Insert)
        if deed.of.table != "projects":
            continue
        (name,) = [c.value.value for c in deed.of.where if isinstance(c.value, Plain)]
        for near in (f"{name}s", str(name).upper(), f"{name} 2"):
            twin = {
                "project_id": "prj_00aa00aa",
                "name": near,
                "status": "active",
                "created_at": "2026-01-01T00:00:00Z",
            }
            setup = {"projects": TableOverlay(made={"prj_00aa00aa": twin})}
            reason = unambiguous(Trial(hand_world(), spoilt(task, setup=setup)))
            assert reason is not None, near


def test_sensitive_refuses_what_would_be_refused_whatever_it_named(kept):
    """With every task closed, closing any is refused."""
    for task in why(kept, "state"):
        deed = refused_of(task).deed
        if not isinstance(deed, Change) or deed.of.table != "tasks":
            continue
        value = deed.change["status"]
        assert isinstance(value, Plain)
        store = hand_world().open(task.base, actor=task.actor).store
        alike = {r["task_id"]: {**r, "status": value.value} for r in store.find("tasks")}
        setup = {"tasks": TableOverlay(changed=alike)}
        assert sensitive(Trial(hand_world(), spoilt(task, setup=setup))) is not None


def test_a_task_whose_kind_hides_a_refused_wish_is_malformed(kept):
    for task in kept[:3]:
        reports = judge(hand_world(), spoilt(task, kind="change"))
        assert not any(r.passed for r in reports.values())


def test_a_taken_value_that_fails_for_another_reason_is_no_refusal():
    wish = Refused(deed=Insert(table="projects", values={"name": Plain(value="")}), why="taken")
    with pytest.raises(IntentError, match="fails otherwise"):
        carry_out(Intent(wishes=(wish,)), hand_world().open("main").store)


def test_a_tool_does_only_the_part_of_a_deed_that_it_writes():
    tools = {t.name: t for t in hand_environment().tools}
    closing = refused_change("tasks", status="closed")
    assert part_done_by(tools["close_task"], closing) == closing
    assert part_done_by(tools["reopen_task"], closing) is None
    assert part_done_by(tools["update_task"], closing) is None
    both = refused_change("tasks", status="closed", title="Over")
    assert part_done_by(tools["update_task"], both) == refused_change("tasks", title="Over")


def refused_change(table: str, **values: str) -> Change:
    return Change(of=Selection(table=table), change={c: Plain(value=v) for c, v in values.items()})


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Aurora", "Auro", True),
        ("Website relaunch", "website relaunch", True),
        ("Website relaunch", "Website relanch", True),
        ("Tom Becker", "Tom Okafor", False),
        ("Lantern", "Payroll switch", False),
    ],
)
def test_a_name_may_be_meant_for_another_by_case_by_a_slip_or_in_short(one, other, alike):
    assert mistakable(one, other) is alike
