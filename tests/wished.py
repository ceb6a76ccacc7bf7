"""A small shop, and a task made of wishes written down: for tests of what forge seldom draws."""

import random
from collections.abc import Sequence
from functools import cache
from typing import Literal

from forge.env.session import World
from forge.tasks.dags.lookup import Lookup
from forge.tasks.dags.plan import plan
from forge.tasks.dags.play import play
from forge.tasks.intents.inside import said_values
from forge.tasks.intents.intent import carry_out
from forge.tasks.speech.facts import name_facts
from forge.tasks.speech.question import write_question
from forge.tasks.wishes.scene import Wished
from forge.types.data import Json
from forge.types.environment import Environment
from forge.types.intent import (
    Aggregate,
    Answer,
    Condition,
    Intent,
    Pick,
    Plain,
    RecordKey,
    Selection,
    Wish,
)
from forge.types.task import Due, Task

NOW = "2030-03-01T09:00:00Z"
NAMES = ("Ada Byron", "Bo Lind", "Cy Marsh", "Di Novak")
STATUSES = ("open", "shipped", "cancelled")

SOURCE = '''
def list_customers() -> list:
    """List customers."""
    return find("customers")


def list_orders(status: str | None = None, customer_id: str | None = None) -> list:
    """List orders."""
    return find("orders", **given(status=status, customer_id=customer_id))


def update_order(order_id: str, due: str | None = None, price: float | None = None) -> dict:
    """Change an order."""
    return update("orders", order_id, **given(due=due, price=price))


def cancel_order(order_id: str) -> dict:
    """Cancel an order."""
    return update("orders", order_id, status="cancelled")


def ship_order(order_id: str) -> dict:
    """Ship an order."""
    return update("orders", order_id, status="shipped")
'''


def _tool(
    name: str, kind: str, effect: dict[str, Json], required: Sequence[str] = (), **optional: str
) -> Json:
    properties = {each: {"type": "string"} for each in required} | {
        each: {"type": kind} for each, kind in optional.items()
    }
    return {
        "name": name,
        "description": name.replace("_", " "),
        "kind": kind,
        "effect": effect,
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": list(required),
            "additionalProperties": False,
        },
    }


