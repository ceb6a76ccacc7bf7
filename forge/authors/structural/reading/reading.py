"""One operation, looked at closely: where its path leads, what it takes, what it answers.

Nothing is decided here; `entities.py` and `classify.py` draw the conclusions.
"""

import re
from dataclasses import dataclass
from typing import Literal

from forge.authors.structural.reading.examples import says_nothing, schema_of_examples
from forge.authors.structural.shapes import Shape, shape_of
from forge.authors.structural.words import Words, one, singular, split, stems, word_set
from forge.docs.names import argument_names
from forge.types.data import Path
from forge.types.doc import ApiDoc, Operation, Parameter

AnswerKind = Literal["none", "empty", "note", "record", "list", "value", "values", "map"]
"""`note`: it only says how the call went."""

ENVELOPES = frozenset({"data", "result", "results", "response", "item", "items", "payload", "body"})
EXTRAS = word_set(
    "total count page pages perpage limit offset next previous prev cursor nextcursor nextpage "
    "prevcursor previouscursor hasmore meta pagination paging links totalcount totalpages "
    "sort pagesize pagecount itemcount hasnext hasnextpage nextpagetoken success ok error errors "
    "message sync totalitems totalresults numpages lastpage currentpage size first last self"
)
"""Names beside the records of an answer, without separators."""

MANY = "takes many records at once"
"""Of a body that is a list."""
BARE = "takes a body that is no object with named properties"

_PREFIX = re.compile(r"^(api|rest|v\d+([._]\d+)*|public|latest)$", re.IGNORECASE)
_PARAMETER = re.compile(r"^\{([^{}]+)\}$")


ASKER = "\ue000asker\ue001"
"""The name of the argument that is whoever asks, which no document can have: a local name of the
source (`syntax.py`)."""


@dataclass(frozen=True)
class Argument:
    """What an operation takes, with a wrapped body taken apart."""

    name: str
    """A Python identifier, unique in the operation."""
    field: str
    """As the document calls it."""
    where: Literal["path", "query", "header", "cookie", "body"]
    shape: Shape
    required: bool
    description: str

    @property
    def words(self) -> Words:
        return split(self.field)

    @property
    def asker(self) -> bool:
        """Whether it is whoever asks, and passed by nobody: `/user` is `/users/{asker}`."""
        return self.name == ASKER


@dataclass(frozen=True)
class Step:
    """A static part of a path and the arguments that follow it: `/projects/{project_id}`."""

    text: str
    arguments: tuple[Argument, ...]
    name: Words = ()
    """Of the resource, where the word alone stands for several (`resources.py`)."""

    @property
    def words(self) -> Words:
        return split(self.text)

    @property
    def noun(self) -> Words:
        return self.name or one(self.words)


@dataclass(frozen=True)
class Answer:
    kind: AnswerKind
    shape: Shape | None = None
    """Of the record, or of one record of the list."""
    path: Path = ()
    """Where the record or list is in the answer."""
    whole: Shape | None = None


@dataclass(frozen=True)
class Reading:
    operation: Operation
    steps: tuple[Step, ...]
    arguments: tuple[Argument, ...]
    answer: Answer
    body_noun: Words
    odd: str = ""
    """Why nothing can be made of it, if so."""
    called: Words = ()
    """What its path says is done, where that is a call and no resource (`calls.py`)."""
    signer: str = ""
    """The property that says who made a record: whoever is signed in (`routed.py`)."""

    @property
    def words(self) -> Words:
        return self.called or split(self.operation.name)

    @property
    def on_item(self) -> bool:
        """The path ends with an argument: `/projects/{project_id}`."""
        return bool(self.steps and self.steps[-1].arguments)

    def taken(self, *places: str) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if a.where in places)


def read_operations(doc: ApiDoc) -> tuple[Reading, ...]:
    return tuple(read_operation(operation) for operation in doc.operations)


def read_operation(operation: Operation) -> Reading:
    arguments, body_noun, odd = _arguments(operation)
    steps, trouble = _steps(operation.path, arguments)
    answer = _answer(operation)
    return Reading(operation, steps, arguments, answer, body_noun, odd or trouble)


def _arguments(operation: Operation) -> tuple[tuple[Argument, ...], Words, str]:
    found: list[Argument] = []
    outer = [p for p in operation.parameters if p.location != "body"]
    body = [p for p in operation.parameters if p.location == "body"]
    taken = {p.name for p in outer}
    odd = ""
    noun = shape_of({}, name=operation.body_entity).noun if operation.body_entity else ()
    if len(body) == 1 and not body[0].whole_body:
        inner = shape_of(body[0].schema)
        wrapped = body[0].field in ("data", "payload", "body") or (
            one(split(body[0].field)) == (inner.noun or ("",))
        )
        if wrapped and inner.type == "object" and inner.names():
            noun = inner.noun or noun
            found = _inner(inner, operation.path, taken)
            body = []
    for parameter in body:
        if parameter.whole_body:
            odd = _whole_body(parameter)
        found.append(_argument(parameter))
    return (*(_argument(p) for p in outer), *found), noun, odd


