"""By what one record of an entity is told from all others.

Always holds: a key is of strings or integers; a key that no answer shows is hidden, and then no
argument takes it.
"""

from dataclasses import dataclass

from forge.authors.structural.columns import ID_WORDS, is_id, without_id
from forge.authors.structural.entities import Entity
from forge.authors.structural.reading import Argument
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import Words, snake, split


@dataclass(frozen=True)
class Key:
    column: str
    kind: str
    """JSON type."""
    natural: bool = False
    """People know it and say it; whoever makes a record gives it."""
    hidden: bool = False
    """Answers do not show it; no argument takes it."""


def find_key(entity: Entity) -> Key | None:
    """The key by the path that picks a record, by the properties shown, or, where records are
    only made and listed, one that nobody sees. None where records cannot be picked faithfully."""
    shapes: dict[str, Shape] = {}
    for shape in entity.shown:
        for prop in shape.names():
            shapes.setdefault(prop, shape.property(prop))
    picks = [r.steps[-1].arguments[-1] for r in entity.items if r.steps]
    loose = [a for r in entity.items if not r.steps for a in r.arguments]
    for argument in picks:
        name = _key_name(argument, entity.noun, shapes)
        if name is not None:
            return _key_of(name, entity, shapes)
    own = _own_id(entity.noun, shapes)
    if own is not None:
        return _key_of(own, entity, shapes)
    if picks:
        argument = picks[0]
        if is_id(argument.field) or entity.shown:
            return None
        return Key(argument.field, argument.shape.type, natural=True)
    relation = _relation(entity, shapes)
    if relation is not None:
        return relation
    for argument in loose:
        name = _key_name(argument, entity.noun, shapes)
        if name is not None and argument.required:
            return _key_of(name, entity, shapes)
    ids = [a for a in loose if is_id(a.field) and without_id(a.field) in ((), entity.noun)]
    if ids:
        kind = ids[0].shape.type
        return Key(ids[0].field, kind) if kind in ("string", "integer") else None
    return Key(f"{snake(entity.noun)}_id", "string", hidden=True)


def _relation(entity: Entity, shapes: dict[str, Shape]) -> Key | None:
    """The last of several ids of other things that operations without a path pick a record by:
    `remove_member(project_id, user_id)`."""
    for reading in entity.items:
        ids = [
            a.field
            for a in reading.arguments
            if a.required and is_id(a.field) and a.field in shapes
        ]
        if not reading.steps and len(ids) == 2:
            return Key(ids[-1], shapes[ids[-1]].type, natural=True)
    return None


def _key_name(argument: Argument, noun: Words, shapes: dict[str, Shape]) -> str | None:
    """The property that a path argument is the value of."""
    field = argument.words
    names = {split(name): name for name in shapes}
    tries = [field, (*noun, *field)]
    for size in range(1, len(noun) + 1):
        if field[:size] == noun[-size:]:
            tries.append(field[size:])
    tries += [(*noun[-1:], *field)]
    for words in tries:
        name = names.get(words)
        if words and name is not None and shapes[name].type in ("string", "integer"):
            return name
    if field[-1:] and field[-1] in ID_WORDS:
        return next((names[(w,)] for w in ("id", "gid", "uuid", "uid") if (w,) in names), None)
    return None


def _own_id(noun: Words, shapes: dict[str, Shape]) -> str | None:
    names = {split(name): name for name in shapes}
    for word in ("id", "gid", "uuid", "guid", "uid"):
        for words in ((word,), (*noun, word), (noun[-1], word)):
            name = names.get(words)
            if name is not None and shapes[name].type in ("string", "integer"):
                return name
    return None


def _key_of(name: str, entity: Entity, shapes: dict[str, Shape]) -> Key:
    kind = shapes[name].type
    if not is_id(name):
        own = _own_id(entity.noun, shapes)
        if own is not None and own != name:
            return Key(own, shapes[own].type)  # the path picks by a unique column instead
        return Key(name, kind, natural=True)
    if without_id(name) not in ((), entity.noun, entity.noun[-1:]):
        return Key(name, kind, natural=True)  # the id of something else: a relation
    return Key(name, kind)
