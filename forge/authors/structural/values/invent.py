"""One invented value of a column: what a person of that domain would write there.

Meaning comes first (the column's name, the table's noun, format), then the document's own
examples, then the word lists. What is drawn depends only on the random generator handed in.
"""

import re
from random import Random

from forge.authors.structural.lexicon import fields, group, lists
from forge.authors.structural.values.dates import moment_for, written
from forge.authors.structural.values.kinship import kin_name, kin_of, kind_name
from forge.authors.structural.values.life import life_in
from forge.authors.structural.values.makers import MAKERS, digits, token
from forge.authors.structural.values.meaning import Meaning, is_hosted, meaning, words_of
from forge.authors.structural.values.numbers import number_for
from forge.authors.structural.values.phrases import (
    is_person,
    name_for,
    phrase,
    short_of,
    text_for,
    thing_of,
)
from forge.authors.structural.values.places import SPOTS
from forge.authors.structural.values.scene import KINDS, Scene, allowed_kin, slug_of
from forge.authors.structural.values.texts import (
    aimed_text,
    asks_for_prose,
    example_of,
    html_twin,
    is_placeholder,
    standing,
    text_of,
    told_value,
)
from forge.authors.structural.words import plural, singular, split, word_set
from forge.types.data import Json
from forge.types.state import Column


def invent(column: Column, scene: Scene) -> Json:
    """A value of a column that is neither nested nor an enum, not yet fitted to its limits."""
    kind = meaning(column, scene.noun)
    if _is_entry(column, scene):
        return phrase(scene.rng, lists()["entry_key"])
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
    permitted = scene.outer is not None and scene.noun.split()[-1:] == ["permission"]
    if permitted and column.type == "string" and column.format is None:
        return scene.rng.choice(("read", "read", "write"))
    twin = html_twin(column, scene)
    if twin is not None:
        return twin
    if kind == "name" and kin_of(scene.noun):
        return kin_name(scene.rng, scene.noun, allowed_kin(scene))
    maker = MAKERS.get(kind)
    if maker is not None:
        return maker(scene)
    match kind:
        case "date" | "date-time" | "time":
            return _moment(column, kind, scene)
        case "city":
            return _city(column, scene)
        case "region":
            return _region(column, scene)
        case "hash":
            return _hash(column, scene)
        case "url":
            return _url(column, scene)
        case "serial":
            return digits("SN-#####-?", scene.rng)
        case "code":
            return _code(column, scene)
        case "text":
            return text_of(column, scene)
        case "boolean":
            return _boolean(column, scene)
        case "field":
            return _field(column, scene)
        case "thing":
            return _thing(column, scene)
    how = standing(scene)
    if how is not None and kind == "name":
        return phrase(scene.rng, lists()[f"{how}_title"])
    example = example_of(column, scene.rng, share=0.15)
    if example is not None and example.lower() != scene.noun.lower():
        return example
    return _written_alike(column, scene, name_for(scene.rng, scene.noun))


_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")


def _written_alike(column: Column, scene: Scene, name: str) -> str:
    """The name in the way of writing of the document's examples: `orders-pool`, `API_KEY`."""
    shown = [example for example in column.examples if isinstance(example, str)]
    if shown and all(map(_CONSTANT.fullmatch, shown)) and not _CONSTANT.fullmatch(name):
        return phrase(scene.rng, lists()["variable_name"])
    if shown and all(map(_SLUG.fullmatch, shown)) and name != name.lower():
        thing = thing_of(scene.noun)
        if thing is not None and thing.technical:
            return slug_of(name)
        return f"{phrase(scene.rng, lists()['slug_word'])}-{slug_of(short_of(scene.noun))}"
    return name


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


_DAY_AND_TIME = re.compile(r"\bYYYY-MM-DD HH:MM(?!:)")


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
    if _DAY_AND_TIME.search(column.description):
        return f"{moment:%Y-%m-%d %H:%M}"
    if kind == "time":
        return f"{scene.rng.randint(7, 19):02d}:{scene.rng.choice((0, 15, 30, 45)):02d}"
    return written(moment, kind)


