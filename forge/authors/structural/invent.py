"""One invented value of a column: what a person of that domain would write there.

Meaning comes first (the column's name, the table's noun, format), then the document's own
examples, then the word lists. What is drawn depends only on the random generator handed in.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from html import escape, unescape
from random import Random

from mimesis import Generic, Locale

from forge.authors.structural.dates import moment_for, written
from forge.authors.structural.kinship import is_kind, kin_name, kin_of, kind_name, of_kind
from forge.authors.structural.lexicon import fields, group, lists, purposes
from forge.authors.structural.life import life_in
from forge.authors.structural.meaning import Meaning, meaning, meaning_of, words_of
from forge.authors.structural.numbers import number_for
from forge.authors.structural.phrases import is_person, name_for, phrase, text_for, thing_of
from forge.authors.structural.places import SPOTS, Spot
from forge.authors.structural.words import singular, split
from forge.types.data import Json
from forge.types.state import Column

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
        """What the record says of its kind: its category, or the name of the type it refers to."""
        told: list[str] = []
        for column in self.columns:
            value = self.near.get(column.name)
            if column.references is not None and value is not None:
                seen = self.look(column, value)
                told += [
                    text
                    for name, text in seen.items()
                    if isinstance(text, str) and split(name)[-1:] in (("name",), ("title",))
                ]
            elif isinstance(value, str) and (split(column.name)[-1:] in _KINDS or column.enum):
                told.append(value)
        return told

    @cached_property
    def generic(self) -> Generic:
        """Mimesis, for what has an official form: ISBN, EAN, MAC addresses."""
        if self.source is not None:
            return self.source
        if self.outer is not None:
            return self.outer.generic
        return Generic(Locale.EN, seed=self.rng.getrandbits(32))


_KINDS = (("category",), ("genre",), ("type",), ("kind",), ("class",), ("subject",))
_ADDRESSES = ("email", "username")


def _written(part: str, names: str) -> str:
    """A part of an address as the name that it is made from."""
    for name in lists()[names]:
        if slug_of(name) == part or slug_of(name).replace("-", "") == part:
            return name
    return "-".join(word.capitalize() for word in part.split("-"))


def allowed_kin(scene: Scene) -> frozenset[int]:
    """Of which kin the record may be, by what it says of its kind, else by the choices that it
    has; none where any will do."""
    found: frozenset[int] = frozenset()
    for kind in scene.kinds:
        more = of_kind(scene.noun, kind)
        found = (found & more) or more or found
    if found:
        return found
    for column in scene.columns:
        if column.enum is not None and is_kind(scene.noun, column.enum):
            each = [of_kind(scene.noun, option) for option in column.enum if option]
            return frozenset().union(*each)
    return frozenset()


def invent(column: Column, scene: Scene) -> Json:
    """A value of a column that is neither nested nor an enum, not yet fitted to its limits."""
    kind = meaning(column, scene.noun)
    if column.type in ("integer", "number"):
        column = _with_room(column, scene)
        return number_for(
            column,
            kind,
            scene.noun,
            rng=scene.rng,
            near=scene.near if scene.outer is None else {**scene.outer.near, **scene.near},
            now=scene.now,
            label=scene.label,
            life=life_in(scene.columns, scene.near),
        )
    twin = _twin(column, scene)
    if twin is not None:
        return twin
    if kind == "name" and kin_of(scene.noun):
        return kin_name(scene.rng, scene.noun, allowed_kin(scene))
    maker = _MAKERS.get(kind)
    if maker is not None:
        return maker(scene)
    match kind:
        case "date" | "date-time" | "time":
            return _moment(column, kind, scene)
        case "url":
            return _url(column, scene)
        case "serial":
            return _digits("SN-#####-?", scene.rng)
        case "code":
            return _code(column, scene)
        case "text":
            return _text(column, scene)
        case "boolean":
            return _boolean(column, scene)
        case "field":
            return _field(column, scene)
        case "thing":
            return _thing(column, scene)
    standing = _standing(scene)
    if standing is not None and kind == "name":
        return phrase(scene.rng, lists()[f"{standing}_title"])
    example = _example(column, scene.rng, share=0.15)
    return example if example is not None else name_for(scene.rng, scene.noun)


def _with_room(column: Column, scene: Scene) -> Column:
    """No more guests than the room that the record refers to has beds."""
    if split(column.name)[-1:] not in (("adults",), ("guests",), ("people",), ("persons",)):
        return column
    room = [
        value
        for record in scene.referred
        for name, value in record.items()
        if split(name)[-1:] in (("beds",), ("sleeps",), ("capacity",)) and isinstance(value, int)
    ]
    most = min([*room, *([] if column.maximum is None else [column.maximum])], default=None)
    least = 1 if column.minimum is None else column.minimum
    return column.model_copy(update={"minimum": least, "maximum": most})


_PLACEHOLDER = re.compile(
    r"(some|any|this (is|was)|the|your?|my|an?|new|sample|example|test|foo|lorem)\b"
    r".*\b(values?|strings?|text|names?|titles?|blob|description|information|data|here|workspace|task)"
    r"\b.*|(my|your|foo|lorem|sample|example|string|dummy)\b.*|<.*|.*\.\.\.|https?:.*|null",
    re.IGNORECASE | re.DOTALL,
)


def is_placeholder(example: str) -> bool:
    """Whether a document's example only stands for a value: "Some Value", "string"."""
    text = example.strip()
    return not text or text.lower() in group("dummies") or bool(_PLACEHOLDER.fullmatch(text))


