"""Where a value is invented: the record so far, what it refers to, whom and what place it is of."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from random import Random

from mimesis import Generic, Locale

from forge.authors.structural.lexicon import lists
from forge.authors.structural.values.kinship import is_kind, of_kind
from forge.authors.structural.values.meaning import meaning_of
from forge.authors.structural.values.phrases import is_person, phrase
from forge.authors.structural.values.places import SPOTS, Spot
from forge.authors.structural.words import split
from forge.types.data import Json
from forge.types.state import Column

KINDS = (("category",), ("genre",), ("type",), ("kind",), ("class",), ("subject",))
"""Last words of columns that say of what kind a thing is."""
_ADDRESSES = ("email", "username")

Look = Callable[[Column, Json], Mapping[str, Json]]
"""A column and the key in it -> the record that it refers to; {} where it is not known."""


def nothing(column: Column, key: Json) -> Mapping[str, Json]:
    return {}


@dataclass
class Scene:
    """Where a value is invented: the record so far, its table's noun, the clock, the dice.

    Person, place and company are chosen once, so that all columns of a record agree."""

    rng: Random
    noun: str
    near: Mapping[str, Json]
    now: datetime
    columns: Collection[Column] = ()
    """All columns of the record, or of the object in it."""
    outer: "Scene | None" = None
    """The scene of the record that this object is nested in."""
    source: Generic | None = None
    """Shared by many scenes, as making one is slow."""
    look: Look = nothing
    """What is known of the records that this one refers to."""

    @property
    def person(self) -> tuple[str, str]:
        """First and last name: those in the record, or one stranger's."""
        first, last = "", ""
        for name, value in self.near.items():
            if not isinstance(value, str) or not value:
                continue
            match meaning_of(name, self.noun):
                case "first_name":
                    first = value
                case "last_name":
                    last = value
                case "person" if " " in value and not (first and last):
                    first, _, last = value.partition(" ")
        if not (first and last):
            told = self._addressed
            first, last = first or told[0], last or told[1]
        if not first and not last and self.outer is not None:
            return self.outer.person
        return first or self._stranger[0], last or self._stranger[1]

    @property
    def _addressed(self) -> tuple[str, str]:
        """Who a user name or address is of: "oliver.o-brien" is Oliver O'Brien's."""
        for name, value in self.near.items():
            if isinstance(value, str) and meaning_of(name, self.noun) in _ADDRESSES:
                first, dot, last = re.sub(r"[\d+]*(@.*)?$", "", value).partition(".")
                if dot and len(first) > 1 and len(last) > 1:
                    return _written(first, "first_name"), _written(last, "last_name")
        return "", ""

    @cached_property
    def _stranger(self) -> tuple[str, str]:
        return phrase(self.rng, ("{first_name}",)), phrase(self.rng, ("{last_name}",))

    @property
    def spot(self) -> Spot:
        """The place the record is at: the one it names, or any, the same every time."""
        texts = [value for value in self.near.values() if isinstance(value, str)]
        for fits in (
            [s for s in SPOTS if s.city in texts],
            [s for s in SPOTS if s.country in texts or s.code in texts],
        ):
            if fits:
                return fits[0] if len(fits) == 1 else self.rng.choice(fits)
        for spot in SPOTS:
            if any(text.startswith(spot.dial.split("#")[0]) for text in texts):
                return spot
        for record in self.referred:
            cities = [v for k, v in record.items() if split(k)[-1:] == ("city",)]
            fits = [s for s in SPOTS if s.city in cities]
            if fits and self._at_home:
                return fits[0]
        return self.outer.spot if self.outer is not None else self._somewhere

    @property
    def is_placed(self) -> bool:
        """Whether the record says where it is."""
        spot = self.spot
        return any(value in (spot.city, spot.country, spot.code) for value in self.near.values())

    @property
    def referred(self) -> list[Mapping[str, Json]]:
        """The records that this one refers to, as far as they are known."""
        return [
            self.look(column, self.near[column.name])
            for column in self.columns
            if column.references is not None and self.near.get(column.name) is not None
        ]

    @cached_property
    def _at_home(self) -> bool:
        return self.rng.random() < 0.85

    @cached_property
    def _somewhere(self) -> Spot:
        return self.rng.choice(SPOTS)

    @property
    def label(self) -> str:
        """The record's own name, if it has one yet."""
        if is_person(self.noun):
            return " ".join(self.person)
        for name, value in self.near.items():
            if isinstance(value, str) and meaning_of(name, self.noun) == "name":
                return value
        return ""

    @property
    def kinds(self) -> list[str]:
        """What the record says of its kind: its category, then the names of what it refers to."""
        told: list[str] = []
        named: list[str] = []
        for column in self.columns:
            value = self.near.get(column.name)
            if column.references is not None and value is not None:
                seen = self.look(column, value)
                named += [
                    text
                    for name, text in seen.items()
                    if isinstance(text, str) and split(name)[-1:] in (("name",), ("title",))
                ]
            elif isinstance(value, str) and (split(column.name)[-1:] in KINDS or column.enum):
                told.append(value)
        return [*told, *named]

    @cached_property
    def generic(self) -> Generic:
        """Mimesis, for what has an official form: ISBN, EAN, MAC addresses."""
        if self.source is not None:
            return self.source
        if self.outer is not None:
            return self.outer.generic
        return Generic(Locale.EN, seed=self.rng.getrandbits(32))


def _written(part: str, names: str) -> str:
    """A part of an address as the name that it is made from."""
    known = _by_slug(names).get(part)
    return known or "-".join(word.capitalize() for word in part.split("-"))


@cache
def _by_slug(names: str) -> dict[str, str]:
    """The names of a list by how they are written in addresses; the first of several."""
    found: dict[str, str] = {}
    for name in lists()[names]:
        for slug in (slug_of(name), slug_of(name).replace("-", "")):
            found.setdefault(slug, name)
    return found


def allowed_kin(scene: Scene) -> frozenset[int]:
    """Of which kin the record may be, by what it says of its kind, else by the choices that it
    has; none where any will do."""
    found: frozenset[int] = frozenset()
    for kind in scene.kinds:
        more = of_kind(scene.noun, kind)
        found = (found & more) or found or more
    if found:
        return found
    for column in scene.columns:
        if column.enum is not None and is_kind(scene.noun, column.enum):
            each = [of_kind(scene.noun, option) for option in column.enum if option]
            return frozenset().union(*each)
    return frozenset()


def slug_of(text: str) -> str:
    """ "Café Lumen & Sons" -> "cafe-lumen-sons"."""
    plain = text.lower().translate(str.maketrans("éèüöäåñç", "eeuoaanc"))
    return "-".join(re.findall(r"[a-z0-9]+", plain)) or "entry"
