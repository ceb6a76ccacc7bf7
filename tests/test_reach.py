"""Tools that nobody could turn to are known before any proposal is spent on them."""

from collections.abc import Sequence

from forge.env.session import World
from forge.gates.keep import Tally, kept_tasks
from forge.tasks.dags.graph import tool_graph
from forge.tasks.make import Proposer
from forge.tasks.wishes.reach import hopeless, is_reached
from forge.tasks.wishes.ways import descriptions
from forge.types.environment import Tool
from tests.test_deeper import scene_of
from tests.wished import shop


def world_without(*gone: str) -> World:
    """The shop without some of its read tools."""
    environment = shop().environment
    tools: Sequence[Tool] = [t for t in environment.tools if t.name not in gone]
    return World(environment.model_copy(update={"tools": tuple(tools)}), sandbox="native")


def readers(table: str) -> list[str]:
    tools = shop().environment.tools
    return [t.name for t in tools if t.kind == "read" and t.effect and t.effect.table == table]


def test_every_record_that_can_be_told_is_of_a_table_that_is_called_so():
    scene = scene_of(shop())
    for table in scene.store.schema.tables:
        told = any(
            scene.reaches(of)
            for record in scene.store.rows(table.name)
            for of in descriptions(table, record, scene)
        )
        assert is_reached(table, scene) or not told, table.name


def test_a_write_on_records_that_no_tool_lists_is_hopeless_and_says_why():
    with world_without(*readers("orders")) as world:
        proposer = Proposer(world, tool_graph(world.environment), seed=0)
        hopes = {t.effect.table for t in world.environment.tools if t.effect is not None}
        assert "orders" in hopes
        reasons = {
            reason
            for name, reason in proposer.hopeless.items()
            if (effect := proposer.tools[name].effect) and effect.table == "orders"
        }
        assert reasons == {"no way to say which record of orders that a tool can follow"}


def test_where_all_can_be_found_nothing_is_hopeless():
    scene = scene_of(shop())
    assert {t.name: hopeless(t, scene) for t in scene.tools.values() if hopeless(t, scene)} == {}


def test_a_hopeless_tool_is_listed_with_its_reason_and_no_task_begins_at_it():
    with world_without(*readers("orders")) as world:
        tally, graph = Tally(), tool_graph(world.environment)
        made = list(kept_tasks(world, graph, count=3, seed=0, tally=tally))
        for name in Proposer(world, graph, seed=0).hopeless:
            assert not any(call.tool == name for task in made for call in task.golden_calls)
            assert world.tools[name].kind == "read" or name in tally.missed
