"""From a write tool (or a table, for answers) and a record to a wish: what a user might want.

The wish says what changes in the records, never how. Where the tool itself must be asked for a
value that a user need not volunteer, the value is a candidate to be told late.
"""

import random
from dataclasses import dataclass, field

from forge.authors.structural.values import new_value
from forge.env.identity import same
from forge.env.store import Store
from forge.tasks.called import is_unsayable, lies_ahead, sensible_totals
from forge.tasks.columns import column_named, is_internal, table_named, target_of
from forge.tasks.conditions import meets
from forge.tasks.describe import (
    descriptions,
    each_selection,
    groups,
    is_said_easily,
    ordered_columns,
)
from forge.tasks.intent import select
from forge.types.data import Json
from forge.types.environment import Effect, Tool
from forge.types.state import Column, Record, Table
from forge.types.task import (
    Actor,
    AddItem,
    Aggregate,
    Answer,
    Change,
    Delete,
    Insert,
    MadeKey,
    Plain,
    RecordKey,
    RemoveItem,
    Selection,
    Value,
    Wish,
)

EACH_SHARE = 0.2
OPTIONAL_SHARE = 0.35
REUSE_SHARE = 0.7
FOCUS_SHARE = 0.7
MIN_VALUES = 5
FUTURE_TRIES = 8


class Unfit(Exception):
    """Why this proposal came to nothing; counted by its words, so they name no values."""


@dataclass(slots=True)
class Wished:
    """A wish and the write tool that grants it (None for answers)."""

    wish: Wish
    tool: Tool | None
    record: Record | None = None
    """The record it is about, where it is one."""
    late: list[str] = field(default_factory=list)
    """Columns whose value may be told only when asked: a required argument needs it."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What the wishes of one task are drawn from."""

    store: Store
    rng: random.Random
    tools: dict[str, Tool]
    made: dict[int, str]
    """Wish -> the table it makes a record of."""
    focus: list[tuple[str, Record]]
    """(table, record) that earlier wishes were about: what is wanted next has to do with them."""

    def table(self, name: str) -> Table:
        return table_named(self.store.schema, name)


def wish_for(tool: Tool, scene: Scene, number: int) -> Wished:
    """A wish that this write tool grants. Raises Unfit."""
    effect = tool.effect
    if effect is None or tool.kind != "write":
        raise Unfit("the tool's effect is not declared")
    match effect.verb:
        case "create":
            wished = _create(tool, effect, scene)
            scene.made[number] = effect.table
            return wished
        case "update":
            return _update(tool, effect, scene)
        case "delete":
            return _delete(tool, effect, scene)
        case "add" | "remove":
            return _relate(tool, effect, scene)
    raise Unfit("the tool only reads")


# ------------------------------------------------------------------- creating


def _create(tool: Tool, effect: Effect, scene: Scene) -> Wished:
    table = scene.table(effect.table)
    required = set(tool.parameters.get("required", ()))
    near: Record = {}
    values: dict[str, Value] = {}
    late: list[str] = []
    fields = sorted(effect.fields.items(), key=lambda f: (f[0] not in required,))
    if table.parent is not None:
        parents = set(table.parent.columns) & set(effect.fields.values())
        if parents:
            values |= _parent(table, scene, near)
    for argument, name in fields:
        if name in values:
            continue
        column = column_named(table, name)
        if argument not in required and name != table.label and not _is_worth(column, scene):
            continue
        value = _field(table, column, scene, near)
        if value is None:
            if argument in required:
                raise Unfit(f"no value for a required argument of {tool.name}")
            continue
        values[name] = value
        if isinstance(value, Plain):
            near[name] = value.value
            if argument in required and name != table.label:
                late.append(name)
    for name, constant in effect.sets.items():
        if name not in values and not _clocked(table, name):
            values[name] = _constant(constant)
    return Wished(Insert(table=table.name, values=values), tool, None, late)


def _is_worth(column: Column, scene: Scene) -> bool:
    """Whether a user would care to give a value that need not be given."""
    share = OPTIONAL_SHARE / 2 if column.type == "boolean" else OPTIONAL_SHARE
    return scene.rng.random() < share and not is_unsayable(column)


