"""The pass that asks for tables: operations that have no place in the state space, and the tables
they need, as data.

Always holds: only what has no place in the tables that are there is asked for, in a small form of
bounded size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from forge.authors.author import Draft
from forge.authors.llm.held import missing, said_names, topic_of
from forge.authors.llm.prompts import prompt, version
from forge.authors.llm.words import about, said_of, said_of_table
from forge.authors.structural.author import called
from forge.authors.structural.words import Words, split
from forge.docs.text import line
from forge.types.data import Json
from forge.types.doc import ApiDoc, Operation
from forge.types.state import StateSchema, Table

PROMPT = version("space")
MOST = 8
"""Operations that are asked about together."""
MOST_COLUMNS = 40
Name = Annotated[str, Field(min_length=1, max_length=60)]


class ProposedColumn(BaseModel):
    name: Name
    type: Literal["string", "integer", "number", "boolean", "date", "date-time", "list", "object"]
    enum: list[Annotated[str, Field(max_length=60)]] = Field(default=[], max_length=20)
    references: Annotated[str, Field(max_length=60)] = ""


class ProposedTable(BaseModel):
    name: Name
    noun: Name
    key: list[Name] = Field(min_length=1, max_length=4)
    columns: list[ProposedColumn] = Field(min_length=1, max_length=MOST_COLUMNS)


class Proposed(BaseModel):
    """The tables that some operations need."""

    tables: list[ProposedTable] = Field(min_length=1, max_length=5)


@dataclass(frozen=True, slots=True)
class Group:
    """Operations without a place, about the same things: `topics`."""

    topics: tuple[str, ...]
    operations: tuple[Operation, ...]

    @property
    def name(self) -> str:
        return line(", ".join(self.topics), 60)


def groups_of(doc: ApiDoc, draft: Draft) -> list[Group]:
    """What the draft left out and its tables do not hold, in the order of the document."""
    left = {each.operation for each in draft.left_out}
    homeless = [
        operation
        for operation in doc.operations
        if called(operation) in left and not _is_held(operation, draft.state_schema.tables)
    ]
    before = _beginning([split(operation.name) for operation in doc.operations])
    by_topic: dict[str, list[Operation]] = {}
    for operation in homeless:
        by_topic.setdefault(topic_of(operation, before), []).append(operation)
    found: list[Group] = []
    for topic, several in by_topic.items():
        for start in range(0, len(several), MOST):
            few = tuple(several[start : start + MOST])
            last = found[-1] if found else None
            if last is not None and len(last.operations) + len(few) <= MOST:
                topics = tuple(dict.fromkeys((*last.topics, topic)))
                found[-1] = Group(topics, (*last.operations, *few))
            else:
                found.append(Group((topic,), few))
    return found


def _is_held(operation: Operation, tables: Sequence[Table]) -> bool:
    return bool(tables) and not missing([operation], about(operation, tables))


def _beginning(names: Sequence[Words]) -> Words:
    """The word that all names begin with, as tools of one server often do."""
    firsts = {name[:1] for name in names}
    return firsts.pop() if len(firsts) == 1 and len(names) > 1 else ()


def asked_for(group: Group, draft: Draft, *, written: str = "", failure: str = "") -> list[Json]:
    """The messages that ask for the tables of a group."""
    known = _near(group, draft.state_schema)
    text = prompt(
        "space",
        title=draft.title,
        operations=[said_of(each) for each in group.operations],
        tables=[said_of_table(table, {}) for table in known],
        others=[t.name for t in draft.state_schema.tables if t not in known][:20],
        names=_in_need(group, known),
        written=written,
        failure=failure,
    )
    return [{"role": "user", "content": text}]


def _in_need(group: Group, known: Sequence[Table]) -> list[str]:
    lost = set(missing(group.operations, known))
    every = said_names(group.operations)
    return [name for name in every if name in lost] if known else every


def _near(group: Group, schema: StateSchema, most: int = 4) -> list[Table]:
    found: dict[str, Table] = {}
    for operation in group.operations:
        for table in about(operation, schema.tables, 2):
            found.setdefault(table.name, table)
    return list(found.values())[:most]
