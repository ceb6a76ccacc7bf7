"""What a property refers to: by the schema it embeds, by its name, by its description, by links.

Always holds: a reference is to an entity with a key of one column that answers show, and a scalar
that refers has the type of that key.
"""

import re
from dataclasses import dataclass, field

from forge.authors.structural.model.entities import Entities, Entity
from forge.authors.structural.model.keys import Key
from forge.authors.structural.model.nests import home_of
from forge.authors.structural.reading.reading import Reading
from forge.authors.structural.reading.routes import MINE, PEOPLE, name_of
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import Words, is_id, many, one, split, without_id, word_set

_ROLES = word_set(
    "user owner assignee creator author reporter reviewer approver organizer organiser host "
    "requester sender recipient lead actor manager member follower participant attendee "
    "collaborator watcher moderator responsible"
)
_DONE = word_set(
    "created updated assigned completed modified approved reported added uploaded closed "
    "requested opened resolved invited"
)
_COMMON = frozenset(
    {("name",), ("code",), ("number",), ("title",), ("key",), ("slug",), ("tag",), ("email",)}
    | {("label",), ("no",), ("path",), ("symbol",), ("username",), ("login",)}
)
"""Names that many entities have, each for itself."""
_ADDRESSES = ("url", "uri", "href")
_OF = re.compile(
    r"\b(?:g?ids?|uuid|identifiers?)\b[^.]*?\bof (?:an? |the |this |each )?(.{0,40})",
    re.IGNORECASE,
)
_WHOSE = re.compile(r"\b([a-z]+)(?:'s)? (?:g?ids?|identifiers?)\b", re.IGNORECASE)


_CAN_BE = re.compile(r"\bcan be (?:either )?(an? [^.]*?\bor\b[^.,]*)", re.IGNORECASE)
"""What kinds of records a reference may be to."""


NOWHERE = ("", "")
"""What a property refers to whose record no column can name: its key is of several columns."""


