"""What an answer may lack. Links of the API itself: addresses and ids of the server's own, which
tell an agent nothing; and what is kept back.

Always holds: what someone can write is none, and the only address of a record that nobody makes
is none either, unless its name says so: it may be what the record is about.
"""

import re

from forge.authors.structural.model.entities import Entity
from forge.authors.structural.reading.reading import field_arguments
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import split

_ALWAYS = frozenset(
    {("html", "url"), ("node", "id"), ("self",), ("href",), ("api", "url"), ("self", "link")}
)


def is_link(name: str, shape: Shape) -> bool:
    """Whether a property is named or made like a link: `events_url`, `_links`, `node_id`."""
    words = split(name)
    if words == ("links",):
        return name.startswith("_") or shape.type == "object"
    if shape.type not in ("string", "any"):
        return False
    address = words[-1:] in (("url",), ("uri",), ("href",))
    return words in _ALWAYS or address or (shape.schema.get("format") == "uri" and shape.read_only)


def links_in(shape: Shape) -> frozenset[str]:
    """The links among the properties of a value that only answers show."""
    found = [n for n in shape.names() if is_link(n, shape.property(n))]
    if len(found) > 1:
        return frozenset(found)
    return frozenset(n for n in found if split(n) in _ALWAYS or n.startswith("_"))


def links_of(entity: Entity) -> frozenset[str]:
    """The links among the properties of the entity's records."""
    taken = {a.field for r in (*entity.creates, *entity.updates) for a in field_arguments(r)}
    found: set[str] = set()
    for shape in entity.shown:
        found |= {n for n in shape.names() if n not in taken and is_link(n, shape.property(n))}
    if entity.creates or len(found) > 1:
        return frozenset(found)
    return frozenset(n for n in found if split(n) in _ALWAYS or n.startswith("_"))


def may_be_left_out(name: str, shape: Shape) -> bool:
    """Whether an answer that lacks this property is still true: a link, a value of many forms, a
    copy of other records, or parts that no column can keep. Bare values are not."""
    if is_link(name, shape) or shape.several or shape.type in ("any", "object", "null"):
        return True
    item = shape.items() if shape.type == "array" else None
    return shape.type == "array" and (item is None or item.type in ("any", "object", "array"))


_WITHHELD = re.compile(
    r"\b(only|never) (be )?(returned|shown|available|visible|displayed|included|accessible)"
    r" (once|(at|on|upon|during) creation|when .{0,30}creat|via|through|immediately)\b"
    r"|\bfor security reasons\b",
    re.IGNORECASE,
)


def is_withheld(shape: Shape) -> bool:
    """Whether most answers keep a property back: a secret that is shown once."""
    return _WITHHELD.search(shape.description) is not None


def tells_enough(shape: Shape, shown: set[str]) -> bool:
    """Whether at least half of what a value always has, but for links, is among what is shown."""
    always = [n for n in shape.required() if not is_link(n, shape.property(n))]
    return 2 * sum(n in shown for n in always) >= len(always)
