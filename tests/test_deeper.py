"""Tasks that take more steps: values that another record has, whose a record is, what must come
first, what uses a record just made."""

import random

import pytest

from forge.env.session import World
from forge.errors import ToolError
from forge.gates.judge import first_refusal
from forge.tasks.dags.graph import tool_graph
from forge.tasks.intents.columns import column_named
from forge.tasks.intents.intent import carry_out, select_one
from forge.tasks.make import Proposer
from forge.tasks.speech.facts import name_facts
from forge.tasks.wishes.given import given_value
from forge.tasks.wishes.linked import linked
from forge.tasks.wishes.scene import Scene, Unfit
from forge.tasks.wishes.turns import in_turn
from forge.tasks.wishes.ways import by_name_and_owner, deepened
from forge.types.environment import Effect, Environment, Match, Tool
from forge.types.intent import (
    Change,
    Computed,
    Condition,
    Delete,
    Insert,
    Intent,
    MadeKey,
    Pick,
    RecordKey,
    Selection,
)
from forge.types.task import Task
from tests.said import DESKS, HALL, LUMINA, PRIYA, key_of, measure, plain, some, ways
from tests.wished import of_customer, orders, shop, task_of
from tests.worlds import hand_environment, hand_world


def scene_of(world: World, seed: int = 0) -> Scene:
    base = sorted(world.bases)[0]
    schema = world.environment.state_schema
    actor = sorted(world.bases[base].records(schema.actors))[0][0] if schema.actors else None
    return Scene(
        store=world.open(base, actor=actor).store,
        rng=random.Random(seed),
        tools={t.name: t for t in world.environment.tools},
        made={},
        focus=[],
        ended=[],
    )


def furnished() -> Environment:
    """The shop with tools that delete orders and customers, make customers and rename them; orders
    keep their customer."""
    environment = shop().environment
    key = {"customer_id": Match(column="customer_id")}
    order = {"order_id": Match(column="order_id")}
    effects = {
        "delete_order": Effect(verb="delete", table="orders", match=order),
        "delete_customer": Effect(verb="delete", table="customers", match=key),
        "create_customer": Effect(verb="create", table="customers", fields={"name": "name"}),
        "rename_customer": Effect(
            verb="update", table="customers", match=key, fields={"name": "name"}
        ),
    }
    bodies = {
        "delete_order": 'delete("orders", order_id)',
        "delete_customer": 'delete("customers", customer_id)',
        "create_customer": 'insert("customers", name=name)',
        "rename_customer": 'update("customers", customer_id, name=name)',
    }
    source, tools = environment.source, list(environment.tools)
    for name, effect in effects.items():
        arguments = [*effect.match, *effect.fields]
        source += (
            f"\n\ndef {name}({', '.join(f'{a}: str' for a in arguments)}) -> dict:\n"
            f'    """What it says."""\n    return {bodies[name]}\n'
        )
        parameters = {
            "type": "object",
            "properties": {a: {"type": "string"} for a in arguments},
            "required": arguments,
            "additionalProperties": False,
        }
        tools.append(
            Tool(
                name=name,
                description="What it says.",
                kind="write",
                parameters=parameters,
                effect=effect,
            )
        )
    return environment.model_copy(update={"source": source, "tools": tuple(tools)})


# ------------------------------------------------------- what another record has


PRICE_OF_C = Computed(of=measure("value", orders(name="Crate C"), "price"))


def test_a_price_taken_from_another_order_passes_every_gate_and_is_looked_up_first():
    wish = Change(of=orders(name="Crate B"), change={"price": PRICE_OF_C})
    task = task_of(wish, tools=["update_order"])
    assert first_refusal(shop(), task) is None
    price = select_one(orders(name="Crate C"), shop().open("main").store, {})["price"]
    assert task.golden_calls[-1].arguments["price"] == price


def test_a_value_is_taken_from_another_record_and_few_others_have_it():
    world = shop()
    table = scene_of(world).table("orders")
    found = [given_value(table, column_named(table, "price"), scene_of(world, n)) for n in range(9)]
    assert all(found)
    for value, number in filter(None, found):
        assert select_one(value.of.of, world.open("main").store, {})["price"] == number


@pytest.mark.parametrize("column", ["name", "quantity", "order_id"])
def test_nobody_gives_a_record_the_name_the_key_or_the_number_of_pieces_of_another(column):
    table = scene_of(shop()).table("orders")
    found = (
        given_value(table, column_named(table, column), scene_of(shop(), n)) for n in range(20)
    )
    assert not any(found)


def test_what_is_shared_with_another_record_is_said_so():
    due = Computed(of=measure("value", HALL, "due_on"))
    said = ways(Change(of=DESKS, change={"due_on": due}))
    assert any("give the task Order desks on Lumina the same due date as" in s for s in said) or (
        any("the same due date as the task" in s for s in said)
    )
    assert any("to that of the task" in s for s in said)


