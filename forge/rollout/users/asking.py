"""What the agent asks of the user in what it says: for which facts, or only for a yes.

Rules over words, English and Chinese. Always holds: it reads what is said and how facts are called,
never their values; a sentence that asks nothing asks for no fact, whatever words are in it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from forge.rollout.users.terms import CONCEPTS, EMPTY, NOISE
from forge.types.task import Fact


@dataclass(frozen=True, slots=True)
class Asked:
    """`facts`: the names of those asked for, in the order they are asked for; `unknown`: something
    else is asked for; `confirm`: whether a yes is asked for; `closing`: whether more is offered."""

    facts: tuple[str, ...] = ()
    unknown: bool = False
    confirm: bool = False
    closing: bool = False


def asked(facts: Sequence[Fact], text: str) -> Asked:
    """What `text` asks of someone who knows `facts`."""
    found: list[str] = []
    unknown = confirm = closing = False
    for part in _parts(text):
        if _CLOSING.search(part.text):
            closing = True
            continue
        if not part.asks:
            continue
        names = _facts_in(part.text, facts)
        if names:
            confirmed = _CONFIRM.search(part.text) and not _REQUEST.search(part.text)
            if confirmed and not _asks_for_value(part.text):
                confirm = True
                continue
            found += [name for name in names if name not in found]
        elif _CONFIRM.search(part.text):
            confirm = True
        else:
            unknown = True
    return Asked(tuple(found), unknown and not found, confirm and not found, closing)


# ------------------------------------------------------------------- sentences


@dataclass(frozen=True, slots=True)
class _Part:
    text: str
    asks: bool


_SPLIT = re.compile(r"(?<=[?？!！。；])\s*|(?<=[.;])\s+|\n+")
_BULLET = re.compile(r"^\s*(?:[-*•·]|\d{1,2}[.)、]|[a-z][.)])\s*")
_CLOSING = re.compile(
    r"\b(?:anything|something|nothing) (?:else|more|further)\b|\bany other\b"
    r"|\bfurther (?:help|assist)|\bother (?:questions|requests|tasks|changes)\b"
    r"|\bfeel free\b|\bhappy to help\b"
    r"|\b(?:help|assist) you (?:with )?(?:today|further|otherwise)\b|\bneed (?:any )?more help\b"
    r"|\bmore (?:help|I can)\b|\belse (?:I|you)\b"
    r"|还有(?:什么|其他|别的|需要)|其他(?:需要|帮助|问题)|别的(?:需要|事)|随时(?:告诉|联系|找)",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:provide|tell|give|send|share|specify|supply|enter|state|name|choose|pick|clarify|type"
    r"|indicate|let me know|let us know|need|needs|require|requires|required|missing|lack|lacks"
    r"|unclear|waiting for|fill in|looking for|like to know|love to know|wondering|want to know"
    r"|want to be sure (?:of|about)|know)\b"
    r"|请(?:您)?(?:提供|告诉|告知|问|说明|给出|选择|输入|补充|填写)|告诉我|告知|提供|需要(?:您|你)?|缺少|还缺|还差|不知道|不清楚",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:please|kindly|pls|plz|could you|can you|would you|may i|could i|can i)\b[^.?!]{0,60}"
    r"\b(?:provide|tell|give|send|share|specify|supply|enter|state|choose|pick|clarify|type"
    r"|indicate|let me know|let us know|fill in|confirm|have|know|get|ask|remind|advise|say)\b"
    r"|\b(?:i|we)(?:'d| would| will|'ll| do| also| still| just| first| only)*"
    r" (?:need|require|miss|lack|am missing|am lacking|'m missing)\b"
    r"|\b(?:i|we)(?:'m| am|'re| are)?(?: still| just| only)* (?:missing|lacking|waiting for|unsure"
    r"|not sure|wondering)\b|\bneed (?:you|to know|the|your|a|some|from you|more)\b"
    r"|\b(?:i|we) (?:don't|do not|didn't|cannot|can't) (?:know|have|see|find out|tell)\b"
    r"|\blet (?:me|us) know\b|\btell (?:me|us)\b|\b(?:is|are) (?:still )?(?:missing|required|needed"
    r"|unclear)\b|\bstill (?:need|missing|open)\b|\b(?:requires|require)\b|\bneeded\b:?"
    r"|\bwaiting (?:for|on)\b|\bi(?:'d| would) (?:like|love|want) to know\b"
    r"|^(?:please )?(?:provide|specify|enter|give|state|share|supply|send|choose|clarify|confirm)\b"
    r"|^(?:just|only|and|but|also|so|then|first|now|okay|ok|sure|great|thanks|hi|hello)?[ ,]*"
    r"(?:what|which|when|where|who|whom|whose|how (?:many|much|long|should|big|do))\b"
    r"|\b(?:what|which|when|where|who|how many|how much|how long) (?:should|would|do you|is|are)\b"
    r"|请(?:您)?(?:提供|告诉|告知|问|说明|给出|选择|输入|补充|填写|确认)|告诉我|告知我|吗|什么|哪|多少|几[个件本位天号点张]|谁|何时|怎么"
    r"|需要(?:您|你)?(?:提供|告诉|知道|补充|告知)|我(?:还)?需要|还缺|缺少|不知道|不清楚|呢",
    re.IGNORECASE,
)
_CONFIRM = re.compile(
    r"\b(?:shall i|should i|may i|can i|could i|do you want me|would you like me|want me to"
    r"|is (?:that|this|it|everything) (?:right|correct|ok|okay|fine|what you)|are you sure"
    r"|correct\?|right\?|ok\?|okay\?|proceed|go ahead|confirm|is that what you|sound good"
    r"|does that (?:sound|look|work)|yes or no|do i have (?:that|this) right"
    r"|did i get (?:that|this) right|ready (?:for me|to))\b"
    r"|(?:correct|right|ok|okay|yes)\?|确认(?:一下)?(?:吗|？|是否)|对吗|是吗|可以吗|好吗|是否|要我|继续吗|吧？",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\b(?:what|which|when|where|who|whom|whose|how (?:many|much|long|should|big))\b"
    r"|什么|哪|多少|几|谁|何时|怎么",
    re.IGNORECASE,
)


def _asks_for_value(text: str) -> bool:
    return _VALUE.search(text) is not None


def _parts(text: str) -> Iterator[_Part]:
    """The sentences and list items; an item asks where what introduces the list does."""
    listing = False
    for line in text.replace("’", "'").splitlines():
        item = _BULLET.match(line)
        content = line[item.end() :] if item else line
        plain = re.sub(r"[*_`#]", " ", content).strip()
        if not plain:
            continue
        sentences = [part.strip() for part in _SPLIT.split(plain) if part and part.strip()]
        for number, sentence in enumerate(sentences):
            asks = _is_question(sentence) or (item is not None and listing and number == 0)
            yield _Part(sentence, asks)
            if sentence.endswith((":", "：")):
                listing = asks
        if item is None and not plain.endswith((":", "：")):
            listing = False


def _is_question(sentence: str) -> bool:
    return sentence.endswith(("?", "？")) or _ASKING.search(sentence) is not None


# ----------------------------------------------------------------------- facts

_WORD = re.compile(r"[a-z]+|\d+|[一-鿿]")


@dataclass(frozen=True, slots=True)
class _Match:
    """A fact that a sentence may ask for: how well it fits, where, and by what kind of sign."""

    fact: Fact
    score: float
    at: int
    vague: bool = False


def _facts_in(text: str, facts: Sequence[Fact]) -> list[str]:
    """The names of the facts that a sentence that asks is about, as they come in it."""
    folded = text.casefold()
    found = [match for fact in facts if (match := _match(fact, folded)) is not None]
    clear = {_kind(match.fact) for match in found if not match.vague}
    found = [m for m in found if not m.vague or _kind(m.fact) not in clear]
    best: dict[int, float] = {}
    for match in found:
        best[match.at] = max(match.score, best.get(match.at, 0))
    found = [match for match in found if match.score == best[match.at]]
    late = {match.at for match in found if match.fact.told}
    found = [match for match in found if match.fact.told or match.at not in late]
    return [match.fact.name for match in sorted(found, key=lambda match: match.at)]


def _match(fact: Fact, text: str) -> _Match | None:
    """How the fact is asked for in the text, if it is."""
    what, whose = _called(fact)
    column, owner = _telling(_words(what)), _words(whose)
    words = _words(text)
    own = sum(word in words for word in set(owner))
    if _is_chinese(what):
        for part, score in ((what, 6), (what[-2:], 3), (what[:2], 2)):
            if len(part) > 1 and part in text:
                return _Match(fact, score + own, text.index(part))
    else:
        places = {word: text.find(word) for word in column if word in words}
        if places and len(places) == len(set(column)):
            return _Match(fact, 4 + 2 * len(places) + own, max(places.values()))
        if column[-1] in places or any(word not in NOISE for word in places):
            return _Match(fact, 2 + len(places) + own, max(places.values()))
    called = [*column, *_words(fact.name)]
    for concept in CONCEPTS:
        place = concept.place(text) if concept.fits(called, owner, _kind(fact)) else None
        if place is not None:
            return _Match(fact, 1 + own, place, vague=not concept.columns)
    return None


def _called(fact: Fact) -> tuple[str, str]:
    """What the fact is called, and whose it is: "due date", "task"."""
    text = (fact.about or fact.name).casefold()
    if _is_chinese(text):
        whose, _, what = text.rpartition("的")
        return what, whose
    what, _, whose = text.partition(" of the ")
    if not whose:
        of = [w for w in fact.name.split() if _stem(w) not in _words(what)]
        whose = " ".join(of)
    return what, whose


def _telling(words: list[str]) -> list[str]:
    return [word for word in words if word not in EMPTY] or words


def _is_chinese(text: str) -> bool:
    return any("一" <= char <= "鿿" for char in text)


def _kind(fact: Fact) -> str:
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


def _words(text: str) -> list[str]:
    """Word stems, in order; Chinese by characters."""
    return [_stem(word) for word in _WORD.findall(text.casefold())]


def _stem(word: str) -> str:
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ses", "se"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            return word[: -len(ending)] + rest
    return word


def firsts(names: Iterable[str], told: set[str], most: int) -> list[str]:
    """At most so many of the names, those that were not told yet first."""
    waiting = list(names)
    return [*(n for n in waiting if n not in told), *(n for n in waiting if n in told)][:most]
