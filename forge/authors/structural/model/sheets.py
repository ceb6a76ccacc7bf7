"""One entity as a table: its columns, and what makes, limits and relates each.

Always holds: a sheet has every column that an answer shows or an argument gives, and that a column
can hold; those that no answer shows are `hidden`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from forge.authors.structural.model.columns import (
    CONSTANT,
    clock_of,
    column_of,
    is_free,
    is_seal,
    label_of,
    said_unique,
)
from forge.authors.structural.model.derived import derived_of
from forge.authors.structural.model.entities import Entity
from forge.authors.structural.model.hrefs import is_withheld, links_of
from forge.authors.structural.model.initial import first_value, said_default, unasked_value
from forge.authors.structural.model.insides import keys_inside, taken_inside
from forge.authors.structural.model.keys import Key
from forge.authors.structural.model.owners import (
    add_key,
    name_given,
    named_by,
    named_owner,
    namespaces,
    one_each,
    owner_of,
    parent_columns,
    picks_by,
)
from forge.authors.structural.model.references import Targets
from forge.authors.structural.model.states import stated
from forge.authors.structural.reading.reading import Reading, field_arguments
from forge.authors.structural.reading.routes import PEOPLE
from forge.authors.structural.shapes import Shape
from forge.authors.structural.verbs import is_participle
from forge.authors.structural.words import Words, is_id, one, said, split, without_id, word_set
from forge.env.values import checked
from forge.errors import ToolError
from forge.types.state import Column, Table


@dataclass(frozen=True)
class Sheet:
    """An entity as a table."""

    entity: Entity
    table: Table
    key: Key | None
    """None for a singleton."""
    parents: dict[Words, tuple[str, ...]]
    """Noun of a path that this is nested in -> the columns that hold its key, in their order, or
    the one array column whose items are such keys."""
    hidden: frozenset[str]
    """Columns that no answer shows."""
    inside: dict[str, str] = field(default_factory=dict)
    """Column -> the property of an object that answers show its value in: `owner` -> `login`."""

    @property
    def name(self) -> str:
        return self.table.name

    def column(self, name: str) -> Column | None:
        return next((c for c in self.table.columns if c.name == name), None)

    def worded(self, words: Words) -> Column | None:
        """The column whose name has these words."""
        return next((c for c in self.table.columns if split(c.name) == words), None)


@dataclass
class _Seen:
    """A property as answers show it and as arguments take it."""

    shown: list[Shape]
    taken: list[Shape]


def sheet_of(
    entity: Entity,
    keys: dict[Words, Key],
    targets: Targets,
    readings: tuple[Reading, ...],
    around: Mapping[Words, Sheet],
) -> Sheet:
    """`around` are the sheets of what it is nested in, as far as they are known."""
    key = keys.get(entity.noun)
    links = links_of(entity) | derived_of(entity, keys)
    links -= {key.column if key is not None else ""}
    seen = {name: each for name, each in _properties(entity).items() if name not in links}
    columns: dict[str, Column] = {}
    inside: dict[str, str] = {}
    for name, shapes in seen.items():
        column = _column(name, shapes, entity, targets)
        part = taken_inside(shapes.shown, shapes.taken) if column is None else None
        if part is not None:
            inside[name] = part
            column = Column(name=name, description=shapes.taken[0].description)
        if column is not None:
            columns[name] = _finished(column, shapes, entity)
    spaces = namespaces(entity, key, targets)
    shown = {name: shapes.shown for name, shapes in seen.items()}
    inside |= keys_inside(key, shown, columns, spaces)
    if entity.bare and entity.noun in PEOPLE:
        columns["name"] = Column(name="name", required=True, nullable=False)
    hidden = {n for n in columns if entity.shown and not seen[n].shown}
    names_it = {a.field for a in named_by(entity, key)}
    for name in [n for n in hidden if n in names_it or _means_nothing(columns[n], entity, keys)]:
        hidden.discard(name)
        del columns[name]
    parents: dict[Words, tuple[str, ...]] = {}
    homes = {noun: sheet.table for noun, sheet in around.items()}
    for noun, held in parent_columns(entity, targets, columns, homes).items():
        if noun in spaces:
            continue  # the key itself says so
        parents[noun] = tuple(column.name for column in held)
        for column in held:
            if column.name not in columns:
                columns[column.name] = column
                hidden.add(column.name)
    parents = _with_theirs(parents, around)
    owner = owner_of(entity, parents, columns, homes) or named_owner(entity, key, columns)
    if owner is not None:
        for name in owner.columns:
            goes = {"on_delete": "cascade"} if columns[name].references else {}
            columns[name] = columns[name].model_copy(
                update={"required": True, "nullable": False, **goes}
            )
    key_columns: tuple[str, ...] = ()
    if key is not None:
        said_of = seen[key.column].shown + seen[key.column].taken if key.column in seen else []
        within = entity.noun in targets.composite
        key_columns = add_key(
            key, entity, columns, hidden, owner, said_of[0] if said_of else None, within=within
        )
        if key.beside:
            parents |= {noun: key_columns[:1] for noun in spaces if noun not in parents}
            _draw(columns, key_columns[0], spaces, targets)
        if owner is not None and owner.table == entity.table:
            owner = None
    seen_columns = {name: column for name, column in columns.items() if name not in hidden}
    for name in one_each(entity, readings, columns, targets):
        columns[name] = columns[name].model_copy(update={"unique": True})
    for name in picks_by(entity, key, seen_columns):
        inner = owner.columns if owner is not None else ()
        sure = {"unique": True, "required": True, "nullable": False, "spoken": True}
        columns[name] = columns[name].model_copy(update={**sure, "within": inner})
        for argument in name_given(entity, columns[name]):
            if argument.field in hidden:
                hidden.discard(argument.field)
                del columns[argument.field]
    for name in _made_ids(entity, key_columns, columns):
        made = {"generated": "id", "unique": True, "required": True, "nullable": False}
        free = {"default": None, "minimum": None, "maximum": None, "min_length": None}
        columns[name] = columns[name].model_copy(update={**made, **free, "max_length": None})
    for name in key_columns:
        columns[name] = columns[name].model_copy(update={"nullable": False, "default": None})
    ordered = tuple(columns[n] for n in sorted(columns, key=lambda n: n not in key_columns))
    ordered = tuple(_safe(stated(entity, column)) for column in ordered)
    table = Table(
        name=entity.table,
        noun=said(_spoken_noun(entity)),
        key=key_columns,
        columns=ordered,
        singleton=entity.singleton,
        parent=owner,
        label=label_of(entity.noun, list(ordered)),
        description=next((s.description for s in entity.shown if s.description), ""),
    )
    return Sheet(entity, table, key, parents, frozenset(hidden), inside)


def _with_theirs(
    parents: dict[Words, tuple[str, ...]], around: Mapping[Words, Sheet]
) -> dict[Words, tuple[str, ...]]:
    """With what the parents are in, where the columns that say so are of the parents' keys."""
    found = dict(parents)
    for noun, names in parents.items():
        home = around.get(noun)
        if home is None or len(names) != len(home.table.key):
            continue
        mine = dict(zip(home.table.key, names, strict=True))
        for outer, held in home.parents.items():
            if outer not in found and all(name in mine for name in held):
                found[outer] = tuple(mine[name] for name in held)
    return found


