"""What a new record holds where nothing is given: a default that the document says, or the one
value that a fresh record can have.

Always holds: what is worked out, or depends on what a server does, has no first value.
"""

import re

from forge.authors.structural.lexicon import group
from forge.authors.structural.shapes import Shape
from forge.authors.structural.verbs import is_participle
from forge.authors.structural.words import split, word_set
from forge.types.data import Json
from forge.types.state import Column

_SAID = re.compile(
    r"\b(?:defaults?(?: value)?(?: is| to|:)|(?:is|will be|be) set to)\s+(`?)\"?([\w.-]+?)\"?\1"
    r"(?:[.;](?:\s|$)|,\s(?:and|which|meaning|i\.e)|\s*\(|\)|$)",
    re.IGNORECASE,
)
_MARKED = re.compile(r"[`'\"]([\w.-]+)[`'\"]\s*\(default\)", re.IGNORECASE)
_BEGINNINGS = word_set("draft new open pending active todo created enabled available unpaid")
_HOLDS = word_set("valid active available open enabled")


def said_default(shapes: list[Shape], column: Column) -> Json:
    """The default in an argument's own words: "Defaults to `once`.", "`once` (default) or"; None
    where it says none, or one that holds only now and then."""
    for shape in shapes:
        matches = [m[2] for m in _SAID.finditer(shape.description) if "default" in m[0].lower()]
        matches += _MARKED.findall(shape.description)
        if len(matches) == 1:
            return _read(matches[0], column)
    return None


def _read(text: str, column: Column) -> Json:
    if column.enum is not None:
        return text if text in column.enum else None
    if column.type == "boolean":
        return {"true": True, "false": False}.get(text.lower())
    if column.type == "integer" and re.fullmatch(r"\d{1,9}", text):
        return int(text)
    return None


def first_value(column: Column) -> Json:
    """Of a column that no argument fills and answers always show."""
    words = split(column.name)
    if column.references is not None:
        return None
    if column.enum:
        return _first_state(column.enum)
    if column.type == "boolean":
        return words[-1] in _HOLDS and len(words) <= 2
    if column.type in ("integer", "number"):
        worked_out = set(words) & group("money") and not is_participle(words[-1])
        return None if worked_out and "balance" not in words else 0
    return unasked_value(column)


def unasked_value(column: Column) -> Json:
    """Of a column that an argument may fill, where none is given and no default is said: nothing in
    a list or a map; what can be used is made to be used."""
    if column.type == "boolean" and split(column.name)[-1:] == ("active",):
        return True
    if column.type == "array":
        return []
    return {} if column.type == "object" and column.values is not None else None


def _first_state(states: tuple[Json, ...]) -> Json:
    """The first that the document lists, unless it lists them by the alphabet: then only one that
    things begin with."""
    names = [str(state) for state in states]
    if len(names) > 2 and names == sorted(names):
        if "draft" in names:
            return "draft"
        return states[0] if names[0] in _BEGINNINGS else None
    return states[0]
