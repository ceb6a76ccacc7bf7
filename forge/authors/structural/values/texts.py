"""Texts by what they are for: a greeting in a gift note, bad news in a red report, HTML that says
what the plain text beside it says, and a document's example only where it is more than a stand-in.
"""

import re
from html import escape, unescape
from random import Random

from forge.authors.structural.lexicon import group, lists, purposes
from forge.authors.structural.values.meaning import words_of
from forge.authors.structural.values.phrases import is_person, phrase, text_for
from forge.authors.structural.values.scene import Scene
from forge.authors.structural.words import split, word_set
from forge.types.state import Column

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


def example_of(column: Column, rng: Random, share: float) -> str | None:
    """One of the document's examples, with this probability, unless all are placeholders."""
    good = [
        e
        for e in column.examples
        if isinstance(e, str) and not is_placeholder(e) and not e.isdecimal()
    ]
    if good and rng.random() < share:
        return rng.choice(good)
    return None


_REPORTS = (["update"], ["status"], ["report"], ["check-in"])
_STANDINGS = {
    "good": "green on_track ontrack good achieved complete healthy",
    "risky": "yellow at_risk atrisk amber warning partial",
    "bad": "red off_track offtrack missed critical dropped bad",
    "paused": "blue on_hold onhold paused",
}


def standing(scene: Scene) -> str | None:
    """How a report says that things stand, by its colour or status."""
    if scene.noun.split()[-1:] not in _REPORTS:
        return None
    for name, value in scene.near.items():
        if isinstance(value, str) and split(name)[-1:] in _COLOURED:
            for how, words in _STANDINGS.items():
                if "_".join(split(value)) in words.split():
                    return how
    return None


_COLOURED = (("color",), ("colour",), ("status",), ("state",), ("type",), ("health",))


def html_twin(column: Column, scene: Scene) -> str | None:
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


def aimed_text(column: Column, scene: Scene) -> str | None:
    """A text by what its column is for: a greeting in a gift note, wishes for a stay."""
    words = words_of(column, scene.noun)
    for name in ("_".join(words[-2:]), *words[::-1]):
        if name in purposes():
            return phrase(scene.rng, purposes()[name])
    return None


_PROSE = word_set(
    "notes note comment comments text message description reason rationale summary instructions "
    "prompt warning notice biography reply feedback statement story wishes request requests "
    "remarks hint hints help advice disclaimer terms introduction intro limitations synopsis plot "
    "caption byline subheadline headline requirements"
)
_ASKS = re.compile(r"\b(explain|explanation|sentence|message|markdown|prose|free[- ]?text)", re.I)
_CHOICE = re.compile(
    r"\b(one of|either|can be|may be|could be|must be|possible|valid|allowed|supported|values?|"
    r"options?|e\.g\.|such as|for example|whether)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[`'\"]([A-Za-z][\w./-]{0,29})[`'\"]")


def asks_for_prose(column: Column, words: tuple[str, ...]) -> bool:
    """Whether sentences stand in the column, by its name or what the document says of it."""
    return bool(_PROSE & set(words[-1:])) or bool(_ASKS.search(column.description))


_ONE_OF_THESE = re.compile(
    rf"(?:{_QUOTED.pattern}, ?)*{_QUOTED.pattern},? or {_QUOTED.pattern}", re.IGNORECASE
)
"""`paid`, `pending` or `failed`."""


def told_values(column: Column) -> tuple[str, ...]:
    """Those that the column's description quotes, where it quotes several: "Can be `all` or
    `none`"."""
    about = column.description
    if column.examples:
        return ()
    found, listed = _CHOICE.search(about), _ONE_OF_THESE.search(about)
    if found is not None:
        about = about[found.start() :]
    elif listed is not None:
        about = listed[0]
    else:
        return ()
    own = {column.name, "true", "false", "null", "string", "none"}
    values = tuple(value for value in dict.fromkeys(_QUOTED.findall(about)) if value not in own)
    return values if len(values) > 1 else ()


def told_value(column: Column, rng: Random) -> str | None:
    values = told_values(column)
    return rng.choice(values) if values else None


def text_of(column: Column, scene: Scene) -> str:
    aimed = aimed_text(column, scene)
    if aimed is not None:
        example = example_of(column, scene.rng, share=0.1)
        return example if example is not None else aimed
    how = standing(scene)
    if how is not None:
        return phrase(scene.rng, lists()[f"{how}_text"])
    if is_person(scene.noun):
        return phrase(scene.rng, _ABOUT_PEOPLE)
    return text_for(scene.rng, scene.noun)


_ABOUT_PEOPLE = (
    "Prefers to be called in the morning.", "Works from {city} on {weekday}s.",
    "Recommended by {first_name} {last_name}.", "Away in {month}.", "Speaks French and Spanish.",
    "Met at the {city} trade fair.", "Vegetarian.", "Please write rather than call.",
    "With us since {year_past}.", "Moved from {city} in {month}.",
)  # fmt: skip
