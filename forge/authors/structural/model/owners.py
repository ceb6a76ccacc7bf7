"""What a record belongs to and is picked by: parents in paths, the owner of all, the key.

Always holds: a column that holds a parent's key has that key's type; an owner is one for all
records of the table.
"""

from collections.abc import Mapping

from forge.authors.structural.model.columns import prefix_of
from forge.authors.structural.model.entities import Entity
from forge.authors.structural.model.keys import Key, is_name_of, property_named
from forge.authors.structural.model.nests import holder_of, holders, home_of, picked_in
from forge.authors.structural.model.references import Targets, is_mine, says_id
from forge.authors.structural.reading.reading import Argument, Reading, Step, field_arguments
from forge.authors.structural.reading.routes import PEOPLE
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import Words, is_id, one, snake, split, without_id
from forge.types.state import Column, Parent, Table


def parent_columns(
    entity: Entity, targets: Targets, columns: dict[str, Column], homes: Mapping[Words, Table]
) -> dict[Words, tuple[Column, ...]]:
    """Noun of a path that the entity is nested in -> the columns that hold the parent's key, new or
    not. Nouns are left out where several columns, or none, could be meant. `homes` are the tables
    of what it is nested in."""
    found: dict[Words, tuple[Column, ...]] = {}
    for step in holders(entity):
        if step.noun in found:
            continue
        home = homes.get(step.noun)
        if home is not None and len(home.key) > 1:
            held = _whole_key(step, entity, home, columns)
            if held:
                found[step.noun] = held
        elif step.noun in targets.keys:
            column = _holder(step, targets, columns) or _unseen(step, entity, targets, columns)
            if column is not None:
                found[step.noun] = (column,)
    return found


def _whole_key(
    step: Step, entity: Entity, home: Table, columns: dict[str, Column]
) -> tuple[Column, ...]:
    """Hidden columns for the key of a parent with a key of several, where all records are made in
    such a parent. What the parent calls its own parts of the key, they are called after it."""
    if home_of(entity) != step.noun or len(step.arguments) > len(home.key):
        return ()
    by_name = {column.name: column for column in home.columns}
    outer = home.key[: len(home.key) - len(step.arguments)]
    names = [*outer, *(_held_name(a, step.noun, home.key[:-1]) for a in step.arguments)]
    names = [n if n not in columns else f"{snake(step.noun)}_{n}" for n in names]
    if len(set(names)) < len(names) or any(name in columns for name in names):
        return ()
    return tuple(
        Column.model_validate(
            {"name": name, "type": by_name[key].type, "required": True, "nullable": False}
        )
        for name, key in zip(names, home.key, strict=True)
    )


def _held_name(argument: Argument, noun: Words, known: tuple[str, ...]) -> str:
    """`owner` and `repo` of a repo, `issue_index` of an issue."""
    told = len(argument.words) > 1 or argument.words == noun or argument.field in known
    return argument.field if told else f"{snake(noun)}_{argument.field}"


def _pointing(table: str, columns: dict[str, Column]) -> tuple[list[Column], list[Column]]:
    """Columns that refer to a table, and those whose items do."""
    single = [c for c in columns.values() if c.references == table]
    return single, [c for c in columns.values() if c.items and c.items.references == table]


def _holder(step: Step, targets: Targets, columns: dict[str, Column]) -> Column | None:
    """The column that says that it holds the parent, else the only one that refers to it."""
    single, arrays = _pointing(targets.table_of(step.noun), columns)
    for column in [*single, *arrays]:
        own = without_id(column.name) == step.noun or one(split(column.name)) == step.noun
        if own or split(column.name) == step.arguments[0].words:
            return column
    every = [c for c in [*single, *arrays] if not _is_of_another(c, step.noun, columns)]
    if step.noun in PEOPLE:
        every = [c for c in single if split(c.name) == ("owner",)] or every
    return every[0] if len(every) == 1 else None


def _is_of_another(column: Column, noun: Words, columns: dict[str, Column]) -> bool:
    """Whether a reference is to what another reference of the record has: the `assignee_section` of
    what has an assignee is no section that it is in."""
    words = without_id(column.name) if is_id(column.name) else one(split(column.name))
    other = columns.get(snake(words[: -len(noun)])) if words[-len(noun) :] == noun else None
    return other is not None and other.references is not None


def _unseen(
    step: Step, entity: Entity, targets: Targets, columns: dict[str, Column]
) -> Column | None:
    """A hidden column for the parent that all records are made under, or, where none are made,
    the only one that they are listed under."""
    parent, argument = step.noun, step.arguments[0]
    table, kind = targets.table_of(parent), targets.keys[parent].kind
    if any(_pointing(table, columns)) or argument.shape.type != kind:
        return None
    if home_of(entity) != parent:
        return None
    own = _held_name(argument, parent, ())
    if own in columns:
        return None
    return Column(
        name=own,
        type="integer" if kind == "integer" else "string",
        references=table,
        required=True,
        nullable=False,
        on_delete="cascade",
    )


def namespaces(entity: Entity, key: Key | None, targets: Targets) -> tuple[Words, ...]:
    """Of records with a key like `{owner}/{repo}`: what else their paths are nested in, known by a
    text, and makes or lists them: whose key the first part is."""
    outside = any(holder_of(r) is None for r in entity.items if len(_own(r)) > 1)
    if key is None or len(key.beside) != 1 or not outside:
        return ()
    found: dict[Words, None] = {}
    for reading in [*entity.creates, *entity.lists]:
        step = holder_of(reading)
        noun = step.noun if step is not None else ()
        outer = targets.keys.get(noun)
        alone = noun not in targets.composite and outer is not None and outer.natural
        if alone and outer is not None and outer.kind == "string":
            found[noun] = None
    return tuple(found)