def _example(column: Column, rng: Random, share: float) -> str | None:
    """One of the document's examples, with this probability, unless all are placeholders."""
    good = [
        e
        for e in column.examples
        if isinstance(e, str) and not is_placeholder(e) and not e.isdecimal()
    ]
    if good and rng.random() < share:
        return rng.choice(good)
    return None


def _moment(column: Column, kind: Meaning, scene: Scene) -> str:
    timed = kind != "date"
    moment = moment_for(
        scene.rng,
        column.name,
        scene.noun,
        scene.near,
        scene.now,
        timed=timed,
        life=life_in(scene.columns, scene.near),
    )
    if kind == "time":
        return f"{scene.rng.randint(7, 19):02d}:{scene.rng.choice((0, 15, 30, 45)):02d}"
    return written(moment, kind)


_REPORTS = (["update"], ["status"], ["report"], ["check-in"])
_STANDINGS = {
    "good": "green on_track ontrack good achieved complete healthy",
    "risky": "yellow at_risk atrisk amber warning partial",
    "bad": "red off_track offtrack missed critical dropped bad",
    "paused": "blue on_hold onhold paused",
}


def _standing(scene: Scene) -> str | None:
    """How a report says that things stand, by its colour or status."""
    if scene.noun.split()[-1:] not in _REPORTS:
        return None
    for name, value in scene.near.items():
        if isinstance(value, str) and split(name)[-1:] in _COLOURED:
            for standing, words in _STANDINGS.items():
                if "_".join(split(value)) in words.split():
                    return standing
    return None


_COLOURED = (("color",), ("colour",), ("status",), ("state",), ("type",), ("health",))


def _twin(column: Column, scene: Scene) -> str | None:
    """What the same text is in HTML, for `html_notes` beside `notes`; and the other way."""
    words = split(column.name)
    for other in scene.columns:
        marked = words[:1] == ("html",) or "html" in other.name
        value = scene.near.get(other.name) if marked else None
        if not isinstance(value, str):
            continue
        if words[:1] == ("html",) and split(other.name) == words[1:]:
            return f"<body>{escape(value, quote=False)}</body>"
        if split(other.name)[:1] == ("html",) and split(other.name)[1:] == words:
            return unescape(re.sub(r"<[^<>]*>", "", value))
    return None


def _purpose(column: Column, scene: Scene) -> str | None:
    """A text by what its column is for: a greeting in a gift note, wishes for a stay."""
    words = words_of(column, scene.noun)
    for name in ("_".join(words[-2:]), *words[::-1]):
        if name in purposes():
            return phrase(scene.rng, purposes()[name])
    return None


def _text(column: Column, scene: Scene) -> str:
    aimed = _purpose(column, scene)
    if aimed is not None:
        example = _example(column, scene.rng, share=0.1)
        return example if example is not None else aimed
    standing = _standing(scene)
    if standing is not None:
        return phrase(scene.rng, lists()[f"{standing}_text"])
    if is_person(scene.noun):
        return phrase(scene.rng, _ABOUT_PEOPLE)
    return text_for(scene.rng, scene.noun)


