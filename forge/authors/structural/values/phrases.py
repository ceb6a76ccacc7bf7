"""Phrases as people write them, put together from the word lists in `lexicon/`.

A template is a text with `{list}` and `{3-40}` in it; each is replaced by one item of that list or
one number. The same random generator gives the same phrase, always.
"""

import re
from collections.abc import Sequence
from random import Random

from forge.authors.structural.lexicon import Thing, fields, group, lists, lone_things, things
from forge.authors.structural.words import singular, word_set

SLOT = re.compile(r"\{([a-z_]+|(\d+)-(\d+))\}")
_LOOSE = re.compile(r"\b[Aa] \{")
_ARTICLE = re.compile(r"\b([Aa]) (?=(?!uni|use|eu|one|ut)[aeiou])", re.IGNORECASE)
"""Before what sounds like a vowel."""


def thing_of(noun: str, *, whole: bool = False) -> Thing | None:
    """By the longest end of the noun that is known: "user task list" is a list. `whole`: only if
    all of the noun is."""
    words = noun.lower().split()
    if len(words) == 1 and singular(words[0]) in lone_things():
        return lone_things()[singular(words[0])]
    for start in range(1 if whole and words else len(words)):
        tail = words[start:]
        for end in (tail[-1], singular(tail[-1])):
            thing = things().get(" ".join([*tail[:-1], end]))
            if thing is not None:
                return thing
    return None


def is_person(noun: str) -> bool:
    words = noun.lower().split()
    return bool(words) and singular(words[-1]) in group("people")


def phrase(rng: Random, templates: Sequence[str]) -> str:
    """One of the templates, filled, its first letter as the template has it."""

    def fill(slot: re.Match[str]) -> str:
        name, low, high = slot.groups()
        if low is not None:
            return str(rng.randint(int(low), int(high)))
        return phrase(rng, lists().get(name) or fields()[name])

    template = rng.choice(templates)
    text = SLOT.sub(fill, template)
    return _ARTICLE.sub(r"\1n ", text) if _LOOSE.search(template) else text


def name_for(rng: Random, noun: str) -> str:
    """What a person calls a record of this noun; one of an unknown noun by where or whose it is."""
    if is_person(noun):
        return phrase(rng, ("{first_name} {last_name}",))
    thing = thing_of(noun)
    if thing is not None:
        text = phrase(rng, thing.names)
        return text if _technical(text) else text[:1].upper() + text[1:]
    return f"{phrase(rng, lists()['qualifier'])} {short_of(noun)}"


_OWNERS = word_set("org organization repo repository user enterprise account global private my")


def short_of(noun: str) -> str:
    """What a person says of a record of a long noun: "enterprise code security configuration" is
    a security configuration."""
    words = [word for word in noun.lower().split() if not word.isdigit()][-2:]
    return " ".join(words[1:] if len(words) > 1 and words[0] in _OWNERS else words) or noun.lower()


def text_for(rng: Random, noun: str) -> str:
    """A sentence, seldom two, about a record of this noun."""
    thing = thing_of(noun)
    texts = lists()["quote_text"] if thing is None else thing.texts
    if rng.random() < 0.1 and len(texts) > 3:
        return " ".join(phrase(rng, (template,)) for template in rng.sample(texts, 2))
    return phrase(rng, texts)


def _technical(text: str) -> bool:
    """Names of machines, branches, tags and files stay in lower case."""
    return " " not in text or text == text.lower()