def _draw(
    columns: dict[str, Column], name: str, spaces: tuple[Words, ...], targets: Targets
) -> None:
    """Says whose keys the first part of a key is one of."""
    if columns[name].references is None and spaces:
        tables = tuple(targets.table_of(noun) for noun in spaces)
        columns[name] = columns[name].model_copy(update={"among": tables})


def _made_ids(entity: Entity, key: tuple[str, ...], columns: dict[str, Column]) -> list[str]:
    """The server's own ids, of what has another key."""
    given = {a.field for r in [*entity.creates, *entity.updates] for a in field_arguments(r)}
    found = []
    for name, column in columns.items():
        plain = column.references is None and column.enum is None and column.generated is None
        own = is_id(name) and without_id(name) in ((), entity.noun)
        if own and plain and column.type in ("string", "integer") and name not in (*key, *given):
            found.append(name)
    return found


def _means_nothing(column: Column, entity: Entity, keys: dict[Words, Key]) -> bool:
    """Of a column that no answer shows: a text named like a table that refers to nothing in it,
    a place among others (`insert_before`), or records that may be given along."""
    words = split(column.name)
    items = column.items if not column.required else None
    along = items is not None and any(part.references for part in items.properties)
    if along or (words[:1] in (("insert",), ("move",)) and words[-1] in ("before", "after")):
        return True
    plain = column.type == "string" and not (column.enum or column.format or column.references)
    noun = without_id(column.name) if is_id(column.name) else one(words)
    return plain and noun != entity.noun and noun in keys and not is_seal(column.description)


