"""Something to be told: a value, a count, a total, or which one comes first."""

from forge.tasks.intents.columns import is_internal
from forge.tasks.intents.intent import select
from forge.tasks.speech.called import is_bookkeeping, is_unsayable, sensible_totals
from forge.tasks.wishes.describe import descriptions, groups, is_said_easily, ordered_columns
from forge.tasks.wishes.scene import Scene, Unfit, Wished
from forge.types.environment import Tool
from forge.types.intent import Aggregate, Answer, Selection
from forge.types.state import Column, Record, Table

MIN_VALUES = 5


def answer_about(tool: Tool, scene: Scene) -> Wished:
    """Something to be told, that this read tool shows: a value, a count, a total, a name."""
    effect = tool.effect
    if effect is None:
        raise Unfit("the tool's effect is not declared")
    table = scene.table(effect.table)
    if is_bookkeeping(table):
        raise Unfit("nobody asks for bookkeeping")
    records = scene.store.find(table.name)
    if len(records) < MIN_VALUES:
        raise Unfit(f"{table.name} has too few records to ask about")
    record = scene.rng.choice(records)
    forms = [_value_of, _count_of, _total_of, _name_of]
    scene.rng.shuffle(forms)
    for form in forms:
        what = form(table, record, scene)
        if what is not None:
            return Wished(Answer(what=what), None)
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
    for selection in descriptions(table, record, scene):
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
    for selection in descriptions(table, record, scene, rank_share=1.0):
        if selection.pick is not None:
            return Aggregate(of=selection, op="value", column=table.label)
    return None


def _group(table: Table, record: Record, scene: Scene) -> Selection | None:
    for where in groups(table, record, scene):
        selection = Selection(table=table.name, where=tuple(where))
        if len(select(selection, scene.store, {})) >= 2:
            return selection
    return None


def _count_of(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    group = _group(table, record, scene)
    return Aggregate(of=group, op="count") if group else None


def _total_of(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    options = [
        (column, op)
        for column in ordered_columns(table, scene)
        if column.type in ("integer", "number")
        for op in sensible_totals(column, table)
    ]
    group = _group(table, record, scene)
    if not options or group is None:
        return None
    column, op = scene.rng.choice(options)
    values = [
        r[column.name] for r in select(group, scene.store, {}) if r.get(column.name) is not None
    ]
    if not values or (op == "average" and _is_half(sum(values) / len(values))):
        return None
    return Aggregate(of=group, op=op, column=column.name)


def _is_half(number: float) -> bool:
    """Whether people would round it to cents in two ways."""
    return abs(number * 100 % 1 - 0.5) < 0.01