def _boolean(column: Column, scene: Scene) -> bool:
    words = split(column.name)
    if any(word in group("rare") for word in words):
        return scene.rng.random() < 0.25
    if any(word in group("likely") for word in words):
        return scene.rng.random() < 0.7
    return scene.rng.random() < 0.45


def _field(column: Column, scene: Scene) -> str:
    words = words_of(column, scene.noun) or ("value",)
    aimed = aimed_text(column, scene)
    if aimed is not None:
        return aimed
    if words[-1] == "state" and _has_country(scene):
        return scene.spot.region
    if words[-1] in ("breed", "species"):
        return _bred(words[-1], scene)
    if words[-1:] in KINDS:
        named = kind_name(scene.rng, scene.noun, scene.label)
        if named is not None:
            return named
    shaped = [e for e in column.examples if isinstance(e, str) and _CODE.fullmatch(e)]
    if shaped:
        return mimic(scene.rng.choice(shaped), scene.rng)
    plain = words[-1] in ("type", "subtype", "kind", "status", "state", "prefix") or (
        words[-1:] in KINDS and not kin_of(scene.noun)
    )
    example = example_of(
        column, scene.rng, share=1.0 if plain else 0.25 + 0.1 * len(column.examples)
    )
    if example is not None:
        return example
    told = told_value(column, scene.rng)
    if told is not None:
        return told
    if scene.noun.split()[-1:] == [singular(words[-1])] and thing_of(scene.noun) is not None:
        return name_for(scene.rng, scene.noun)
    if words[-1] == "location" and (
        is_person(scene.noun) or thing_of(scene.noun) is thing_of("company")
    ):
        return scene.spot.city
    for noun in (scene.noun, *scene.noun.split()[-1:]):
        own = thing_of(f"{noun} {singular(words[-1])}", whole=True)
        if own is not None:
            return phrase(scene.rng, own.names)
    hosted = _runs_somewhere(scene)
    for word in reversed(words):
        alike = (word, singular(word))
        for known in (*(f"hosted_{each}" for each in alike if hosted), *alike):
            if known in fields():
                return phrase(scene.rng, fields()[known])
    return _said(column, scene)


_ENTRIES = word_set("memory entry note fact preference setting reminder")


def _is_entry(column: Column, scene: Scene) -> bool:
    """Whether it is the key by which people know an entry of a store: `home_city`."""
    named = column.spoken and split(column.name) == ("key",) and not column.examples
    return named and column.type == "string" and bool(_ENTRIES & set(scene.noun.split()[-1:]))


def _runs_somewhere(scene: Scene) -> bool:
    """Whether the record, or the one that it is in, runs in a data centre."""
    return is_hosted(scene.noun) or (scene.outer is not None and _runs_somewhere(scene.outer))


def _has_country(scene: Scene) -> bool:
    """Whether a state beside it is one of a country, and no stage of a life."""
    return any(split(c.name)[-1:] in (("country",), ("city",)) for c in scene.columns)


_CODE = re.compile(r"(?=.*\d)[A-Z]{0,4}[ -]?\d{1,5}[A-Z]?")
"""A short code like "B 07", whose form others of its kind share."""


_BREEDS = ("dog", "cat", "rabbit", "horse", "parrot", "hamster")


def _bred(wanted: str, scene: Scene) -> str:
    """A breed of the species beside it, a species of the breed, or any."""
    texts = [value for value in scene.near.values() if isinstance(value, str)]
    of_species = [s for s in _BREEDS if any(singular(text.lower()) == s for text in texts)]
    if wanted == "species":
        fits = [s for s in _BREEDS if any(text in lists()[f"breed_{s}"] for text in texts)]
        return scene.rng.choice(fits or _BREEDS)
    return phrase(scene.rng, lists()[f"breed_{scene.rng.choice(of_species or _BREEDS[:2])}"])


_WAYS = word_set(
    "from to origin destination departure arrival pickup dropoff source target birth home previous"
)


def _city(column: Column, scene: Scene) -> str:
    """Where the record is; where it leads from or to, another city than the others in it."""
    if not _WAYS & set(split(column.name)):
        return scene.spot.city
    return scene.rng.choice([s.city for s in SPOTS if s.city not in scene.near.values()])


