"""`sensitive`: replacing any one said, told, output or reasoned argument by another valid value
misses the golden state or the answer; a choice has at least 3 candidates and is neither the first
nor the last of them."""

import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from forge.env.identity import same
from forge.env.session import World
from forge.env.store import Store
from forge.gates.start import dice, fresh, reaches_golden
from forge.tasks.dags.graph import taken
from forge.tasks.dags.play import Overrides, Played, PlayError, facts_of, origins_of, play, value_of
from forge.tasks.dags.reason import ReasonError, left
from forge.tasks.intents.columns import column_named, denotes, table_named
from forge.tasks.intents.inside import place_of
from forge.types.dag import CallNode, Output, Reasoned, ReasonNode, Said, Told
from forge.types.data import Json
from forge.types.state import Column
from forge.types.task import Task

TRIES = 2
MIN_CANDIDATES = 3


def sensitive(world: World, task: Task) -> str | None:
    rng = dice(task, "sensitive")
    facts = facts_of(task.facts)
    try:
        played = play(fresh(world, task), task.dag, facts, task.dues)
    except PlayError as error:
        return str(error)
    reason = _choices(task, played, facts)
    if reason is not None:
        return reason
    store = fresh(world, task).store
    used = {o.fact for n in task.dag.nodes for o in origins_of(n) if isinstance(o, Said | Told)}
    for fact in task.facts:
        if fact.name not in used:
            continue
        for other in _other_facts(task, fact.name, fact.value, store, rng):
            if _earns(world, task, {**facts, fact.name: other}, {}):
                return f"with {other!r} for {fact.name!r} it ends the same"
    for node, argument, value in _found(task, played):
        for other in _other_arguments(world, node, argument, value, store, rng):
            if _earns(world, task, facts, {(node.id, argument): other}):
                return f"with {other!r} for {argument} of {node.tool} it ends the same"
    return None


def _earns(world: World, task: Task, facts: dict[str, Json], overrides: Overrides) -> bool:
    session = fresh(world, task)
    try:
        played = play(session, task.dag, facts, task.dues, overrides=overrides)
    except PlayError:
        return False
    answers = [d.value for d in task.dues]
    return (
        len(played.answers) == len(answers)
        and all(same(a, b) for a, b in zip(played.answers, answers, strict=True))
        and reaches_golden(task, session)
    )


def _choices(task: Task, played: Played, facts: dict[str, Json]) -> str | None:
    for node in task.dag.nodes:
        if not isinstance(node, ReasonNode) or node.form in ("match", "all"):
            continue
        candidates = value_of(node.over, played.values, facts)
        wanted = [value_of(t.value, played.values, facts) for t in node.tests]
        try:
            remaining = left(node, candidates, wanted)
        except ReasonError as error:
            return str(error)
        rivals = remaining if node.form in ("argmin", "argmax") else candidates
        if len(rivals) < MIN_CANDIDATES:
            return f"{node.form} has only {len(rivals)} candidates"
        if node.form in ("argmin", "argmax"):
            chosen = played.values[node.id]
            if chosen in (remaining[0], remaining[-1]):
                return f"{node.form} chooses the first or last of the list"
    return None


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


def _other_facts(
    task: Task, fact: str, value: Json, store: Store, rng: random.Random
) -> list[Json]:
    place = place_of(task.intent, fact)
    if place is None:
        return []
    part = value if place.op in ("contains", "icontains") else None
    return _others(place.table, place.column, value, store, rng, part)


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
    there += [r[column] for r in store.find(table) if r.get(column) is not None]
    distinct: list[Json] = []
    for other in there:
        if part is not None and part.casefold() in str(other).casefold():
            continue
        if not same(other, value) and not any(same(other, d) for d in distinct):
            distinct.append(other)
    chosen = rng.sample(distinct, min(TRIES, len(distinct)))
    near = nudged(value, found)
    if near is not None and len(chosen) < TRIES:
        chosen.append(near)
    return chosen


def nudged(value: Json, column: Column) -> Json:
    """A value close to this one, of the same type; None for a key or a choice from a few."""
    if column.enum is not None or column.references is not None:
        return None
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str() if column.format == "date":
            return (date.fromisoformat(value) + timedelta(days=1)).isoformat()
        case str() if column.format == "date-time":
            moment = datetime.fromisoformat(value) + timedelta(days=1)
            return moment.isoformat().replace("+00:00", "Z")
        case str() if column.format is None:
            return f"{value} 2"
    return None
