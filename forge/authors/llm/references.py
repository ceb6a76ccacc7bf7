"""The pass that asks for references: which columns hold the key of a record of another table,
though neither their names nor their types say so.

Always holds: a column is asked about only if it could hold such a key; an answer can only name a
table whose key is one column of the same type.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field

from forge.authors.author import Draft
from forge.authors.llm.prompts import prompt, version
from forge.authors.llm.words import said_of_table
from forge.authors.structural.words import split, word_set
from forge.docs.text import line
from forge.types.data import Json
from forge.types.state import Column, Record, StateSchema, Table

PROMPT = version("reference")
MOST = 12
"""Columns of one table that are asked about."""
NONE = "none"
_PLAIN = word_set(
    "name title label description text body content note notes comment comments message summary "
    "subject url uri link email phone address street city country zip amount price cost total "
    "count quantity number size width height weight length age year month day date time duration "
    "limit offset page rating score rank percent percentage latitude longitude language locale "
    "currency timezone color colour html markdown password secret token hash version at on value "
    "min max minimum maximum reason first last middle given family full display"
)
"""Last words of columns that hold what they say and no key."""


class Held(BaseModel):
    column: Annotated[str, Field(max_length=80)]
    holds: Annotated[str, Field(max_length=80)]


class Answer(BaseModel):
    """For each column, the table whose key it holds."""

    columns: list[Held] = Field(max_length=2 * MOST)


@dataclass(frozen=True, slots=True)
class Question:
    """A table, the columns that are asked about, and for each the tables that it could refer to."""

    table: Table
    columns: tuple[str, ...]
    targets: Mapping[str, tuple[str, ...]]


def questions_of(draft: Draft) -> list[Question]:
    """One a table that has a column which could hold the key of another table."""
    found = []
    for table in draft.state_schema.tables:
        targets = {
            column.name: known
            for column in table.columns
            if (known := targets_of(draft.state_schema, table, column))
        }
        if targets and not table.singleton:
            names = tuple(targets)[:MOST]
            found.append(Question(table, names, {name: targets[name] for name in names}))
    return found


def targets_of(schema: StateSchema, table: Table, column: Column) -> tuple[str, ...]:
    """The tables whose keys the column could hold; () where it is plain that it holds none, or
    where only the table itself is left: a database of one table has no references."""
    parents = table.parent.columns if table.parent is not None else ()
    bound = column.references or column.among or column.enum is not None or column.format
    made = column.generated is not None or column.default is not None or column.unique
    limited = column.minimum is not None or column.maximum is not None
    if column.type not in ("string", "integer") or bound or made or limited:
        return ()
    own = table.key == (column.name,)
    if own or column.name in parents or column.name == table.label:
        return ()
    words = split(column.name)
    if not words or words[-1] in _PLAIN:
        return ()
    found = [each for each in schema.tables if _key_kind(each) == column.type]
    return tuple(each.name for each in found) if any(each is not table for each in found) else ()


def _key_kind(table: Table) -> str | None:
    if len(table.key) != 1 or table.singleton:
        return None
    return next(column.type for column in table.columns if column.name == table.key[0])


def asked_for(
    question: Question, draft: Draft, records: Mapping[str, Record], *, turned: bool = False
) -> list[Json]:
    """The messages. `records`: of the table, for what values look like; `turned`: the other way
    round, so that what is only said because it comes first is not said again."""
    way = -1 if turned else 1
    several = {name for names in question.targets.values() for name in names}
    others = [
        {"name": each.name, "noun": each.noun, "key": each.key, "about": _about(each)}
        for each in draft.state_schema.tables
        if each.name in several
    ]
    text = prompt(
        "reference",
        title=draft.title,
        called=question.table.name,
        table=_described(question.table, records),
        columns=question.columns[::way],
        others=others[::way],
    )
    return [{"role": "user", "content": text}]


def _described(table: Table, records: Mapping[str, Record]) -> str:
    told = {c.name: line(c.description, 120) for c in table.columns if c.description}
    lines = said_of_table(table, records).splitlines()
    return "\n".join(
        f"{each}. {told[name]}" if (name := each.strip().partition(":")[0]) in told else each
        for each in lines
    )


def _about(table: Table) -> str:
    text = line(table.description, 100)
    return f" ({text})" if text else ""


def held(answer: Answer, question: Question) -> dict[str, str]:
    """Column -> the table whose key it holds, as far as it could."""
    found: dict[str, str] = {}
    for each in answer.columns:
        if each.holds in question.targets.get(each.column, ()):
            found.setdefault(each.column, each.holds)
    return found


def referring(schema: StateSchema, table: str, column: str, target: str) -> StateSchema:
    """The schema with the column as a reference. Where it need not be there, it is cleared when the
    record that it names goes."""

    def bound(each: Column) -> Column:
        must = each.required and not each.nullable
        update: dict[str, object] = {
            "references": target,
            "on_delete": "restrict" if must else "clear",
            "examples": (),
            "min_length": None,
            "max_length": None,
        }
        return each.model_copy(update=update)

    def with_it(each: Table) -> Table:
        columns = tuple(bound(c) if c.name == column else c for c in each.columns)
        return each.model_copy(update={"columns": columns}) if each.name == table else each

    return schema.model_copy(update={"tables": tuple(map(with_it, schema.tables))})
