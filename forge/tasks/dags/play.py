"""Playing a task's DAG through a session: every argument from its origin, every call executed.

A golden call that fails ends the play: nothing is swallowed.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from forge.tasks.dags.reason import ReasonError, at, compute, mentions, reason
from forge.types.call import Call, ToolResult
from forge.types.dag import (
    CallNode,
    ComputeNode,
    Default,
    Listed,
    Node,
    Noted,
    Origin,
    Output,
    Reasoned,
    ReasonNode,
    Said,
    TaskDag,
    Told,
)
from forge.types.data import Json
from forge.types.task import Due, Fact


class Caller(Protocol):
    """What calls are made on: a session, or a run of several from one start."""

    def call(self, tool: str, arguments: dict[str, Json]) -> ToolResult: ...


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
    """Node -> its result; of what is done item by item, the list of results."""
    by_item: dict[str, str] = field(default_factory=dict)
    """Node computed item by item -> the node whose items these are."""
    refusals: dict[str, str] = field(default_factory=dict)
    """Node whose call was to be refused -> what the tool said."""
    answers: list[Json] = field(default_factory=list)


Overrides = Mapping[tuple[str, str], Json]
"""(node, argument) -> the value to pass instead of the one from its origin."""


def facts_of(facts: tuple[Fact, ...]) -> dict[str, Json]:
    return {f.name: f.value for f in facts}


def play(
    session: Caller,
    dag: TaskDag,
    facts: Mapping[str, Json],
    dues: tuple[Due, ...] = (),
    *,
    order: list[str] | None = None,
    overrides: Overrides | None = None,
) -> Played:
    """Plays all nodes, in the DAG's own order or in `order` (node ids)."""
    played = Played()
    nodes = {n.id: n for n in dag.nodes}
    for name in order or nodes:
        step(session, nodes[name], played, facts, overrides)
    played.answers = answers_of(dues, played.values, facts)
    return played


def step(
    session: Caller,
    node: Node,
    played: Played,
    facts: Mapping[str, Json],
    overrides: Overrides | None = None,
) -> None:
    """Plays one node, after what it needs. Raises PlayError."""
    try:
        match node:
            case ReasonNode():
                played.values[node.id] = reasoned(node, played.values, facts)
            case ComputeNode():
                played.values[node.id] = _computed(node, played, facts)
            case CallNode():
                played.values[node.id] = _call(session, node, played, facts, overrides or {})
    except ReasonError as error:
        raise PlayError(node.id, str(error)) from None


def answers_of(
    dues: tuple[Due, ...], values: Mapping[str, Json], facts: Mapping[str, Json]
) -> list[Json]:
    """What is due, from the values of the nodes. Raises PlayError."""
    try:
        return [value_of(due.origin, values, facts) for due in dues]
    except ReasonError as error:
        raise PlayError("answer", str(error)) from None


def value_of(origin: Origin, values: Mapping[str, Json], facts: Mapping[str, Json]) -> Json:
    """The value of an origin; `values` are those of the nodes so far. Raises ReasonError."""
    match origin:
        case Said() | Told():
            if origin.fact not in facts:
                raise ReasonError(f"nobody knows {origin.fact}")
            return facts[origin.fact]
        case Noted():
            if not mentions(values.get(origin.node), origin.words):
                raise ReasonError(f"no note says {origin.words!r}")
            return facts[origin.fact]
        case Output() | Reasoned():
            return at(values.get(origin.node), origin.path)
        case Default():
            return origin.value
        case Listed():
            return [value_of(o, values, facts) for o in origin.items]


def reasoned(node: ReasonNode, values: Mapping[str, Json], facts: Mapping[str, Json]) -> Json:
    """The value of a reasoning node. Raises ReasonError."""
    candidates = value_of(node.over, values, facts)
    wanted = [value_of(t.value, values, facts) for t in node.tests]
    to = value_of(node.to, values, facts) if node.to is not None else None
    return reason(node, candidates, wanted, to)


