"""The state space of a document: every entity with its key, its columns and what they refer to.

Always holds: every reference names a table of the model and has the type of its key; every entity
has a key, if it is no singleton; the columns of a sheet's `parents` hold that parent's key.
"""

import re
from dataclasses import dataclass, replace

from forge.authors.structural.columns import (
    clock_of,
    column_of,
    is_id,
    label_of,
    prefix_of,
    said_unique,
    without_id,
)
from forge.authors.structural.entities import Entities, Entity
from forge.authors.structural.keys import Key, find_key
from forge.authors.structural.reading import Argument, Reading, Step
from forge.authors.structural.references import PEOPLE, Targets, is_role, says_id
from forge.authors.structural.routes import DELETE, MINE, name_of
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import Words, many, said, snake, split
from forge.authors.structural.verbs import is_participle
from forge.env.values import checked
from forge.errors import ToolError
from forge.types.doc import ApiDoc
from forge.types.state import Column, Parent, Table


@dataclass(frozen=True)
class Sheet:
    """An entity as a table."""

    entity: Entity
    table: Table
    key: Key | None
    """None for a singleton."""
    parents: dict[Words, tuple[str, ...]]
    """Noun of a path that this is nested in -> the columns that hold its key, or the one array
    column whose items are such keys."""
    hidden: frozenset[str]
    """Columns that no answer shows."""

    @property
    def name(self) -> str:
        return self.table.name

    def column(self, name: str) -> Column | None:
        return next((c for c in self.table.columns if c.name == name), None)

    def worded(self, words: Words) -> Column | None:
        """The column whose name has these words."""
        return next((c for c in self.table.columns if split(c.name) == words), None)


@dataclass(frozen=True)
class Model:
    entities: Entities
    sheets: dict[Words, Sheet]
    actors: str | None

    def of(self, reading: Reading) -> Sheet | None:
        noun = self.entities.about.get(reading.operation.name)
        return self.sheets.get(noun) if noun else None

    def of_table(self, table: str) -> Sheet:
        return next(s for s in self.sheets.values() if s.name == table)

    def reference(self, sheet: Sheet, name: str, shape: Shape) -> tuple[str, str] | None:
        return Targets(self.entities, self.keys()).of(sheet.entity, name, shape)

    def keys(self) -> dict[Words, Key]:
        return {noun: s.key for noun, s in self.sheets.items() if s.key is not None}


def build_model(doc: ApiDoc, entities: Entities, readings: tuple[Reading, ...]) -> Model:
    keys: dict[Words, Key] = {}
    for noun, entity in entities.by_noun.items():
        key = _bare_key(entity, readings) if entity.bare else find_key(entity)
        if key is not None and not entity.singleton:
            keys[noun] = key
    kept = {n: e for n, e in entities.by_noun.items() if n in keys or e.singleton}
    known = _with_people(replace(entities, by_noun=kept), keys, readings)
    targets = Targets(known, keys, _links(known, readings))
    sheets: dict[Words, Sheet] = {}
    for entity in known.by_noun.values():
        sheets[entity.noun] = _sheet(entity, keys, targets, readings)
    sheets = {n: _taken_along(sheet, sheets, readings) for n, sheet in sheets.items()}
    return Model(known, sheets, _actors(known, sheets, readings))


_ALONG = re.compile(r"\b(with|and|along with|including|plus)\b[^.]*", re.IGNORECASE)


def _taken_along(
    sheet: Sheet, sheets: dict[Words, Sheet], readings: tuple[Reading, ...]
) -> Sheet:
    """With the references that a delete is said to take along: "with its members and tasks"."""
    told: set[str] = set()
    own = {many(sheet.entity.noun), sheet.entity.noun}
    for other in sheets.values():
        for reading in readings:
            operation = reading.operation
            deletes = operation.method == "DELETE" or name_of(reading).verb in DELETE
            if not deletes or reading not in other.entity.items:
                continue
            text = f"{operation.summary}. {operation.description}"
            for match in _ALONG.finditer(text):
                if any(said(words) in match[0].lower() for words in own):
                    told.add(other.name)
    if not told:
        return sheet
    columns = tuple(
        c.model_copy(update={"on_delete": "cascade"})
        if c.references in told and c.required and c.references != sheet.name
        else c
        for c in sheet.table.columns
    )
    return replace(sheet, table=sheet.table.model_copy(update={"columns": columns}))


