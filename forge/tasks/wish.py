"""From a write tool and a record to a wish: what a user might want.

The wish says what changes in the records, never how. Where the tool itself must be asked for a
value that a user need not volunteer, the value is a candidate to be told late.
"""

from forge.authors.structural.values import new_value
from forge.env.identity import same
from forge.tasks.called import is_unsayable
from forge.tasks.choice import any_record, described, fits
from forge.tasks.columns import column_named
from forge.tasks.describe import each_selection
from forge.tasks.fields import constant, field, is_clocked, is_worth, new_field, parent_values
from forge.tasks.intent import select
from forge.tasks.scene import Scene, Unfit, Wished
from forge.types.environment import Effect, Tool
from forge.types.state import Record, Table
from forge.types.task import (
    AddItem,
    Change,
    Delete,
    Insert,
    Plain,
    RecordKey,
    RemoveItem,
    Value,
)

EACH_SHARE = 0.2


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
            values |= parent_values(table, scene, near)
    for argument, name in fields:
        if name in values:
            continue
        column = column_named(table, name)
        if argument not in required and name != table.label and not is_worth(column, scene):
            continue
        value = field(table, column, scene, near)
        if value is None:
            if argument in required:
                raise Unfit(f"no value for a required argument of {tool.name}")
            continue
        values[name] = value
        if isinstance(value, Plain):
            near[name] = value.value
            if argument in required and name != table.label:
                late.append(name)
    for name, written in effect.sets.items():
        if name not in values and not is_clocked(table, name):
            values[name] = constant(written)
    return Wished(Insert(table=table.name, values=values), tool, None, late)


def _update(tool: Tool, effect: Effect, scene: Scene) -> Wished:
    table = scene.table(effect.table)
    record = any_record(table, scene, effect)
    change = _sets(table, effect)
    implied = len(change)
    writable = [(a, c) for a, c in effect.fields.items() if c not in table.key]
    required = set(tool.parameters.get("required", ()))
    late: list[str] = []
    if writable:
        writable = [(a, c) for a, c in writable if not is_unsayable(column_named(table, c))]
        scene.rng.shuffle(writable)
        wanted = 1 if effect.sets or scene.rng.random() < 0.7 else 2
        for argument, name in writable:
            given = len(change) - implied
            is_switch = column_named(table, name).type == "boolean"
            if given >= wanted or (is_switch and change):
                continue
            wanted = 1 if is_switch else wanted
            value = new_field(table, column_named(table, name), record, scene)
            if value is not None:
                change[name] = value
                if isinstance(value, Plain) and argument in required and len(required) > 1:
                    late.append(name)
    if not change:
        raise Unfit(f"{tool.name} changes nothing that a user would say")
    names_label = table.label is not None and table.label in change
    each = not names_label and scene.rng.random() < EACH_SHARE
    if each and not any(column_named(table, n).unique for n in change):
        for group in each_selection(table, record, scene):
            members = select(group, scene.store, {})
            if all(fits(effect, r) for r in members) and all(_differs(r, change) for r in members):
                return Wished(Change(of=group, change=change, each=True), tool, None, [])
    of = described(table, record, scene)
    return Wished(Change(of=of, change=change), tool, record, late)


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
            return Wished(Delete(of=group, each=True), tool)
    return Wished(Delete(of=described(table, record, scene)), tool, record)


def _relate(tool: Tool, effect: Effect, scene: Scene) -> Wished:
    """Adding an item to an array column, or taking one out."""
    table = scene.table(effect.table)
    record = any_record(table, scene, effect)
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
    of = described(table, record, scene)
    return Wished(Change(of=of, change=change), tool, record)
