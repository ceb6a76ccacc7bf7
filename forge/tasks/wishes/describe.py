"""Ways to say which record is meant: selections that pick exactly that one, as a person would.

Values that the user will say carry the empty fact name, which `speech/facts.py` fills in.
By its name, by its name within what it belongs to, or by whom and what it refers to; `ranks` and
`groups` tell it by its place or kind. Keys that people do not know are never used.
"""

from collections.abc import Iterable, Iterator

from forge.env.identity import same
from forge.tasks.intents.columns import column_named, label_of, table_named
from forge.tasks.intents.intent import IntentError, select
from forge.tasks.speech.called import is_asked_for
from forge.tasks.speech.lexicon import PREPOSITIONS
from forge.tasks.speech.spoken import is_for_machines
from forge.tasks.wishes.scene import Scene
from forge.types.data import Json
from forge.types.intent import Actor, Condition, Plain, RecordKey, Selection, Value
from forge.types.state import Column, Record, Table

DEPTH = 2
"""How many owners deep a record is named: the subtask of the task on the project."""
_LONG_TEXT = 60


def is_said_easily(value: Json) -> bool:
    """Whether a person would tell a record by this value."""
    if isinstance(value, str):
        return 0 < len(value.strip()) <= _LONG_TEXT and not is_for_machines(value)
    return isinstance(value, int | float)


def picks(selection: Selection, record: Record, scene: Scene) -> bool:
    """Whether the selection finds this record and no other."""
    try:
        found = select(selection, scene.store, {})
    except IntentError:
        return False
    return len(found) == 1 and (found[0] is record or found[0] == record)


def reference(
    table: Table, column: str, record: Record, scene: Scene, depth: int = DEPTH
) -> Value | None:
    """The value of a reference column as the user would mean it: themselves, or a named record."""
    key = record.get(column)
    if key is None:
        return None
    name = scene.target(table.name, column)
    if name is None:
        return _parent_part(table, column, record, scene, depth)
    target = scene.table(name)
    if target.name == scene.store.schema.actors and same(scene.store.me(), key):
        return Actor()
    named = by_name(target, scene.store.row(target.name, key), scene, depth)
    return RecordKey(of=named) if named else None


def _parent_part(
    table: Table, column: str, record: Record, scene: Scene, depth: int
) -> Value | None:
    """One part of a composite reference to a parent: that part of the named parent's key."""
    parent = table.parent
    if parent is None or column not in parent.columns:
        return None
    owner = table_named(scene.store.schema, parent.table)
    found = scene.store.row(owner.name, *(record[c] for c in parent.columns))
    named = by_name(owner, found, scene, depth)
    return RecordKey(of=named, column=owner.key[parent.columns.index(column)]) if named else None


def by_name(table: Table, record: Record, scene: Scene, depth: int = DEPTH) -> Selection | None:
    """By label or spoken key, alone or with the name of what it belongs to, if one of them does.

    A way that some tool can follow is taken before one that none can.
    """
    place = (table.name, tuple(record[column] for column in table.key), depth)
    names = scene.told.of(table.name).names
    if place not in names:
        names[place] = _named(table, record, scene, depth)
    return names[place]


def _named(table: Table, record: Record, scene: Scene, depth: int) -> Selection | None:
    label = label_of(table)
    if label is None:
        return by_whole_key(table, record)
    if not is_said_easily(record.get(label)):
        return None
    named = Condition(column=label, value=Plain(value=record[label], fact=""))
    alone = Selection(table=table.name, where=(named,))
    fitting = alone if picks(alone, record, scene) else None
    if depth == 0 or (fitting is not None and scene.reaches(alone)):
        return fitting
    for owner in owners(table, record, scene, depth - 1):
        way = Selection(table=table.name, where=(named, *owner))
        if picks(way, record, scene):
            if scene.reaches(way):
                return way
            fitting = fitting or way
    return by_whole_key(table, record) or fitting


def by_whole_key(table: Table, record: Record) -> Selection | None:
    """By all parts of a key that people know and say: the repo "mailer" of Ben Walsh."""
    columns = [column_named(table, name) for name in table.key]
    own = set(table.parent.columns) if table.parent is not None else set()
    if len(columns) < 2 or own or not all(column.spoken for column in columns):
        return None
    if not all(is_said_easily(record[column.name]) for column in columns):
        return None
    parts = [Condition(column=c.name, value=Plain(value=record[c.name], fact="")) for c in columns]
    return Selection(table=table.name, where=tuple(parts))


