"""From a write tool and a record to a wish: what a user might want.

The wish says what changes in the records, never how. Where the tool itself must be asked for a
value that a user need not volunteer, the value is a candidate to be told late.
"""

from calendar import month_name

from forge.authors.structural.values.values import new_value
from forge.env.identity import same
from forge.tasks.intents.columns import column_named
from forge.tasks.intents.intent import select
from forge.tasks.speech.called import bare, is_asked_for, is_yes_no_noun, stem
from forge.tasks.speech.lexicon import is_person
from forge.tasks.wishes.choice import any_record, described, fits
from forge.tasks.wishes.fields import (
    REUSE_SHARE,
    constant,
    field,
    is_clocked,
    is_worth,
    new_field,
    parent_values,
)
from forge.tasks.wishes.given import given_value
from forge.tasks.wishes.lifecycle import is_end, is_open_to, is_state
from forge.tasks.wishes.ranks import each_selection
from forge.tasks.wishes.reach import hopeless
from forge.tasks.wishes.scene import Scene, Unfit, Wished
from forge.types.data import Json
from forge.types.environment import Effect, Tool
from forge.types.intent import (
    AddItem,
    Change,
    Computed,
    Condition,
    Delete,
    Insert,
    MadeKey,
    Plain,
    RecordKey,
    RemoveItem,
    Selection,
    Value,
)
from forge.types.state import Column, Record, Table

EACH_SHARE = 0.2
RENAME_SHARE = 0.25
GIVEN_SHARE = 0.15
"""How often a value of a new record is that of another one."""
FITTING_TRIES = 6
MAX_EXTRAS = 2
"""Optional values that a user gives for a new record, besides its name and what it belongs to."""


def wish_for(tool: Tool, scene: Scene, number: int) -> Wished:
    """A wish that this write tool grants. Raises Unfit."""
    reason, effect = hopeless(tool, scene), tool.effect
    if reason is not None or effect is None or tool.kind != "write":
        raise Unfit(reason or "the tool's effect is not declared")
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


def _create(tool: Tool, effect: Effect, scene: Scene) -> Wished:
    table = scene.table(effect.table)
    required = set(tool.parameters.get("required", ()))
    near: Record = {}
    values: dict[str, Value] = {}
    late: list[str] = []
    stems: set[str] = set()
    extras = 0
    fields = sorted(
        effect.fields.items(),
        key=lambda f: (not column_named(table, f[1]).references, f[0] not in required),
    )
    if table.parent is not None:
        parents = set(table.parent.columns) & set(effect.fields.values())
        if parents:
            values |= parent_values(table, scene, near)
    for argument, name in fields:
        column = column_named(table, name)
        if name in values or stem(column, table) in stems:
            continue
        optional = argument not in required and name != table.label
        if optional and (extras >= MAX_EXTRAS or not is_worth(table, column, scene, near)):
            continue
        alone = not any(isinstance(v, Computed) for v in values.values())
        taken = alone and scene.rng.random() < GIVEN_SHARE
        given = given_value(table, column, scene) if taken else None
        if given is not None:
            value: Value | None
            value, near[name] = given
        else:
            value = _fitting(table, column, scene, near)
        if (
            optional
            and isinstance(value, Plain)
            and _goes_without_saying(value.value, column, table)
        ):
            continue
        if value is None:
            if argument in required:
                raise Unfit(f"no value for a required argument of {tool.name}")
            continue
        values[name] = value
        stems.add(stem(column, table))
        extras += optional
        if isinstance(value, Plain):
            near[name] = value.value
        if argument in required and name not in {*table.key, table.label}:
            late.append(name)
    if not values:
        raise Unfit(f"nothing to say of a new record of {table.name}")
    for name, written in effect.sets.items():
        if name not in values and not is_clocked(table, name):
            values[name] = constant(written)
    return Wished(Insert(table=table.name, values=values), tool, late)


def _goes_without_saying(value: Json, column: Column, table: Table) -> bool:
    """Whether a new record has the value anyway, as far as a person thinks."""
    is_no = value is False and not is_yes_no_noun(bare(column, table))
    return is_no or same(value, column.default)


def _fitting(table: Table, column: Column, scene: Scene, near: Record) -> Value | None:
    """A value that goes with what is said already, if some tries give one."""
    value = field(table, column, scene, near)
    for _ in range(FITTING_TRIES):
        if not isinstance(value, Plain) or not _strays(value.value, near):
            break
        value = field(table, column, scene, near)
    return value


def _strays(value: Json, near: Record) -> bool:
    """Whether a text names another month than the texts beside it: "on hold until May", "we go on
    in December"."""
    named = months(value)
    beside = {month for other in near.values() for month in months(other)}
    return bool(named and beside and not named & beside)


def months(value: Json) -> set[str]:
    """The months that a text names."""
    words = (
        set(value.replace(",", " ").replace(".", " ").split()) if isinstance(value, str) else set()
    )
    return words & _MONTHS


_MONTHS = frozenset(month_name[1:])


