"""What the agent asks of the user in what it says: for which facts, or only for a yes.

Rules over words, English and Chinese. Always holds: a sentence that asks nothing asks for no fact,
whatever words are in it; a turn in which something is asked is never taken for a farewell.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from forge.rollout.users.matching import facts_in, only_late
from forge.types.task import Fact

MOST_READ = 8_000
"""Characters of a turn: its end, since there the questions stand."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`facts`: the names of those asked for, in the order they are asked for; `unknown`: something
    else is asked for; `confirm`: whether a yes is asked for; `closing`: whether more is offered."""

    facts: tuple[str, ...] = ()
    unknown: bool = False
    confirm: bool = False
    closing: bool = False


def asked(facts: Sequence[Fact], text: str) -> Asked:
    """What `text` asks of someone who knows `facts`. Those that are still to be told have `told`
    set."""
    found: list[str] = []
    open_questions: list[str] = []
    confirm = closing = False
    for part in _parts(text[-MOST_READ:]):
        if _CLOSING.search(part.text):
            closing = True
            continue
        if not part.asks:
            continue
        is_value = _VALUE.search(part.text) is not None
        only_yes = not is_value and _CONFIRM.search(part.text) is not None
        names = [] if only_yes else facts_in(part.text, facts)
        found += [name for name in names if name not in found]
        if only_yes:
            confirm = True
        elif not names:
            open_questions.append(part.text)
    if not found and open_questions:
        found += only_late(" ".join(open_questions), facts)
    unknown = bool(open_questions) and not found
    return Asked(tuple(found), unknown, confirm and not found and not unknown, closing)


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
    r"|还有(?:什么|其他|别的|需要)|需要的话|随时叫|其他(?:需要|帮助|问题)|别的(?:需要|事)|随时(?:告诉|联系|找)",
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
    r"|\b(?:don't|do not|can't|cannot) (?:see|know|tell|find) (?:which|what|who|when|where|how)\b"
    r"|\bwithout (?:a|an|the|your|knowing)\b|\b(?:will not|won't|cannot|can't) (?:go on|proceed"
    r"|continue|finish|do (?:it|that|this)) (?:until|unless|without)\b|^type \"|\btype \"yes"
    r"|^(?:still )?missing\b|\bmust have\b|\bi have (?:none|no)\b|\b(?:is|are|was"
    r"|were) not (?:given|said"
    r"|specified|mentioned|provided|clear|stated)\b|\bnothing (?:about|on) (?:the|who|when|where)\b"
    r"|\b(?:didn't|did not|haven't|have not) (?:say|said|mention|mentioned|specify"
    r"|specified|tell|told"
    r"|give|given|provide|provided|state|stated)\b|\b(?:mandatory|obligatory)\b"
    r"|\bwaiting (?:for|on)\b|\bi(?:'d| would) (?:like|love|want) to know\b"
    r"|^(?:please )?(?:provide|specify|enter|give|state|share|supply|send|choose|clarify|confirm)\b"
    r"|^(?:just|only|and|but|also|so|then|first|now|okay|ok|sure|great|thanks|hi|hello)?[ ,]*"
    r"(?:what|which|when|where|who|whom|whose|how (?:many|much|long|should|big|do))\b"
    r"|\b(?:what|which|when|where|who|how many|how much|how long) (?:should|would|do you|is|are)\b"
    r"|请(?:您)?(?:提供|告诉|告知|问|说明|给出|选择|输入|补充|填写|确认)|告诉我|告知我|吗|什么|哪|多少|几[个件本位天号点张]|谁|何时|怎么"
    r"|需要(?:您|你)?(?:提供|告诉|知道|补充|告知)|我(?:还)?需要|还缺|缺少|还差|不知道|不清楚|没有(?:说|提|告诉)|必填|必须|呢|麻烦|发我|给我",
    re.IGNORECASE,
)
_POLITE = re.compile(r"\b(?:please|pls|plz|kindly)\b|麻烦|劳烦|烦请|请|就行|即可", re.IGNORECASE)
_WAITING = re.compile(
    r"\b(?:moment|second|minute|wait|hold on|bear with|note that|be aware|while i|apologies"
    r"|as you (?:asked|wanted)|thank)\b|请稍|稍等|请注意|请放心|请知悉",
    re.IGNORECASE,
)
_CONFIRM = re.compile(
    r"\b(?:shall i|should i|may i|can i|do you want me|would you like me|want me to"
    r"|is (?:that|this|it|everything|all of (?:that|this)) (?:all )?(?:right|correct"
    r"|ok|okay|fine|the"
    r" right|what you|good)|are you sure|proceed|go ahead|double-check|is that what you|sound good"
    r"|sound right|does (?:that|this|it) (?:sound|look|work)|yes or no|have (?:that|this) right"
    r"|get (?:that|this) right|ready (?:for me|to)|to continue\b|confirm (?:that|this"
    r"|and)|to confirm)"
    r"|(?:correct|right|ok|okay|yes|alright|agreed)\?|确认|确定|对吗|对吧|是吗|可以.{0,4}吗|是否|好吗|要我|继续吗|吧？|行吗",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\b(?:what|which|when|where|who|whom|whose|how (?:many|much|long|should|big|would|do))\b"
    r"|\bto confirm\b.*\bor\b|什么|哪|多少|几|谁|何时|怎么|怎样",
    re.IGNORECASE,
)


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
    if sentence.endswith(("?", "？")) or _ASKING.search(sentence):
        return True
    return bool(_POLITE.search(sentence)) and not _WAITING.search(sentence)


def firsts(names: Iterable[str], told: set[str], most: int) -> list[str]:
    """At most so many of the names, those that were not told yet first."""
    waiting = list(names)
    return [*(n for n in waiting if n not in told), *(n for n in waiting if n in told)][:most]
