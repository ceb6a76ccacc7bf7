"""What a record holds, told by the tools of its noun together: what makes and changes it takes,
what answers show, what lists filter by.

Always holds: a property is in the record only if some tool takes it as a value of the record, shows
it, or says that it filters by it; what a tool is told to do beside (`auto_init`, `notify`) is none.
"""

import re
from dataclasses import dataclass

from forge.authors.structural.reading.reading import Answer, Argument
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import Words, split, word_set
from forge.types.data import JsonSchema

_ORDERS = word_set(
    "auto init initialize notify send dry force skip validate include with generate allow"
)
_NOTES = frozenset(("status", "message", "success", "ok", "result"))
_OF_A_CALL = re.compile(
    r"\b(operation|action|attempt\w*|success\w*|was|were|done|true if)\b", re.IGNORECASE
)
_FILTERS = re.compile(r"^\W*filter\b|\bfilter(s|ed)? by\b", re.IGNORECASE)
_BOUNDS = word_set("since until before after min max minimum maximum")
"""What a filter of such a name bounds is another property, which nothing shows."""
_EVERY = ("all", "any", "both", "*")


@dataclass(frozen=True)
class Told:
    """The evidence for one noun, in the order of the document."""

    noun: Words
    taken: tuple[tuple[str, tuple[Argument, ...]], ...]
    """(create or update, the arguments that may be values of the record)."""
    shown: tuple[Answer, ...]
    filters: tuple[Argument, ...]
    key: Argument | None
    natural: bool
    """Whoever makes a record gives its key."""


def record_of(told: Told) -> JsonSchema:
    """The JSON Schema of a record; `required` are its key and what it has from the start."""
    properties: JsonSchema = {}
    definitions: JsonSchema = {}

    def keep(name: str, shape: Shape) -> None:
        if name not in properties:
            properties[name] = {k: v for k, v in shape.schema.items() if k != "$defs"}
            definitions.update(shape.defs)

    for answer in told.shown:
        shape = answer.shape
        if shape is not None and not is_note(shape):
            for name in shape.names():
                keep(name, shape.property(name))
    key = _key_in(told, properties)
    made = {a.field for kind, arguments in told.taken if kind == "create" for a in arguments}
    from_start = []
    for kind, arguments in told.taken:
        for argument in arguments:
            renamed = column_in(argument.field, told.noun, properties) != argument.field
            if _is_order(argument) or renamed:
                continue
            keep(argument.field, argument.shape)
            state = argument.shape.enum or argument.shape.type == "boolean"
            if kind == "update" and argument.field not in made and state:
                from_start.append(argument.field)
    for argument in told.filters:
        said = _FILTERS.search(argument.description) and not set(argument.shape.enum) & set(_EVERY)
        bounds = _BOUNDS & {*argument.words[:1], *argument.words[-1:]}
        if said and not bounds and argument.shape.type in ("string", "integer"):
            keep(argument.field, argument.shape)
    if key is not None and key not in properties and told.key is not None:
        kind = "integer" if told.key.shape.type == "number" else told.key.shape.type
        properties = {key: {"type": kind, **_described(told.key)}, **properties}
    needed = [*([key] if key is not None else []), *from_start]
    schema: JsonSchema = {"type": "object", "properties": properties, "required": needed}
    return {**schema, "$defs": definitions} if definitions else schema


def is_note(shape: Shape | None) -> bool:
    """Whether an answer only says how the call went: `{"status": "Status of the operation"}`."""
    if shape is None or not shape.names():
        return False
    return all(is_said_of_call(name, shape.property(name)) for name in shape.names())


def is_said_of_call(name: str, shape: Shape) -> bool:
    """Whether a property of an answer says how the call went, in words or yes and no."""
    words = split(name)
    known = words in [(note,) for note in _NOTES] or words[-1:] == ("status",)
    plain = shape.type in ("string", "boolean") and not shape.enum
    return known and plain and bool(_OF_A_CALL.search(shape.description))


def _key_in(told: Told, properties: JsonSchema) -> str | None:
    """The property that is the key: of the argument's name, else a bare id that answers show."""
    if told.key is None:
        return None
    if told.natural:
        return told.key.field
    bare = next((name for name in properties if split(name) in (("id",), ("uuid",))), None)
    return told.key.field if told.key.field in properties else bare or told.key.field


def _is_order(argument: Argument) -> bool:
    return (
        argument.shape.type == "boolean"
        and argument.words[:1] != ()
        and (argument.words[0] in _ORDERS)
    )


def column_in(name: str, noun: Words, properties: JsonSchema) -> str:
    """The property that an argument is, where their names differ by words that say no more:
    `new_text` is the text, `comment_content` the content of a comment."""
    if name in properties:
        return name
    words = split(name)
    before = [("new",), *(noun[start:] for start in range(len(noun)))]
    known = {split(each): each for each in properties}
    for start in before:
        rest = words[len(start) :]
        if rest and words[: len(start)] == start and rest in known:
            return str(known[rest])
    return name


def _described(argument: Argument) -> JsonSchema:
    return {"description": argument.description} if argument.description else {}


def is_keepable(schema: JsonSchema) -> bool:
    """Whether a column can hold such values: it says what they are."""
    kind = schema.get("type")
    kinds = set(kind) - {"null"} if isinstance(kind, list) else {kind}
    if len(kinds) != 1:
        return False
    if kinds == {"array"}:
        return is_keepable(schema.get("items", {}))
    if kinds == {"object"}:
        return bool(schema.get("properties"))
    return None not in kinds
