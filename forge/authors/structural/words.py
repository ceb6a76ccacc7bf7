"""Names in documents as words: split, singular, plural, and as a person says them.

Always holds: words are lower case; the singular of a singular is itself. Words that no rule knows
only gain and lose an s.
"""

import re
from functools import lru_cache

Words = tuple[str, ...]

_PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_a-zA-Z]+")


def word_set(text: str) -> frozenset[str]:
    """The words of a text, which a rule looks others up in."""
    return frozenset(text.split())


_IRREGULAR = {
    "person": "people",
    "child": "children",
    "man": "men",
    "woman": "women",
    "foot": "feet",
    "tooth": "teeth",
    "mouse": "mice",
    "index": "indices",
    "vertex": "vertices",
    "matrix": "matrices",
    "analysis": "analyses",
    "diagnosis": "diagnoses",
    "thesis": "theses",
    "axis": "axes",
    "crisis": "crises",
    "hypothesis": "hypotheses",
    "criterion": "criteria",
    "leaf": "leaves",
    "shelf": "shelves",
    "knife": "knives",
    "life": "lives",
    "half": "halves",
    "quiz": "quizzes",
    "movie": "movies",
    "cookie": "cookies",
    "tie": "ties",
    "pie": "pies",
    "zombie": "zombies",
    "hero": "heroes",
}
_SINGULARS = {many: one for one, many in _IRREGULAR.items()}
_SAME = word_set(
    "series species news data media metadata sheep fish aircraft staff equipment software "
    "feedback information stock content analytics statistics stats"
)
_ENDS_IN_S = re.compile(
    r"(ss|us|sis|xis|nis|^iris|^debris|^this|^alias|^canvas|^gas|^lens|^atlas|^bias|^yes)$"
)
"""Singular nouns that end in s."""
_PLURAL_US = frozenset(("menus", "cpus", "gpus", "gurus", "emus"))
_PLURAL_ES = re.compile(
    r"(sses|shes|ches|xes|zzes|^aliases|^canvases|^gases|^lenses|^atlases|^biases|[^aoecf]uses)$"
)


@lru_cache(8192)
def split(name: str) -> Words:
    """`dueDate`, `due_date`, `due-date` and `DueDate` are all ("due", "date")."""
    return tuple(piece.lower() for piece in _PIECE.findall(name.replace("IDs", "Ids")))


def snake(words: Words) -> str:
    return "_".join(words)


def said(words: Words) -> str:
    return " ".join(words)


def a(words: Words) -> str:
    """With the indefinite article: "an order line"."""
    text = said(words)
    return f"an {text}" if text[:1] in "aeio" else f"a {text}"


def singular(word: str) -> str:
    """The singular of a plural noun; a singular noun stays as it is."""
    if word in _SAME or len(word) < 3:
        return word
    if word in _SINGULARS:
        return _SINGULARS[word]
    if word in _IRREGULAR or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if _PLURAL_ES.search(word):
        return word[:-2]
    if word not in _PLURAL_US and _ENDS_IN_S.search(word):
        return word
    return word[:-1]


def plural(word: str) -> str:
    """The plural of a singular noun."""
    if word in _SAME or word in _SINGULARS:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("y") and len(word) > 1 and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith(("s", "sh", "ch", "x", "z")):
        return word + "es"
    return word + "s"


def is_plural(word: str) -> bool:
    return word in _SAME or singular(word) != word


def one(words: Words) -> Words:
    """The noun phrase for one: ("line", "items") -> ("line", "item")."""
    return (*words[:-1], singular(words[-1])) if words else ()


def many(words: Words) -> Words:
    return (*words[:-1], plural(singular(words[-1]))) if words else ()


_WRAPPERS_AFTER = word_set(
    "response request compact base dto input output model payload body schema create update patch "
    "full minimal summary details detail result in out object entity resource read write params "
    "post put form data simple"
)
_WRAPPERS_BEFORE = word_set(
    "create update new patch put post api get upsert edit nullable simple minimal full basic base"
)


def stems(name: str) -> tuple[Words, ...]:
    """What a schema's name may be the noun of, most literal first, singular:
    "TaskCreateRequest" -> ("task","create","request"), ("task","create"), ("task",)."""
    words = one(split(name))
    found = [words] if words else []
    while len(words) > 1 and words[-1] in _WRAPPERS_AFTER:
        words = one(words[:-1])
        found.append(words)
    while len(words) > 1 and words[0] in _WRAPPERS_BEFORE:
        words = words[1:]
        found.append(words)
    return tuple(found)


def stem(name: str) -> Words:
    """The barest noun of a schema's name; () for a name of no words."""
    found = stems(name)
    return found[-1] if found else ()


ID_WORDS = frozenset(["id", "ids", "gid", "gids", "uid", "uids", "uuid", "uuids", "guid", "guids"])


def is_id(name: str) -> bool:
    """Whether a property is named as the id of something: `id`, `petId`, `user_gid`."""
    words = split(name)
    return bool(words) and words[-1] in ID_WORDS


def without_id(name: str) -> Words:
    """The noun that an id is of: `home_warehouse_id` -> ("home", "warehouse")."""
    words = split(name)
    while words and words[-1] in ID_WORDS:
        words = words[:-1]
    return one(words)
