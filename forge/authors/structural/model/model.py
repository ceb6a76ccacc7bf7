"""The state space of a document: every entity as a sheet, and who acts.

Always holds: every reference names a table of the model and has the type of its key; every entity
has a key, if it is no singleton; the columns of a sheet's `parents` hold that parent's key.
"""

import re
from dataclasses import dataclass, field, replace

from forge.authors.structural.model.entities import Entities, Entity
from forge.authors.structural.model.keys import Key, calls_of, find_key
from forge.authors.structural.model.nests import holder_of, holders, home_of
from forge.authors.structural.model.references import Targets, is_asked_of_one, is_mine, is_role
from forge.authors.structural.model.sheets import Sheet, sheet_of
from forge.authors.structural.reading.reading import Reading
from forge.authors.structural.reading.routes import DELETE, PEOPLE, name_of
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import Words, is_id, many, said, without_id
from forge.types.doc import Operation


@dataclass(frozen=True)
class Tie:
    """Each record of `holder` has a set of records of `items`: in the array column `column` of the
    holder; if `turned`, each item has the array column, of its holders; or, if there is a `link`,
    each of its records names both, in `column` the item and in `other` the holder."""

    holder: Words
    items: Words
    column: str
    turned: bool = False
    link: Words = ()
    other: str = ""


@dataclass(frozen=True)
class Model:
    entities: Entities
    sheets: dict[Words, Sheet]
    actors: str | None
    ties: dict[tuple[Words, Words], Tie] = field(default_factory=dict)
    """By holder and by what paths call the set (`ties.py`)."""
    subs: dict[tuple[Words, tuple[str, ...]], Words] = field(default_factory=dict)
    """By what it is of and the rest of the path: the noun of what each has one of (`subs.py`)."""
    switches: dict[tuple[Words, tuple[str, ...]], str] = field(default_factory=dict)
    """Likewise: the column that says whether it is on (`switches.py`)."""

    def of(self, reading: Reading) -> Sheet | None:
        noun = self.entities.about.get(reading.operation.name)
        return self.sheets.get(noun) if noun else None

    def of_table(self, table: str) -> Sheet:
        return next(s for s in self.sheets.values() if s.name == table)

    def reference(self, sheet: Sheet, name: str, shape: Shape) -> tuple[str, str] | None:
        return self.targets().of(sheet.entity, name, shape)

    def targets(self) -> Targets:
        several = frozenset(noun for noun, s in self.sheets.items() if len(s.table.key) > 1)
        return Targets(self.entities, self.keys(), {}, several)

    def keys(self) -> dict[Words, Key]:
        return {noun: s.key for noun, s in self.sheets.items() if s.key is not None}


def build_model(entities: Entities, readings: tuple[Reading, ...]) -> Model:
    keys: dict[Words, Key] = {}
    calls = calls_of(readings)
    for noun, entity in entities.by_noun.items():
        key = _bare_key(entity, readings) if entity.bare else find_key(entity, calls)
        if key is not None and not entity.singleton:
            keys[noun] = key
    kept = {n: e for n, e in entities.by_noun.items() if n in keys or e.singleton}
    known = _with_people(replace(entities, by_noun=kept), keys, readings)
    targets = Targets(known, keys, _links(known, readings), _composite(known, keys))
    sheets: dict[Words, Sheet] = {}
    for entity in _outer_first(known):
        sheets[entity.noun] = sheet_of(entity, keys, targets, readings, sheets)
    sheets = {noun: sheets[noun] for noun in known.by_noun}
    takes, unkept = _takes(sheets), _unkept(sheets)
    sheets = {noun: _taken_along(sheet, takes, unkept) for noun, sheet in sheets.items()}
    return Model(known, sheets, _actors(known, sheets, readings))


