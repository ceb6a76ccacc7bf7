"""By what one record of an entity is told from all others.

Always holds: a key is of strings or integers; a key that no answer shows is hidden, and then no
argument takes it.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from forge.authors.structural.model.entities import Entity
from forge.authors.structural.reading.reading import Argument, Reading
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import (
    ID_WORDS,
    Words,
    is_id,
    snake,
    split,
    without_id,
    word_set,
)


@dataclass(frozen=True)
class Key:
    column: str
    kind: str
    """JSON type."""
    natural: bool = False
    """People know it and say it; whoever makes a record gives it."""
    hidden: bool = False
    """Answers do not show it; no argument takes it."""
    beside: tuple[str, ...] = ()
    """The columns of the key before `column`, of a path that picks by several arguments at once:
    ("owner",) of `/repos/{owner}/{repo}`."""


@dataclass(frozen=True)
class Calls:
    """By which arguments the paths of a document call its things."""

    times: Mapping[tuple[Words, str], int]
    """(noun, argument) -> how many paths pick by it, at their end or on their way."""
    holders: Collection[tuple[Words, str]]
    """(noun, argument) of what other things are nested in."""


def calls_of(readings: Iterable[Reading]) -> Calls:
    times: Counter[tuple[Words, str]] = Counter()
    holders: set[tuple[Words, str]] = set()
    for reading in readings:
        called = [(s.noun, s.arguments[-1].field) for s in reading.steps if s.arguments]
        times.update(called)
        holders |= set(called if reading.steps and not reading.on_item else called[:-1])
    return Calls(times, holders)


def find_key(entity: Entity, calls: Calls) -> Key | None:
    """The key by the path that picks a record, by the properties shown, or, where records are
    only made and listed, one that nobody sees. None where records cannot be picked faithfully."""
    shapes: dict[str, Shape] = {}
    for shape in entity.shown:
        for prop in shape.names():
            shapes.setdefault(prop, shape.property(prop))
    kinds = {name: _kind(name, shape) for name, shape in shapes.items()}
    several = _several(entity, kinds)
    if several is not None:
        return several
    picks = [r.steps[-1].arguments[-1] for r in entity.items if r.steps]
    nested = any(step.arguments for r in entity.items for step in r.steps[:-1])
    loose = [a for r in entity.items if not r.steps for a in r.arguments]
    named = _picked(picks, entity.noun, kinds)
    if named:
        return _of_picks(named, entity, kinds, calls, nested)
    own = own_id(entity.noun, kinds)
    if own is not None:
        return _plain(own, entity, kinds)
    if picks:
        argument = picks[0]
        if is_id(argument.field) or entity.shown:
            return None
        return Key(argument.field, argument.shape.type, natural=True)
    relation = _relation(entity, shapes)
    if relation is not None:
        return relation
    for argument in loose:
        name = property_named(argument, entity.noun, kinds)
        if name is not None and argument.required:
            return _plain(own_id(entity.noun, kinds) or name, entity, kinds)
    ids = [a for a in loose if is_id(a.field) and without_id(a.field) in ((), entity.noun)]
    if ids:
        kind = ids[0].shape.type
        return Key(ids[0].field, kind) if kind in ("string", "integer") else None
    return Key(f"{snake(entity.noun)}_id", "string", hidden=True)


def _kind(name: str, shape: Shape) -> str:
    """The type of a property; an id that is called a number is a whole one."""
    return "integer" if shape.type == "number" and is_id(name) else shape.type


def own_arguments(entity: Entity) -> tuple[Argument, ...]:
    """What most paths pick one record by, where that is several arguments after one part."""
    ways = [r.steps[-1].arguments for r in entity.items if r.steps]
    counts = Counter(tuple(a.field for a in way) for way in ways if len(way) > 1)
    if not counts or max(counts.values()) < sum(len(way) == 1 for way in ways):
        return ()
    size = max(len(fields) for fields in counts)
    best = max((f for f in counts if len(f) == size), key=lambda f: counts[f])
    return next(way for way in ways if tuple(a.field for a in way) == best)


def _several(entity: Entity, kinds: Mapping[str, str]) -> Key | None:
    """The key of records that a path picks by several arguments after one another."""
    own = own_arguments(entity)
    if not own:
        return None
    *outer, last = own
    name = property_named(last, entity.noun, kinds)
    if name is None or any(a.shape.type not in ("string", "integer") for a in outer):
        return None
    bare = without_id(last.field) if is_id(last.field) else ()
    if last.field != name and bare and bare != entity.noun[-len(bare) :]:
        return None  # the id of something else
    beside = tuple(_beside(a, entity.noun, kinds) for a in outer)
    if len({*beside, name}) <= len(beside):
        return None
    return Key(name, kinds[name], natural=not is_id(name), beside=beside)


def _beside(argument: Argument, noun: Words, kinds: Mapping[str, str]) -> str:
    found = property_named(argument, noun, kinds, exact=True)
    return found or argument.field


def _picked(picks: list[Argument], noun: Words, kinds: Mapping[str, str]) -> dict[str, list[str]]:
    """The properties that paths pick by, and the arguments they are called by."""
    found: dict[str, list[str]] = {}
    for argument in picks:
        name = property_named(argument, noun, kinds)
        if name is not None:
            found.setdefault(name, []).append(argument.field)
    return found


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


_PEOPLE = word_set("username login user account owner org organization handle")
_NAMES: tuple[Words, ...] = (
    ("login",),
    ("username",),
    ("user", "name"),
    ("slug",),
    ("name",),
    ("key",),
)
_NUMBERS = (("number",), ("index",), ("iid",))


def property_named(
    argument: Argument, noun: Words, kinds: Mapping[str, str], *, exact: bool = False
) -> str | None:
    """The property, of those with these types, that a path argument is the value of: it is named
    so, or described by its name ("remote name of the mirror"), or, unless only `exact` names count,
    is the one that people know the thing by."""
    field, kind = argument.words, argument.shape.type
    names = {split(name): name for name, type_ in kinds.items() if type_ in ("string", "integer")}
    tries = [field, (*noun, *field)]
    for size in range(1, len(noun) + 1):
        if field[:size] == noun[-size:]:
            tries.append(field[size:])
    tries += [(*noun[-1:], *field), *(field[start:] for start in range(1, len(field) - 1))]
    for words in tries:
        name = names.get(words)
        if words and name is not None and kind in (kinds[name], "any"):
            return name
    told = " ".join(split(argument.description))
    said = [words for words in names if len(words) > 1 and words[-1:] == field]
    said = [words for words in said if re.search(rf"\b{' '.join(words)}\b", told)]
    if len(said) == 1 and kind == kinds[names[said[0]]]:
        return names[said[0]]
    if exact:
        return None
    if field[-1:] and field[-1] in ID_WORDS:
        own = [names[(w,)] for w in ("id", "gid", "uuid", "uid") if (w,) in names]
        return next((name for name in own if kind in (kinds[name], "any")), None)
    id_ = own_id(noun, kinds)
    is_noun = field == noun or field == noun[-len(field) :]
    by_name = bool(re.match(r"(the )?name of (the |a )?\w+\b", told)) and kind == "string"
    by_name = by_name and field[-1] not in _PEOPLE
    if is_noun and by_name and kinds.get(names.get(("name",), "")) == kind:
        return names[("name",)]
    if is_noun and id_ is not None and kinds[id_] == kind:
        return id_
    found = _known_by(field, noun, kind, names, kinds)
    if found is None and field[-1:] == ("name",) and id_ is None and kind == "string":
        return names.get(("name",)) if kinds.get(names.get(("name",), "")) == kind else None
    return found


def _known_by(
    field: Words, noun: Words, kind: str, names: Mapping[Words, str], kinds: Mapping[str, str]
) -> str | None:
    """The natural property of a thing that a path calls by its noun, or by a word for names."""
    person = field[-1] in _PEOPLE
    words: tuple[Words, ...] = ()
    if kind == "integer":
        words = _NUMBERS if field in (noun, noun[-1:], *_NUMBERS) else ()
    elif person:
        words = _NAMES if field == noun or field[-1:] == noun[-1:] else _NAMES[:3]
    elif field in (noun, noun[-1:]) or (len(field) == 1 and noun[-1:][0].startswith(field[0])):
        words = ((*noun[-1:], "name"), ("key",), *_NAMES)
    for tried in words:
        name = names.get(tried)
        if name is not None and kinds[name] == kind:
            return name
    return None


def is_name_of(argument: Argument, noun: Words, key: Key) -> bool:
    """Whether a required argument of a new record is its natural key, under another name."""
    if not argument.required or argument.shape.type != "string" or not argument.words:
        return False
    words = argument.words[1:] if argument.words[:1] == ("new",) else argument.words
    if words in (("username",), ("login",), ("user", "name")) and split(key.column) in _NAMES:
        return True
    named = replace(argument, field=snake(words))
    return bool(words) and property_named(named, noun, {key.column: key.kind}) is not None


def known_name(kinds: Mapping[str, str]) -> str | None:
    """The property by which people know someone or something: a text."""
    names = {split(name): name for name, kind in kinds.items() if kind == "string"}
    return next((names[words] for words in _NAMES if words in names), None)


def own_id(noun: Words, kinds: Mapping[str, str]) -> str | None:
    names = {split(name): name for name in kinds}
    for word in ("id", "gid", "uuid", "guid", "uid"):
        for words in ((word,), (*noun, word), (noun[-1], word)):
            name = names.get(words)
            if name is not None and kinds[name] in ("string", "integer"):
                return name
    return None


def _of_picks(
    named: dict[str, list[str]],
    entity: Entity,
    kinds: Mapping[str, str],
    calls: Calls,
    nested: bool,
) -> Key:
    """The id, where a path picks by it, or where a name picks and nothing is nested in what it
    names; else what people know the thing by. What else picks is a unique column then. Of an id and
    a name that is unique everywhere, the one that most paths go by."""

    def times(name: str) -> int:
        return sum(calls.times[entity.noun, field] for field in dict.fromkeys(named[name]))

    ids = [n for n in named if is_id(n) and without_id(n) in ((), entity.noun, entity.noun[-1:])]
    best = max(named, key=times)
    if ids and (nested or best in ids or times(best) == times(ids[0])):
        return _plain(ids[0], entity, kinds)
    own = own_id(entity.noun, kinds)
    holds = any((entity.noun, field) in calls.holders for field in named[best])
    if own is not None and own not in named and not holds and kinds[best] == "string":
        return _plain(own, entity, kinds)
    return Key(best, kinds[best], natural=True)


def _plain(name: str, entity: Entity, kinds: Mapping[str, str]) -> Key:
    other = is_id(name) and without_id(name) not in ((), entity.noun, entity.noun[-1:])
    return Key(name, kinds[name], natural=other or not is_id(name))
