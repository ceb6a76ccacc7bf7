"""Proposed tables made into tables of a state space, beside those that are there.

Always holds: what a document says of a value (its type, choices, limits) stands, whatever a model
says of it; a table or column that is there already is never changed; names are identifiers, nouns
a few plain words, choices short lines.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from forge.authors.author import Draft
from forge.authors.llm.held import Need, missing, named_in
from forge.authors.llm.space import Group, Proposed, ProposedColumn, ProposedTable
from forge.authors.llm.words import about
from forge.authors.structural.model.columns import clock_of, column_of, label_of, prefix_of
from forge.authors.structural.model.initial import first_value
from forge.authors.structural.reading.routes import CREATE
from forge.authors.structural.words import Words, is_id, one, said, snake, split, word_set
from forge.docs.names import legal
from forge.docs.text import line
from forge.types.doc import Operation
from forge.types.state import Column, ColumnType, StateSchema, Table

_KINDS: dict[str, ColumnType] = {"date": "string", "date-time": "string", "list": "array"}


class Unfit(ValueError):
    """What was proposed is no state space for these operations; says why, for the model: what is
    wrong, and behind a colon where."""


@dataclass(frozen=True, slots=True)
class Space:
    """A schema with what was proposed for a group: `tables`, `columns` ("TABLE.COLUMN") are new."""

    schema: StateSchema
    tables: tuple[str, ...]
    columns: tuple[str, ...]


def merged(group: Group, draft: Draft, proposed: Proposed) -> Space:
    """The draft's schema with the tables and columns that are new in it. Unfit, where operations
    of the group still have no place, or what is proposed makes no sense."""
    known = {table.name: table for table in draft.state_schema.tables}
    tables, columns = dict(known), list[str]()
    wanted = {identifier(each.name): each for each in proposed.tables}
    if len(wanted) < len(proposed.tables):
        raise Unfit("the schema: two tables have the same name")
    kinds = {name: _key_kind(table) for name, table in known.items()}
    fresh = {name: each for name, each in wanted.items() if name not in known}
    kinds |= {name: _proposed_kind(group, each) for name, each in fresh.items()}
    for name, each in wanted.items():
        made = _columns(group, each, kinds, () if name in known else each.key)
        if name in known:
            new = _lacking(group, known[name], made)
            tables[name] = known[name].model_copy(update={"columns": (*known[name].columns, *new)})
            columns += [f"{name}.{column.name}" for column in new]
        else:
            tables[name] = _table(name, each, made, group)
    if not fresh and not columns:
        raise Unfit("nothing new: all of these tables and columns are there already")
    _have_a_place(group, [tables[name] for name in wanted], tables, frozenset(fresh))
    schema = draft.state_schema.model_copy(update={"tables": tuple(tables.values())})
    return Space(schema, tuple(fresh), tuple(columns))


def _have_a_place(
    group: Group, near: list[Table], tables: Mapping[str, Table], new: Collection[str]
) -> None:
    for operation in group.operations:
        others = [table for table in about(operation, tables.values()) if table not in near]
        lost = missing([operation], [*near, *others], new)
        if lost:
            text = ", ".join(lost[:8])
            raise Unfit(f"no place: {operation.name} has {text}, and no table has such a column")


def identifier(name: str) -> str:
    """A proposed name as one of forge's: ASCII words in snake case."""
    text = snake(split(name))
    return legal(text if text.isascii() else "", name, "t")


def _key_kind(table: Table) -> ColumnType | None:
    """The type of a key of one column."""
    if len(table.key) != 1:
        return None
    return next(column.type for column in table.columns if column.name == table.key[0])


def _proposed_kind(group: Group, table: ProposedTable) -> ColumnType | None:
    if len(table.key) != 1:
        return None
    proposed = next((each for each in table.columns if each.name == table.key[0]), None)
    if proposed is None:
        proposed = ProposedColumn(name=table.key[0], type="string")
    column = _said(_needs(group, noun_of(table), proposed.name), proposed.name)
    return column.type if column is not None else _KINDS.get(proposed.type, _plain(proposed))


def _plain(proposed: ProposedColumn) -> ColumnType:
    kinds: dict[str, ColumnType] = {
        "string": "string", "integer": "integer", "number": "number", "boolean": "boolean",
        "object": "object",
    }  # fmt: skip
    return kinds[proposed.type]


def noun_of(table: ProposedTable) -> Words:
    """A few words, without anything that is none."""
    for text in (line(table.noun, 60), table.name):
        words = tuple(word for word in split(text) if word.isalpha())[:4]
        if words:
            return one(words)
    return ("record",)


def _needs(group: Group, noun: Words, name: str) -> list[Need]:
    return named_in(group.operations, noun, name)


def _said(needs: list[Need], name: str) -> Column | None:
    """The column that the document describes, if it does."""
    for need in needs:
        column = column_of(name, need.shape, lambda _, __: None)
        if column is not None:
            return column
    return None


def _columns(
    group: Group,
    table: ProposedTable,
    kinds: Mapping[str, ColumnType | None],
    key: Sequence[str],
) -> list[Column]:
    noun = noun_of(table)
    found: dict[str, Column] = {}
    proposed = {each.name: each for each in reversed(table.columns)}
    for name in (*key, *(each.name for each in table.columns)):
        each = proposed.get(name)
        if each is None:
            if not is_id(name):
                raise Unfit(f"the key: {line(name, 60)} is no column of {line(table.name, 60)}")
            each = ProposedColumn(name=name, type="string")
        needs = _needs(group, noun, name)
        column = _column(each, needs, kinds)
        found.setdefault(column.name, _finished(column, noun, group))
    return list(found.values())