def _parent(table: Table, scene: Scene, near: Record) -> dict[str, Value]:
    """The parent, as values of the child's columns: one made before, or one that is there."""
    parent = table.parent
    assert parent is not None
    owner = scene.table(parent.table)
    made = [w for w, t in scene.made.items() if t == owner.name]
    if made and scene.rng.random() < REUSE_SHARE:
        return {
            c: MadeKey(wish=made[-1], column=k if len(owner.key) > 1 else None)
            for c, k in zip(parent.columns, owner.key, strict=True)
        }
    record = _any_record(owner, scene)
    described = _described(owner, record, scene, rank_share=0.1)
    for column, key in zip(parent.columns, owner.key, strict=True):
        near[column] = record[key]
    return {
        c: RecordKey(of=described, column=k if len(owner.key) > 1 else None)
        for c, k in zip(parent.columns, owner.key, strict=True)
    }


def _field(
    table: Table, column: Column, scene: Scene, near: Record, but: Record | None = None
) -> Value | None:
    """A value for one column of a new record (or of `but`), or None if there is none to give."""
    target = target_of(scene.store.schema, table.name, column.name)
    if target is not None:
        return _reference_to(target, scene, near, column.name, but)
    if is_internal(scene.store.schema, table.name, column.name) or column.generated is not None:
        return None
    if column.type in ("object", "any") or (
        column.items is not None and (column.items.references or column.items.type == "object")
    ):
        return None
    taken = [r.get(column.name) for r in scene.store.find(table.name)]
    if not _is_name(table, column):
        taken = []
    for _ in range(FUTURE_TRIES):
        value = new_value(table, column, scene.rng, near=near, taken=taken)
        if not lies_ahead(column, table) or value is None or value >= scene.store.today():
            break
    return None if value is None else Plain(value=value, fact="")


def _is_name(table: Table, column: Column) -> bool:
    return column.unique or column.name == table.label or column.name in table.key


def _reference_to(
    target: str, scene: Scene, near: Record, column: str, but: Record | None = None
) -> Value | None:
    """A record of the target table, not `but` itself."""
    made = [w for w, t in scene.made.items() if t == target]
    if made and scene.rng.random() < REUSE_SHARE:
        return MadeKey(wish=made[-1])
    schema = scene.store.schema
    if target == schema.actors and scene.rng.random() < 0.15:
        near[column] = scene.store.me()
        return Actor()
    owner = scene.table(target)
    record = _any_record(owner, scene)
    if record == but:
        return None
    near[column] = record[owner.key[0]]
    return RecordKey(of=_described(owner, record, scene, rank_share=0.1))


def _constant(value: Json) -> Value:
    return Actor() if value == "$me" else Plain(value=value)


def _clocked(table: Table, name: str) -> bool:
    """Whether the column takes part in no comparison, so a wish need not say it."""
    column = column_named(table, name)
    return column.generated is not None or column.compare == "ignore"


# ------------------------------------------------------------ changing, deleting


def _fits(effect: Effect, record: Record) -> bool:
    return all(meets(record.get(r.column), r.op, r.value) for r in effect.requires)


def _any_record(table: Table, scene: Scene, effect: Effect | None = None) -> Record:
    records = scene.store.find(table.name)
    fitting = [r for r in records if effect is None or _fits(effect, r)]
    if not fitting:
        raise Unfit(f"no record of {table.name} can be acted on")
    related = [r for r in fitting if _is_related(table, r, scene)]
    if related and scene.rng.random() < FOCUS_SHARE:
        fitting = related
    chosen = scene.rng.choice(fitting)
    scene.focus.append((table.name, chosen))
    return chosen


def _is_related(table: Table, record: Record, scene: Scene) -> bool:
    """Whether the record is one that an earlier wish was about, or refers to one, or is what one
    refers to."""
    schema = scene.store.schema
    for name, other in scene.focus:
        if name == table.name and other == record:
            return True
        focused = scene.table(name)
        for column in (c.name for c in table.columns):
            if target_of(schema, table.name, column) == name:
                return same(record.get(column), other[focused.key[0]])
        for column in (c.name for c in focused.columns):
            if target_of(schema, name, column) == table.name:
                return same(other.get(column), record[table.key[0]])
    return False


