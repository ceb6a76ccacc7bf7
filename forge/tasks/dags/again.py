"""Playing a DAG again with something in it otherwise: a fact, an argument, a node, the order.

Always holds: the verdict is that of a play from the start. A node whose inputs are the very values
they were at first gives what it gave at first, a call only where the same writes were made before
it; everything else is played. What cannot earn any more is not played to its end.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from forge.env.identity import same
from forge.env.rehearsal import Place, Run
from forge.tasks.dags.play import (
    Overrides,
    Played,
    PlayError,
    answers_of,
    inputs_of,
    origins_of,
    singles,
    step,
    value_of,
)
from forge.tasks.dags.reason import ReasonError
from forge.types.dag import CallNode, Node, Noted, Output, Reasoned, Said, TaskDag, Told
from forge.types.data import Json
from forge.types.state import Overlay
from forge.types.task import Due


@dataclass(frozen=True, slots=True)
class First:
    """A play of the DAG as it is, and where its run was before and after each node."""

    dag: TaskDag
    facts: Mapping[str, Json]
    dues: tuple[Due, ...]
    played: Played
    places: Mapping[str, tuple[Place, Place]]
    inputs: Mapping[str, tuple[frozenset[str], frozenset[str]]]
    """Node -> the nodes and the facts that its value comes of."""
    overlay: Overlay


def first_play(run: Run, dag: TaskDag, facts: Mapping[str, Json], dues: tuple[Due, ...]) -> First:
    """Plays all nodes from the start of `run`. Raises PlayError."""
    played = Played()
    places: dict[str, tuple[Place, Place]] = {}
    for node in dag.nodes:
        before = run.place
        step(run, node, played, facts)
        places[node.id] = (before, run.place)
    played.answers = answers_of(dues, played.values, facts)
    inputs = {node.id: (frozenset(inputs_of(node)), _facts_of(node)) for node in dag.nodes}
    return First(dag, facts, dues, played, places, inputs, run.overlay())


def earns(
    first: First,
    run: Run,
    is_golden: Callable[[Overlay], bool],
    *,
    dag: TaskDag | None = None,
    facts: Mapping[str, Json] | None = None,
    overrides: Overrides | None = None,
    order: Sequence[str] | None = None,
) -> bool:
    """Whether the DAG, otherwise in what is given, can be played, ends in the golden state and
    gives the answers that are due. `run`: from the same start; `dag`: with other nodes in place of
    some."""
    dag, facts = dag or first.dag, first.facts if facts is None else facts
    nodes = {node.id: node for node in dag.nodes}
    other = {node for node, _ in overrides or {}}
    other |= {now.id for now, was in zip(dag.nodes, first.dag.nodes, strict=True) if now is not was}
    others = {name for name, v in facts.items() if v is not first.facts.get(name, first)}
    names = list(order or nodes)
    writes = [name for name in names if _may_write(nodes[name])]
    waiting = [(due, _nodes_of(due)) for due in first.dues]
    played = Played()
    for name in names:
        if name in other or not _stands(first, nodes[name], played, run, others):
            try:
                step(run, nodes[name], played, facts, overrides)
            except PlayError:
                return False
        for due in [due for due, needs in waiting if name in needs]:
            if _nodes_of(due) <= played.values.keys() and not _is_given(due, played, facts):
                return False
        if writes and name == writes[-1] and not is_golden(run.overlay()):
            return False
    return all(_is_given(due, played, facts) for due in first.dues) and is_golden(run.overlay())


def _stands(first: First, node: Node, played: Played, run: Run, others: set[str]) -> bool:
    """Whether the node gives what it gave at first; if so, that is taken."""
    was = first.played
    nodes, facts = first.inputs[node.id]
    if not others.isdisjoint(facts):
        return False
    for name in nodes:
        if name not in played.values or played.values[name] is not was.values[name]:
            return False
    if isinstance(node, CallNode):
        before, after = first.places[node.id]
        if run.place is not before:
            return False
        run.place = after
    played.values[node.id] = was.values[node.id]
    if node.id in was.by_item:
        played.by_item[node.id] = was.by_item[node.id]
    return True


def _is_given(due: Due, played: Played, facts: Mapping[str, Json]) -> bool:
    try:
        return same(value_of(due.origin, played.values, facts), due.value)
    except ReasonError:
        return False


def _nodes_of(due: Due) -> set[str]:
    return {o.node for o in singles([due.origin]) if isinstance(o, Output | Reasoned)}


def _facts_of(node: Node) -> frozenset[str]:
    return frozenset(o.fact for o in origins_of(node) if isinstance(o, Said | Told | Noted))


def _may_write(node: Node) -> bool:
    return isinstance(node, CallNode) and (node.writes or node.refused)
