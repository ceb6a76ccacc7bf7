"""Properties whose values follow from other records or arguments: counts, when or by whom a flag
that updates set was set, and the same text once more as markup.

Always holds: what is named here is no column, so that no answer shows a value that a write has made
wrong; what answers always hold stays.
"""

import re

from forge.authors.structural.model.entities import Entity
from forge.authors.structural.model.keys import Key
from forge.authors.structural.reading.reading import field_arguments
from forge.authors.structural.shapes import Shape
from forge.authors.structural.verbs import is_participle, participle
from forge.authors.structural.words import Words, one, split

_IN_SYNC = "kept in sync with"
_REPRESENTS = re.compile(r"an? (string|text|human[- ]readable) representation\b", re.IGNORECASE)


def derived_of(entity: Entity, keys: dict[Words, Key]) -> set[str]:
    """The names of such properties."""
    given = {a.field for r in [*entity.creates, *entity.updates] for a in field_arguments(r)}
    flags = {
        w for r in entity.updates for a in field_arguments(r) for w in _states(a.field, a.shape)
    }
    always = {name for shape in entity.shown for name in shape.required()}
    found = set()
    for shape in entity.shown:
        for name in set(shape.names()) - always:
            prop = shape.property(name)
            follows = _counts(name, prop, entity, keys, flags) or _stamps(name, flags)
            told = prop.description
            follows = name not in given and (follows or bool(_REPRESENTS.match(told)))
            if follows or _IN_SYNC in told or _is_markup(name, shape):
                found.add(name)
    return found


def _states(name: str, shape: Shape) -> set[str]:
    """The words of the states that an argument may set: `completed`, or the choices of a status."""
    words = split(name)
    bare = words[1:] if words[:1] == ("is",) else words
    if shape.type == "boolean":
        return {bare[0]} if len(bare) == 1 else set()
    return {str(v).lower() for v in shape.enum} if words in (("state",), ("status",)) else set()


def _counts(
    name: str, shape: Shape, entity: Entity, keys: dict[Words, Key], flags: set[str]
) -> bool:
    """`num_subtasks`, `open_issues_count`: how many records of the document there are of a kind."""
    words = split(name)
    if shape.type not in ("integer", "number") or len(words) < 2:
        return False
    if words[0] in ("num", "number"):
        counted = one(words[2:] if words[:2] == ("number", "of") else words[1:])
    elif words[-1] in ("count", "counter"):
        counted = one(words[:-1])
    else:
        return False
    own = counted[-1:] == (f"sub{entity.noun[-1]}",)
    liked = len(counted) == 1 and participle(counted[0]) in flags
    return own or liked or any(counted[n:] in keys for n in range(len(counted)))


def _stamps(name: str, flags: set[str]) -> bool:
    """`completed_at` and `completed_by`, where an update sets `completed`."""
    words = split(name)
    said = len(words) == 2 and words[1] in ("at", "on", "by") and is_participle(words[0])
    return said and words[0] in flags


def _is_markup(name: str, shape: Shape) -> bool:
    """`html_notes` beside `notes`."""
    return name.startswith("html_") and name.removeprefix("html_") in shape.names()
