"""Names, kinds and prices that go together: a desk lamp is lighting and costs no 900 euros.

What no list knows fits everything, so that a document's own words are never contradicted.
"""

import re
from collections.abc import Sequence
from functools import cache
from random import Random

from forge.authors.structural.lexicon import Kin, fields, kin, lists
from forge.authors.structural.values.phrases import SLOT, phrase
from forge.authors.structural.words import singular, split


@cache
def kin_of(noun: str) -> tuple[Kin, ...]:
    """All kinds of thing that records of this noun may be; () where no list knows."""
    words = noun.lower().split()
    for start in range(len(words)):
        tail = [*words[start:-1], singular(words[-1])]
        if " ".join(tail) in kin():
            return kin()[" ".join(tail)]
    return ()


@cache
def of_kind(noun: str, kind: str) -> frozenset[int]:
    """The kin, by place, that a category, type or genre names: "Office furniture" is furniture,
    no office supplies."""
    words = _words(kind)
    found: dict[int, int] = {}
    for place, each in enumerate(kin_of(noun)):
        for one in map(_words, each.kinds):
            if one and one <= words:
                found[place] = max(found.get(place, 0), len(one) + (one == words))
    best = max(found.values(), default=0)
    return frozenset(place for place, size in found.items() if size == best)


def of_name(noun: str, name: str) -> frozenset[int]:
    """The kin, by place, that have this name."""
    folded = name.casefold()
    return frozenset(
        place
        for place, each in enumerate(kin_of(noun))
        if any(_pattern(template).fullmatch(folded) for template, _, _ in each.names)
    )


def fits(noun: str, name: str, kind: str) -> bool:
    """Whether a thing of this name may be of this kind."""
    one, other = of_name(noun, name), of_kind(noun, kind)
    return not one or not other or bool(one & other)


def is_kind(noun: str, options: Sequence[object]) -> bool:
    """Whether these choices are kinds of thing: most of them are known as such."""
    return _are_kinds(noun, tuple(option for option in options if isinstance(option, str)))


@cache
def _are_kinds(noun: str, texts: tuple[str, ...]) -> bool:
    known = sum(bool(of_kind(noun, text)) for text in texts)
    return known >= 2 and 2 * known > len(texts)


def kind_name(rng: Random, noun: str, name: str) -> str | None:
    """What the category of a thing of this name is called."""
    found = sorted(of_name(noun, name))
    return kin_of(noun)[rng.choice(found)].kinds[0] if found else None


def kin_name(rng: Random, noun: str, places: frozenset[int]) -> str:
    """A name of a thing that is one of these kin, of any where there are none."""
    known = kin_of(noun)
    chosen = known[rng.choice(sorted(places) or range(len(known)))]
    return phrase(rng, [template for template, _, _ in chosen.names])


def price_range(noun: str, name: str) -> tuple[float, float] | None:
    """From what to what a thing of this name costs, where a list knows."""
    folded = name.casefold()
    for each in kin_of(noun):
        for template, low, high in each.names:
            if _pattern(template).fullmatch(folded):
                return low, high
    return None


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(singular(word) for word in split(text.replace("'", "")) if word != "and")


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """What the template may become: any item of its lists, or any words where lists nest."""
    parts: list[str] = []
    at = 0
    for slot in SLOT.finditer(template):
        parts.append(re.escape(template[at : slot.start()].casefold()))
        name, low, _ = slot.groups()
        items = () if low is not None else (lists().get(name) or fields()[name])
        nested = any("{" in item for item in items)
        words = r"\d+" if low is not None else ".+" if nested else _either(items)
        parts.append(words)
        at = slot.end()
    parts.append(re.escape(template[at:].casefold()))
    return re.compile("".join(parts).replace(r"a\ ", r"an?\ ", 1))


def _either(items: Sequence[str]) -> str:
    return f"(?:{'|'.join(re.escape(item.casefold()) for item in items)})"
