"""What others' benchmarks got wrong about tasks, each as a test of its kind: a golden call that
fails, another way to the same end, a question that lacks the values its golden calls use."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from forge.env.compare import compare
from forge.env.session import World
from forge.gates.judge import judge
from forge.tasks.dags.play import facts_of, play
from forge.types.call import Call
from forge.types.dag import TaskDag
from forge.types.data import Json
from forge.types.environment import Environment
from forge.types.intent import Intent
from forge.types.state import State
from forge.types.task import Task
from tests.places import CASES

NOW = "2030-03-01T09:00:00Z"


def case(name: str, file: str) -> Any:
    return json.loads((CASES / name / file).read_text())


def column(name: str, **options: Json) -> dict[str, Json]:
    return {"name": name, **options}


def table(name: str, key: str, *columns: dict[str, Json], **options: Json) -> dict[str, Json]:
    return {
        "name": name,
        "noun": name.removesuffix("s"),
        "key": [key],
        "columns": list(columns),
        **options,
    }


def tool(name: str, kind: str, effect: Json, /, **parameters: str) -> dict[str, Json]:
    """`parameters`: name -> JSON type."""
    return {
        "name": name,
        "description": name.replace("_", " "),
        "kind": kind,
        "effect": effect,
        "parameters": {
            "type": "object",
            "properties": {each: {"type": type} for each, type in parameters.items()},
            "required": list(parameters),
            "additionalProperties": False,
        },
    }


def environment(tables: list[Json], tools: list[Json], source: str, state: State) -> Environment:
    return Environment.model_validate(
        {
            "name": "case",
            "title": "Case",
            "state_schema": {"tables": tables},
            "tools": tools,
            "source": source,
            "bases": {"main": state},
            "nows": {"main": NOW},
        }
    )


def task(**content: Json) -> Task:
    """A task of kind `change` unless it says otherwise; what is left out is empty."""
    empty = {"id": "t", "env": "case", "kind": "change", "base": "main", "now": NOW, "golden": {}}
    return Task.model_validate(
        {**empty, "golden_calls": [], "dag": {"nodes": []}, "intent": {"wishes": []}, **content}
    )


def played(world: World, draft: Task) -> Task:
    """With the calls that its DAG makes, and the state that they leave."""
    session = world.open(draft.base, now=draft.now)
    done = play(session, draft.dag, facts_of(draft.facts), draft.dues)
    return draft.model_copy(update={"golden_calls": tuple(done.calls), "golden": session.overlay()})


def refusals(world: World, judged: Task) -> dict[str, str]:
    return {gate: r.reason for gate, r in judge(world, judged).items() if not r.passed}


def plain(value: Json, fact: str | None = None) -> dict[str, Json]:
    return {"kind": "plain", "value": value, "fact": fact}


def said(fact: str) -> dict[str, Json]:
    return {"kind": "said", "fact": fact}


# -------------------------------------------------------- 029: a golden call fails

ORDERS = '''
def get_order(order_id: str) -> dict:
    """Get an order."""
    return get("orders", order_id)


def refund_order(order_id: str) -> dict:
    """Pay an order back. Fails unless it was paid."""
    order = get("orders", order_id)
    if not order["paid"]:
        fail("conflict", f"order {order_id} was never paid")
    return update("orders", order_id, status="refunded", paid=False)


def ship_order(order_id: str) -> dict:
    """Ship an order. It is broken."""
    return update("orders", order_id, status={}["shipped"])
'''


@pytest.fixture(scope="module")
def orders() -> Iterator[World]:
    tables = [
        table(
            "orders",
            "id",
            column("id", required=True, spoken=True),
            column("status", required=True),
            column("paid", type="boolean", required=True),
        )
    ]
    tools = [
        tool("get_order", "read", None, order_id="string"),
        tool("refund_order", "write", None, order_id="string"),
        tool("ship_order", "write", None, order_id="string"),
    ]
    state = case("029-golden-call-fails", "task.json")["initial_state"]
    with World(environment(tables, tools, ORDERS, state)) as world:
        yield world


def call_nodes(calls: list[Call]) -> list[dict[str, Json]]:
    return [
        {
            "kind": "call",
            "id": f"n{number}",
            "tool": call.tool,
            "writes": not call.tool.startswith("get_"),
            "arguments": {k: {"kind": "default", "value": v} for k, v in call.arguments.items()},
        }
        for number, call in enumerate(calls)
    ]


def golden_calls_of_case_029() -> list[Call]:
    calls = case("029-golden-call-fails", "task.json")["golden_calls"]
    return [Call(tool=call["name"], arguments=call["arguments"]) for call in calls]


@pytest.mark.parametrize(
    ("calls", "which", "why"),
    [
        (golden_calls_of_case_029(), "golden call 1, get_order", "not_found"),
        (golden_calls_of_case_029()[1:], "golden call 1, refund_order", "order o1 was never paid"),
        (
            [Call(tool="get_order", arguments={"order_id": "o1"}), *golden_calls_of_case_029()[1:]],
            "golden call 2, refund_order",
            "conflict",
        ),
        ([Call(tool="ship_order", arguments={"order_id": "o1"})], "ship_order", "internal"),
        ([Call(tool="get_order", arguments={})], "get_order", "order_id"),
        ([Call(tool="cancel_order", arguments={"order_id": "o1"})], "cancel_order", "no tool"),
    ],
)
def test_a_golden_call_that_fails_rejects_the_task_and_says_which_and_why(
    orders: World, calls: list[Call], which: str, why: str
):
    bad = task(
        question=case("029-golden-call-fails", "task.json")["instruction"],
        golden_calls=[call.model_dump() for call in calls],
        dag={"nodes": call_nodes(calls)},
    )
    reason = judge(orders, bad)["replay"].reason
    assert which in reason
    assert why in reason


# ------------------------------------------------- 033: another way to the same end

LISTS = '''
def get_task(task_id: str) -> dict:
    """Get a task."""
    return get("tasks", task_id)


def move_task(task_id: str, list_id: str) -> dict:
    """Move a task to a list."""
    get("lists", list_id)
    return update("tasks", task_id, list_id=list_id)


def move_all_tasks(from_id: str, to_id: str) -> list:
    """Move all tasks of a list to another."""
    return [update("tasks", each["id"], list_id=to_id) for each in find("tasks", list_id=from_id)]
'''


@pytest.fixture(scope="module")
def lists() -> Iterator[World]:
    tables = [
        table("lists", "id", column("id", required=True)),
        table(
            "tasks",
            "id",
            column("id", required=True),
            column("list_id", references="lists", required=True),
        ),
    ]
    tools = [
        tool("get_task", "read", None, task_id="string"),
        tool("move_task", "write", None, task_id="string", list_id="string"),
        tool("move_all_tasks", "write", None, from_id="string", to_id="string"),
    ]
    state = case("033-other-way-same-end", "task.json")["initial_state"]
    with World(environment(tables, tools, LISTS, state)) as world:
        yield world


RUNS = [*case("033-other-way-same-end", "task.json")["runs"], {"score": 0, "calls": []}]


@pytest.mark.parametrize("run", RUNS, ids=[f"{len(run['calls'])} calls" for run in RUNS])
def test_only_the_end_of_a_run_counts_and_not_the_way_there(lists: World, run: dict[str, Any]):
    golden, actual = lists.open("main"), lists.open("main")
    for call in case("033-other-way-same-end", "task.json")["golden_calls"]:
        assert golden.call(call["name"], call["arguments"]).failure is None
    for name, *values in run["calls"]:
        names = lists.tools[name].parameters["properties"]
        assert actual.call(name, dict(zip(names, values, strict=True))).failure is None
    schema = lists.environment.state_schema
    found = compare(schema, golden.store.initial, golden.overlay(), actual.overlay())
    assert found.equal == (run["score"] == 1)


# -------------------------------------- 038: the question lacks what the calls use

HOUSE = '''
def list_folder(name: str) -> list:
    """List what is in a folder."""
    return find("files", folder=name)


def list_messages() -> list:
    """List the messages."""
    return find("messages")


def delete_message(id: str) -> dict:
    """Delete a message."""
    delete("messages", id)
    return {"deleted": id}


def book_court(court: int, date: str) -> dict:
    """Book a court for a day."""
    return insert("bookings", court=court, date=date)


def search_notes(text: str) -> list:
    """Find the notes that contain a text."""
    return find("notes", text__icontains=text)


def delete_note(id: str) -> dict:
    """Delete a note."""
    delete("notes", id)
    return {"deleted": id}
'''

TEXTS = {
    each["id"]: each["instruction"] for each in case("038-instruction-lacks-values", "tasks.json")
}
STATES = {each["id"]: each["state"] for each in case("038-instruction-lacks-values", "tasks.json")}


@pytest.fixture(scope="module")
def house() -> Iterator[World]:
    """The four states of the case in one, with more records than the tasks touch."""
    identified = column("id", required=True, generated="id")
    tables = [
        table("folders", "id", identified, column("name"), label="name"),
        table("files", "id", identified, column("folder"), column("name"), label="name"),
        table("messages", "id", identified, column("at", format="date")),
        table("courts", "id", column("id", type="integer", required=True, spoken=True)),
        table(
            "bookings",
            "id",
            identified,
            column("court", type="integer", references="courts", required=True),
            column("date", format="date", required=True),
        ),
        table("notes", "id", identified, column("text")),
    ]
    match_folder = {"verb": "list", "table": "files", "match": {"name": {"column": "folder"}}}
    by_id = {"id": {"column": "id"}}
    search = {"text": {"column": "text", "op": "icontains"}}
    booking = {"court": "court", "date": "date"}
    tools = [
        tool("list_folder", "read", match_folder, name="string"),
        tool("list_messages", "read", {"verb": "list", "table": "messages"}),
        tool(
            "delete_message",
            "write",
            {"verb": "delete", "table": "messages", "match": by_id, "result": None},
            id="string",
        ),
        tool(
            "book_court",
            "write",
            {"verb": "create", "table": "bookings", "fields": booking},
            court="integer",
            date="string",
        ),
        tool(
            "search_notes",
            "read",
            {"verb": "list", "table": "notes", "match": search},
            text="string",
        ),
        tool(
            "delete_note",
            "write",
            {"verb": "delete", "table": "notes", "match": by_id, "result": None},
            id="string",
        ),
    ]
    state = {
        "folders": STATES[1]["folders"],
        "files": {
            "x1": {"id": "x1", "folder": "attic-2", "name": "roof.txt"},
            "x2": {"id": "x2", "folder": "cellar", "name": "wine.txt"},
        },
        "messages": {
            "m1": {"id": "m1", "at": "2030-01-20"},
            **STATES[2]["messages"],
            "m9": {"id": "m9", "at": "2030-01-10"},
        },
        "courts": {**STATES[3]["courts"], "3": {"id": 3}},
        "bookings": {},
        "notes": {
            "n2": {"id": "n2", "text": "the tap dancers rehearse on Monday"},
            **STATES[4]["notes"],
            "n8": {"id": "n8", "text": "buy paint for the kitchen"},
        },
    }
    with World(environment(tables, tools, HOUSE, state)) as world:
        yield world


def folder_task(origin: Mapping[str, Json], fact: str | None, facts: list[Json]) -> Task:
    return task(
        kind="answer",
        question=TEXTS[1],
        facts=facts,
        intent={
            "wishes": [
                {
                    "verb": "answer",
                    "what": {
                        "op": "value",
                        "column": "name",
                        "of": {
                            "table": "files",
                            "where": [{"column": "folder", "value": plain("attic-2", fact)}],
                        },
                    },
                }
            ]
        },
        dag={
            "nodes": [
                {"kind": "call", "id": "list", "tool": "list_folder", "arguments": {"name": origin}}
            ]
        },
        dues=[
            {
                "wish": 0,
                "origin": {"kind": "output", "node": "list", "path": [0, "name"]},
                "type": "string",
                "value": "roof.txt",
            }
        ],
    )


@pytest.mark.parametrize(
    "draft",
    [
        folder_task(
            said("folder"), "folder", [{"name": "folder", "value": "attic-2", "text": "attic-2"}]
        ),
        folder_task({"kind": "default", "value": "attic-2"}, None, []),
        folder_task(said("folder"), None, []),
    ],
    ids=["a fact that is not said", "a default", "no fact at all"],
)
def test_a_call_with_a_name_that_nobody_said_is_not_grounded(house: World, draft: Task):
    calls = (Call(tool="list_folder", arguments={"name": "attic-2"}),)
    reason = judge(house, draft.model_copy(update={"golden_calls": calls}))["grounded"].reason
    assert "attic-2" in reason or "'folder', which nobody knows" in reason


@pytest.mark.parametrize(("form", "passes"), [("argmin", False), ("argmax", True)])
def test_calls_that_delete_the_oldest_do_not_mean_the_newest(house: World, form: str, passes: bool):
    newest = {"table": "messages", "pick": {"column": "at", "which": "max"}}
    draft = task(
        question=TEXTS[2],
        intent={"wishes": [{"verb": "delete", "of": newest}]},
        dag={
            "nodes": [
                {"kind": "call", "id": "list", "tool": "list_messages", "arguments": {}},
                {
                    "kind": "reason",
                    "id": "chosen",
                    "form": form,
                    "by": ["at"],
                    "over": {"kind": "output", "node": "list", "path": []},
                },
                {
                    "kind": "call",
                    "id": "drop",
                    "tool": "delete_message",
                    "writes": True,
                    "arguments": {"id": {"kind": "reasoned", "node": "chosen", "path": ["id"]}},
                },
            ]
        },
    )
    found = judge(house, played(house, draft))
    assert found["meaning"].passed == passes
    assert found["replay"].passed


def court_task(said_as: str, booked: str) -> Task:
    return task(
        question=TEXTS[3],
        facts=[
            {"name": "court", "value": 2, "text": "2"},
            {"name": "day", "value": booked, "text": said_as},
        ],
        intent={
            "wishes": [
                {
                    "verb": "insert",
                    "table": "bookings",
                    "values": {"court": plain(2, "court"), "date": plain(booked, "day")},
                }
            ]
        },
        dag={
            "nodes": [
                {
                    "kind": "call",
                    "id": "book",
                    "tool": "book_court",
                    "writes": True,
                    "arguments": {"court": said("court"), "date": said("day")},
                }
            ]
        },
    )


@pytest.mark.parametrize(
    ("said_as", "booked", "reason"),
    [
        ("12 May 2030", "2030-05-22", "'12 May 2030' does not say '2030-05-22'"),
        ("22 May 2030", "2030-05-22", "the question does not say '22 May 2030'"),
        ("12 May 2030", "2030-05-12", ""),
    ],
)
def test_a_call_with_another_date_than_the_question_says_is_not_grounded(
    house: World, said_as: str, booked: str, reason: str
):
    found = judge(house, played(house, court_task(said_as, booked)))
    assert found["grounded"].reason == reason


def test_golden_calls_with_another_date_than_the_dag_gives_are_not_replayed(house: World):
    good = played(house, court_task("12 May 2030", "2030-05-12"))
    other = played(house, court_task("22 May 2030", "2030-05-22"))
    mixed = good.model_copy(update={"golden_calls": other.golden_calls, "golden": other.golden})
    assert set(refusals(house, mixed)) >= {"replay", "meaning"}


def test_an_id_that_a_search_shows_need_not_be_said(house: World):
    draft = task(
        question=TEXTS[4],
        facts=[{"name": "subject", "value": "leaking", "text": "leaking"}],
        intent={
            "wishes": [
                {
                    "verb": "delete",
                    "of": {
                        "table": "notes",
                        "where": [
                            {
                                "column": "text",
                                "op": "icontains",
                                "value": plain("leaking", "subject"),
                            }
                        ],
                    },
                }
            ]
        },
        dag={
            "nodes": [
                {
                    "kind": "call",
                    "id": "search",
                    "tool": "search_notes",
                    "arguments": {"text": said("subject")},
                },
                {
                    "kind": "call",
                    "id": "drop",
                    "tool": "delete_note",
                    "writes": True,
                    "arguments": {"id": {"kind": "output", "node": "search", "path": [0, "id"]}},
                },
            ]
        },
    )
    # One delete among a few notes could be guessed; with a booking beside it, it cannot.
    court = court_task("12 May 2030", "2030-05-12")
    both = draft.model_copy(
        update={
            "question": f"{draft.question} {court.question}",
            "facts": (*draft.facts, *court.facts),
            "intent": Intent(wishes=(*draft.intent.wishes, *court.intent.wishes)),
            "dag": TaskDag(nodes=(*draft.dag.nodes, *court.dag.nodes)),
        }
    )
    assert refusals(house, played(house, both)) == {}
