"""Rules in prose: the sentences of a document that may hold one, what a model is asked of them, and
how its answer is read.

Always holds: a rule is a sentence of the document, by its number, and a condition on one column of
the record acted on, in values that the column can have; a sentence that speaks to its reader, or of
HTTP, is no candidate, so that what hides in a document as an instruction is never a rule.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union

from pydantic import BaseModel, ConfigDict, create_model

from forge.authors.llm.prompts import prompt, version
from forge.authors.llm.words import said_of_table
from forge.authors.structural.words import many, said, split
from forge.docs.text import CUT, line
from forge.env.values import checked
from forge.errors import ToolError
from forge.types.data import Json
from forge.types.doc import ApiDoc, Operation
from forge.types.environment import Op, Requirement, Tool
from forge.types.state import Column, Table

PROMPT = version("rules")
MOST = 3
"""Rules of one operation."""
MOST_SENTENCES = 6
MOST_COLUMNS = 8
LONGEST = 240
"""Characters of a sentence that can be a rule."""

_PARTS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n\s*\n|\n(?=\s*[-*•\d])")
_CONDITION = re.compile(
    r"\b(only|unless|must|cannot|can ?not|can't|can’t|may not|not allowed|not possible|refused?"
    r"|rejected|fails?|if|when|until|once|already|never|no longer|has to|have to|required to"
    r"|works? for)\b"
    r"|[\u3040-\u9fff]",
    re.IGNORECASE,
)
"""Languages that are not written in words are looked through whole."""
_NOT_OF_RECORDS = re.compile(
    r"\b(ignore|disregard|forget|instructions?|prompt|assistant|you are|your (task|answer|reply)"
    r"|system message|https?|www|tokens?|headers?|oauth|scopes?|rate.?limit\w*|api.?keys?"
    r"|(bad|api|http|per|your|this|the) requests?"
    r"|authenticat\w+|authoriz\w+|status codes?|[45]\d\d|json|deprecated|query|paginat\w+)\b|://",
    re.IGNORECASE,
)
_SPEAKS = re.compile(r"\b(you|yours?|we|us|our|i|me|my|please)\b", re.IGNORECASE)
_MARKS = re.compile(r"\[([^\]\[]{0,200})\]\([^()\s]{0,500}\)|[`*_~#>|]+(?=\W|$)|(?<!\w)[`*_~#>|]+")

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_QUOTED = re.compile(r'"([^"]{1,80})"')

Kind = Literal["only if", "not if"]
_TESTS: dict[str, Op] = {
    "is": "eq", "is not": "ne", "is at least": "ge", "is at most": "le", "is more than": "gt",
    "is less than": "lt", "is set": "ne", "is not set": "eq",
}  # fmt: skip
_TURNED: dict[Op, Op] = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
_WORDS: dict[Op, str] = {
    "eq": "is", "ne": "is not", "ge": "is at least", "le": "is at most", "gt": "is more than",
    "lt": "is less than",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ground:
    """Where rules of a tool are looked for, and what they can be about."""

    tool: Tool
    operation: Operation
    table: Table
    columns: tuple[Column, ...]
    sentences: tuple[str, ...]
    """As the document has them, on one line, without marks."""


@dataclass(frozen=True, slots=True)
class Rule:
    sentence: str
    requires: tuple[Requirement, ...]
    """All of which must hold."""


def ground_of(doc: ApiDoc, operation: Operation, tool: Tool, table: Table) -> Ground | None:
    """None where no sentence may hold a rule, or no column could be in one."""
    columns = tuple(_columns(table))
    sentences = tuple(_sentences(doc, operation, table))
    return Ground(tool, operation, table, columns, sentences) if columns and sentences else None


def _columns(table: Table) -> Iterator[Column]:
    parent = table.parent.columns if table.parent is not None else ()
    found = [
        column
        for column in table.columns
        if column.name not in (*table.key, *parent) and _forms_of(column)
    ]
    yield from sorted(found, key=lambda c: not (c.enum or c.type == "boolean"))[:MOST_COLUMNS]


def _sentences(doc: ApiDoc, operation: Operation, table: Table) -> Iterator[str]:
    own = [operation.summary, operation.description, *operation.failures.values()]
    found = list(dict.fromkeys(each for text in own for each in sentences_of(text)))
    nouns = {table.noun.lower(), said(many(split(table.noun)))}
    found += [s for s in sentences_of(doc.description) if any(n in s.lower() for n in nouns)]
    yield from dict.fromkeys(found[:MOST_SENTENCES])


def sentences_of(text: str) -> Iterator[str]:
    """Those that may hold a rule, without marks."""
    for part in _PARTS.split(text):
        plain = line(_MARKS.sub(lambda match: match[1] or "", part), 2 * LONGEST)
        if len(plain) <= LONGEST and _CONDITION.search(plain) and not _NOT_OF_RECORDS.search(plain):
            yield plain


# ------------------------------------------------------------------------ forms

_FORM = ConfigDict(extra="forbid", frozen=True)


def _forms_of(column: Column) -> list[dict[str, Any]]:
    """What can be said of a column, one form a kind of test."""
    if column.type in ("object", "array", "any"):
        return []
    forms: list[dict[str, Any]] = []
    values = [each for each in column.enum or () if each is not None]
    if values and all(isinstance(each, str | int | bool) for each in values):
        forms.append({"test": Literal["is", "is not"], "value": Literal[tuple(values)]})
    elif column.type == "boolean":
        forms.append({"test": Literal["is"], "value": bool})
    elif column.type in ("integer", "number") and not _is_made_or_refers(column):
        tests = Literal["is", "is at least", "is at most", "is more than", "is less than"]
        forms.append({"test": tests, "value": int if column.type == "integer" else float})
    if column.nullable and not column.required and column.enum is None:
        forms.append({"test": Literal["is set", "is not set"]})
    return forms


def _is_made_or_refers(column: Column) -> bool:
    return bool(column.references or column.among or column.generated or column.format)


def form_of(ground: Ground) -> type[BaseModel]:
    """Of the answer: rules, each a sentence by its number and a condition on one column."""
    conditions = [
        _model(f"Condition{number}_{way}", {"column": Literal[(column.name,)], **parts})
        for number, column in enumerate(ground.columns)
        for way, parts in enumerate(_forms_of(column))
    ]
    numbers: Any = Literal[tuple(range(1, len(ground.sentences) + 1))]
    condition: Any = Union[tuple(conditions)]  # noqa: UP007 - of what is made here
    one: Any = _model("Rule", {"sentence": numbers, "works": Kind, "condition": condition})
    return _model("Rules", {"rules": list[one]})


def _model(name: str, parts: Mapping[str, Any]) -> type[BaseModel]:
    fields: dict[str, Any] = {part: (kind, ...) for part, kind in parts.items()}
    return create_model(name, __config__=_FORM, **fields)


class Verdict(BaseModel):
    """Whether a text says so."""

    model_config = _FORM
    answer: Literal["yes", "no"]


class Said(BaseModel):
    """A rule in other words."""

    model_config = _FORM
    text: str


# --------------------------------------------------------------------- messages


def asked_for(ground: Ground, title: str) -> list[Json]:
    return [
        {
            "role": "user",
            "content": prompt(
                "rules",
                title=title,
                way=ground.tool.operation,
                summary=line(ground.operation.summary),
                noun=ground.table.noun,
                table=said_of_table(
                    ground.table.model_copy(update={"columns": ground.columns}), {}
                ),
                sentences=ground.sentences,
            ),
        }
    ]


def asked_whether(ground: Ground, rule: Rule, *, turned: bool) -> list[Json]:
    """Whether the sentence says what the rule does; `turned`: the contrary."""
    return [
        {
            "role": "user",
            "content": prompt(
                "rule",
                summary=line(ground.operation.summary),
                noun=ground.table.noun,
                sentence=rule.sentence,
                claim=claimed(ground, rule, turned=turned),
            ),
        }
    ]


def asked_in_chinese(said: str, title: str) -> list[Json]:
    """For a rule, as the agent would read it in the language of the document, in Chinese."""
    return [{"role": "user", "content": prompt("ruled", title=title, rule=said)}]


def in_chinese(text: str, said: str) -> str | None:
    """The answer on one line, where it can be the same rule: in Chinese, no number or quoted value
    less or more, and nothing that speaks of the model or of HTTP."""
    plain = line(text, LONGEST)
    letters = [each for each in plain if each.isalpha()]
    chinese = sum("\u4e00" <= each <= "\u9fff" for each in letters)
    if not letters or chinese < 0.6 * len(letters) or plain.endswith(CUT):
        return None
    if _NOT_OF_RECORDS.search(plain) or any(
        sorted(form.findall(plain)) != sorted(form.findall(said)) for form in (_NUMBER, _QUOTED)
    ):
        return None
    return plain


def claimed(ground: Ground, rule: Rule, *, turned: bool = False) -> str:
    """The rule in plain words."""
    parts = [_condition(ground.table, turn(each) if turned else each) for each in rule.requires]
    joint = " or " if turned else " and "
    return f"It works only if {joint.join(parts)}"


def turn(each: Requirement) -> Requirement:
    """What holds where the other does not."""
    if each.op == "in":
        return each.model_copy(update={"op": "ne"})
    return each.model_copy(update={"op": _TURNED[each.op]})


def _condition(table: Table, each: Requirement) -> str:
    what = f"the {said(split(each.column))} of the {table.noun}"
    if each.value is None:
        return f"{what} is {'not set' if each.op == 'eq' else 'set'}"
    if isinstance(each.value, list):
        neither = each.op == "ne"
        values = (" nor " if neither else " or ").join(map(_value, each.value))
        return f"{what} is {'neither ' if neither else ''}{values}"
    return f"{what} {_WORDS[each.op]} {_value(each.value)}"


def _value(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


# ---------------------------------------------------------------------- reading


def rules_in(answer: BaseModel, ground: Ground) -> list[Rule]:
    """One of each sentence and column; what is said twice of one is said in one: "is pending" and
    "is waiting" is one of the two."""
    found: dict[tuple[int, Kind, str], list[Requirement]] = {}
    for each in answer.model_dump()["rules"]:
        requirement = _requirement(each["condition"], each["works"], ground)
        if requirement is not None:
            of = found.setdefault((each["sentence"], each["works"], requirement.column), [])
            of += [requirement] if requirement not in of else []
    rules = [
        Rule(ground.sentences[number - 1], requires)
        for (number, works, _), several in found.items()
        if (requires := _together(several, works))
    ]
    return rules[:MOST]


def _requirement(condition: dict[str, Any], works: Kind, ground: Ground) -> Requirement | None:
    column = next(each for each in ground.columns if each.name == condition["column"])
    op = _TESTS[condition["test"]]
    value = condition.get("value")
    if value is not None:
        try:
            value = checked(column, value, column.name)
        except ToolError:
            return None
    requirement = Requirement(column=column.name, op=op, value=value)
    return requirement if works == "only if" else turn(requirement)


def _together(several: Sequence[Requirement], works: Kind) -> tuple[Requirement, ...]:
    """ "Only if it is a" and "only if it is b" allow both; what is refused is refused each."""
    if len(several) == 1 or works == "not if":
        return tuple(several)
    if all(each.op == "eq" and each.value is not None for each in several):
        values = [each.value for each in several]
        return (Requirement(column=several[0].column, op="in", value=values),)
    return ()


def stated(ground: Ground, rule: Rule) -> str:
    """As the agent reads it: what it is about, and the document's own sentence; where that speaks
    to somebody, the rule in plain words."""
    about = line(ground.operation.summary, 80).rstrip(".!?;: ")
    if _SPEAKS.search(rule.sentence):
        return f"{about}: {claimed(ground, rule)}."
    return rule.sentence if rule.sentence.startswith(about) else f"{about}: {rule.sentence}"