def _outer_first(entities: Entities) -> list[Entity]:
    """The entities, each after what it is nested in; circles are cut where they are met, and never
    between a record and the one that it is made in, if there is another place."""
    near = {noun: [s.noun for s in holders(e)] for noun, e in entities.by_noun.items()}
    homes = {noun: [home_of(e)] for noun, e in entities.by_noun.items()}
    order = _each_after(list(near), near)
    return [entities.by_noun[noun] for noun in _each_after(order, homes)]


def _each_after(nouns: list[Words], others: dict[Words, list[Words]]) -> list[Words]:
    """The nouns, each after its others, else in their order."""
    done: dict[Words, None] = {}
    open_: set[Words] = set()

    def visit(noun: Words) -> None:
        if noun in done or noun in open_ or noun not in others:
            return
        open_.add(noun)
        for other in others[noun]:
            visit(other)
        done[noun] = None

    for noun in nouns:
        visit(noun)
    return list(done)


def _composite(entities: Entities, keys: dict[Words, Key]) -> frozenset[Words]:
    """The entities whose key is of several columns: picked by several arguments at once, or by what
    people know within something else, or by an id within such a one which nothing refers to."""
    shown = _embedded_names(entities)
    found: set[Words] = set()
    for entity in _outer_first(entities):
        key = keys.get(entity.noun)
        if key is None or (entity.bare and not key.beside):
            continue
        nested = any(holder_of(r) is not None for r in entity.items)
        home = home_of(entity)
        referred = not shown.isdisjoint(_shown_names(entities, entity.noun))
        there = all((h := holder_of(r)) is not None and h.noun == home for r in entity.items)
        within = home in found and nested and there and not referred
        if key.beside or (key.natural and nested) or within:
            found.add(entity.noun)
    return frozenset(found)


def _shown_names(entities: Entities, noun: Words) -> set[str]:
    return {name for name, bound in entities.names.items() if bound == noun} | {
        name for name, owners in entities.owners.items() if noun in owners
    }


def _embedded_names(entities: Entities) -> set[str]:
    """The schemas that records hold others by: objects, and items of lists."""
    found: set[str] = set()
    for entity in entities.by_noun.values():
        for shape in entity.shown:
            for name in shape.names():
                prop = shape.property(name)
                inner = prop.items() if prop.type == "array" else prop
                if inner is not None and inner.name:
                    found.add(inner.name)
    return found


def _bare_key(entity: Entity, readings: tuple[Reading, ...]) -> Key | None:
    for reading in readings:
        for step in reading.steps:
            if step.noun == entity.noun and step.arguments:
                *outer, argument = step.arguments
                if argument.shape.type in ("string", "integer"):
                    beside = tuple(each.field for each in outer)
                    return Key(argument.field, argument.shape.type, natural=True, beside=beside)
    return None


def _with_people(
    entities: Entities, keys: dict[Words, Key], readings: tuple[Reading, ...]
) -> Entities:
    """With people, where operations are about one's own records and only ids show who one is."""
    if any(noun in keys for noun in PEOPLE) or not any(is_mine(r) for r in readings if not r.odd):
        return _with_signers(entities, keys, readings)
    for reading in readings:
        entity = entities.of(reading)
        if entity is None or not is_mine(reading):
            continue
        for shape in entity.shown:
            for name in shape.names():
                kind = shape.property(name).type
                if is_id(name) and is_role(without_id(name)) and kind in ("string", "integer"):
                    noun = PEOPLE[0]
                    keys[noun] = Key("user_id", kind)
                    person = Entity(noun, (), (), (), (), (), bare=True)
                    return replace(entities, by_noun={**entities.by_noun, noun: person})
    return _with_signers(entities, keys, readings)


_SIGNS = "username"


def _with_signers(
    entities: Entities, keys: dict[Words, Key], readings: tuple[Reading, ...]
) -> Entities:
    """With people known by a user name, where records say who made them and no tool is told."""
    if any(noun in keys for noun in PEOPLE) or not any(r.signer for r in readings if not r.odd):
        return entities
    noun = PEOPLE[0]
    keys[noun] = Key(_SIGNS, "string", natural=True)
    person = Entity(noun, (), (), (), (), (), bare=True)
    return replace(entities, by_noun={**entities.by_noun, noun: person})