_ABOUT_PEOPLE = (
    "Prefers to be called in the morning.", "Works from {city} on {weekday}s.",
    "Recommended by {first_name} {last_name}.", "Away in {month}.", "Speaks French and Spanish.",
    "Met at the {city} trade fair.", "Vegetarian.", "Please write rather than call.",
    "With us since {year_past}.", "Moved from {city} in {month}.",
)  # fmt: skip


def _boolean(column: Column, scene: Scene) -> bool:
    words = split(column.name)
    if any(word in group("rare") for word in words):
        return scene.rng.random() < 0.25
    if any(word in group("likely") for word in words):
        return scene.rng.random() < 0.7
    return scene.rng.random() < 0.45


def _field(column: Column, scene: Scene) -> str:
    words = words_of(column, scene.noun) or ("value",)
    aimed = _purpose(column, scene)
    if aimed is not None:
        return aimed
    if words[-1:] in _KINDS:
        named = kind_name(scene.rng, scene.noun, scene.label)
        if named is not None:
            return named
    shaped = [e for e in column.examples if isinstance(e, str) and _CODE.fullmatch(e)]
    if shaped:
        return mimic(scene.rng.choice(shaped), scene.rng)
    plain = words[-1] in ("type", "subtype", "kind", "status", "state", "prefix") or (
        words[-1:] in _KINDS and not kin_of(scene.noun)
    )
    example = _example(column, scene.rng, share=1.0 if plain else 0.25 + 0.1 * len(column.examples))
    if example is not None:
        return example
    own = thing_of(f"{scene.noun} {singular(words[-1])}", whole=True)
    if own is not None:
        return phrase(scene.rng, own.names)
    for word in reversed(words):
        for known in (word, singular(word)):
            if known in fields():
                return phrase(scene.rng, fields()[known])
    return _said(column, scene)


_CODE = re.compile(r"(?=.*\d)[A-Z]{0,4}[ -]?\d{1,5}[A-Z]?")
"""A short code like "B 07", whose form others of its kind share."""


def _thing(column: Column, scene: Scene) -> str:
    words = [w for w in words_of(column, scene.noun) if w not in ("name", "title", "label")]
    own = " ".join([*words[:-1], singular(words[-1])]) if words else ""
    if thing_of(own) is None and not is_person(own):
        return _said(column, scene)
    example = _example(column, scene.rng, share=0.25)
    return example if example is not None else name_for(scene.rng, own)


def _said(column: Column, scene: Scene) -> str:
    """For a column that no list knows: like its example, or a sentence about the record."""
    aimed = _purpose(column, scene)
    if aimed is not None:
        return aimed
    coded = [e for e in column.examples if isinstance(e, str) and re.fullmatch(r"\S*\d\S*", e)]
    if coded and not is_placeholder(coded[0]):
        return mimic(coded[0], scene.rng)
    example = _example(column, scene.rng, share=1.0)
    if example is not None and (" " not in example or scene.rng.random() < 0.3):
        return example
    return text_for(scene.rng, scene.noun)


def _code(column: Column, scene: Scene) -> str:
    rng = scene.rng
    shapes = [e for e in column.examples if isinstance(e, str) and any(c.isdigit() for c in e)]
    if shapes:
        return mimic(rng.choice(shapes), rng)
    thing = thing_of(scene.noun)
    letters = (thing.code if thing is not None else "") or "".join(
        word[0].upper() for word in scene.noun.split() or ["r"]
    )
    return f"{letters}-{rng.randint(1042, 98760)}"


