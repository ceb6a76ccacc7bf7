"""Example cases of an operation that rules do not understand: what a model is asked for, and how it
is read. The function is never shown, so that a case says what the document does, not the code.

Always holds: a case speaks of one record of one table, in a state before that rules choose, so that
a weak model says no more than what becomes of it; only in values that the columns can have. What is
read of a model is data, and a case that says nothing is none.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from forge.authors.llm.prompts import prompt, version
from forge.authors.llm.words import about, said_of, said_of_table
from forge.authors.structural.words import split
from forge.env.identity import same
from forge.env.values import checked
from forge.errors import ToolError
from forge.types.case import Case
from forge.types.data import Json, JsonSchema
from forge.types.doc import Operation
from forge.types.state import Column, Record, State, StateSchema, Table

PROMPT = version("cases")
MOST = 4
"""Cases that are asked for, each of another state before."""
MOST_COLUMNS = 6
MOST_ARGUMENTS = 4
LONGEST_TEXT = 120
_KEYS = frozenset({"id", "ids", "gid", "uid", "uuid", "key", "slug", "login", "token"})


@dataclass(frozen=True, slots=True)
class Subject:
    """What cases of an operation are about: the columns of a table that tell in which state a
    record is, and the arguments that say what becomes of it."""

    operation: Operation
    table: Table
    columns: tuple[Column, ...]
    arguments: dict[str, JsonSchema]
    required: frozenset[str]
    befores: tuple[dict[str, Json], ...]
    """States in which a record can be, so that each value of a column is in one."""
    records: Mapping[str, Record]
    """Of the table, for what values look like."""


def subject_of(operation: Operation, schema: StateSchema, base: State) -> Subject | None:
    """None where no record has columns in which a case could be told. `base`: for its records."""
    table = next(iter(about(operation, schema.tables)), None)
    if table is None or table.singleton:
        return None
    columns = _telling(operation, table)
    if not columns:
        return None
    arguments = _said(operation, table)
    required = {each.name for each in operation.parameters if each.required}
    records = base.get(table.name, {})
    return Subject(
        operation,
        table,
        columns,
        arguments,
        frozenset(required & arguments.keys()),
        tuple(_befores(operation, columns, list(records.values()))),
        records,
    )


def _befores(
    operation: Operation, columns: Sequence[Column], records: Sequence[Record]
) -> Iterator[dict[str, Json]]:
    """Of a column with few values, one after the other, first those that the document speaks of;
    of another, as some record has it."""
    spoken = set(split(f"{operation.summary} {operation.description}"))
    choices = [_choices(column, spoken) for column in columns]
    for number in range(min(MOST, math.lcm(*(len(each) for each in choices if each)))):
        record = records[number % len(records)] if records else {}
        yield {
            column.name: each[number % len(each)] if each else record.get(column.name)
            for column, each in zip(columns, choices, strict=True)
        }


def _choices(column: Column, spoken: set[str]) -> list[Json]:
    if column.enum is not None:
        values = [each for each in column.enum if each is not None]
        return sorted(values, key=lambda each: not spoken.issuperset(split(str(each))))
    return [False, True] if column.type == "boolean" else []


def _telling(operation: Operation, table: Table) -> tuple[Column, ...]:
    """States first, then amounts and texts that the operation speaks of."""
    text = f"{operation.name} {operation.summary} {operation.description}"
    named = {each.name for each in operation.parameters}
    words = {*split(text), *(word for name in named for word in split(name))}
    parent = table.parent.columns if table.parent is not None else ()
    ranked: list[tuple[int, Column]] = []
    for column in table.columns:
        spoken = bool(words & {*split(column.name)})
        if column.name in (*table.key, *parent) or column.references or column.among:
            continue
        if column.generated is not None or column.format is not None:
            continue
        named_states = [each for each in column.enum or () if each is not None]
        states = column.type == "boolean" or (named_states and all(map(_scalar, named_states)))
        amounts = spoken and column.type in ("integer", "number")
        texts = column.name in named and column.type == "string"
        if states:
            ranked.append((0 if spoken else 1, column))
        elif (amounts or texts) and column.enum is None:
            ranked.append((2, column))
    chosen = [column for _, column in sorted(ranked, key=lambda each: each[0])[:MOST_COLUMNS]]
    return tuple(column for column in table.columns if column in chosen)


def _said(operation: Operation, table: Table) -> dict[str, JsonSchema]:
    """Arguments whose values can be made up: none that picks a record, or names another."""
    refers = {column.name for column in table.columns if column.references or column.among}
    found: dict[str, JsonSchema] = {}
    for each in sorted(operation.parameters, key=lambda each: not each.required):
        kind = each.schema.get("type")
        if each.location in ("path", "header", "cookie") or each.name in refers:
            continue
        if not isinstance(kind, str) or _TYPES.get(kind) is None:
            continue
        names = set(split(each.name)[-1:]) & _KEYS or "format" in each.schema
        if kind == "string" and "enum" not in each.schema and names:
            continue
        found[each.name] = each.schema
    return dict(list(found.items())[:MOST_ARGUMENTS])


def _scalar(value: Json) -> bool:
    return isinstance(value, str | int | bool)


# ------------------------------------------------------------------------ forms

_TYPES: dict[str, Any] = {
    "string": Annotated[str, Field(max_length=LONGEST_TEXT)],
    "integer": int,
    "number": float,
    "boolean": bool,
}
_FORM = ConfigDict(extra="forbid", frozen=True)


def forms_of(subject: Subject) -> tuple[type[BaseModel], type[BaseModel]]:
    """Of the answer with all cases, and of the one that says anew how they end."""
    record = _form("Record", {c.name: (_kind(c), False) for c in subject.columns})
    arguments = _form(
        "Arguments",
        {
            name: (_argument(schema), name not in subject.required)
            for name, schema in subject.arguments.items()
        },
    )
    outcome = Literal["works", "refused"]
    numbers: Any = Literal[tuple(range(1, len(subject.befores) + 1))]
    parts: dict[str, Any] = {"before": (numbers, ...)}
    if subject.arguments:
        parts["arguments"] = (arguments, ...)
    ending: dict[str, Any] = {"outcome": (outcome, ...), "after": (record, ...)}
    return _several("Cases", parts | ending), _several(
        "Endings", {"before": (numbers, ...)} | ending
    )


def _several(name: str, parts: dict[str, Any]) -> type[BaseModel]:
    each = create_model("Example", __config__=_FORM, **parts)
    some: Any = Annotated[list[each], Field(min_length=1, max_length=MOST)]
    return create_model(name, __config__=_FORM, cases=(some, ...))


def _form(name: str, kinds: Mapping[str, tuple[Any, bool]]) -> type[BaseModel]:
    """One of fields that are named as a document likes."""
    fields: dict[str, Any] = {}
    for number, (alias, (kind, optional)) in enumerate(kinds.items()):
        given: Any = None if optional else ...
        fields[f"f{number}"] = (kind | None if optional else kind, Field(given, alias=alias))
    return create_model(name, __config__=_FORM, **fields)


def _kind(column: Column) -> Any:
    if column.enum is not None:
        values = [each for each in column.enum if each is not None]
        kind: Any = Literal[tuple(values)]
    else:
        kind = _TYPES[column.type]
    return kind | None if column.nullable and not column.required else kind


def _argument(schema: JsonSchema) -> Any:
    values = schema.get("enum")
    if isinstance(values, list) and values and all(_scalar(each) for each in values):
        return Literal[tuple(values)]
    return _TYPES[str(schema["type"])]


# --------------------------------------------------------------------- messages


def asked_for(subject: Subject, title: str) -> list[Json]:
    """The messages that ask for a case of each state before."""
    return _messages(subject, title, list(map(_written, subject.befores)), anew=False)


def asked_how_they_end(subject: Subject, title: str, cases: Sequence[Case]) -> list[Json]:
    """Those that ask another time how they end, the other way round, and do not say how."""
    befores = [
        _written(each.before) + (f", called with {_written(each.arguments)}" * bool(each.arguments))
        for each in reversed(cases)
    ]
    return _messages(subject, title, befores, anew=True)


def _messages(subject: Subject, title: str, befores: list[str], *, anew: bool) -> list[Json]:
    text = prompt(
        "cases",
        title=title,
        operation=said_of(subject.operation),
        table=said_of_table(subject.table, subject.records),
        noun=subject.table.noun,
        columns=[column.name for column in subject.columns],
        arguments=[] if anew else list(subject.arguments),
        befores=befores,
        after=_written({column.name: "…" for column in subject.columns}),
    )
    return [{"role": "user", "content": text}]


def _written(values: Mapping[str, Json]) -> str:
    return json.dumps(values, ensure_ascii=False)


# ---------------------------------------------------------------------- reading


def cases_in(answer: BaseModel, subject: Subject) -> list[Case]:
    """Those that say something, each once; none of two that contradict each other."""
    found: list[Case] = []
    for each in _plain(answer)["cases"]:
        case = _case(each, subject)
        if case is not None and case not in found:
            found.append(case)
    return [case for case in found if not any(_contradicts(case, other) for other in found)]


def confirmed_by(answer: BaseModel, cases: Sequence[Case], subject: Subject) -> list[Case]:
    """Those of which one who was not told how they end says that they end so."""
    said = _plain(answer)["cases"]
    return [
        case
        for number, case in zip(range(len(cases), 0, -1), cases, strict=True)
        if [_agrees(case, each, subject) for each in said if each["before"] == number] == [True]
    ]


def _agrees(case: Case, said: Mapping[str, Any], subject: Subject) -> bool:
    if (said["outcome"] == "works") is not case.works:
        return False
    after = _fitting(subject.columns, said["after"])
    return not case.works or (after is not None and same(after, case.after))


def _plain(answer: BaseModel) -> dict[str, Any]:
    return answer.model_dump(by_alias=True)


def _case(said: Mapping[str, Any], subject: Subject) -> Case | None:
    before = subject.befores[said["before"] - 1]
    after = _fitting(subject.columns, said["after"])
    works = said["outcome"] == "works"
    if works and (after is None or same(before, after)):
        return None  # a write that works changes something
    given = {name: value for name, value in said.get("arguments", {}).items() if value is not None}
    ended = after if works and after is not None else before
    return Case(subject.table.name, before, given, works, ended)


def _fitting(columns: Sequence[Column], values: Mapping[str, Json]) -> dict[str, Json] | None:
    """The values as the columns hold them; None if one cannot."""
    try:
        return {
            column.name: None
            if values[column.name] is None
            else checked(column, values[column.name], column.name)
            for column in columns
        }
    except ToolError:
        return None


def _contradicts(one: Case, other: Case) -> bool:
    alike = same(one.before, other.before) and same(one.arguments, other.arguments)
    return alike and (one.works is not other.works or not same(one.after, other.after))


def told(case: Case) -> str:
    """A case in a line, for a model and a report."""
    with_ = f", called with {_written(case.arguments)}" if case.arguments else ""
    end = f"works and leaves {_written(case.after)}" if case.works else "is refused"
    return f"on a record with {_written(case.before)}{with_}, it {end}"