def _orders() -> dict[str, Json]:
    """Sixteen orders; prices 31, 78, 25, … all differ, and no status or customer rules one."""
    records = {}
    for number in range(16):
        key = f"ord_{number:02}"
        records[key] = {
            "order_id": key,
            "name": f"Crate {'ABCDEFGHIJKLMNOP'[number]}",
            "customer_id": f"cus_{(number * number + number // 5) % 4}",
            "status": STATUSES[(number * 7 // 3) % 3],
            "price": float((number * 47 + 31) % 100),
            "quantity": number * 5 % 7 + 1,
            "due": f"2030-04-{(number * 11 + 4) % 29 + 1:02}",
        }
    return records


@cache
def shop() -> World:
    order = {
        "name": "orders",
        "noun": "order",
        "key": ["order_id"],
        "label": "name",
        "columns": [
            {"name": "order_id", "generated": "id", "prefix": "ord_"},
            {"name": "name", "unique": True},
            {"name": "customer_id", "references": "customers"},
            {"name": "status", "enum": list(STATUSES)},
            {"name": "price", "type": "number"},
            {"name": "quantity", "type": "integer"},
            {"name": "due", "format": "date"},
        ],
    }
    customer = {
        "name": "customers",
        "noun": "customer",
        "key": ["customer_id"],
        "label": "name",
        "columns": [
            {"name": "customer_id", "generated": "id", "prefix": "cus_"},
            {"name": "name", "unique": True},
        ],
    }
    by_status = {"status": {"column": "status"}, "customer_id": {"column": "customer_id"}}
    one = {"order_id": {"column": "order_id"}}
    update = {"verb": "update", "table": "orders", "match": one}
    environment = Environment.model_validate(
        {
            "name": "shop",
            "title": "Shop",
            "state_schema": {"tables": [customer, order]},
            "tools": [
                _tool("list_customers", "read", {"verb": "list", "table": "customers"}),
                _tool(
                    "list_orders",
                    "read",
                    {"verb": "list", "table": "orders", "match": by_status},
                    status="string",
                    customer_id="string",
                ),
                _tool(
                    "update_order",
                    "write",
                    {**update, "fields": {"due": "due", "price": "price"}},
                    ["order_id"],
                    due="string",
                    price="number",
                ),
                _tool(
                    "cancel_order",
                    "write",
                    {**update, "sets": {"status": "cancelled"}},
                    ["order_id"],
                ),
                _tool(
                    "ship_order", "write", {**update, "sets": {"status": "shipped"}}, ["order_id"]
                ),
            ],
            "source": SOURCE,
            "bases": {
                "main": {
                    "customers": {
                        f"cus_{n}": {"customer_id": f"cus_{n}", "name": name}
                        for n, name in enumerate(NAMES)
                    },
                    "orders": _orders(),
                }
            },
            "nows": {"main": NOW},
        }
    )
    return World(environment, sandbox="native")


def said(value: Json) -> Plain:
    """A value that the user says; its fact is named when the task is made."""
    return Plain(value=value, fact="")


def where(**conditions: Json) -> tuple[Condition, ...]:
    """`status="open"`, `price__gt=20`: values are said, or values of the intent as they are."""
    found = []
    for name, value in conditions.items():
        column, _, op = name.partition("__")
        meant = said(value) if isinstance(value, str | int | float) else value
        found.append(Condition.model_validate({"column": column, "op": op or "eq", "value": meant}))
    return tuple(found)


def orders(pick: Pick | None = None, **conditions: Json) -> Selection:
    return Selection(table="orders", where=where(**conditions), pick=pick)


def of_customer(name: str) -> RecordKey:
    return RecordKey(of=Selection(table="customers", where=where(name=name)))


def how(op: str, column: str | None = None, *, of: Selection, times: str | None = None) -> Answer:
    what = {"op": op, "column": column, "of": of, "times": times}
    return Answer(what=Aggregate.model_validate(what))


def task_of(*wishes: Wish, tools: Sequence[str | None] = ()) -> Task:
    """The task that grants these wishes in the shop; `tools` are those that do the deeds."""
    world = shop()
    opened = world.open("main")
    intent = name_facts(Intent(wishes=wishes), world.environment.state_schema)
    rng = random.Random(3)
    lookup = Lookup(
        tools=list(world.environment.tools),
        store=opened.store,
        rng=rng,
        preferred=set(),
        told=set(),
    )
    named = [*tools, *[None] * (len(wishes) - len(tools))]
    granted = [
        Wished(wish, world.tools[tool] if tool else None)
        for wish, tool in zip(intent.wishes, named, strict=True)
    ]
    dag, origins = plan(granted, lookup)
    answers = carry_out(intent, world.open("main").store)
    asked = [n for n, wish in enumerate(intent.wishes) if isinstance(wish, Answer)]
    dues = tuple(
        Due(wish=n, origin=origin, type=_type_of(value), value=value)
        for n, origin, value in zip(asked, origins, answers, strict=True)
    )
    session = world.open("main")
    played = play(session, dag, said_values(intent), dues)
    question, facts = write_question(intent, world.environment.state_schema, set(), rng, NOW)
    kind: Literal["answer", "mixed", "change"] = (
        "answer" if len(asked) == len(wishes) else "mixed" if asked else "change"
    )
    return Task(
        id="",
        env="shop",
        kind=kind,
        base="main",
        now=NOW,
        question=question,
        intent=intent,
        facts=facts,
        dues=dues,
        dag=dag,
        golden_calls=tuple(played.calls),
        golden=session.overlay(),
    )


def _type_of(value: Json) -> Literal["string", "integer", "number"]:
    return "string" if isinstance(value, str) else "integer" if isinstance(value, int) else "number"
