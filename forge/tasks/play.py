"""Playing a task's DAG through a session: every argument from its origin, every call executed.

A golden call that fails ends the play: nothing is swallowed.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from forge.env.session import Session
from forge.tasks.reason import ReasonError, at, reason
from forge.types.call import Call, ToolResult
from forge.types.data import Json
from forge.types.task import (
    CallNode,
    Default,
    Due,
    Fact,
    Listed,
    Node,
    Origin,
    Output,
    Reasoned,
    ReasonNode,
    Said,
    TaskDag,
    Told,
)


class PlayError(Exception):
    """At which node the play ended, and why."""

    def __init__(self, node: str, reason: str) -> None:
        self.node, self.reason = node, reason
        super().__init__(f"{node}: {reason}")


@dataclass(slots=True)
class Played:
    calls: list[Call] = field(default_factory=list)
    results: list[ToolResult] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    """The DAG node of each call."""
    values: dict[str, Json] = field(default_factory=dict)
    """Node -> its result; of a call made item by item, the list of results."""
    answers: list[Json] = field(default_factory=list)


Overrides = Mapping[tuple[str, str], Json]
"""(node, argument) -> the value to pass instead of the one from its origin."""


def facts_of(facts: tuple[Fact, ...]) -> dict[str, Json]:
    return {f.name: f.value for f in facts}


def play(
    session: Session,
    dag: TaskDag,
    facts: Mapping[str, Json],
    dues: tuple[Due, ...] = (),
    *,
    order: list[str] | None = None,
    overrides: Overrides | None = None,
) -> Played:
    """Plays all nodes, in the DAG's own order or in `order` (node ids)."""
    overrides = overrides or {}
    played = Played()
    nodes = {n.id: n for n in dag.nodes}
    for name in order or [n.id for n in dag.nodes]:
        node = nodes[name]
        try:
            if isinstance(node, ReasonNode):
                candidates = value_of(node.over, played, facts)
                wanted = [value_of(t.value, played, facts) for t in node.tests]
                played.values[node.id] = reason(node, candidates, wanted)
            else:
                played.values[node.id] = _call(session, node, played, facts, overrides)
        except ReasonError as error:
            raise PlayError(node.id, str(error)) from None
    for due in dues:
        try:
            played.answers.append(value_of(due.origin, played, facts))
        except ReasonError as error:
            raise PlayError("answer", str(error)) from None
    return played


def value_of(origin: Origin, played: Played, facts: Mapping[str, Json], item: Json = None) -> Json:
    match origin:
        case Said() | Told():
            if origin.fact not in facts:
                raise ReasonError(f"nobody knows {origin.fact}")
            return facts[origin.fact]
        case Output():
            return at(played.values.get(origin.node), origin.path)
        case Reasoned():
            value = item if item is not None else played.values.get(origin.node)
            return at(value, origin.path)
        case Default():
            return origin.value
        case Listed():
            return [value_of(o, played, facts, item) for o in origin.items]


def _call(
    session: Session,
    node: CallNode,
    played: Played,
    facts: Mapping[str, Json],
    overrides: Overrides,
) -> Json:
    items = [None] if node.each is None else played.values.get(node.each)
    if not isinstance(items, list):
        raise ReasonError(f"{node.each} gave no list")
    values = []
    for item in items:
        arguments = {
            name: overrides[node.id, name]
            if (node.id, name) in overrides
            else value_of(
                origin,
                played,
                facts,
                item if isinstance(origin, Reasoned) and origin.node == node.each else None,
            )
            for name, origin in node.arguments.items()
        }
        call = Call(tool=node.tool, arguments=arguments)
        result = session.call(node.tool, arguments)
        if result.failure is not None:
            said = result.bug or result.message
            raise PlayError(node.id, f"{node.tool} failed: {result.failure}: {said}")
        played.calls.append(call)
        played.results.append(result)
        played.nodes.append(node.id)
        values.append(result.value)
    return values[0] if node.each is None else values


def origins_of(node: Node) -> list[Origin]:
    """Where the node's values come from; of a list, where its items do."""
    if isinstance(node, ReasonNode):
        return singles([node.over, *(t.value for t in node.tests)])
    return singles(list(node.arguments.values()))


def singles(origins: list[Origin]) -> list[Origin]:
    """Each list replaced by the origins of its items."""
    return [
        single
        for origin in origins
        for single in (singles(list(origin.items)) if isinstance(origin, Listed) else [origin])
    ]


def before(dag: TaskDag) -> dict[str, set[str]]:
    """Node -> the nodes that must come before it: data origins, `each`, and order edges."""
    needs: dict[str, set[str]] = {n.id: set() for n in dag.nodes}
    for node in dag.nodes:
        for origin in origins_of(node):
            if isinstance(origin, Output | Reasoned):
                needs[node.id].add(origin.node)
        if isinstance(node, CallNode) and node.each is not None:
            needs[node.id].add(node.each)
    for first, then in dag.orders:
        needs[then].add(first)
    return needs


def random_order(dag: TaskDag, rng: random.Random) -> list[str]:
    """One topological order, each next node drawn at random from those that may come."""
    needs = before(dag)
    order: list[str] = []
    rest = [n.id for n in dag.nodes]
    while rest:
        ready = [n for n in rest if needs[n] <= set(order)]
        if not ready:
            raise ValueError("the DAG has a cycle")
        chosen = rng.choice(ready)
        order.append(chosen)
        rest.remove(chosen)
    return order
