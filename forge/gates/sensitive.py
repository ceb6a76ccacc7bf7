"""`sensitive`: replacing any one said, told, output or reasoned argument by another valid value
misses the golden state or the answer, so does another operand of a computation, and no reasoning
is there that a careless agent could do without (`thought.py`). A wish is refused for what it
names: were another named, it could be granted (`vain.py`)."""

import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from forge.env.identity import frozen, same
from forge.env.session import World
from forge.env.store import Store
from forge.gates.start import Trial
from forge.gates.thought import needless
from forge.gates.vain import facts_in_vain, named_otherwise, nodes_in_vain
from forge.tasks.dags.graph import taken
from forge.tasks.dags.play import (
    Played,
    PlayError,
    origins_of,
    singles,
    value_of,
)
from forge.tasks.dags.reason import ReasonError
from forge.tasks.intents.columns import column_named, denotes, table_named
from forge.tasks.intents.forms import FormError, ranked
from forge.tasks.intents.inside import Place, place_of
from forge.types.dag import (
    CallNode,
    ComputeNode,
    Default,
    Noted,
    Output,
    Reasoned,
    ReasonNode,
    Said,
    TaskDag,
    Told,
)
from forge.types.data import Json
from forge.types.intent import Refused
from forge.types.state import Column
from forge.types.task import Task

TRIES = 2
BOUNDS = ("lt", "le", "gt", "ge", "ne", "within")
"""Conditions that a value near by, or another record's, may leave as they are."""


def sensitive(trial: Trial) -> str | None:
    rng = trial.dice("sensitive")
    try:
        played = trial.played()
    except PlayError as error:
        return str(error)
    return (
        needless(trial, played)
        or next(_always_refused(trial), None)
        or next(_idle_facts(trial, rng), None)
        or next(_idle_arguments(trial, played, rng), None)
        or next(_idle_operands(trial, played), None)
    )


def _always_refused(trial: Trial) -> Iterator[str]:
    task, store, in_vain = trial.task, trial.store(), facts_in_vain(trial.task)
    for wish in task.intent.wishes:
        if isinstance(wish, Refused) and not any(
            not trial.earns(facts={**trial.facts, name: other})
            for name, other in named_otherwise(wish, store)
            if name in in_vain
        ):
            yield "what is refused would be refused whatever it named"


def _idle_facts(trial: Trial, rng: random.Random) -> Iterator[str]:
    """Facts in whose place another would do. Of a bound, another value that tells is enough. What
    only decides a branch is not tried: most values lead the same way."""
    task, store = trial.task, trial.store()
    used = {
        o.fact for n in task.dag.nodes for o in origins_of(n) if isinstance(o, Said | Told | Noted)
    }
    used -= facts_in_vain(task)
    for fact in task.facts:
        place = place_of(task.intent, fact.name)
        if fact.name not in used or place is None or place.role == "test":
            continue
        if place.table in trial.idle_tables:
            continue  # what is noted for a later task: see `remembered`
        others = _other_facts(place, fact.value, store, rng)
        idle = (o for o in others if trial.earns(facts={**trial.facts, fact.name: o}))
        other = next(idle, None)
        if other is None:
            continue
        if not (place.role == "near" or place.op in BOUNDS) or len([other, *idle]) == len(others):
            yield f"with {other!r} for {fact.name!r} it ends the same"


def _idle_arguments(trial: Trial, played: Played, rng: random.Random) -> Iterator[str]:
    world, task, store = trial.world, trial.task, trial.store()
    deciding = _only_decides(task) | nodes_in_vain(task)
    for node, argument, value in _found(task, played):
        if node.id in deciding:
            continue
        for other in _other_arguments(world, node, argument, value, store, rng):
            if trial.earns(overrides={(node.id, argument): other}):
                yield f"with {other!r} for {argument} of {node.tool} it ends the same"


def _only_decides(task: Task) -> set[str]:
    """The nodes of which nothing comes but whether a branch's test holds."""
    tests = {n.id for n in task.dag.nodes if isinstance(n, ComputeNode) and n.form == "holds"}
    if not tests:
        return set()
    told = [o for due in task.dues for o in singles([due.origin])]
    used = {origin.node for origin in told if isinstance(origin, Output | Reasoned)}
    used |= {n.id for n in task.dag.nodes if isinstance(n, CallNode) and n.writes}
    for node in reversed(task.dag.nodes):
        if node.id in used:
            used |= {o.node for o in origins_of(node) if isinstance(o, Output | Reasoned)}
            if not isinstance(node, ReasonNode) and node.each is not None:
                used.add(node.each)
    return {node.id for node in task.dag.nodes} - used