@dataclass(frozen=True)
class Targets:
    entities: Entities
    keys: dict[Words, Key]
    links: dict[tuple[Words, str], Words] = field(default_factory=dict)
    composite: frozenset[Words] = frozenset()
    """Entities with a key of several columns, which no column refers to."""

    def table_of(self, noun: Words) -> str:
        return self.entities.by_noun[noun].table

    def of(self, entity: Entity, name: str, shape: Shape) -> tuple[str, str] | None:
        """(table, type of its key) of what a property of the entity refers to."""
        if self._another_parent(entity, name, shape):
            return None
        if shape.type == "object":
            noun = self._embedded(entity, name, shape)
        elif records := shape.records():
            noun = self._expandable(records)
        elif shape.type in ("string", "integer") and not shape.enum:
            noun = self._named(entity, name, shape)
        else:
            return None
        if noun is None:
            return None
        key = self.keys[noun]
        if noun in self.composite:
            return NOWHERE if shape.type == "object" else None
        if key.hidden:
            return None
        if shape.type == "object":
            return (self.table_of(noun), key.kind) if key.column in shape.names() else None
        return (self.table_of(noun), key.kind) if shape.type == key.kind else None

    def _another_parent(self, entity: Entity, name: str, shape: Shape) -> bool:
        """Whether a parent is said to be something else than one of the same."""
        if (without_id(name) if is_id(name) else split(name)) != ("parent",):
            return False
        told = split(shape.description)
        itself = ("this", entity.noun[0])
        listed = _CAN_BE.search(shape.description)
        said = split(listed[1]) if listed is not None else told
        others = [noun for noun in self.keys if noun != entity.noun and len(noun) == 1]
        named = any(noun[0] in told or many(noun)[0] in told for noun in others)
        size = len(entity.noun)
        own = any(
            one(said[n : n + size]) == entity.noun and (*said[max(n - 1, 0) : n], said[n]) != itself
            for n in range(len(said))
        )
        return named and not own

    def _embedded(self, entity: Entity, name: str, shape: Shape) -> Words | None:
        if shape.several:
            return None
        bound = self._owner(entity, shape)
        if bound == entity.noun and split(shape.name or "") == (*bound, *split(name)):
            return None  # the `resource` of an event is called `EventResource`, and is no event
        if bound is not None:
            return bound if bound in self.keys else None
        return None if shape.name else self.noun(entity, one(split(name)))

    def _expandable(self, records: list[Shape]) -> Words | None:
        """The one entity whose records may be shown in place of a key; a note that the record is
        gone, which has no more than the key, counts for none."""
        found = {e.noun for each in records if (e := self.entities.of_shape(each)) is not None}
        known = [noun for noun in found if noun in self.keys]
        return known[0] if len(known) == 1 and len(found) == 1 else None

    def _owner(self, entity: Entity, shape: Shape) -> Words | None:
        """The entity whose records have the shape; of several, the one beside or in the entity."""
        near = (home_of(entity), entity.noun)
        for noun in self.entities.owners.get(shape.name or "", ()):
            other = self.entities.by_noun.get(noun)
            if other is not None and any(near) and home_of(other) in near and home_of(other):
                return noun
        bound = self.entities.of_shape(shape)
        return bound.noun if bound is not None else None

    def _named(self, entity: Entity, name: str, shape: Shape) -> Words | None:
        if shape.type == "integer" and not is_id(name) and split(name) != one(split(name)):
            return None  # `comments`: how many
        linked = self.links.get((entity.noun, name))
        if linked in self.keys:
            return linked
        words = split(name)
        own = self.keys.get(entity.noun)
        if own is not None and own.column == name and without_id(name) in ((), entity.noun):
            return None
        if is_id(name):
            inner = without_id(name)
            return self.noun(entity, inner) if inner else None
        if words[1:] and words[0] in _ADDRESSES:
            return None  # the `url_template` of what is linked to, beside a table of templates
        by_key = self._by_key(entity, words)
        if by_key is not None:
            return by_key
        noun = self.noun(entity, one(words))
        if noun is not None and (self.keys[noun].natural and words[-1:] == noun[-1:]):
            return noun
        if noun is not None and noun == one(words) and _is_key_of(noun, entity, shape):
            return noun
        told = self._told(shape.description)
        if told is not None and (noun is None or noun == told or one(words) != noun):
            return told
        return noun if noun is not None and told == noun else None

    def _by_key(self, entity: Entity, words: Words) -> Words | None:
        """The entity whose key people say has this very name: `card_number`, `sku`."""
        if words in _COMMON:
            return None
        found = [
            noun
            for noun, key in self.keys.items()
            if noun != entity.noun and key.natural and split(key.column) == words
        ]
        return found[0] if len(found) == 1 else None

    def noun(self, entity: Entity, words: Words) -> Words | None:
        """The entity that a property of this name is one of."""
        for size in range(len(words), 0, -1):
            if words[-size:] in self.keys:
                return words[-size:]
        if words == ("parent",):
            return entity.noun if entity.noun in self.keys else None
        person = words[-1:] and (words[-1] in _ROLES or (words[-1] == "by" and words[0] in _DONE))
        if person or words == ("assigned", "to"):
            return next((noun for noun in PEOPLE if noun in self.keys), None)
        return None

    def _told(self, description: str) -> Words | None:
        """The entity whose id a description says this is: "Gid of a user"."""
        texts = [m[1] for m in _OF.finditer(description)]
        texts += [m[1] for m in _WHOSE.finditer(description)]
        if re.match(r"^an array of (strings identifying )?users?\b", description, re.IGNORECASE):
            texts.append("user")
        if re.search(r"\bstrings identifying users\b", description, re.IGNORECASE):
            texts.append("user")
        for text in texts:
            words = one(tuple(w.lower() for w in re.findall(r"[A-Za-z]+", text)[:3]))
            for size in range(min(3, len(words)), 0, -1):
                start = one(words[:size])
                if start in self.keys:
                    return start
        return None


def _is_key_of(noun: Words, entity: Entity, shape: Shape) -> bool:
    """Whether what is called like a record is its key: the `bookmark` of what lies in bookmarks, if
    it is a number, and what looks like one."""
    return (shape.type == "integer" and noun == home_of(entity)) or _shows_ids(shape)


_AN_ID = re.compile(r"\d{2,}|[0-9a-f]{8}-[0-9a-f-]{27}|[a-z]{1,5}_[0-9a-zA-Z]{4,}|[0-9a-f]{24}")


def _shows_ids(shape: Shape) -> bool:
    """Whether its examples are ids, no names: `workspace` like "1331", not like "Oakfield"."""
    return bool(shape.examples) and all(_AN_ID.fullmatch(str(e)) for e in shape.examples)


def is_role(words: Words) -> bool:
    """Whether it is what a person is to something: owner, assignee, created by."""
    if not words:
        return False
    by = words[-1] == "by" and words[0] in _DONE
    return by or words[-1] in _ROLES or words == ("assigned", "to")


def says_id(reading: Reading) -> bool:
    """Whether an operation is named for finding one record by a value: `get_…_by_…`."""
    name = name_of(reading)
    return name.tail[:1] == ("by",) or name.verb == "find"


def is_asked_of_one(reading: Reading) -> bool:
    """Whether an operation is about one who is not named: whoever asks."""
    asks = any(argument.asker for step in reading.steps for argument in step.arguments)
    return asks or bool(reading.signer) or is_mine(reading)


def is_mine(reading: Reading) -> bool:
    """Whether an operation is about what belongs to the one who asks."""
    if reading.steps:
        return any(step.words in MINE for step in reading.steps)
    return name_of(reading).mine