def _update(tool: Tool, effect: Effect, scene: Scene) -> Wished:
    table = scene.table(effect.table)
    record = any_record(table, scene, effect)
    change = _sets(table, effect)
    implied = len(change)
    writable = [(a, c) for a, c in effect.fields.items() if c not in table.key]
    required = set(tool.parameters.get("required", ()))
    late: list[str] = []
    if writable:
        writable = [(a, c) for a, c in writable if is_asked_for(column_named(table, c), table)]
        writable = _wanted(writable, table, scene)
        wanted = 1 if effect.sets or scene.rng.random() < 0.7 else 2
        for argument, name in writable:
            given = len(change) - implied
            is_switch = column_named(table, name).type == "boolean"
            alone = is_switch or name == table.label
            if (
                given >= wanted
                or (alone and given)
                or stem(column_named(table, name), table)
                in {stem(column_named(table, n), table) for n in change}
            ):
                continue
            wanted = 1 if alone else wanted
            value = new_field(table, column_named(table, name), record, change, scene)
            if value is not None:
                change[name] = value
                if isinstance(value, Plain) and argument in required and len(required) > 1:
                    late.append(name)
    if not change:
        raise Unfit(f"{tool.name} changes nothing that a user would say")
    names_label = table.label is not None and table.label in change
    taken = any(isinstance(v, Computed) for v in change.values())
    each = not (names_label or taken) and scene.rng.random() < EACH_SHARE
    if each and not any(column_named(table, n).unique for n in change):
        for group in each_selection(table, record, scene):
            members = select(group, scene.store, {})
            if all(fits(effect, r, scene) and _differs(r, change) for r in members) and all(
                is_open_to(effect, table, r, scene) for r in members
            ):
                scene.ended.extend((table.name, r) for r in members if _ends(change, table))
                return Wished(Change(of=group, change=change, each=True), tool)
    of = described(table, record, scene)
    if _ends(change, table):
        scene.ended.append((table.name, record))
    if len(change) == 1 and not implied:
        late = list(change)  # whatever the tool takes: one must ask what it is to be
    late = [c for c in late if _is_open_question(change[c], column_named(table, c))]
    return Wished(Change(of=of, change=change), tool, late)


def _is_open_question(value: Value, column: Column) -> bool:
    """Whether one would ask what the value is to be, where a person only says that it changes."""
    return isinstance(value, Plain) and column.type != "boolean"


def _wanted(writable: list[tuple[str, str]], table: Table, scene: Scene) -> list[tuple[str, str]]:
    """The columns that may change, in random order: a name seldom, a person's never."""
    scene.rng.shuffle(writable)
    rest = [(a, c) for a, c in writable if c != table.label]
    names = [(a, c) for a, c in writable if c == table.label and not is_person(table.noun)]
    return names + rest if scene.rng.random() < RENAME_SHARE else rest + names


def _ends(change: dict[str, Value], table: Table) -> bool:
    """Whether the change brings a record to an end: closed, cancelled, returned."""
    return any(
        isinstance(value, Plain) and is_end(value.value)
        for column, value in change.items()
        if is_state(column_named(table, column), table)
    )


def _differs(record: Record, change: dict[str, Value]) -> bool:
    return all(
        not (isinstance(v, Plain) and same(record.get(c), v.value)) for c, v in change.items()
    )


def _sets(table: Table, effect: Effect) -> dict[str, Value]:
    """What the tool writes by itself, as far as it is compared."""
    for name, value in effect.sets.items():
        if value == "$now" and not is_clocked(table, name):
            raise Unfit(f"{table.name}.{name} takes the clock and is compared")
    return {n: constant(v) for n, v in effect.sets.items() if not is_clocked(table, n)}


def _delete(tool: Tool, effect: Effect, scene: Scene) -> Wished:
    table = scene.table(effect.table)
    record = any_record(table, scene, effect)
    if scene.rng.random() < EACH_SHARE:
        for group in each_selection(table, record, scene):
            scene.ended.extend((table.name, r) for r in select(group, scene.store, {}))
            return Wished(Delete(of=group, each=True), tool)
    scene.ended.append((table.name, record))
    return Wished(Delete(of=described(table, record, scene)), tool)


def _relate(tool: Tool, effect: Effect, scene: Scene) -> Wished:
    """Adding an item to an array column, or taking one out."""
    table = scene.table(effect.table)
    (name,) = effect.fields.values()
    there = _made(table, scene) if effect.verb == "add" else None
    record = any_record(table, scene, effect) if there is None else {}
    column = column_named(table, name)
    items = column.items
    if items is None:
        raise Unfit(f"{tool.name} relates to no array")
    present = record.get(name) or []
    item: Value
    made = [w for w, t in scene.made.items() if t == items.references]
    if made and there is None and effect.verb == "add" and scene.rng.random() < REUSE_SHARE:
        item = MadeKey(wish=made[-1])
    elif items.references is not None:
        target = scene.table(items.references)
        key = target.key[0]
        others = [
            r
            for r in scene.store.rows(target.name)
            if any(same(r[key], p) for p in present) == (effect.verb == "remove")
        ]
        if not others:
            raise Unfit(f"no item for {tool.name}")
        item = RecordKey(of=described(target, scene.rng.choice(others), scene, 0.0))
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
    of = there or described(table, record, scene)
    return Wished(Change(of=of, change=change), tool)


def _made(table: Table, scene: Scene) -> Selection | None:
    """The record that an earlier wish makes, if there is one."""
    made = [w for w, t in scene.made.items() if t == table.name]
    if not made or len(table.key) > 1 or scene.rng.random() >= REUSE_SHARE:
        return None
    tie = Condition(column=table.key[0], value=MadeKey(wish=made[-1]))
    return Selection(table=table.name, where=(tie,))
