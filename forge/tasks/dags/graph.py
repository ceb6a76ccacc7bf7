"""The tool graph: what a tool shows can be an argument of another.

Edges come from typed fields: a shown column and an argument denote the same key (the table's own,
or one reached through references and parents). Names are not compared.
"""

from collections.abc import Iterator

import networkx as nx

from forge.env.identity import same
from forge.tasks.intents.columns import column_named, denotes, is_key, table_named
from forge.types.data import Json, Path
from forge.types.environment import Edge, Effect, Environment, Tool, ToolGraph
from forge.types.intent import Actor, Condition, Plain
from forge.types.state import StateSchema


def shown(tool: Tool, schema: StateSchema) -> dict[str, Path]:
    """Column -> where it is in one record of the tool's result; empty if it shows none."""
    effect = tool.effect
    if effect is None or effect.result is None or effect.verb == "count":
        return {}
    if effect.shows is not None:
        return effect.shows
    return {c.name: (c.name,) for c in table_named(schema, effect.table).columns}


def taken(tool: Tool) -> Iterator[tuple[str, str]]:
    """(argument, column of the effect's table) for what the tool compares or writes."""
    if tool.effect is None:
        return
    for argument, match in tool.effect.match.items():
        yield argument, match.column
    yield from tool.effect.fields.items()


def tool_graph(environment: Environment) -> ToolGraph:
    schema = environment.state_schema
    makers: dict[str, list[tuple[str, Path]]] = {}
    for tool in environment.tools:
        for column, path in shown(tool, schema).items():
            assert tool.effect is not None
            table = table_named(schema, tool.effect.table)
            if column_named(table, column).type == "array":
                continue
            thing = denotes(schema, table.name, column)
            if is_key(schema, thing):
                makers.setdefault(thing, []).append((tool.name, path))
    edges = [
        Edge(source=source, output=path, target=tool.name, argument=argument, why=thing)
        for tool in environment.tools
        for argument, column in taken(tool)
        if tool.effect is not None
        for thing in [denotes(schema, tool.effect.table, column)]
        for source, path in makers.get(thing, [])
        if source != tool.name
    ]
    return ToolGraph(edges=tuple(edges))


def as_network(graph: ToolGraph, environment: Environment) -> "nx.MultiDiGraph[str]":
    """To walk on: only tools whose effect is declared."""
    network: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    network.add_nodes_from(t.name for t in environment.tools if t.effect is not None)
    for edge in graph.edges:
        if edge.source in network and edge.target in network:
            network.add_edge(edge.source, edge.target, argument=edge.argument, why=edge.why)
    return network


def serves(effect: Effect, where: tuple[Condition, ...]) -> bool:
    """Whether the tool, where it is for some records alone, is for those of which this is said."""
    return all(
        any(c.column == column and _says(c, constant) for c in where)
        for column, constant in effect.fixed.items()
    )


def _says(condition: Condition, constant: Json) -> bool:
    if condition.op != "eq" or condition.negated:
        return False
    value = condition.value
    if constant == "$me":
        return isinstance(value, Actor)
    return isinstance(value, Plain) and same(value.value, constant)
