"""What is over and what is still going on: nobody adds a line to a cancelled order, books a closed
room, or asks for changes to what they have just had deleted."""

from forge.env.identity import same
from forge.tasks.speech.lexicon import STATE_COLUMNS
from forge.tasks.speech.words import role, split
from forge.tasks.wishes.scene import Scene
from forge.types.data import Json
from forge.types.environment import Effect
from forge.types.state import Column, Record, Table

ENDED = {
    "cancelled", "canceled", "closed", "archived", "completed", "complete", "done", "returned",
    "delivered", "shipped", "sold", "rejected", "expired", "resolved", "deleted", "disposed",
    "finished", "lost", "void", "voided", "refunded", "withdrawn", "ended", "left", "achieved",
    "checked out", "checked_out", "no show", "no_show", "dropped", "missed", "declined", "inactive",
    "suspended", "blocked", "banned", "locked", "discontinued", "retired", "fulfilled", "collected",
}  # fmt: skip


def is_state(column: Column, table: Table) -> bool:
    """Whether the column says how far a record has come."""
    words = role(column.name, table.noun).split()
    if column.enum is not None:
        return bool(words) and words[-1] in STATE_COLUMNS
    return column.type == "boolean" and " ".join(words).removeprefix("is ") in ENDED


def is_end(value: Json) -> bool:
    return value is True or (isinstance(value, str) and " ".join(split(value)) in _ENDED_WORDS)


_ENDED_WORDS = {" ".join(split(e)) for e in ENDED}


def state_columns(table: Table, scene: Scene) -> list[str]:
    known = scene.known.states
    if table.name not in known:
        known[table.name] = [c.name for c in table.columns if is_state(c, table)]
    return known[table.name]


def is_over(table: Table, record: Record, scene: Scene) -> bool:
    return any(is_end(record.get(name)) for name in state_columns(table, scene))


def owners_of(table: Table, record: Record, scene: Scene) -> list[tuple[Table, Record]]:
    """What the record refers to with a whole key."""
    return [
        (scene.table(target), scene.store.row(target, record[column]))
        for column, target in scene.ties(table)
        if record.get(column) is not None
    ]


def is_open_to(effect: Effect | None, table: Table, record: Record, scene: Scene) -> bool:
    """Whether a person would ask for this effect on the record as it stands (with no effect: would
    refer to it in something new)."""
    if any(is_over(t, r, scene) for t, r in owners_of(table, record, scene)):
        return False
    if effect is not None:
        touched = {*effect.sets, *effect.fields.values(), *(r.column for r in effect.requires)}
        state = state_columns(table, scene)
        if effect.verb == "delete" or (effect.verb == "update" and not touched.isdisjoint(state)):
            return True
    return not is_over(table, record, scene)


def is_finished(table: Table, record: Record, scene: Scene) -> bool:
    """Whether an earlier wish of the task has ended or deleted it, or what it belongs to."""
    for name, ended in scene.ended:
        if name == table.name and all(same(record.get(k), ended.get(k)) for k in table.key):
            return True
        for column, target in scene.ties(table):
            key = record.get(column) if target == name else None
            if key is not None and same(key, ended.get(scene.table(name).key[0])):
                return True
    return False
