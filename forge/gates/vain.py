"""Wishes that are refused, as `sensitive` looks at them: refused for what they name, and granted or
refused otherwise where something else is named."""

from collections.abc import Iterable, Iterator

from forge.env.identity import same
from forge.env.store import Store
from forge.tasks.dags.play import before
from forge.tasks.intents.inside import said_values
from forge.tasks.intents.intent import IntentError, select
from forge.types.dag import CallNode, Output, Reasoned, ReasonNode
from forge.types.data import Json
from forge.types.intent import Change, Insert, Intent, Plain, RecordKey, Refused, Selection
from forge.types.state import Record
from forge.types.task import Task

MANY = 12
"""Other records that are tried in place of the one named."""


def facts_in_vain(task: Task) -> set[str]:
    """The facts that stand in wishes to be refused and in no other."""
    wishes = task.intent.wishes
    refused = tuple(wish for wish in wishes if isinstance(wish, Refused))
    if not refused:
        return set()
    granted = tuple(wish for wish in wishes if not isinstance(wish, Refused))
    return set(said_values(Intent(wishes=refused))) - set(said_values(Intent(wishes=granted)))


def nodes_in_vain(task: Task) -> set[str]:
    """The nodes that lead to what is refused, and to no write and no answer."""
    vain, done = [], [d.origin.node for d in task.dues if isinstance(d.origin, Output | Reasoned)]
    for node in task.dag.nodes:
        match node:
            case CallNode() if node.refused:
                vain.append(node.id)
            case CallNode() if node.writes:
                done.append(node.id)
            case ReasonNode() if node.form == "none":
                vain.append(node.id)
    if not vain:
        return set()
    return _leading_to(task, vain) - _leading_to(task, done)


def _leading_to(task: Task, nodes: Iterable[str]) -> set[str]:
    """The nodes, and all that lead to them."""
    needs = before(task.dag)
    waiting = list(nodes)
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += sorted(needs[name])
    return found


def named_otherwise(wish: Refused, store: Store) -> Iterator[tuple[str, Json]]:
    """What could be said instead, so that the wish might be granted: (fact, value). The names of
    other records that fit all else; where a value is taken, one that is not."""
    deed = wish.deed
    if isinstance(deed, Insert):
        for value in deed.values.values():
            yield from _free(value) if isinstance(value, Plain) else ()
            yield from _other_names(value, store) if isinstance(value, RecordKey) else ()
        return
    if wish.why == "taken" and isinstance(deed, Change):
        for value in deed.change.values():
            yield from _free(value) if isinstance(value, Plain) else ()
        return
    own = [c for c in deed.of.where if isinstance(c.value, Plain) and c.value.fact]
    for condition in own or deed.of.where:
        if isinstance(condition.value, Plain) and condition.value.fact:
            rest = tuple(c for c in deed.of.where if c is not condition)
            for record in _selected(Selection(table=deed.of.table, where=rest), store)[:MANY]:
                yield condition.value.fact, record.get(condition.column)
        elif isinstance(condition.value, RecordKey):
            yield from _other_names(condition.value, store)


def _free(value: Plain) -> Iterator[tuple[str, Json]]:
    if value.fact and isinstance(value.value, str):
        yield value.fact, f"{value.value} 2"


def _other_names(value: RecordKey, store: Store) -> Iterator[tuple[str, Json]]:
    for condition in value.of.where:
        if not isinstance(condition.value, Plain) or not condition.value.fact:
            continue
        names = [r.get(condition.column) for r in store.rows(value.of.table)]
        others = [n for n in names if n is not None and not same(n, condition.value.value)]
        for name in others[:MANY]:
            yield condition.value.fact, name


def _selected(of: Selection, store: Store) -> list[Record]:
    try:
        return select(of, store, {})
    except IntentError:
        return []