def mimic(example: str, rng: Random) -> str:
    """A text of the same shape: other digits, and other capitals where they stand among digits."""

    def other(part: re.Match[str]) -> str:
        text = part[0]
        if not re.search(r"\d", text):
            return text
        text = re.sub(r"\d", lambda _: str(rng.randint(0, 9)), text)
        text = re.sub(r"[A-Z]", lambda _: rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ"), text)
        return re.sub(r"^0(?=\d)", lambda _: str(rng.randint(1, 9)), text)

    return re.sub(r"[A-Za-z0-9]+", other, example)


def slug_of(text: str) -> str:
    """ "Café Lumen & Sons" -> "cafe-lumen-sons"."""
    plain = text.lower().translate(str.maketrans("éèüöäåñç", "eeuoaanc"))
    return "-".join(re.findall(r"[a-z0-9]+", plain)) or "entry"


def _email(scene: Scene) -> str:
    if not is_person(scene.noun) and scene.label and scene.outer is None and " " in scene.label:
        return f"office@{slug_of(scene.label)}.example.org"
    first, last = scene.person
    return f"{slug_of(first)}.{slug_of(last)}@{scene.rng.choice(('example.org', 'example.com'))}"


def _username(scene: Scene) -> str:
    first, last = (slug_of(part).replace("-", "") for part in scene.person)
    return f"{first}.{last}"


_PICTURE = re.compile(r"(photo|image|picture|avatar|thumbnail|logo)", re.IGNORECASE)


def _url(column: Column, scene: Scene) -> str:
    label = scene.label or name_for(scene.rng, scene.noun)
    if _PICTURE.search(column.name):
        part = scene.rng.choice(("garden", "portrait", "front", "side", "close-up", "outside"))
        return f"https://images.example.org/{slug_of(label)}-{part}.jpg"
    noun = slug_of(" ".join((*scene.noun.split()[:-1], scene.noun.split()[-1])) or "pages")
    return f"https://www.example.org/{noun}/{slug_of(label)}"


def _digits(pattern: str, rng: Random) -> str:
    text = re.sub("#", lambda _: str(rng.randint(0, 9)), pattern)
    return re.sub(r"\?", lambda _: rng.choice("ABCDEFGHJKLMNPRSTUVWXY"), text)


def _token(scene: Scene) -> str:
    return hashlib.sha256(str(scene.rng.getrandbits(64)).encode()).hexdigest()[:24]


def _uuid(scene: Scene) -> str:
    digits = hashlib.sha256(str(scene.rng.getrandbits(64)).encode()).hexdigest()
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:32]}"


def _path(scene: Scene) -> str:
    folder = slug_of(phrase(scene.rng, ("{folder_name}",)))
    return f"/{folder}/{phrase(scene.rng, ('{file_name}',))}"


_MAKERS: dict[Meaning, Callable[[Scene], str]] = {
    "first_name": lambda s: s.person[0],
    "last_name": lambda s: s.person[1],
    "person": lambda s: (
        " ".join(s.person) if is_person(s.noun) else phrase(s.rng, ("{first_name} {last_name}",))
    ),
    "username": _username,
    "email": _email,
    "phone": lambda s: _digits(s.spot.dial, s.rng),
    "slug": lambda s: slug_of(s.label or name_for(s.rng, s.noun)),
    "street": lambda s: f"{s.rng.randint(1, 148)} {phrase(s.rng, lists()['street_name'])}",
    "address": lambda s: (
        f"{s.rng.randint(1, 148)} {phrase(s.rng, lists()['street_name'])}, {s.spot.city}"
    ),
    "line2": lambda s: phrase(s.rng, ("Flat {1-24}", "Apartment {1-60}", "Floor {1-6}")),
    "city": lambda s: s.spot.city,
    "country": lambda s: s.spot.country,
    "country_code": lambda s: s.spot.code,
    "region": lambda s: s.spot.region,
    "postal": lambda s: _digits(s.spot.postal, s.rng),
    "timezone": lambda s: s.spot.timezone,
    "currency": lambda s: s.rng.choice(("EUR", "EUR", "USD", "GBP", "CHF", "SEK")),
    "ip": lambda s: f"192.0.2.{s.rng.randint(2, 250)}",
    "mac": lambda s: s.generic.internet.mac_address(),
    "domain": lambda s: f"{slug_of(phrase(s.rng, lists()['plain_company']))}.example.org",
    "path": _path,
    "uuid": _uuid,
    "token": _token,
    "hash": lambda s: _token(s)[:8],
    "isbn": lambda s: s.generic.code.isbn(),
    "barcode": lambda s: s.generic.code.ean(),
    "plate": lambda s: _digits("??-###-?", s.rng),
    "iban": lambda s: f"{s.spot.code}{s.rng.randint(10, 98)} {_digits('#### #### #### ##', s.rng)}",
    "last4": lambda s: _digits("####", s.rng),
}  # fmt: skip