def _links(entities: Entities, readings: tuple[Reading, ...]) -> dict[tuple[Words, str], Words]:
    """(noun, argument's field) -> the noun whose key an OpenAPI link says it takes."""
    found: dict[tuple[Words, str], Words] = {}
    by_name = {r.operation.name: r for r in readings}
    for reading in readings:
        source = entities.of(reading)
        people = entities.by_noun.get(PEOPLE[0])
        if reading.signer and source is not None and people is not None and people.bare:
            found[(source.noun, reading.signer)] = people.noun
        for link in reading.operation.links:
            target = by_name.get(link.target)
            entity = entities.of(target) if target else None
            tail = link.source.rsplit("/", 1)[-1]
            if target is None or source is None or entity is None or not is_id(tail):
                continue
            for argument in target.arguments:
                if argument.name == link.parameter and without_id(tail) in ((), source.noun):
                    found[(entity.noun, argument.field)] = source.noun
    return found


_ALONG = re.compile(r"\b(with|and|along with|including|plus)\b[^.]*", re.IGNORECASE)


def _takes(sheets: dict[Words, Sheet]) -> dict[str, str]:
    """Table -> what the deletes of its records say that they take along, in lower case."""
    found: dict[str, str] = {}
    for sheet in sheets.values():
        texts = []
        for operation in _deletes(sheet):
            text = f"{operation.summary}. {operation.description}"
            texts += [match[0].lower() for match in _ALONG.finditer(text)]
        found[sheet.name] = " ".join(texts)
    return found


_MAY_BE_USED = frozenset(("400", "403", "405", "409", "412", "423", "default"))
_INPUT = re.compile(r"\b(validation|invalid|malformed)\b", re.IGNORECASE)


def _unkept(sheets: dict[Words, Sheet]) -> frozenset[str]:
    """The tables whose deletes say what they fail with, and no failure is one of a record that is
    still used: what refers to such a record and must have it goes with it."""
    found: set[str] = set()
    for sheet in sheets.values():
        failures = [operation.failures for operation in _deletes(sheet)]
        if failures and all(
            "404" in told
            and _MAY_BE_USED.isdisjoint(told)
            and ("422" not in told or _INPUT.search(told["422"]))
            for told in failures
        ):
            found.add(sheet.name)
    return frozenset(found)


def _deletes(sheet: Sheet) -> list[Operation]:
    return [
        reading.operation
        for reading in sheet.entity.items
        if reading.operation.method == "DELETE"
        or (not reading.steps and name_of(reading).verb in DELETE)
    ]


def _taken_along(sheet: Sheet, takes: dict[str, str], unkept: frozenset[str]) -> Sheet:
    """With the references that a delete is said to take along: "with its members and tasks"; or
    that could only keep it from what is nowhere said to fail."""
    own = (said(many(sheet.entity.noun)), said(sheet.entity.noun))
    columns = tuple(
        c.model_copy(update={"on_delete": "cascade"})
        if c.references
        and c.required
        and c.references != sheet.name
        and (c.references in unkept or any(words in takes[c.references] for words in own))
        else c
        for c in sheet.table.columns
    )
    return replace(sheet, table=sheet.table.model_copy(update={"columns": columns}))


_SIGNED_IN = re.compile(
    r"\bauthored by the (currently )?(authenticated|authorized|signed-in) user\b", re.IGNORECASE
)


def _is_signed(reading: Reading) -> bool:
    return _SIGNED_IN.search(" ".join(reading.operation.description.split())) is not None


def _actors(
    entities: Entities, sheets: dict[Words, Sheet], readings: tuple[Reading, ...]
) -> str | None:
    """The table of people, where some operation is about the one who asks."""
    if not any(is_asked_of_one(r) or _is_signed(r) for r in readings if not r.odd):
        return None
    return next((sheets[n].name for n in PEOPLE if n in sheets and sheets[n].key), None)