def _computed(node: ComputeNode, played: Played, facts: Mapping[str, Json]) -> Json:
    found = []
    for values in _rounds(node.each, played):
        one, other = (value_of(origin, values, facts) for origin in node.values)
        found.append(compute(node, one, other))
    if node.each is None:
        return found[0]
    played.by_item[node.id] = node.each
    return found


def _rounds(each: str | None, played: Played) -> Iterator[Mapping[str, Json]]:
    """The values of the nodes, once; with `each`, for every item of that node's list in turn, the
    node then being the item, and what was computed item by item that item's."""
    if each is None:
        yield played.values
        return
    items = played.values.get(each)
    if not isinstance(items, list):
        raise ReasonError(f"{each} gave no list")
    computed = [node for node, of in played.by_item.items() if of == each]
    for number, item in enumerate(items):
        own = {each: item} | {node: played.values[node][number] for node in computed}
        yield {**played.values, **own}


def _call(
    session: Caller,
    node: CallNode,
    played: Played,
    facts: Mapping[str, Json],
    overrides: Overrides,
) -> Json:
    if node.when is not None and played.values.get(node.when) is not True:
        raise ReasonError(f"{node.when} does not hold")
    found = []
    for values in _rounds(node.each, played):
        arguments = {
            name: overrides[node.id, name]
            if (node.id, name) in overrides
            else value_of(origin, values, facts)
            for name, origin in node.arguments.items()
        }
        result = session.call(node.tool, arguments)
        if node.refused:
            if result.failure is None or result.bug:
                raise PlayError(node.id, f"{node.tool} is not refused")
            played.refusals[node.id] = result.message
            return None
        if result.failure is not None:
            said = result.bug or result.message
            raise PlayError(node.id, f"{node.tool} failed: {result.failure}: {said}")
        played.calls.append(Call.model_construct(tool=node.tool, arguments=arguments))
        played.results.append(result)
        played.nodes.append(node.id)
        found.append(result.value)
    return found[0] if node.each is None else found


def origins_of(node: Node) -> list[Origin]:
    """Where the node's values come from; of a list, where its items do."""
    match node:
        case ReasonNode():
            to = [node.to] if node.to is not None else []
            return singles([node.over, *(t.value for t in node.tests), *to])
        case ComputeNode():
            return singles(list(node.values))
        case CallNode():
            return singles(list(node.arguments.values()))


def singles(origins: list[Origin]) -> list[Origin]:
    """Each list replaced by the origins of its items."""
    return [
        single
        for origin in origins
        for single in (singles(list(origin.items)) if isinstance(origin, Listed) else [origin])
    ]


def inputs_of(node: Node) -> set[str]:
    """The nodes whose values the node's comes of, and the one that decides whether it is played."""
    found = {o.node for o in origins_of(node) if isinstance(o, Noted | Output | Reasoned)}
    if not isinstance(node, ReasonNode) and node.each is not None:
        found.add(node.each)
    if isinstance(node, CallNode) and node.when is not None:
        found.add(node.when)
    return found


def before(dag: TaskDag) -> dict[str, set[str]]:
    """Node -> the nodes that must come before it: data origins, `each`, and order edges."""
    needs = {node.id: inputs_of(node) for node in dag.nodes}
    for first, then in dag.orders:
        needs[then].add(first)
    return needs


def random_orders(dag: TaskDag, rng: random.Random, count: int) -> list[list[str]]:
    """Topological orders, each next node drawn at random from those that may come."""
    needs = before(dag)
    return [_random_order(needs, rng) for _ in range(count)]


def _random_order(needs: Mapping[str, set[str]], rng: random.Random) -> list[str]:
    order: list[str] = []
    done: set[str] = set()
    rest = list(needs)
    while rest:
        ready = [n for n in rest if needs[n] <= done]
        if not ready:
            raise ValueError("the DAG has a cycle")
        chosen = rng.choice(ready)
        order.append(chosen)
        done.add(chosen)
        rest.remove(chosen)
    return order
