"""What a record belongs to and is picked by: parents in paths, the owner of all, the key.

Always holds: a column that holds a parent's key has that key's type; an owner is one for all
records of the table.
"""

from forge.authors.structural.columns import is_id, prefix_of, without_id
from forge.authors.structural.entities import Entity
from forge.authors.structural.keys import Key
from forge.authors.structural.reading import Reading, Step, field_arguments
from forge.authors.structural.references import PEOPLE, Targets, is_mine, says_id
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import Words, one, snake, split
from forge.types.state import Column, Parent


def parent_columns(
    entity: Entity, targets: Targets, columns: dict[str, Column]
) -> dict[Words, Column]:
    """Noun of a path that the entity is nested in -> the column that holds the parent's key, new
    or not. Nouns are left out where several columns, or none, could be meant."""
    found: dict[Words, Column] = {}
    for step in _outer_steps(entity):
        if step.noun in targets.keys and step.noun not in found:
            column = _holder(step, targets, columns) or _unseen(step, entity, targets, columns)
            if column is not None:
                found[step.noun] = column
    return found


def _outer_steps(entity: Entity) -> list[Step]:
    """The steps with an argument right before the entity's own in its paths."""
    found = []
    for reading in [*entity.items, *entity.creates, *entity.lists]:
        if len(reading.steps) > 1 and reading.steps[-1].noun == entity.noun:
            step = reading.steps[-2]
            if len(step.arguments) == 1:
                found.append(step)
    return found


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
    every = [*single, *arrays]
    return every[0] if len(every) == 1 else None


def _unseen(
    step: Step, entity: Entity, targets: Targets, columns: dict[str, Column]
) -> Column | None:
    """A hidden column for the parent that all records are made under, or, where none are made,
    the only one that they are listed under."""
    parent, argument = step.noun, step.arguments[0]
    table, kind = targets.table_of(parent), targets.keys[parent].kind
    if any(_pointing(table, columns)) or argument.shape.type != kind:
        return None
    ways = entity.creates or (*entity.lists, *entity.items)
    if any(len(r.steps) < 2 or r.steps[-2].noun != parent for r in ways):
        return None
    own = argument.field if len(argument.words) > 1 else f"{snake(parent)}_{argument.field}"
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


def owner_of(
    entity: Entity, parents: dict[Words, str], columns: dict[str, Column]
) -> Parent | None:
    """The one that every record is made under, if all are made under the same."""
    ways = entity.creates or [*entity.lists, *entity.items]
    nouns = {r.steps[-2].noun if len(r.steps) > 1 and r.steps[-2].arguments else () for r in ways}
    if len(nouns) != 1:
        return None
    noun = next(iter(nouns))
    name = parents.get(noun)
    if name is None or columns[name].type == "array":
        return None
    references = columns[name].references
    if references is None or references == entity.table:
        return None
    if not entity.creates and not columns[name].required:
        return None
    return Parent(table=references, columns=(name,))


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
) -> tuple[str, ...]:
    name = key.column
    column = columns.get(name) or Column.model_validate({"name": name, "type": key.kind})
    update: dict[str, object] = {"required": True, "unique": False, "default": None}
    composite = key.natural and owner is not None and not entity.bare
    given = any(a.field == name for r in entity.creates for a in field_arguments(r))
    made = not given and bool(entity.creates) and column.references is None
    if not key.natural or (made and key.kind == "string"):
        prefix = prefix_of(entity.noun, shape)
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
    ]
    people = {targets.table_of(n) for n in PEOPLE if n in targets.keys}
    owners = [c.name for c in columns.values() if c.references in people]
    return owners if single and len(owners) == 1 and entity.noun not in PEOPLE else []


def picks_by(entity: Entity, key: Key | None, columns: dict[str, Column]) -> list[str]:
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
            if column is None or column.type != "string" or not (reading.steps or asked):
                continue
            if key is not None and not is_id(argument.field):
                found[column.name] = None
    return list(found)