def _whole_body(parameter: Parameter) -> str:
    kind = shape_of(parameter.schema).type
    if kind == "array":
        return MANY
    return BARE


def _argument(parameter: Parameter) -> Argument:
    shape = shape_of(parameter.schema)
    return Argument(
        parameter.name,
        parameter.field,
        parameter.location,
        shape,
        parameter.required,
        parameter.description or shape.description,
    )


def _inner(wrapped: Shape, path: str, taken: set[str]) -> list[Argument]:
    """The properties of a wrapped body, as arguments: those that the server makes are none."""
    fields = [name for name in wrapped.names() if not wrapped.property(name).read_only]
    names = argument_names([(field, "body") for field in fields], path)
    needed = wrapped.required()
    found = []
    for field, name in zip(fields, names, strict=True):
        shape = wrapped.property(field)
        made = _free(name, taken)
        found.append(Argument(made, field, "body", shape, field in needed, shape.description))
    return found


def _free(name: str, taken: set[str]) -> str:
    made, number = name, 2
    while made in taken:
        made, number = f"{name}_{number}", number + 1
    taken.add(made)
    return made


def _steps(path: str, arguments: tuple[Argument, ...]) -> tuple[tuple[Step, ...], str]:
    by_field = {a.field: a for a in arguments if a.where == "path"}
    steps: list[Step] = []
    for raw in path.split("?", maxsplit=1)[0].strip("/").split("/"):
        segment = re.sub(r"\.(json|xml)$", "", raw)
        if not segment or (not steps and _PREFIX.match(segment)):
            continue
        parameter = _PARAMETER.match(segment)
        if parameter:
            argument = by_field.get(parameter[1])
            if argument is None:
                return (), f"its path argument {parameter[1]} is nowhere described"
            if not steps:
                return (), "its path begins with an argument"
            last = steps.pop()
            steps.append(Step(last.text, (*last.arguments, argument)))
        elif "{" in segment:
            return (), "its path mixes text and arguments in one part"
        else:
            steps.append(Step(segment, ()))
    return tuple(steps), ""


# ------------------------------------------------------------------- answers


def plain(name: str) -> str:
    """A name without separators and case: `next_cursor` and `nextCursor` are `nextcursor`."""
    return "".join(split(name))


def _answer(operation: Operation) -> Answer:
    if operation.result is None:
        return Answer("none")
    result = operation.result
    if operation.examples and says_nothing(result):
        result = schema_of_examples(operation.examples) or result
    whole = shape_of(result, name=_own_name(operation))
    return _unwrap(whole, (), whole)


def _own_name(operation: Operation) -> str | None:
    is_list = isinstance(operation.result, dict) and operation.result.get("type") == "array"
    return None if is_list else operation.entity


def _unwrap(shape: Shape, path: Path, whole: Shape) -> Answer:
    if shape.type == "array":
        item = shape.items()
        if item is not None and item.type == "object" and item.names():
            return Answer("list", item, path, whole)
        return Answer("values", item, path, whole)
    if shape.type != "object":
        return Answer("value", shape, path, whole)
    names = shape.names()
    if not names:
        return Answer("map" if shape.values() else "empty", shape, path, whole)
    rest = [n for n in names if plain(n) not in EXTRAS]
    lists = [n for n in rest if _is_records(shape.property(n))]
    if lists:
        rest = [n for n in rest if n in lists or not is_about(n, shape.property(n))]
    if len(rest) == 1 and len(path) < 3:
        inner = shape.property(rest[0])
        if lists and (len(names) > 1 or _wraps(rest[0], inner)):
            return _unwrap(inner, (*path, rest[0]), whole)
        if inner.type == "object" and _wraps(rest[0], inner):
            return _unwrap(inner, (*path, rest[0]), whole)
    return Answer("record", shape, path, whole)


def is_about(name: str, shape: Shape) -> bool:
    """Whether a property beside a list only says what it is or where it is to be had."""
    return shape.type == "string" and (
        len(shape.enum) == 1 or plain(name) in ("url", "uri", "href", "object", "type", "kind")
    )


def _is_records(shape: Shape) -> bool:
    item = shape.items() if shape.type == "array" else None
    return item is not None and item.type == "object" and bool(item.names())


def _wraps(name: str, inner: Shape) -> bool:
    item = inner.items() if inner.type == "array" else inner
    noun = item.noun if item else ()
    words = one(split(name))
    called = item is not None and item.name is not None and words in stems(item.name)
    return name.lower() in ENVELOPES or called or not noun or singular(name) in noun


def field_arguments(reading: Reading) -> tuple[Argument, ...]:
    """The arguments of a create or update that may be values of the record."""
    if reading.steps:
        return reading.taken("body")
    return reading.arguments
