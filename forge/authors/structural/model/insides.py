"""Values that answers show inside an object: `owner` as `{"login": …}`, the branch that something
is made from as `{"ref": …}`.

Always holds: the object has one property that what is shown is known by, a text; whatever else it
always has is nothing that an answer may not lack.
"""

from collections.abc import Mapping, Sequence

from forge.authors.structural.model.keys import Key, known_name
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import Words
from forge.types.state import Column

_REF = "ref"
"""What a place in a history is known by."""


def keys_inside(
    key: Key | None,
    shown: Mapping[str, Sequence[Shape]],
    columns: dict[str, Column],
    spaces: tuple[Words, ...],
) -> dict[str, str]:
    """The parts of a key that answers show as objects of what may be in several tables, each made
    a column of its own: "owner" by its login."""
    found: dict[str, str] = {}
    for name in key.beside if key is not None else ():
        objects = [s for s in shown.get(name, ()) if s.type == "object"]
        column = columns.get(name)
        one_table = column is not None and column.references is not None and len(spaces) < 2
        if not objects or one_table:
            continue
        inner = known_name(_kinds(objects[0]))
        columns[name] = Column(name=name, description=objects[0].description)
        if inner is not None:
            found[name] = inner
    return found


def taken_inside(shown: Sequence[Shape], taken: Sequence[Shape]) -> str | None:
    """The property of the object that a value is shown in, of one that is taken as a bare text."""
    bare = bool(taken) and all(s.type == "string" and not s.enum for s in taken)
    if not bare or not shown or any(s.type != "object" for s in shown):
        return None
    texts = all(_kinds(s).get(_REF) == "string" and s.required() <= {_REF} for s in shown)
    return _REF if texts else None


def _kinds(shape: Shape) -> dict[str, str]:
    return {name: shape.property(name).type for name in shape.names()}
