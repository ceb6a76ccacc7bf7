"""A wish that cannot be granted: the user does not know that, and says it like any other.

What is named is not there, or not in a state for it; the name is taken; others belong to it. It is
proposed from what the records and the tool's effect say; that no tool grants it some other way is
tried before the task is made (`forge/tasks/dags/refusing.py`).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from forge.authors.structural.values.values import new_value
from forge.env.identity import same
from forge.errors import ToolError
from forge.tasks.intents.columns import column_named, label_of
from forge.tasks.intents.forms import OPPOSITE
from forge.tasks.intents.inside import in_wish
from forge.tasks.intents.intent import IntentError, granted, select
from forge.tasks.intents.likeness import mistakable
from forge.tasks.wishes.choice import described, fits
from forge.tasks.wishes.describe import by_name, is_said_easily, reference
from forge.tasks.wishes.lifecycle import is_finished
from forge.tasks.wishes.scene import Scene, Unfit, Wished
from forge.tasks.wishes.wish import wish_for
from forge.types.data import Json
from forge.types.environment import Comparison, Effect, Tool
from forge.types.intent import (
    Change,
    Deed,
    Delete,
    Insert,
    Plain,
    RecordKey,
    Refused,
    Selection,
    Wish,
)
from forge.types.state import Record, Table

MISSING_SHARE = 0.3
"""How often what is named is not there, although something else stands in the way elsewhere."""
TRIES = 4
MOST_TRIED = 12


def refused_wish(tool: Tool, scene: Scene, number: int) -> Wished:
    """A wish for which a user would turn to this write tool, in vain. Raises Unfit."""
    effect = tool.effect
    if effect is None or tool.kind != "write":
        raise Unfit("the tool's effect is not declared")
    apart = replace(scene, made={})
    ways: list[Callable[[Tool, Effect, Scene, int], Refused | None]]
    ways = [_not_in_state, _taken, _in_use]
    scene.rng.shuffle(ways)
    ways.insert(0 if scene.rng.random() < MISSING_SHARE else len(ways), _missing)
    focus, ended = len(scene.focus), len(scene.ended)
    for way in ways:
        wish = way(tool, effect, apart, number)
        if wish is not None:
            return Wished(wish, tool)
        del scene.focus[focus:], scene.ended[ended:]
    raise Unfit(f"nothing that {tool.name} does would be refused")


def crosses(wishes: list[Wish], scene: Scene) -> bool:
    """Whether one wish changes or deletes what another, that is refused, is about, or gives a new
    record the name of a missing one: then it is not clear what the user would want."""
    try:
        return any(
            _is_about(wish.deed, other, scene)
            for wish in wishes
            if isinstance(wish, Refused)
            for other in wishes
            if other is not wish
        )
    except IntentError:
        return True


def _is_about(deed: Deed, other: Wish, scene: Scene) -> bool:
    named = list(in_wish(deed))
    if isinstance(other, Insert | Change):
        given = other.values if isinstance(other, Insert) else other.change
        said = [p.value for p in named if isinstance(p.value, Plain)]
        if any(isinstance(v, Plain) and v.fact is not None and v in said for v in given.values()):
            return True
    if not isinstance(other, Change | Delete):
        return False
    about = [] if isinstance(deed, Insert) else [deed.of]
    if isinstance(other, Delete):
        about += [p.value.of for p in named if isinstance(p.value, RecordKey)]
    touched = select(other.of, scene.store, {})
    return any(
        record in touched
        for of in about
        if of.table == other.of.table
        for record in select(of, scene.store, {})
    )


def _deed(tool: Tool, scene: Scene, number: int) -> Deed | None:
    """A wish about one record that the tool grants, named so that it can be found."""
    for _ in range(TRIES):
        try:
            wish = wish_for(tool, scene, number).wish
        except Unfit:
            continue
        if isinstance(wish, Insert):
            return wish
        if isinstance(wish, Change | Delete) and not wish.each and scene.reaches(wish.of):
            return wish
    return None


# --------------------------------------------------------------------- missing


def _missing(tool: Tool, effect: Effect, scene: Scene, number: int) -> Refused | None:
    """Of a record by a name that none has, where a record would be named just so."""
    table = scene.table(effect.table)
    label = label_of(table)
    if label is None or effect.verb == "create":
        return None
    deed = _deed(tool, scene, number)
    if deed is None or isinstance(deed, Insert):
        return None
    (record,) = select(deed.of, scene.store, {})
    named = by_name(table, record, scene)
    if named is None:
        return None
    name = invented(table, label, scene)
    new = deed.change.get(label) if isinstance(deed, Change) else None
    if name is None or (isinstance(new, Plain) and same(new.value, name)):
        return None
    where = tuple(
        c.model_copy(update={"value": Plain(value=name, fact="")}) if c.column == label else c
        for c in named.where
    )
    of = Selection(table=table.name, where=where)
    return Refused(deed=deed.model_copy(update={"of": of}), why="missing")


def invented(table: Table, label: str, scene: Scene) -> Json:
    """A name or number such as these records have, that none has and none is mistaken for."""
    column = column_named(table, label)
    there = [r[label] for r in scene.store.rows(table.name) if r.get(label) is not None]
    if column.type == "integer":
        numbers = [n for n in there if isinstance(n, int)]
        return max(numbers) + scene.rng.randint(7, 60) if numbers else None
    for _ in range(TRIES):
        name = new_value(table, column, scene.rng, taken=there, now=scene.store.now())
        if (
            isinstance(name, str)
            and is_said_easily(name)
            and not any(mistakable(name, str(other)) for other in there)
        ):
            return name
    return None


# ----------------------------------------------------------------------- state


def _not_in_state(tool: Tool, effect: Effect, scene: Scene, number: int) -> Refused | None:
    """Of a record in a state in which the tool refuses."""
    turnable = [r for r in effect.requires if r.op in OPPOSITE]
    if not turnable:
        return None
    unmet = scene.rng.choice(turnable)
    turned = unmet.model_copy(update={"op": OPPOSITE[cast(Comparison, unmet.op)]})
    twin = tool.model_copy(update={"effect": effect.model_copy(update={"requires": (turned,)})})
    deed = _deed(twin, scene, number)
    if deed is None or (
        not isinstance(deed, Insert) and unmet.column in {c.column for c in deed.of.where}
    ):
        return None  # nobody asks for "the open task" to be opened
    return Refused(deed=deed, why="state")


# ----------------------------------------------------------------------- taken


def _taken(tool: Tool, effect: Effect, scene: Scene, number: int) -> Refused | None:
    """Of a value that another record has and that must be unique, or of a tie that is there."""
    table = scene.table(effect.table)
    if len(table.key) > 1:
        return _tied(tool, table, scene, number) if effect.verb == "create" else None
    unique = [
        c
        for c in (column_named(table, name) for name in effect.fields.values())
        if (c.unique or table.key == (c.name,)) and c.references is None and c.generated is None
    ]
    if not unique:
        return None
    column = scene.rng.choice(unique).name
    deed = _deed(tool, scene, number)
    match deed:
        case Insert() if column in deed.values:
            own: Record | None = None
        case Change() if column in deed.change:
            (own,) = select(deed.of, scene.store, {})
        case _:
            return None
    others = [
        r[column]
        for r in scene.store.rows(table.name)
        if is_said_easily(r.get(column)) and not (own and same(own[column], r[column]))
    ]
    scene.rng.shuffle(others)
    for value in others[:MOST_TRIED]:
        wanted = Plain(value=value, fact="")
        tried: Deed = (
            deed.model_copy(update={"values": {**deed.values, column: wanted}})
            if isinstance(deed, Insert)
            else deed.model_copy(update={"change": {column: wanted}})
        )
        wish = Refused(deed=tried, why="taken")
        if _is_refused(wish, scene):
            return wish
    return None


def _tied(tool: Tool, table: Table, scene: Scene, number: int) -> Refused | None:
    """Of putting together what is together already: someone on a project they are on."""
    deed = _deed(tool, scene, number)
    if not isinstance(deed, Insert) or not set(table.key) <= set(deed.values):
        return None
    records = list(scene.store.rows(table.name))
    scene.rng.shuffle(records)
    for record in records[:MOST_TRIED]:
        ends = {column: reference(table, column, record, scene) for column in table.key}
        known = {column: value for column, value in ends.items() if value is not None}
        wish = Refused(
            deed=deed.model_copy(update={"values": {**deed.values, **known}}), why="taken"
        )
        if len(known) == len(ends) and _is_refused(wish, scene):
            return wish
    return None


def _is_refused(wish: Refused, scene: Scene) -> bool:
    try:
        return granted(wish, scene.store, {}) is None
    except IntentError:
        return False


# ---------------------------------------------------------------------- in use


def _in_use(tool: Tool, effect: Effect, scene: Scene, number: int) -> Refused | None:
    """Of a deletion that the schema forbids as long as others belong to the record."""
    if effect.verb != "delete":
        return None
    table = scene.table(effect.table)
    records = [r for r in scene.store.rows(table.name) if fits(effect, r, scene)]
    scene.rng.shuffle(records)
    for record in records[:MOST_TRIED]:
        if is_finished(table, record, scene) or not _is_kept(table, record, scene):
            continue
        try:
            of = described(table, record, scene, 0.0)
        except Unfit:
            continue
        scene.focus.append((table.name, record))
        return Refused(deed=Delete(of=of), why="in_use")
    return None


def _is_kept(table: Table, record: Record, scene: Scene) -> bool:
    try:
        scene.store.fork().delete(table.name, *(record[k] for k in table.key))
    except ToolError as error:
        return error.kind == "conflict"
    return False