def test_a_new_record_is_said_to_belong_where_another_does():
    project = Computed(of=measure("value", HALL, "project_id"))
    due = Computed(of=measure("value", HALL, "due_on"))
    values = {"title": plain("Sweep"), "project_id": project, "due_on": due}
    said = ways(Insert(table="tasks", values=values))
    assert all("on the same project as the task" in s for s in said)
    assert all("the same due date as" in s for s in said)


# ------------------------------------------------------------------ whose it is


def test_a_name_is_said_with_its_owner_where_a_list_is_narrowed_by_it():
    scene = scene_of(shop())
    table = scene.table("orders")
    record = scene.store.rows("orders")[4]
    (found,) = by_name_and_owner(table, record, scene)
    assert {c.column for c in found.where} == {"name", "customer_id"}
    assert select_one(found, scene.store, {}) == record


def test_an_order_named_with_its_customer_takes_a_call_more():
    alone = task_of(
        Change(of=orders(name="Crate B"), change={"price": plain(5)}), tools=["update_order"]
    )
    store = shop().open("main").store
    owner = store.get("customers", select_one(orders(name="Crate B"), store, {})["customer_id"])
    of = orders(name="Crate B", customer_id=of_customer(owner["name"]))
    whose = task_of(Change(of=of, change={"price": plain(5)}), tools=["update_order"])
    assert len(whose.golden_calls) == len(alone.golden_calls) + 1
    assert first_refusal(shop(), whose) is None


def test_a_phrase_has_one_place_at_most():
    scene = scene_of(hand_world())
    of = Selection(
        table="tasks",
        where=(Condition(column="project_id", value=RecordKey(of=Selection(table="projects"))),),
        pick=Pick(column="due_on", which="min"),
    )
    assert deepened(of, scene) == of


# ------------------------------------------------------------- what comes first


def turns(environment: Environment, tool: str, count: int = 40) -> list[tuple[World, Intent]]:
    world = World(environment, sandbox="native")
    found = []
    for seed in range(count):
        try:
            wished = in_turn(world.tools[tool], scene_of(world, seed))
        except Unfit:
            continue
        wishes = tuple(w.wish for w in wished)
        found.append((world, name_facts(Intent(wishes=wishes), environment.state_schema)))
    assert found
    return found


def is_granted(world: World, intent: Intent) -> bool:
    base = sorted(world.bases)[0]
    actors = world.environment.state_schema.actors
    actor = sorted(world.bases[base].records(actors))[0][0] if actors else None
    try:
        carry_out(intent, world.open(base, actor=actor).store)
    except ToolError:
        return False
    return True


def test_what_keeps_a_record_is_deleted_before_it():
    for world, intent in turns(furnished(), "delete_customer"):
        first, then = intent.wishes
        assert isinstance(first, Delete) and isinstance(then, Delete)
        assert is_granted(world, intent)
        assert not is_granted(world, Intent(wishes=(then, first)))


def test_a_name_is_free_once_its_bearer_is_renamed():
    for world, intent in turns(furnished(), "create_customer"):
        first, then = intent.wishes
        assert isinstance(first, Change) and isinstance(then, Insert)
        assert is_granted(world, intent)
        assert not is_granted(world, Intent(wishes=(then, first)))


def proposed(count: int) -> list[Task]:
    proposer = Proposer(hand_world(), tool_graph(hand_environment()), seed=1)
    found = []
    for number in range(count):
        try:
            found.append(proposer.propose(number))
        except Unfit:
            continue
    return found


def test_where_the_order_matters_the_user_says_it():
    ordered = [t for t in proposed(300) if t.dag.orders]
    assert ordered
    for task in ordered:
        assert {"first", "then", "after", "once", "done"} & set(
            task.question.lower().replace(",", "").split()
        )
        assert first_refusal(hand_world(), task) in (
            None,
            "sensitive",
            "necessary",
            "grounded",
        )


# -------------------------------------------------------- what was just made


def test_a_tool_that_makes_a_record_is_followed_by_one_that_uses_it():
    tools = {t.name: t for t in hand_environment().tools}
    makes = Effect(verb="create", table="projects", fields={"name": "name"})
    tools["create_project"] = tools["create_project"].model_copy(update={"effect": makes})
    schema = hand_environment().state_schema
    met = ["create_project", "delete_task"]
    after = {linked(met, tools, schema, 2, random.Random(n))[1] for n in range(40)}
    assert {"create_task", "delete_task"} <= after
    assert linked(["delete_task", "create_task"], tools, schema, 2, random.Random(0)) == [
        "delete_task",
        "create_task",
    ]


def test_what_was_just_made_is_spoken_of_as_it():
    made = Insert(table="tasks", values={"title": plain("Sweep"), "project_id": key_of(LUMINA)})
    tie = Condition(column="task_id", value=MadeKey(wish=0))
    handed = Change(of=some("tasks", tie), change={"assignee_id": key_of(PRIYA)})
    for text in ways(made, handed):
        again = text.split("Sweep")[1]
        assert any(f" {it} " in again for it in ("it", "that task", "the new task"))