def _actors(
    entities: Entities, sheets: dict[Words, Sheet], readings: tuple[Reading, ...]
) -> str | None:
    """The table of people, where some operation is about the one who asks."""
    if not any(is_mine(r) for r in readings if not r.odd):
        return None
    return next((sheets[n].name for n in PEOPLE if n in sheets and sheets[n].key), None)


def is_mine(reading: Reading) -> bool:
    """Whether an operation is about what belongs to the one who asks."""
    if reading.steps:
        return any(step.words in MINE for step in reading.steps)
    return name_of(reading).mine


def _with_people(
    entities: Entities, keys: dict[Words, Key], readings: tuple[Reading, ...]
) -> Entities:
    """With people, where operations are about one's own records and only ids show who one is."""
    if any(noun in keys for noun in PEOPLE) or not any(is_mine(r) for r in readings if not r.odd):
        return entities
    for reading in readings:
        entity = entities.of(reading)
        if entity is None or not is_mine(reading):
            continue
        for shape in entity.shown:
            for name in shape.names():
                kind = shape.property(name).type
                if is_id(name) and is_role(without_id(name)) and kind in ("string", "integer"):
                    noun = PEOPLE[0]
                    keys[noun] = Key("user_id", kind)
                    person = Entity(noun, (), (), (), (), (), bare=True)
                    return replace(entities, by_noun={**entities.by_noun, noun: person})
    return entities


def _bare_key(entity: Entity, readings: tuple[Reading, ...]) -> Key | None:
    for reading in readings:
        for step in reading.steps:
            if step.noun == entity.noun and step.arguments:
                argument = step.arguments[0]
                if argument.shape.type in ("string", "integer"):
                    return Key(argument.field, argument.shape.type, natural=True)
    return None


def _links(entities: Entities, readings: tuple[Reading, ...]) -> dict[tuple[Words, str], Words]:
    """(noun, argument's field) -> the noun whose key an OpenAPI link says it takes."""
    found: dict[tuple[Words, str], Words] = {}
    by_name = {r.operation.name: r for r in readings}
    for reading in readings:
        source = entities.of(reading)
        for link in reading.operation.links:
            target = by_name.get(link.target)
            entity = entities.of(target) if target else None
            tail = link.source.rsplit("/", 1)[-1]
            if target is None or source is None or entity is None or not is_id(tail):
                continue
            for argument in target.arguments:
                if argument.name == link.parameter and without_id(tail) in ((), source.noun):
                    found[(entity.noun, argument.field)] = source.noun
    return found


# -------------------------------------------------------------------- columns


@dataclass
class _Seen:
    """A property as answers show it and as arguments take it."""

    shown: list[Shape]
    taken: list[Shape]


def _properties(entity: Entity) -> dict[str, _Seen]:
    found: dict[str, _Seen] = {}
    for shape in entity.shown:
        for name in shape.names():
            found.setdefault(name, _Seen([], [])).shown.append(shape.property(name))
    for reading in [*entity.creates, *entity.updates]:
        for argument in field_arguments(reading):
            found.setdefault(argument.field, _Seen([], [])).taken.append(argument.shape)
    return found


def field_arguments(reading: Reading) -> tuple[Argument, ...]:
    """The arguments of a create or update that may be values of the record."""
    if reading.steps:
        return reading.taken("body")
    return reading.arguments


_CONSTANT = frozenset({("resource", "type"), ("object", "type"), ("object",), ("type", "name")})


