"""Which facts a sentence that asks is about: by what they are called, by other words for that, by
options that name their values, or because they are all that is left to tell.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from forge.rollout.users.terms import CONCEPTS, EMPTY, NOISE, OTHERS, PEOPLE
from forge.types.task import Fact

Sign = Literal["name", "option", "concept", "kind"]
"""How a fact was recognised: by its name, by its value among options, by another word for it, or
only by the kind of value that is asked for. In falling order of trust."""
_TRUST: dict[Sign, int] = {"name": 3, "option": 3, "concept": 2, "kind": 1}


@dataclass(frozen=True, slots=True)
class _Match:
    fact: Fact
    sign: Sign
    score: float
    at: int


def facts_in(text: str, facts: Sequence[Fact]) -> list[str]:
    """The names of the facts that a sentence that asks is about, as they come in it."""
    found = _found(text, facts)
    names = [match.fact.name for match in found]
    unsure = all(match.sign != "name" or match.score < SURE for match in found)
    if found and unsure and not any(match.fact.told for match in found):
        # Another word for what was said already may be another word for what was not.
        return [*only_late(text, facts), *names]
    return names


def _found(text: str, facts: Sequence[Fact]) -> list[_Match]:
    folded = text.casefold()
    found = [match for fact in facts if (match := _match(fact, folded)) is not None]
    found = [m for m in found if not any(_outdoes(other, m) for other in found)]
    best: dict[int, float] = {}
    for match in found:
        best[match.at] = max(match.score, best.get(match.at, 0))
    found = [match for match in found if match.score == best[match.at]]
    late = set() if _PLURAL.search(folded) else {m.at for m in found if m.fact.told}
    found = [match for match in found if match.fact.told or match.at not in late]
    return sorted(found, key=lambda match: match.at)


_PLURAL = re.compile(
    r"\bboth\b|\beach\b|\bones\b|\bthe two\b|\bold\b.*\bnew\b|\bwhich one\b.*\bwhich one\b|分别|各"
)


def only_late(text: str, facts: Sequence[Fact]) -> list[str]:
    """The facts that are left to tell, at most two, where the question is for nothing that has
    another name."""
    late = [fact for fact in facts if fact.told]
    if len(late) > MOST_LEFT:
        return []
    words = set(words_of(text.casefold()))
    return [fact.name for fact in late if not _is_for_another(words, fact)]


MOST_LEFT = 2
SURE = 7
"""The score of a fact that is called by its whole name, or with whose it is."""


def _is_for_another(words: set[str], fact: Fact) -> bool:
    """Whether the words ask for something that the fact is not."""
    own = set(words_of(fact.about.casefold())) | set(words_of(fact.name))
    return any(not words.isdisjoint(group) and own.isdisjoint(group) for group in OTHERS)


def _outdoes(other: _Match, match: _Match) -> bool:
    """Whether the other is so much the better for the same kind of value that this is an echo."""
    if other.fact is match.fact or _TRUST[other.sign] <= _TRUST[match.sign]:
        return False
    kind = kind_of(match.fact)
    return kind == kind_of(other.fact) and (match.sign == "kind" or kind == "number")


def _match(fact: Fact, text: str) -> _Match | None:
    """How the fact is asked for in the text, if it is."""
    what, whose = _called(fact)
    column, owner = _telling(words_of(what)), words_of(whose)
    words = words_of(text)
    own = sum(word in words for word in set(owner))
    if _ID.search(text) and not _ID.search(f"{what} {fact.name}"):
        return None
    for names, of in _ways(fact, column, owner):
        named = _named(what, names, of, text, words)
        if named is not None and not (_WHOSE.search(text) and PEOPLE.isdisjoint([*names, *of])):
            score, at = named
            return _Match(fact, "name", score + own, at)
    which = _which(fact, [*column, *owner], text)
    if which is not None:
        return _Match(fact, "name", 5 + own, which)
    option = _option(fact, text)
    if option is not None:
        return _Match(fact, "option", 3 + own, option)
    called = set(column)
    if _is_chinese(what):  # the words of concepts are English, and so are the names of facts
        name = [word for word in words_of(fact.name) if not word.isdigit()]
        called, owner = {name[-1]}, [*owner, *name[:-1]]
    for concept in CONCEPTS:
        place = concept.place(text) if concept.fits(called, owner, kind_of(fact)) else None
        if place is None or (set(column) <= set(owner) and words_of(text[place:])[0] in owner):
            continue
        if concept.columns:
            return _Match(fact, "concept", 1 + own, place)
        if not _LABEL.search(fact.name):
            return _Match(fact, "kind", 1 + own, place)
    return None


def _ways(fact: Fact, column: list[str], owner: list[str]) -> list[tuple[list[str], list[str]]]:
    """What it is and whose, in words: as it is asked for, and, where that is a record ("the member
    of the loan"), by what the record is known by ("card number", of a member)."""
    name = [word for word in words_of(fact.name) if not word.isdigit()]
    rest = [word for word in name if word not in column]
    if rest and set(column) <= set(name) and name[-1] not in column:
        return [(column, owner), (rest, column)]
    return [(column, owner)]


_KNOWN_BY = frozenset({"name", "title", "number", "code", "login", "slug", "username", "subject"})
_WHICH = re.compile(
    r"\b(?:which|what|whose)(?: of (?:the|your))? (?:(?:[a-z-]+) ){0,2}?([a-z]+)\b"
    r"|哪[一]?[个本位张条间只件款笔家座种]?([一-鿿]{1,3})|什么([一-鿿]{1,3})"
)


def _which(fact: Fact, called: list[str], text: str) -> int | None:
    """Where the text asks which record is meant, if the fact is what the record is known by."""
    name = [word for word in words_of(fact.name) if not word.isdigit()]
    if name[-1] not in _KNOWN_BY or fact.about.startswith("the new "):
        return None
    nouns = {*name[:-1], *called} - _KNOWN_BY - EMPTY
    for match in _WHICH.finditer(text):
        if match[1] is not None:
            asked = words_of(match.group())[1:]
            if not nouns.isdisjoint(asked) or asked[0] == "one":
                return match.start()
        elif any(noun in match.group() for noun in nouns if _is_chinese(noun)):
            return match.start()
    return None


_WHOSE = re.compile(r"\bwhose (?:first |last |full )?name\b")
"""Then it is the name of a person."""
_ID = re.compile(r"\b(?:g|u|gu|uu)?ids?\b|\bidentifier\b|编号")
_LABEL = re.compile(r"\b(?:number|code|id)(?: \d+)?$")
_CHOICE = re.compile(r"\bor\b|/|还是|或|、|,|，|:|：")


def _named(
    what: str, column: list[str], owner: list[str], text: str, words: list[str]
) -> tuple[float, int] | None:
    """How well the text says what the fact is called, and where."""
    if _is_chinese(what):
        for part, score in ((what, 6), (what[-2:], 3), (what[:2], 2)):
            if len(part) > 1 and part in text and part not in ("".join(owner),):
                return score, text.index(part)
        return None
    places = {word: text.find(word) for word in column if word in words}
    if not places or set(column) <= set(owner):
        return None
    if len(places) == len(set(column)):
        return 4 + 2 * len(places), max(places.values())
    if column[-1] in places or any(word not in NOISE for word in places):
        return 2 + len(places), max(places.values())
    return None


def _option(fact: Fact, text: str) -> int | None:
    """Where the value stands, if the text offers several."""
    if isinstance(fact.value, bool) or not fact.told or not _CHOICE.search(text):
        return None
    for said in (fact.text, str(fact.value)):
        wanted = said.casefold().replace("_", " ")
        at = text.find(wanted)
        if at >= 0 and len(wanted) > 1 and not wanted.isdigit():
            return at
    return None


def _called(fact: Fact) -> tuple[str, str]:
    """What the fact is called, and whose it is: "due date", "task"."""
    text = (fact.about or fact.name).casefold()
    if _is_chinese(text):
        whose, _, what = text.rpartition("的")
        return what, whose
    what, _, whose = text.partition(" of the ")
    if not whose:
        of = [w for w in fact.name.split() if stem(w) not in words_of(what)]
        whose = " ".join(of)
    return what, whose


def _telling(words: list[str]) -> list[str]:
    return [word for word in words if word not in EMPTY] or words


def _is_chinese(text: str) -> bool:
    return any("一" <= char <= "鿿" for char in text)


def kind_of(fact: Fact) -> str:
    if isinstance(fact.value, bool):
        return "boolean"
    if isinstance(fact.value, int | float):
        return "number"
    if isinstance(fact.value, str):
        try:
            date.fromisoformat(fact.value[:10])
        except ValueError:
            return "text"
        return "date"
    return "list" if isinstance(fact.value, list) else "other"


_WORD = re.compile(r"[a-z]+|\d+|[一-鿿]")


def words_of(text: str) -> list[str]:
    """Word stems, in order; Chinese by characters."""
    return [stem(word) for word in _WORD.findall(text.casefold())]


def stem(word: str) -> str:
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ses", "se"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            return word[: -len(ending)] + rest
    return word