def _described(table: Table, record: Record, scene: Scene, rank_share: float = 0.3) -> Selection:
    for selection in descriptions(table, record, scene.store, scene.rng, rank_share):
        return selection
    raise Unfit(f"no natural way to say which record of {table.name}")


def _sets(table: Table, effect: Effect) -> dict[str, Value]:
    """What the tool writes by itself, as far as it is compared."""
    for name, constant in effect.sets.items():
        if constant == "$now" and not _clocked(table, name):
            raise Unfit(f"{table.name}.{name} takes the clock and is compared")
    return {n: _constant(c) for n, c in effect.sets.items() if not _clocked(table, n)}


def _update(tool: Tool, effect: Effect, scene: Scene) -> Wished:
    table = scene.table(effect.table)
    record = _any_record(table, scene, effect)
    change = _sets(table, effect)
    writable = [(a, c) for a, c in effect.fields.items() if c not in table.key]
    required = set(tool.parameters.get("required", ()))
    late: list[str] = []
    if writable:
        writable = [(a, c) for a, c in writable if not is_unsayable(column_named(table, c))]
        scene.rng.shuffle(writable)
        wanted = 1 if effect.sets or scene.rng.random() < 0.7 else 2
        for argument, name in writable:
            given = len(change) - len(effect.sets)
            is_switch = column_named(table, name).type == "boolean"
            if given >= wanted or (is_switch and change):
                continue
            wanted = 1 if is_switch else wanted
            value = _new_field(table, column_named(table, name), record, scene)
            if value is not None:
                change[name] = value
                if isinstance(value, Plain) and argument in required and len(required) > 1:
                    late.append(name)
    if not change:
        raise Unfit(f"{tool.name} changes nothing that a user would say")
    names_label = table.label is not None and table.label in change
    each = not names_label and scene.rng.random() < EACH_SHARE
    if each and not any(column_named(table, n).unique for n in change):
        for group in each_selection(table, record, scene.store, scene.rng):
            members = [r for r in scene.store.find(table.name) if r in _found(group, scene)]
            if all(_fits(effect, r) for r in members) and all(_differs(r, change) for r in members):
                return Wished(Change(of=group, change=change, each=True), tool, None, [])
    of = _described(table, record, scene)
    return Wished(Change(of=of, change=change), tool, record, late)


def _found(selection: Selection, scene: Scene) -> list[Record]:
    return select(selection, scene.store, {})


def _differs(record: Record, change: dict[str, Value]) -> bool:
    return all(
        not (isinstance(v, Plain) and same(record.get(c), v.value)) for c, v in change.items()
    )


def _new_field(table: Table, column: Column, record: Record, scene: Scene) -> Value | None:
    """Another value for a column of a record that is there."""
    if column.enum is not None:
        others = [
            v for v in column.enum if not same(v, record.get(column.name)) and v not in (None, "")
        ]
        return Plain(value=scene.rng.choice(others), fact="") if others else None
    if column.type == "boolean":
        return Plain(value=not record.get(column.name), fact="")
    near = {k: v for k, v in record.items() if k != column.name}
    for _ in range(4):
        value = _field(table, column, scene, near, record)
        if value is None:
            return None
        if isinstance(value, Plain) and not same(value.value, record.get(column.name)):
            return value
        if isinstance(value, RecordKey | Actor):
            target = target_of(scene.store.schema, table.name, column.name)
            if target is not None and not same(near.get(column.name), record.get(column.name)):
                return value
    return None


def _delete(tool: Tool, effect: Effect, scene: Scene) -> Wished:
    table = scene.table(effect.table)
    record = _any_record(table, scene, effect)
    if scene.rng.random() < EACH_SHARE:
        for group in each_selection(table, record, scene.store, scene.rng):
            return Wished(Delete(of=group, each=True), tool)
    return Wished(Delete(of=_described(table, record, scene)), tool, record)