def _column(name: str, seen: _Seen, entity: Entity, targets: Targets) -> Column | None:
    shapes = [*seen.shown, *seen.taken]
    if any(shape.deprecated for shape in shapes):
        return None
    if split(name) in _CONSTANT and not seen.taken and not shapes[0].enum:
        return None

    def reference(inner: str, shape: Shape) -> tuple[str, str] | None:
        return targets.of(entity, inner, shape)

    made = [c for shape in shapes if (c := column_of(name, shape, reference)) is not None]
    if not made:
        return None
    pointing = [c for c in made if _refers(c)]
    column = pointing[0] if pointing else made[0]
    kinds = {c.type for c in made}
    if len(kinds) > 1 and not pointing:
        return None
    if any(shape.nullable for shape in shapes):
        column = column.model_copy(update={"nullable": True})
    if column.enum is None and not pointing:
        values = next((c.enum for c in made if c.enum), None)
        column = column.model_copy(update={"enum": values})
    if not column.description:
        told = next((c.description for c in made if c.description), "")
        column = column.model_copy(update={"description": told})
    return column


def _refers(column: Column) -> bool:
    return column.references is not None or (
        column.items is not None and column.items.references is not None
    )


def _sheet(
    entity: Entity, keys: dict[Words, Key], targets: Targets, readings: tuple[Reading, ...]
) -> Sheet:
    key = keys.get(entity.noun)
    seen = _properties(entity)
    columns: dict[str, Column] = {}
    for name, shapes in seen.items():
        column = _column(name, shapes, entity, targets)
        if column is not None:
            columns[name] = _finished(column, shapes, entity)
    if entity.bare and entity.noun in PEOPLE:
        columns["name"] = Column(name="name", required=True, nullable=False)
    hidden = {n for n in columns if entity.shown and not seen[n].shown}
    parents: dict[Words, tuple[str, ...]] = {}
    for step in _outer_steps(entity):
        if step.noun in keys and step.noun not in parents:
            found = _parent_columns(step, entity, keys, targets, columns)
            if found is not None:
                parents[step.noun] = tuple(c.name for c in found)
                for column in found:
                    if column.name not in columns:
                        columns[column.name] = column
                        hidden.add(column.name)
    owner = _owner(entity, parents, columns) or _named_owner(entity, key, columns)
    if owner is not None:
        for name in owner.columns:
            columns[name] = columns[name].model_copy(
                update={"required": True, "nullable": False, "on_delete": "cascade"}
            )
    key_columns: tuple[str, ...] = ()
    if key is not None:
        key_columns = _add_key(key, entity, columns, hidden, owner, seen)
        if owner is not None and owner.table == entity.table:
            owner = None
    picked = _picks_by(entity, key, columns)
    for name in _one_each(entity, readings, columns, targets):
        columns[name] = columns[name].model_copy(update={"unique": True})
    for name in picked:
        columns[name] = columns[name].model_copy(
            update={"unique": True, "required": True, "nullable": False, "spoken": True}
        )
    for name in key_columns:
        columns[name] = columns[name].model_copy(update={"nullable": False, "default": None})
    ordered = tuple(columns[n] for n in sorted(columns, key=lambda n: n not in key_columns))
    ordered = tuple(_safe(column) for column in ordered)
    table = Table(
        name=entity.table,
        noun=said(entity.noun),
        key=key_columns,
        columns=ordered,
        singleton=entity.singleton,
        parent=owner,
        label=label_of(entity.noun, list(ordered)),
        description=next((s.description for s in entity.shown if s.description), ""),
    )
    return Sheet(entity, table, key, parents, frozenset(hidden))


def _finished(column: Column, seen: _Seen, entity: Entity) -> Column:
    """With what makes it, whether it must be there, and its default."""
    name = column.name
    clock = clock_of(name, column)
    if clock is None and entity.creates and _is_stamp(column, seen, entity):
        clock = ("time", False)
    if clock is not None:
        form = column.format or "date-time"
        return column.model_copy(
            update={"generated": clock[0], "on_update": clock[1], "format": form}
        )
    update: dict[str, object] = {"unique": said_unique(column)}
    shapes = [*seen.shown, *seen.taken]
    default = next((s.schema["default"] for s in shapes if s.schema.get("default") is not None), None)
    creates = [a for r in entity.creates for a in field_arguments(r) if a.field == name]
    if creates and len(creates) == len(entity.creates) and all(a.required for a in creates):
        update["required"] = True
    elif _always_shown(name, entity):
        if default is None and entity.creates and not creates:
            default = _first_value(column)
        update["required"] = True
    if column.enum and len(column.enum) == 1 and column.type != "array":
        default = column.enum[0]
    if column.items is not None and column.items.references and not column.nullable:
        default = []
    if default is not None and _fits(default, column):
        update["default"] = default
    if update.get("required") and not column.nullable and column.references:
        update["on_delete"] = "restrict"
    return column.model_copy(update=update)