def _idle_operands(trial: Trial, played: Played) -> Iterator[str]:
    """Computations that give the same end from another value. (Whether a condition holds is not
    one of them: the other way of a branch is looked at in `thought.py`.)"""
    task = trial.task
    for place, node in enumerate(task.dag.nodes):
        if not isinstance(node, ComputeNode) or node.form == "holds":
            continue
        for number, origin in enumerate(node.values):
            try:
                value = value_of(origin, played.values, trial.facts)
            except ReasonError:
                continue  # of each item in turn; the facts are tried by themselves
            other = shifted(value)
            if other is None:
                continue
            one, two = node.values
            new = Default(value=other)
            changed = (one, new) if number else (new, two)
            nodes = list(task.dag.nodes)
            nodes[place] = node.model_copy(update={"values": changed})
            dag = TaskDag(nodes=tuple(nodes), orders=task.dag.orders)
            if trial.earns(dag=dag):
                yield f"with {other!r} for {value!r} at node {node.id} it ends the same"


def _found(task: Task, played: Played) -> Iterator[tuple[CallNode, str, Json]]:
    """Arguments that an earlier result gave, with the value they had (of the first call, where the
    node is called item by item)."""
    for node in task.dag.nodes:
        if not isinstance(node, CallNode):
            continue
        call = next(
            (c for c, n in zip(played.calls, played.nodes, strict=True) if n == node.id), None
        )
        for argument, origin in node.arguments.items():
            if isinstance(origin, Output | Reasoned) and call is not None:
                yield node, argument, call.arguments[argument]


def _other_arguments(
    world: World, node: CallNode, argument: str, value: Json, store: Store, rng: random.Random
) -> list[Json]:
    tool = world.tools[node.tool]
    columns = dict(taken(tool))
    if tool.effect is None or argument not in columns:
        return []
    home, _, name = denotes(store.schema, tool.effect.table, columns[argument]).partition(".")
    return _others(home, name, value, store, rng)


def _other_facts(place: Place, value: Json, store: Store, rng: random.Random) -> list[Json]:
    if place.role == "step":
        return [other for other in [shifted(value)] if other is not None]
    part = value if place.op in ("contains", "icontains") else None
    others = _others(place.table, place.column, value, store, rng, part)
    if place.role == "near" or place.op in BOUNDS:
        others += _extremes(place, value, store)
    return others


def _extremes(place: Place, value: Json, store: Store) -> list[Json]:
    """The least and the greatest value that a record has, which no bound leaves as it is."""
    there = [r.get(place.column) for r in store.rows(place.table)]
    alike = [v for v in there if type(v) is type(value) and not same(v, value)]
    try:
        order = ranked(alike, "min")
    except FormError:
        return []
    return [alike[order[0]], alike[order[-1]]] if order else []


def _others(
    table: str,
    column: str,
    value: Json,
    store: Store,
    rng: random.Random,
    part: str | None = None,
) -> list[Json]:
    """A few other valid values for a column: what other records have, or a near one. A longer text
    with `part` in it is no other value: it finds the same."""
    found = column_named(table_named(store.schema, table), column)
    there: list[Json] = list(found.enum or [])
    there += [r[column] for r in store.rows(table) if r.get(column) is not None]
    distinct = {frozen(other): other for other in reversed(there)}
    distinct.pop(frozen(value), None)
    different = [
        other
        for other in reversed(distinct.values())
        if part is None or part.casefold() not in str(other).casefold()
    ]
    chosen = rng.sample(different, min(TRIES, len(different)))
    near = nudged(value, found)
    if near is not None and len(chosen) < TRIES:
        chosen.append(near)
    return chosen


def nudged(value: Json, column: Column) -> Json:
    """A value close to this one, of the same type; None for a key or a choice from a few."""
    if column.enum is not None or column.references is not None:
        return None
    if isinstance(value, str) and column.format is None:
        return f"{value} 2"
    return shifted(value)


def shifted(value: Json) -> Json:
    """Another truth value, one more, a day later; None of what has none."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            try:
                if len(value) == len("2026-01-01"):
                    return (date.fromisoformat(value) + timedelta(days=1)).isoformat()
                moment = datetime.fromisoformat(value) + timedelta(days=1)
            except (ValueError, OverflowError):
                return None
            return moment.isoformat().replace("+00:00", "Z")
    return None