_DATA_CENTRE = re.compile(r"[a-z]+(-[a-z]+)*-?\d[a-z]?")


def _region(column: Column, scene: Scene) -> str:
    """Where the record is; of what runs in a data centre, the region as its provider writes it."""
    example = example_of(column, scene.rng, share=0.25)
    if example is not None:
        return example
    shown = [e for e in column.examples if isinstance(e, str) and _DATA_CENTRE.fullmatch(e)]
    cloud = {"aws", "cloud", "gcp", "azure", "bucket"} & set(split(column.name))
    if shown or cloud or _runs_somewhere(scene):
        return phrase(scene.rng, fields()["cloud_region"])
    return scene.spot.region


def _thing(column: Column, scene: Scene) -> str:
    if column.name == "value" and not column.examples:
        if thing_of(scene.noun) is thing_of("variable"):
            return phrase(scene.rng, lists()["variable_value"])
        return name_for(scene.rng, scene.noun)
    told = told_value(column, scene.rng) or aimed_text(column, scene)
    if told is not None:
        return told
    words = [w for w in words_of(column, scene.noun) if w not in ("name", "title", "label")]
    own = " ".join([*words[:-1], singular(words[-1])]) if words else ""
    closer = thing_of(" ".join([*scene.noun.split()[-1:], own]), whole=True) if own else None
    if closer is not None:
        return phrase(scene.rng, closer.names)
    if thing_of(own) is None and not is_person(own):
        return _said(column, scene)
    example = example_of(column, scene.rng, share=0.25)
    name = name_for(scene.rng, own) if example is None else example
    written = [e for e in column.examples if isinstance(e, str) and _WRITTEN.fullmatch(e)]
    return scene.rng.choice(written) if written and " " in name else name


_IDENTIFIES = re.compile(r"\b(ID|IDs|identifier|unique id) (of|for|that)\b")


_WRITTEN = re.compile(r"[\w-]*[._/][\w./-]*\w")
"""What only a machine reads: `index.html`, `src/app`."""


def _said(column: Column, scene: Scene) -> str:
    """For a column that no list knows: like its example, one of the values that its description
    quotes, a sentence where it asks for one, or else a plain word."""
    aimed = aimed_text(column, scene)
    if aimed is not None:
        return aimed
    coded = [e for e in column.examples if isinstance(e, str) and re.fullmatch(r"\S*\d\S*", e)]
    if coded and not is_placeholder(coded[0]):
        return mimic(coded[0], scene.rng)
    example = example_of(column, scene.rng, share=1.0)
    if example is not None and (" " not in example or scene.rng.random() < 0.3):
        return example
    if _IDENTIFIES.search(column.description):
        return token(scene)[:8]
    if asks_for_prose(column, words_of(column, scene.noun)):
        return text_for(scene.rng, scene.noun)
    return phrase(scene.rng, lists()["plain_word"])


def _code(column: Column, scene: Scene) -> str:
    rng = scene.rng
    aimed = aimed_text(column, scene)
    if aimed is not None and not column.examples:
        return aimed
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


_PICTURE = re.compile(r"(photo|image|picture|avatar|thumbnail|logo)", re.IGNORECASE)


def _url(column: Column, scene: Scene) -> str:
    label = scene.label or name_for(scene.rng, scene.noun)
    if _PICTURE.search(column.name):
        part = scene.rng.choice(("garden", "portrait", "front", "side", "close-up", "outside"))
        return f"https://images.example.org/{slug_of(label)}-{part}.jpg"
    noun = slug_of(plural(scene.noun.split()[-1]) if scene.noun.split() else "pages")
    return f"https://www.example.org/{noun}/{slug_of(label)}"


_HIDDEN = word_set("api access secret private license activation encryption master")


def _hash(column: Column, scene: Scene) -> str:
    """An id that tells nothing; a key that names a thing is made of its name."""
    words = words_of(column, scene.noun)
    if singular(words[-1]) != "key" or _HIDDEN & set(words):
        return token(scene)[: 24 if _HIDDEN & set(words) else 8]
    own = " ".join(words[:-1])
    return slug_of(name_for(scene.rng, own)) if thing_of(own) is not None else token(scene)[:8]