def _is_stamp(column: Column, seen: _Seen, entity: Entity) -> bool:
    """`placed_on`, `booked_at`: when the record was made, where nothing else can be meant."""
    words = split(column.name)
    timely = column.format in ("date", "date-time") and not column.nullable and not seen.taken
    if not timely or not all(shape.read_only for shape in seen.shown):
        return False
    if len(words) != 2 or words[1] not in ("at", "on", "date") or not is_participle(words[0]):
        return False
    for shape in entity.shown:
        for name in shape.names():
            prop = shape.property(name)
            later = [v for v in prop.enum[1:] if v != prop.schema.get("default")]
            if (words[0],) in [split(str(v)) for v in later] or split(name) in ((words[0],), ("is", words[0])):
                return False
    return True


def _always_shown(name: str, entity: Entity) -> bool:
    having = [s for s in entity.shown if name in s.names()]
    return bool(having) and all(name in s.required() for s in having) and not all(
        s.property(name).nullable for s in having
    )


def _first_value(column: Column) -> object:
    if column.references is not None:
        return None
    if column.enum:
        return column.enum[0]
    return {"boolean": False, "integer": 0, "number": 0, "array": []}.get(column.type)


def _fits(value: object, column: Column) -> bool:
    if column.type in ("object", "any") or column.references is not None:
        return False
    try:
        checked(column, value, column.name)
    except ToolError:
        return False
    return True


def _safe(column: Column) -> Column:
    """A reference that cannot be cleared keeps its record from being deleted."""
    must = column.required and not column.nullable
    if column.references and column.on_delete == "clear" and must:
        return column.model_copy(update={"on_delete": "restrict"})
    return column


# -------------------------------------------------------------------- parents


def _outer_steps(entity: Entity) -> list[Step]:
    """The steps with arguments right before the entity's own in its paths."""
    found = []
    for reading in [*entity.items, *entity.creates, *entity.lists]:
        if len(reading.steps) > 1 and reading.steps[-1].noun == entity.noun:
            step = reading.steps[-2]
            if len(step.arguments) == 1:
                found.append(step)
    return found


def _parent_columns(
    step: Step,
    entity: Entity,
    keys: dict[Words, Key],
    targets: Targets,
    columns: dict[str, Column],
) -> tuple[Column, ...] | None:
    """The column that holds the key of the parent: one that says so, else the only one that
    refers to it, else a hidden one. None where several could be meant."""
    parent, argument = step.noun, step.arguments[0]
    table, kind = targets.table_of(parent), keys[parent].kind
    single = [c for c in columns.values() if c.references == table]
    arrays = [c for c in columns.values() if c.items is not None and c.items.references == table]
    for column in [*single, *arrays]:
        words = split(column.name)
        if words in (parent, argument.words, (*parent, "id")) or without_id(column.name) == parent:
            return (column,)
    if len(single) == 1 and not arrays:
        return (single[0],)
    if len(arrays) == 1 and not single:
        return (arrays[0],)
    if single or arrays:
        return None
    if argument.shape.type != kind:
        return None
    own = argument.field if len(argument.words) > 1 else f"{snake(parent)}_{argument.field}"
    old = columns.get(own)
    if old is not None and old.type != kind:
        return None
    return (
        Column.model_validate(
            {
                "name": own,
                "type": kind,
                "references": table,
                "required": True,
                "nullable": False,
                "on_delete": "cascade",
            }
        ),
    )


def _owner(
    entity: Entity, parents: dict[Words, tuple[str, ...]], columns: dict[str, Column]
) -> Parent | None:
    """The one that every record is made under, if all are made under the same."""
    ways = entity.creates or [*entity.lists, *entity.items]
    nouns = {
        r.steps[-2].noun if len(r.steps) > 1 and r.steps[-2].arguments else () for r in ways
    }
    if len(nouns) != 1:
        return None
    noun = next(iter(nouns))
    names = parents.get(noun)
    if names is None or any(columns[n].type == "array" for n in names):
        return None
    references = columns[names[0]].references
    if references is None or references == entity.table:
        return None
    if not entity.creates and not columns[names[0]].required:
        return None
    return Parent(table=references, columns=names)


