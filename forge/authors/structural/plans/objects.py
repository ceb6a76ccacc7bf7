"""Objects that are taken as a value of a record, beside those that answers show in their place.

Always holds: an object is kept as it is given only if answers show what it says, and nothing that
the server would add to it: `{"requested": true}` is not the state that is shown under its name.
"""

from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.reading.reading import Argument
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import is_id

_DEEP = 6


def shows_as_given(sheet: Sheet, argument: Argument, *, create: bool) -> bool:
    """Whether answers show what is given for this argument as it was given."""
    if not _parts(argument.shape):
        return True
    for shape in sheet.entity.shown:
        if argument.field in shape.names():
            shown = shape.property(argument.field)
            return _same(argument.shape, shown, create, loose=argument.required)
    return True


def names_record(shape: Shape, key: str) -> bool:
    """Whether an object can stand for a record: it says by which key."""
    names = shape.names()
    return not names or key in names or any(is_id(name) for name in names)


def _parts(shape: Shape) -> bool:
    item = shape.items() if shape.type == "array" else shape
    return item is not None and item.type == "object" and bool(item.names())


def _same(given: Shape, shown: Shape, create: bool, depth: int = 0, *, loose: bool = False) -> bool:
    """`create`: what a new record leaves out is not there, and a change leaves nothing out;
    `loose`: what need not be given may be kept to oneself."""
    if given.type == "array":
        ours, theirs = given.items(), shown.items() if shown.type == "array" else None
        if ours is None or theirs is None:
            return not _parts(given)
        return _same(ours, theirs, True, depth + 1)
    if given.type != "object" or not given.names():
        return True
    if shown.type != "object" or not shown.names():
        return shown.type == "any" or (shown.type == "object" and not shown.names())
    names, known = given.names(), set(shown.names())
    told = given.required() if loose else set(names)
    if not told <= known or not shown.required() <= set(names):
        return False
    if not create and known - set(names):
        return False
    if depth >= _DEEP:
        return True
    both = [name for name in names if name in known]
    return all(_alike(given.property(name), shown.property(name), create, depth) for name in both)


def _alike(given: Shape, shown: Shape, create: bool, depth: int) -> bool:
    numbers = ("integer", "number")
    kinds = {given.type, shown.type}
    known = "any" in kinds or len(kinds) == 1 or kinds <= set(numbers)
    return known and _same(given, shown, create, depth + 1)