def _spoken_noun(entity: Entity) -> Words:
    """As its schema has it, where that says more than the path: "order line" for `lines`."""
    for shape in entity.shown:
        noun = shape.noun
        if len(noun) > len(entity.noun) and noun[-len(entity.noun) :] == entity.noun:
            return noun
    return entity.noun


def _properties(entity: Entity) -> dict[str, _Seen]:
    found: dict[str, _Seen] = {}
    for shape in entity.shown:
        for name in shape.names():
            found.setdefault(name, _Seen([], [])).shown.append(shape.property(name))
    for reading in [*entity.creates, *entity.updates]:
        for argument in field_arguments(reading):
            found.setdefault(argument.field, _Seen([], [])).taken.append(argument.shape)
    return found


def _column(name: str, seen: _Seen, entity: Entity, targets: Targets) -> Column | None:
    shapes = [*seen.shown, *seen.taken]
    if any(shape.deprecated for shape in shapes) or any(map(is_withheld, seen.shown)):
        return None
    if split(name) in CONSTANT and not seen.taken and not shapes[0].enum:
        return None

    def reference(inner: str, shape: Shape) -> tuple[str, str] | None:
        return targets.of(entity, inner, shape)

    taken = bool(seen.taken)
    made = [
        c for shape in shapes if (c := column_of(name, shape, reference, taken=taken)) is not None
    ]
    if not made:
        return None
    if is_free(made[0]) and not seen.taken and not _always_shown(name, entity):
        return None  # what is in it nobody could say or ask for
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
    if _is_set_by_actions(column, seen):
        update["compare"] = "ignore"
    shapes = [*seen.shown, *seen.taken]
    default = next(
        (s.schema["default"] for s in shapes if s.schema.get("default") is not None), None
    )
    creates = [a for r in entity.creates for a in field_arguments(r) if a.field == name]
    default = said_default([a.shape for a in creates], column) if default is None else default
    if creates and len(creates) == len(entity.creates) and all(a.required for a in creates):
        update["required"] = True
    elif _always_shown(name, entity):
        if default is None and entity.creates and not creates:
            default = first_value(column)
            if default is None and _is_token(column):
                return column.model_copy(update={"generated": "token", "required": True})
        elif default is None and creates:
            default = unasked_value(column)
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


def _is_set_by_actions(column: Column, seen: _Seen) -> bool:
    """`closed_at`: the clock's time of an action, which two ways to the same end may differ in."""
    words = split(column.name)
    moment = column.format in ("date", "date-time", "unix-time")
    timely = moment and len(words) == 2 and not seen.taken
    return timely and words[1] in ("at", "on") and is_participle(words[0])


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
            if (words[0],) in [split(str(v)) for v in later] or split(name) in (
                (words[0],),
                ("is", words[0]),
            ):
                return False
    return True


def _always_shown(name: str, entity: Entity) -> bool:
    having = [s for s in entity.shown if name in s.names()]
    return (
        bool(having)
        and all(name in s.required() for s in having)
        and not all(s.property(name).nullable for s in having)
    )


_TOKENS = word_set("token secret sha hash fingerprint etag checksum digest signature")


def _is_token(column: Column) -> bool:
    """Whether it is a text that only a server can make and nobody can tell beforehand."""
    plain = column.type == "string" and column.format is None and column.enum is None
    return plain and column.references is None and split(column.name)[-1] in _TOKENS


def _fits(value: object, column: Column) -> bool:
    if column.type == "object" and value == {}:
        return not any(p.required for p in column.properties)
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