def _column(
    proposed: ProposedColumn, needs: list[Need], kinds: Mapping[str, ColumnType | None]
) -> Column:
    """By the document where it says something, else as proposed."""
    own = [need.name for need in needs if need.words == one(split(proposed.name))]
    name = own[0] if own else identifier(proposed.name)
    column = _said(needs, name)
    said_there = column is not None
    if column is None:
        kind = _KINDS.get(proposed.type) or _plain(proposed)
        column = Column(name=name, type=kind)
        if proposed.type in ("date", "date-time"):
            column = column.model_copy(update={"format": proposed.type})
        if kind == "array":
            column = column.model_copy(update={"items": Column(nullable=False)})
    choices = tuple(dict.fromkeys(line(each, 40) for each in proposed.enum if line(each, 40)))
    free = column.type == "string" and column.enum is None and column.format is None
    if free and len(choices) > 1 and not proposed.references:
        column = column.model_copy(update={"enum": choices})
    if proposed.references:
        target = identifier(proposed.references)
        if target not in kinds:
            raise Unfit(f"a reference: there is no table {line(proposed.references, 60)}")
        update: dict[str, object] = {"references": target, "enum": None, "format": None}
        if not said_there and kinds[target] is not None:
            update["type"] = kinds[target]
        column = column.model_copy(update=update)
    return column


def _finished(column: Column, noun: Words, group: Group) -> Column:
    """With whether it must be there, its default, and what makes it."""
    clock = clock_of(column.name, column)
    if clock is not None:
        form = column.format or "date-time"
        made = {"generated": clock[0], "on_update": clock[1], "format": form}
        return column.model_copy(update=made)
    makers = _makers(noun, group)
    always = any(
        need.shown and need.must and not need.shape.nullable
        for need in named_in(group.operations, noun, column.name)
    )
    asked = [_is_asked(operation, noun, column.name) for operation in makers]
    if always or (asked and all(asked)):
        default = first_value(column) if makers and not all(asked) else None
        return column.model_copy(update={"required": True, "nullable": False, "default": default})
    return _loose(column)


def _loose(column: Column) -> Column:
    """It may be null."""
    on_delete = "clear" if column.references else "restrict"
    return column.model_copy(update={"required": False, "nullable": True, "on_delete": on_delete})


def _makers(noun: Words, group: Group) -> list[Operation]:
    """The operations that seem to make such a record."""
    return [
        operation
        for operation in group.operations
        if not CREATE.isdisjoint(split(operation.name)[:2])
        and not {one((word,))[0] for word in split(operation.name)}.isdisjoint(noun)
    ]


def _is_asked(operation: Operation, noun: Words, name: str) -> bool:
    return any(need.must and not need.shown for need in named_in([operation], noun, name))


def _lacking(group: Group, table: Table, made: list[Column]) -> list[Column]:
    """The columns that operations need and the table has not; optional, for its other tools make
    records without them."""
    there = {one(split(column.name)) for column in table.columns}
    lost = {one(split(name)) for name in missing(group.operations, [table])}
    return [_loose(column) for column in made if one(split(column.name)) in lost - there]


def _table(name: str, proposed: ProposedTable, columns: list[Column], group: Group) -> Table:
    noun = noun_of(proposed)
    key = tuple(dict.fromkeys(_own(columns, each) for each in proposed.key))
    if len(key) == 1:
        asked = any(_is_asked(operation, noun, key[0]) for operation in _makers(noun, group))
        columns = [_alone(c, noun, asked) if c.name in key else c for c in columns]
    else:
        columns = [_keyed(c) if c.name in key else c for c in columns]
    texts = [c.name for c in columns if c.type == "string" and c.enum is None and c.name not in key]
    own = next((text for text in texts if one(split(text)) in (noun, noun[-1:])), None)
    return Table(
        name=name,
        noun=said(noun),
        key=key,
        columns=tuple(columns),
        label=label_of(noun, columns) or own,
    )


def _own(columns: list[Column], name: str) -> str:
    """The column that a part of the key became."""
    wanted = (one(split(name)), one(split(identifier(name))))
    return next(column.name for column in columns if one(split(column.name)) in wanted)


_MADE = word_set("no number code ref reference key tag")
"""Last words of keys that people know and that who keeps the records gives out."""


def _alone(column: Column, noun: Words, asked: bool) -> Column:
    """The whole key: ids and numbers are made by the store, unless who makes a record is `asked`
    for them; all else people know and say."""
    column = _keyed(column)
    free = column.references is None and column.enum is None
    number = split(column.name)[-1:] and split(column.name)[-1] in _MADE
    made = free and not asked and (is_id(column.name) or number)
    update: dict[str, object] = {"spoken": free and not is_id(column.name)}
    if made:
        update["generated"] = "id"
    if made and column.type == "string":
        update |= {"prefix": prefix_of(noun, None), "format": None, "max_length": None}
    return column.model_copy(update=update)


def _keyed(column: Column) -> Column:
    spoken = column.type == "string" and column.references is None and not is_id(column.name)
    return column.model_copy(
        update={
            "required": True,
            "nullable": False,
            "default": None,
            "on_delete": "restrict",
            "generated": None,
            "on_update": False,
            "spoken": spoken,
        }
    )