def _first_of(column: Column) -> int:
    """Where counting begins, so that numbers look like the document's examples."""
    least = min((e for e in column.examples if isinstance(e, int)), default=0)
    if least < 1000:
        return 1
    digits = str(least)
    return int(digits[0] + "0" * (len(digits) - 1)) + 1


def _named_owner(entity: Entity, key: Key | None, columns: dict[str, Column]) -> Parent | None:
    """Where operations have no paths: what the lists or picks of this entity cannot do without."""
    readings = [*entity.creates, *entity.lists, *entity.items]
    if any(r.steps for r in readings):
        return None
    found = []
    for column in columns.values():
        if not (column.references and column.required) or column.references == entity.table:
            continue
        if key is not None and column.name == key.column:
            continue
        asked = [r for r in [*entity.lists, *entity.items] if _asks(r, column.name)]
        if any(r in entity.lists for r in asked) or (entity.items and asked == list(entity.items)):
            found.append(column)
    if len(found) != 1:
        return None
    return Parent(table=str(found[0].references), columns=(found[0].name,))


def _asks(reading: Reading, field: str) -> bool:
    return any(a.field == field and a.required for a in reading.arguments)


def _add_key(
    key: Key,
    entity: Entity,
    columns: dict[str, Column],
    hidden: set[str],
    owner: Parent | None,
    seen: dict[str, _Seen],
) -> tuple[str, ...]:
    name = key.column
    shapes = seen[name].shown + seen[name].taken if name in seen else []
    column = columns.get(name) or Column.model_validate({"name": name, "type": key.kind})
    update: dict[str, object] = {"required": True, "unique": False, "default": None}
    composite = key.natural and owner is not None and not entity.bare
    given = any(a.field == name for r in entity.creates for a in field_arguments(r))
    made = not given and bool(entity.creates) and column.references is None
    if not key.natural or (made and key.kind == "string"):
        prefix = prefix_of(entity.noun, shapes[0] if shapes else None)
        text = key.kind == "string" and column.format != "uuid"
        update |= {"generated": "id", "prefix": prefix if text else "", "enum": None}
        update |= {"minimum": None, "maximum": None, "max_length": None, "min_length": None}
        update["spoken"] = key.natural
    elif column.references is None:
        update["spoken"] = True
        if made:
            within = owner.columns if owner is not None else ()
            update |= {"generated": "counter", "within": within, "minimum": _first_of(column)}
    else:
        update["on_delete"] = "cascade" if composite else "restrict"
    columns[name] = column.model_copy(update=update)
    if key.hidden:
        hidden.add(name)
    if composite and owner is not None:
        return (*owner.columns, name)
    return (name,)


def _one_each(
    entity: Entity, readings: tuple[Reading, ...], columns: dict[str, Column], targets: Targets
) -> list[str]:
    """The column of whose record it is, where an operation answers one's only one."""
    single = [
        r
        for r in readings
        if targets.entities.of(r) is entity and is_mine(r) and r.answer.kind == "record"
    ]
    people = {targets.table_of(n) for n in PEOPLE if n in targets.keys}
    owners = [c.name for c in columns.values() if c.references in people]
    return owners if single and len(owners) == 1 and entity.noun not in PEOPLE else []


def _picks_by(entity: Entity, key: Key | None, columns: dict[str, Column]) -> list[str]:
    """Columns that a path or a `…_by_…` operation picks one record by, and which are no key."""
    found: dict[str, None] = {}
    for reading in entity.items:
        if reading.answer.kind == "list":
            continue
        arguments = reading.steps[-1].arguments[-1:] if reading.steps else reading.arguments
        for argument in arguments:
            if key is not None and argument.field == key.column:
                continue
            column = columns.get(argument.field)
            asked = not reading.steps and len(arguments) == 1 and says_id(reading)
            if column is not None and column.type == "string" and (reading.steps or asked):
                if key is not None and not is_id(argument.field):
                    found[column.name] = None
    return list(found)