def by_number(
    table: Table, record: Record, scene: Scene, depth: int = DEPTH
) -> Iterator[Selection]:
    """By the part of its key that people say, in what it belongs to: issue 12 on mailer."""
    own = table.parent.columns if table.parent is not None else ()
    rest = [column_named(table, name) for name in table.key if name not in own]
    if not own or len(rest) != 1 or not rest[0].spoken or set(own) - set(table.key):
        return
    number = Condition(column=rest[0].name, value=Plain(value=record[rest[0].name], fact=""))
    for owner in owners(table, record, scene, depth - 1)[:1]:
        selection = Selection(table=table.name, where=(number, *owner))
        if {c.column for c in owner} == set(own) and picks(selection, record, scene):
            yield selection


def belongings(table: Table) -> list[tuple[str, ...]]:
    """Columns that say what a record belongs to or is about, the parent's first."""
    first = [table.parent.columns] if table.parent is not None else []
    parts = {c for columns in first for c in columns}
    return first + [(c.name,) for c in table.columns if c.references and c.name not in parts]


def owners(table: Table, record: Record, scene: Scene, depth: int = DEPTH) -> list[list[Condition]]:
    """For each thing that the record belongs to or is about and that can be named: the conditions
    that say so."""
    place = (table.name, tuple(record[column] for column in table.key), depth)
    told = scene.told.of(table.name).owners
    if place not in told:
        told[place] = _owners(table, record, scene, depth)
    return told[place]


def _owners(table: Table, record: Record, scene: Scene, depth: int) -> list[list[Condition]]:
    found = []
    for columns in belongings(table):
        values = [reference(table, c, record, scene, depth) for c in columns]
        conditions = [
            Condition(column=c, value=v) for c, v in zip(columns, values, strict=True) if v
        ]
        if len(conditions) == len(columns):
            found.append(conditions)
    return found + _among(table, record, scene, depth)


def _among(table: Table, record: Record, scene: Scene, depth: int) -> list[list[Condition]]:
    """For each list that the record holds of what it belongs to: that a named one is among them."""
    found = []
    for column in table.columns:
        items = column.items
        if items is None or items.references is None or not record.get(column.name):
            continue
        target = scene.table(items.references)
        if len(target.key) == 1 and target.noun in PREPOSITIONS:
            other = scene.store.row(target.name, record[column.name][0])
            named = by_name(target, other, scene, depth)
            if named is not None:
                found.append([Condition(column=column.name, op="has", value=RecordKey(of=named))])
    return found


def told_by(changed: Iterable[str], scene: Scene) -> frozenset[str]:
    """These tables, and all whose records are told by records of them."""
    found = set(changed)
    while True:
        more = {
            table.name
            for table in scene.store.schema.tables
            if table.name not in found and not found.isdisjoint(_referred(table))
        }
        if not more:
            return frozenset(found)
        found |= more


def _referred(table: Table) -> set[str]:
    columns = [*table.columns, *(c.items for c in table.columns if c.items is not None)]
    parent = {table.parent.table} if table.parent is not None else set()
    return parent | {c.references for c in columns if c.references is not None}


def ordered_columns(table: Table, scene: Scene) -> list[Column]:
    """Columns by which records can be ranked in words: dates and numbers that are no keys, their
    own or those of others."""
    known = scene.known.ordered
    if table.name not in known:
        known[table.name] = [
            c
            for c in table.columns
            if c.references is None
            and c.name not in table.key
            and not c.name.endswith(("_id", "Id", "ID"))
            and (c.type in ("integer", "number") or c.format in ("date", "date-time"))
            and c.compare != "ignore"
            and is_asked_for(c, table)
        ]
    return list(known[table.name])


def by_references(table: Table, record: Record, scene: Scene) -> Iterator[Selection]:
    """By whom and what it refers to, with a date if that is not enough: the appointment of Ana
    Ruiz with Dr Chen on 4 May."""
    belongs = owners(table, record, scene)
    dates = [
        Condition(column=c.name, value=Plain(value=record[c.name], fact=""))
        for c in table.columns
        if c.format in ("date", "date-time")
        and c.generated is None
        and c.compare != "ignore"
        and record.get(c.name) is not None
    ]
    for count in range(1, min(len(belongs), 3) + 1):
        yield Selection(table=table.name, where=tuple(c for o in belongs[:count] for c in o))
    for day in dates[:2]:
        for owner in belongs[:2]:
            yield Selection(table=table.name, where=(*owner, day))
