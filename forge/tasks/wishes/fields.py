"""A value for a column as a wish gives it: a named record, or what a person would say."""

from forge.authors.structural.values.values import may_have, new_value
from forge.env.identity import same
from forge.tasks.intents.columns import column_named, is_internal, target_of
from forge.tasks.speech.called import is_recorded, is_unsayable, lies_ahead
from forge.tasks.speech.spoken import is_sayable
from forge.tasks.wishes.choice import any_record, described
from forge.tasks.wishes.given import given_value
from forge.tasks.wishes.moved import moved_value
from forge.tasks.wishes.scene import Scene
from forge.types.data import Json
from forge.types.intent import Actor, MadeKey, Plain, RecordKey, Value
from forge.types.state import Column, Record, Table

OPTIONAL_SHARE = 0.35
REFERENCE_SHARE = 0.5
REUSE_SHARE = 0.7
MOVED_SHARE = 0.4
GIVEN_SHARE = 0.3
FUTURE_TRIES = 8


def is_worth(table: Table, column: Column, scene: Scene, near: Record) -> bool:
    """Whether a user would care to give a value that need not be given, beside those in `near`."""
    share = OPTIONAL_SHARE / 2 if column.type == "boolean" else OPTIONAL_SHARE
    if column.references is not None:
        share = REFERENCE_SHARE
        owner = scene.table(column.references).parent
        if owner is not None and owner.table != table.name:
            return False  # a part of something else, which it would have to agree with
    if scene.rng.random() >= share or is_unsayable(column) or is_recorded(column, table):
        return False
    return may_have(table, column, near=near, now=scene.store.now())


def parent_values(table: Table, scene: Scene, near: Record) -> dict[str, Value]:
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
    record = any_record(owner, scene)
    chosen = described(owner, record, scene, rank_share=0.1)
    for column, key in zip(parent.columns, owner.key, strict=True):
        near[column] = record[key]
    return {
        c: RecordKey(of=chosen, column=k if len(owner.key) > 1 else None)
        for c, k in zip(parent.columns, owner.key, strict=True)
    }


def field(
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
    taken = [r.get(column.name) for r in scene.store.rows(table.name)]
    if not _is_name(table, column):
        taken = []

    def look(other: Column, key: Json) -> Record:
        target = target_of(scene.store.schema, table.name, other.name)
        return scene.store.get(target, key) if target is not None and key is not None else {}

    for _ in range(FUTURE_TRIES):
        value = new_value(
            table, column, scene.rng, near=near, taken=taken, now=scene.store.now(), look=look
        )
        if value in ([], "") or not is_sayable(value):
            continue
        if not lies_ahead(column, table) or value is None or value >= scene.store.today():
            break
    else:
        return None
    return None if value in (None, [], "") else Plain(value=value, fact="")


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
    record = any_record(owner, scene)
    if record == but:
        return None
    near[column] = record[owner.key[0]]
    return RecordKey(of=described(owner, record, scene, rank_share=0.1))


def new_field(
    table: Table, column: Column, record: Record, beside: dict[str, Value], scene: Scene
) -> Value | None:
    """Another value for a column of a record that is there, in agreement with what else changes
    (`beside`)."""
    if scene.rng.random() < GIVEN_SHARE:
        given = given_value(table, column, scene, record)
        if given is not None:
            return given[0]
    if column.enum is not None:
        others = [
            v for v in column.enum if not same(v, record.get(column.name)) and v not in (None, "")
        ]
        return Plain(value=scene.rng.choice(others), fact="") if others else None
    if column.type == "boolean":
        return Plain(value=not record.get(column.name), fact="")
    if scene.rng.random() < MOVED_SHARE:
        moved = moved_value(table, column, record.get(column.name), scene)
        if moved is not None:
            return moved
    changed = {c: v.value for c, v in beside.items() if isinstance(v, Plain)}
    near = {k: v for k, v in {**record, **changed}.items() if k != column.name}
    for _ in range(4):
        value = field(table, column, scene, near, record)
        if value is None:
            return None
        if isinstance(value, Plain) and not same(value.value, record.get(column.name)):
            return value
        if isinstance(value, RecordKey | Actor):
            target = target_of(scene.store.schema, table.name, column.name)
            if target is not None and not same(near.get(column.name), record.get(column.name)):
                return value
    return None


def constant(value: Json) -> Value:
    return Actor() if value == "$me" else Plain(value=value)


def is_clocked(table: Table, name: str) -> bool:
    """Whether the column takes part in no comparison, so a wish need not say it."""
    column = column_named(table, name)
    return column.generated is not None or column.compare == "ignore"
