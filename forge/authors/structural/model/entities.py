"""Which entities a document has: nouns of paths and names, and the schemas that show them.

Always holds: one noun is one entity; a named schema that several entities show (the hooks of an
organization and those of a repository) has one that it is the noun of.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from forge.authors.structural.reading.bare import of_one
from forge.authors.structural.reading.reading import Reading
from forge.authors.structural.reading.routes import CREATE, MINE, UPDATE, name_of, own_noun
from forge.authors.structural.shapes import Shape, is_gone
from forge.authors.structural.words import (
    Words,
    is_id,
    is_plural,
    many,
    snake,
    stem,
    stems,
    without_id,
)
from forge.docs.schema import look
from forge.types.doc import ApiDoc


@dataclass(frozen=True)
class Entity:
    noun: Words
    shown: tuple[Shape, ...]
    """What answers say a record looks like, the fullest first."""
    items: tuple[Reading, ...]
    """Operations whose path ends with an argument that picks one record."""
    creates: tuple[Reading, ...]
    updates: tuple[Reading, ...]
    lists: tuple[Reading, ...]
    singleton: bool = False
    """There is one record of it, and no argument that picks it."""
    bare: bool = False
    """Only paths name it, as what others belong to."""

    @property
    def table(self) -> str:
        return snake(self.noun if self.singleton else many(self.noun))


@dataclass(frozen=True)
class Entities:
    by_noun: dict[Words, Entity]
    names: dict[str, Words]
    """Schema name -> the noun it shows."""
    about: dict[str, Words]
    """Operation name -> the noun its records or its path are about."""
    owners: dict[str, tuple[Words, ...]] = field(default_factory=dict)
    """Schema name -> the nouns whose own operations show it."""

    def of_shape(self, shape: Shape | None) -> Entity | None:
        """The entity whose records have this named shape."""
        if shape is None or shape.name is None:
            return None
        noun = self.names.get(shape.name)
        return self.by_noun.get(noun) if noun else None

    def shows(self, noun: Words, shape: Shape) -> bool:
        """Whether records of the noun have this named shape."""
        name = shape.name or ""
        return self.names.get(name) == noun or noun in self.owners.get(name, ())

    def of(self, reading: Reading) -> Entity | None:
        noun = self.about.get(reading.operation.name)
        return self.by_noun.get(noun) if noun else None


@dataclass
class _Evidence:
    shown: list[Shape] = field(default_factory=list)
    items: list[Reading] = field(default_factory=list)
    creates: list[Reading] = field(default_factory=list)
    updates: list[Reading] = field(default_factory=list)
    lists: list[Reading] = field(default_factory=list)
    single: list[Reading] = field(default_factory=list)


def find_entities(doc: ApiDoc, readings: tuple[Reading, ...]) -> Entities:
    usable = [r for r in readings if not r.odd]
    owners = _owners(usable)
    names = _bind_names(doc, usable, owners)
    singles = {r.operation.name: one for r in readings if (one := of_one(r)) is not None}
    nouns = {noun for r in (*usable, *singles.values()) if (noun := own_noun(r))}
    about = {r.operation.name: _about(r, names, owners, nouns) for r in usable}
    evidence: dict[Words, _Evidence] = {}
    for reading in usable:
        noun = about[reading.operation.name]
        if noun:
            _gather(evidence.setdefault(noun, _Evidence()), reading, noun, names, owners)
    for name, single in singles.items():
        noun = _about(single, names, owners, nouns)
        if noun in evidence and not evidence[noun].creates:
            about[name] = noun
            _gather(evidence[noun], single, noun, names, owners)
    found = {noun: entity for noun, e in evidence.items() if (entity := _entity(noun, e))}
    for parent in _bare_parents(usable, about, found):
        found[parent] = Entity(parent, (), (), (), (), (), bare=True)
    return Entities(found, names, about, owners)


def _owners(readings: Iterable[Reading]) -> dict[str, tuple[Words, ...]]:
    """Schema name -> the resources that it shows: those whose records are picked and answered by
    it, else those where they are changed, or made. What is only linked, with nothing to write,
    shows the records of another."""
    found: dict[str, list[dict[Words, int]]] = {}
    writes: set[Words] = set()
    for reading in readings:
        noun = own_noun(reading) if reading.steps else ()
        if not noun or noun != reading.steps[-1].noun:
            continue
        method, answer = reading.operation.method, reading.answer
        if method in ("POST", "PUT", "PATCH") and reading.taken("body"):
            writes.add(noun)
        shape = answer.shape
        if shape is None or not shape.name or answer.kind != "record":
            continue
        level = 2 if not reading.on_item else 0 if method == "GET" else 1
        seen = found.setdefault(shape.name, [{}, {}, {}])[level]
        seen[noun] = seen.get(noun, 0) + 1
    made: dict[str, tuple[Words, ...]] = {}
    for name, levels in found.items():
        nouns = next(level for level in levels if level)
        made[name] = tuple(n for n in nouns if n in writes) or tuple(nouns)
    return made


def _bind_names(
    doc: ApiDoc, readings: list[Reading], owners: dict[str, tuple[Words, ...]]
) -> dict[str, Words]:
    """Each schema name's noun: one that a path has, unless such records are made and changed at
    one other only (`/repositories/{id}` of `/repos`); else the noun of the item path it answers at,
    or at which another of the same barest words does, else its own barest words."""
    nouns = {step.noun for r in readings for step in r.steps}
    nouns |= {name_of(r).noun for r in readings if not r.steps}
    claims: dict[str, set[Words]] = {}
    for r in readings:
        shape = r.answer.shape
        named = shape.name if shape and r.answer.kind in ("record", "list") else None
        if named and r.steps and (r.on_item or r.answer.kind == "list"):
            claims.setdefault(named, set()).add(r.steps[-1].noun)
    seen = set(claims) | set(doc.schemas)
    for r in readings:
        seen |= {n for n in (r.operation.entity, r.operation.body_entity) if n}
        if r.answer.shape and r.answer.shape.name:
            seen.add(r.answer.shape.name)
        seen |= set(r.answer.shape.defs) if r.answer.shape else set()
    bound: dict[str, Words] = {}
    times = Counter(step.noun for r in readings for step in r.steps)
    lone = {r.steps[0].noun for r in readings if len(r.steps) == 1 and r.on_item}
    lone = {noun for noun in lone if times[noun] == 1}
    also = _other_names(owners, nouns)
    for name in sorted(seen):
        all_stems = stems(name)
        direct = next((s for s in all_stems if s in nouns), None)
        mine = owners.get(name, ())
        only_shown = direct in claims.get(name, ()) and direct not in mine and direct in lone
        if (direct is None or only_shown) and len(mine) == 1:
            direct = mine[0]
        if direct is None and all_stems:
            direct = also.get(all_stems[-1])
        if direct is None and len(claims.get(name, ())) == 1:
            claimed = next(iter(claims[name]))
            taken = any(claimed in stems(other) for other in seen if other != name)
            direct = None if taken else claimed
        bound[name] = direct or (all_stems[-1] if all_stems else ())
    return bound


def _other_names(owners: dict[str, tuple[Words, ...]], nouns: set[Words]) -> dict[Words, Words]:
    """The barest words of schemas -> the one noun that such schemas show: "repository" -> repo."""
    found: dict[Words, set[Words]] = {}
    for name, mine in owners.items():
        words = stem(name)
        if words and words not in nouns and len(mine) == 1:
            found.setdefault(words, set()).add(mine[0])
    return {words: next(iter(mine)) for words, mine in found.items() if len(mine) == 1}


def _about(
    reading: Reading,
    names: dict[str, Words],
    owners: dict[str, tuple[Words, ...]],
    nouns: set[Words],
) -> Words:
    shape = reading.answer.shape
    own = own_noun(reading)
    if shape is not None and shape.name and reading.answer.kind in ("record", "list"):
        if own and own in owners.get(shape.name, ()):
            return own
        noun = names.get(shape.name, ())
        if noun in nouns:
            return noun
    if own:
        return own
    if reading.steps:
        body = names.get(reading.operation.body_entity or "", ())
        if body in nouns:
            return body
        if reading.steps[-1].noun in nouns:
            return reading.steps[-1].noun
        return reading.steps[-2].noun if len(reading.steps) > 1 else ()
    words = name_of(reading).noun
    fitting = [n for n in nouns if words[: len(n)] == n or words[-len(n) :] == n]
    if fitting:
        return max(fitting, key=lambda n: (len(n), n))
    return _picked(reading, nouns) if not words else ()


def _picked(reading: Reading, nouns: set[Words]) -> Words:
    """What a tool whose name is a verb alone is done to: `mention(tweet_id, …)`."""
    asked = [a.field for a in reading.arguments if a.required and is_id(a.field)]
    found = {noun for name in asked if (noun := without_id(name)) in nouns}
    return found.pop() if len(found) == 1 else ()


def _is_mine_of(reading: Reading, noun: Words) -> bool:
    """`/users/me`: one of the records of the collection before."""
    steps = reading.steps
    mine = len(steps) > 1 and steps[-1].words in MINE and not steps[-2].arguments
    return mine and steps[-2].noun == noun and reading.answer.kind == "record"


def _gather(
    evidence: _Evidence,
    reading: Reading,
    noun: Words,
    names: dict[str, Words],
    owners: dict[str, tuple[Words, ...]],
) -> None:
    method, answer = reading.operation.method, reading.answer
    own = own_noun(reading) == noun or _is_mine_of(reading, noun)
    name = name_of(reading)
    shape = answer.shape
    unlike = shape is not None and (is_gone(shape.schema) or is_mixed(shape, names))
    if shape is not None and answer.kind in ("record", "list") and shape.names() and not unlike:
        named = names.get(shape.name, ()) if shape.name else None
        if shape.name and noun in owners.get(shape.name, ()):
            named = noun
        if named == noun or (named is None and own and method != "DELETE"):
            evidence.shown.append(shape)
    if not reading.steps:
        if name.verb in CREATE and own:
            evidence.creates.append(reading)
        elif name.verb in UPDATE and own:
            evidence.updates.append(reading)
        elif answer.kind == "list" and own:
            evidence.lists.append(reading)
        elif own:
            evidence.items.append(reading)
        return
    last = reading.steps[-1]
    if last.noun != noun:
        return
    if reading.on_item:
        evidence.items.append(reading)
        if method in ("PUT", "PATCH", "POST"):
            evidence.updates.append(reading)
    elif method == "POST":
        if answer.kind not in ("list", "values"):
            evidence.creates.append(reading)
    elif method in ("PUT", "PATCH"):
        evidence.updates.append(reading)
        if len(reading.steps) == 1:
            evidence.single.append(reading)
    elif method == "GET" and answer.kind == "list":
        evidence.lists.append(reading)
    elif method == "GET" and answer.kind == "record" and len(reading.steps) == 1:
        evidence.single.append(reading)


def is_mixed(shape: Shape, names: dict[str, Words]) -> bool:
    """Whether it is a record of one of several entities: a card, or a bank account."""
    several = {look(choice, shape.defs).name for choice in shape.choices}
    return len({names.get(name, ()) for name in several if name is not None}) > 1


def _entity(noun: Words, e: _Evidence) -> Entity | None:
    once = {shape.name or str(place): shape for place, shape in enumerate(e.shown)}
    shown = tuple(sorted(once.values(), key=lambda s: -len(s.names())))
    if e.items or e.creates or e.lists:
        if not shown and not any(r.taken("body", "query") for r in [*e.creates, *e.updates]):
            return None
        if not shown and not (e.creates or e.lists):
            return None
        if not shown and not e.items and not any(r.body_noun[-1:] == noun[-1:] for r in e.creates):
            return None  # a lone POST may do anything, unless what it takes has the noun's name
        return Entity(
            noun, shown, tuple(e.items), tuple(e.creates), tuple(e.updates), tuple(e.lists)
        )
    if e.single and shown and any(r.operation.method == "GET" for r in e.single):
        return Entity(noun, shown, (), (), tuple(e.updates), (), singleton=True)
    return None


def _bare_parents(
    readings: Iterable[Reading], about: dict[str, Words], found: dict[Words, Entity]
) -> list[Words]:
    """Nouns with an argument that others are nested in, and which have no records of their own."""
    parents: dict[Words, None] = {}
    for reading in readings:
        noun = about[reading.operation.name]
        for step in reading.steps[:-1]:
            own = reading.steps[-1].noun
            nested = noun in found and own == noun
            alone = step.arguments and step.noun and step.noun not in found
            if nested and alone and is_plural(step.words[-1]):
                parents[step.noun] = None
    return list(parents)