def _relate(tool: Tool, effect: Effect, scene: Scene) -> Wished:
    """Adding an item to an array column, or taking one out."""
    table = scene.table(effect.table)
    record = _any_record(table, scene, effect)
    (name,) = effect.fields.values()
    column = column_named(table, name)
    items = column.items
    if items is None:
        raise Unfit(f"{tool.name} relates to no array")
    present = record.get(name) or []
    item: Value
    if items.references is not None:
        target = scene.table(items.references)
        key = target.key[0]
        others = [
            r
            for r in scene.store.find(target.name)
            if any(same(r[key], p) for p in present) == (effect.verb == "remove")
        ]
        if not others:
            raise Unfit(f"no item for {tool.name}")
        item = RecordKey(of=_described(target, scene.rng.choice(others), scene, 0.0))
    elif effect.verb == "remove":
        if not present:
            raise Unfit(f"no item for {tool.name}")
        item = Plain(value=scene.rng.choice(present), fact="")
    else:
        value = new_value(table, items.model_copy(update={"name": name}), scene.rng, near=record)
        if value is None or any(same(value, p) for p in present):
            raise Unfit(f"no item for {tool.name}")
        item = Plain(value=value, fact="")
    change: dict[str, Value] = {
        name: AddItem(item=item) if effect.verb == "add" else RemoveItem(item=item)
    }
    of = _described(table, record, scene)
    return Wished(Change(of=of, change=change), tool, record)


# --------------------------------------------------------------------- answers


def answer_about(tool: Tool, scene: Scene) -> Wished:
    """Something to be told, that this read tool shows: a value, a count, a total, a name."""
    effect = tool.effect
    if effect is None:
        raise Unfit("the tool's effect is not declared")
    table = scene.table(effect.table)
    records = scene.store.find(table.name)
    if len(records) < MIN_VALUES:
        raise Unfit(f"{table.name} has too few records to ask about")
    record = scene.rng.choice(records)
    forms = [_value_of, _count_of, _total_of, _name_of]
    scene.rng.shuffle(forms)
    for form in forms:
        what = form(table, record, scene)
        if what is not None:
            return Wished(Answer(what=what), None, record)
    raise Unfit(f"nothing about {table.name} is worth asking")


def _telling(table: Table, scene: Scene) -> list[Column]:
    """Columns whose value is worth asking for: known to people and not one of a handful."""
    return [
        c
        for c in table.columns
        if c.type in ("string", "integer", "number")
        and c.enum is None
        and c.references is None
        and c.generated in (None, "counter")
        and not is_internal(scene.store.schema, table.name, c.name)
        and not is_unsayable(c)
        and c.compare != "ignore"
        and len({r.get(c.name) for r in scene.store.find(table.name)}) >= MIN_VALUES
    ]


def _value_of(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    columns = [c for c in _telling(table, scene) if is_said_easily(record.get(c.name))]
    if not columns:
        return None
    column = scene.rng.choice(columns)
    for selection in descriptions(table, record, scene.store, scene.rng):
        used = {c.column for c in selection.where} | (
            {selection.pick.column} if selection.pick else set()
        )
        if column.name not in used:
            return Aggregate(of=selection, op="value", column=column.name)
    return None


def _name_of(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    """Which one is the earliest, cheapest …: the answer is its name."""
    if table.label is None:
        return None
    for selection in descriptions(table, record, scene.store, scene.rng, rank_share=1.0):
        if selection.pick is not None:
            return Aggregate(of=selection, op="value", column=table.label)
    return None


def _group(table: Table, record: Record, scene: Scene) -> Selection | None:
    for where in groups(table, record, scene.store, scene.rng):
        selection = Selection(table=table.name, where=tuple(where))
        if len(_found(selection, scene)) >= 2:
            return selection
    return None


def _count_of(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    group = _group(table, record, scene)
    return Aggregate(of=group, op="count") if group else None


def _total_of(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    options = [
        (column, op)
        for column in ordered_columns(table, scene.store)
        if column.type in ("integer", "number")
        for op in sensible_totals(column, table)
    ]
    group = _group(table, record, scene)
    if not options or group is None:
        return None
    column, op = scene.rng.choice(options)
    return Aggregate(of=group, op=op, column=column.name)