def _own(reading: Reading) -> tuple[Argument, ...]:
    return reading.steps[-1].arguments if reading.steps else ()


def owner_of(
    entity: Entity,
    parents: Mapping[Words, tuple[str, ...]],
    columns: dict[str, Column],
    homes: Mapping[Words, Table],
) -> Parent | None:
    """The one that every record is made in, if all are made in the same."""
    noun = home_of(entity)
    names = parents.get(noun)
    if names is None:
        return None
    if len(names) > 1:
        return Parent(table=homes[noun].name, columns=names)
    column = columns[names[0]]
    if column.type == "array" or column.references in (None, entity.table):
        return None
    if not (entity.creates or column.required or picked_in(entity) == noun):
        return None
    return Parent(table=str(column.references), columns=names)


def named_owner(entity: Entity, key: Key | None, columns: dict[str, Column]) -> Parent | None:
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


def add_key(
    key: Key,
    entity: Entity,
    columns: dict[str, Column],
    hidden: set[str],
    owner: Parent | None,
    shape: Shape | None,
    *,
    within: bool,
) -> tuple[str, ...]:
    """Adds the key's own columns and says all of its key; `within` its owner, an id counts too."""
    name = key.column
    column = columns.get(name) or Column.model_validate({"name": name, "type": key.kind})
    update: dict[str, object] = {"required": True, "unique": False, "default": None}
    if column.references is None:
        update["type"] = key.kind
    composite = (key.natural or within) and owner is not None and not entity.bare
    given = any(a.field == name for r in entity.creates for a in field_arguments(r))
    given = given or bool(named_by(entity, key))
    made = not given and bool(entity.creates) and column.references is None
    counted = key.kind == "integer" and not given and column.references is None
    if not key.natural or (made and key.kind == "string"):
        prefix = prefix_of(entity.noun, shape)
        text = key.kind == "string" and column.format != "uuid"
        update |= {"generated": "id", "prefix": prefix if text else "", "enum": None}
        update |= {"minimum": None, "maximum": None, "max_length": None, "min_length": None}
        update["spoken"] = key.natural
    elif column.references is None:
        update["spoken"] = True
        if made or (counted and owner is not None):
            inside = owner.columns if owner is not None else ()
            update |= {"generated": "counter", "within": inside, "minimum": _first_of(column)}
    else:
        update["on_delete"] = "cascade" if composite else "restrict"
    columns[name] = column.model_copy(update=update)
    if key.hidden:
        hidden.add(name)
    outer = owner.columns if composite and owner is not None else ()
    for other in key.beside:
        if other not in columns:
            columns[other] = Column(name=other)
            hidden.add(other)
        said = {"required": True, "nullable": False, "default": None, "spoken": True}
        columns[other] = columns[other].model_copy(update=said)
    return (*dict.fromkeys((*outer, *key.beside, name)),)


def named_by(entity: Entity, key: Key | None) -> list[Argument]:
    """The arguments that give a new record its natural key under another name: `username` of an
    organization, `new_branch_name`."""
    if key is None or not key.natural:
        return []
    taken = [a for r in entity.creates for a in field_arguments(r)]
    if any(a.field == key.column for a in taken):
        return []
    return [a for a in taken if is_name_of(a, entity.noun, key)]


def name_given(entity: Entity, column: Column) -> list[Argument]:
    """The arguments that give a new record the name that paths pick it by, under another name:
    `tag_name` of a tag that has an id, too."""
    if not column.unique or column.type != "string" or column.references is not None:
        return []
    taken = [a for r in entity.creates for a in field_arguments(r)]
    if any(a.field == column.name for a in taken):
        return []
    known = Key(column.name, "string", natural=True)
    return [
        a
        for a in taken
        if split(a.field)[-1:] == split(column.name)[-1:] and is_name_of(a, entity.noun, known)
    ]


def _first_of(column: Column) -> int:
    """Where counting begins, so that numbers look like the document's examples."""
    least = min((e for e in column.examples if isinstance(e, int)), default=0)
    if least < 1000:
        return 1
    digits = str(least)
    return int(digits[0] + "0" * (len(digits) - 1)) + 1


def one_each(
    entity: Entity, readings: tuple[Reading, ...], columns: dict[str, Column], targets: Targets
) -> list[str]:
    """The column of whose record it is, where an operation answers one's only one."""
    single = [
        r
        for r in readings
        if targets.entities.of(r) is entity and is_mine(r) and r.answer.kind == "record"
        if r.operation.method in ("GET", "") and not r.on_item
    ]
    people = {targets.table_of(n) for n in PEOPLE if n in targets.keys}
    owners = [c.name for c in columns.values() if c.references in people]
    return owners if single and len(owners) == 1 and entity.noun not in PEOPLE else []


def picks_by(entity: Entity, key: Key | None, columns: dict[str, Column]) -> list[str]:
    """Columns that a path or a `…_by_…` operation picks one record by, and which are no key."""
    found: dict[str, None] = {}
    kinds = {c.name: c.type for c in columns.values()}
    for reading in entity.items:
        if reading.answer.kind == "list":
            continue
        arguments = reading.steps[-1].arguments[-1:] if reading.steps else reading.arguments
        for argument in arguments:
            key_name = key.column if key is not None else ""
            if argument.field == key_name:
                continue
            column = columns.get(argument.field)
            if reading.steps:
                named = property_named(argument, entity.noun, kinds)
                column = columns[named] if named and named != key_name else None
            asked = not reading.steps and len(arguments) == 1 and says_id(reading)
            if column is None or column.type != "string" or not (reading.steps or asked):
                continue
            if key is not None and not is_id(argument.field):
                found[column.name] = None
    return list(found)
