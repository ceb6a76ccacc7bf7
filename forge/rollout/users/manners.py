"""How people and agents speak: who says that something was done, who agrees, who does not know.

Rules over words, English and Chinese, on the turns of a simulated user and of the agent before it.
Always holds: each gives the words that it goes by, or nothing.
"""

import re

from forge.rollout.users.matching import words_of
from forge.rollout.users.terms import EMPTY
from forge.types.task import Fact

_DEEDS = (
    "updated|changed|added|created|cancell?ed|deleted|removed|scheduled|assigned|recorded|renamed|"
    "reopened|closed|completed|finished|processed|marked|entered|suspended|shipped|corrected"
)
_VERBS = (
    "update|change|add|create|cancel|delete|remove|schedule|assign|register|record|rename|reopen|"
    "close|complete|process|proceed|help|assist|start|go ahead|get rid of|put in|set up|"
    "do (?:it|that|this)|look (?:it|that|this|into|up)"
)
_DOING = (
    "updating|changing|adding|creating|cancell?ing|deleting|removing|processing|finishing|"
    "(?:starting|proceeding) with|(?:working on|doing) (?:it|that|this|your|the rest|another part)"
)
_AGENT = re.compile(
    rf"\bI(?:'ve| have)(?: just| now| already| successfully)* (?:{_DEEDS})\b"
    rf"|\bI(?:'m| am)(?: now| just| currently| still)* (?:{_DOING})\b"
    rf"|\b(?:I will|I'll|let me|allow me to|I(?: am|'m)(?: going| about) to)(?: now| just)*"
    rf" (?:{_VERBS})\b"
    r"|\bI (?:was able to|could) (?:help|complete|assist|do|process|update|find)\b"
    r"|\bI(?:'m| am) sorry,? but I (?:can't|cannot|could not|couldn't|am unable)\b"
    r"|\bI can(?:'t|not)? (?:help|assist|look|process)\b|\bI can(?:'t|not) (?:do|find) (?:it|that)"
    r"|\bknow how to help\b|\bunable to (?:help|assist|process)\b|\bin my database\b"
    r"|\bto assist with\b|\bhere(?:'s| is) (?:a|the) list\b|\bthe list below\b"
    r"|\bhow (?:can|may|could) I (?:help|assist|be of)|\b(?:help|assist) you\b|\byou need help\b"
    r"|\bI(?:'m| am) (?:here|happy|glad) to (?:help|assist)\b|\bat your service\b"
    r"|\b(?:don't|do not) hesitate\b|\bfeel free to (?:ask|reach|contact|let)\b"
    r"|\blet me know (?:if (?:you|there)\b[^.?!]*\b(?:else|questions|help|assist)|what you"
    r"|which (?:one )?you|when you would|how I can|if it's a)\b"
    r"|\b(?:have anything else|anything else you need),? please let me know\b"
    r"|\byou(?:'re| are) welcome\b|\bwhat (?:would you like|can I do for)\b"
    r"|\bso (?:that )?I can (?:verify|help|assist|process)\b"
    r"|\b(?:provide|give|tell|send)(?: me)?(?: with)? (?:your (?!answer)|more (?:details"
    r"|information)|the (?:details|necessary|required|following))"
    r"|\byour (?:request|order|reservation|account|booking|task|changes?|wish(?:es)?)s?"
    r" (?:has|have|is|are|was|were|will)\b"
    r"|我已经?(?:为您|帮您|将|把|更新|修改|添加|取消|删除|创建|完成|预订)|(?:已|会|正在)?(?:为|帮)您"
    r"|(?:帮助|协助)您|您是否|我无法|我找不到|我没有找到|我将(?:为|继续|处理|查)|无法执行|随时告诉我"
    r"|请(?:您)?(?:提供|告诉我您|告知)|有什么可以帮|需要什么帮助|您需要|您已经"
    r"|您的(?:预订|订单|请求|账户|名字|需求)|我来处理|我先查|我现在就|正在处理|请稍等|稍等",
    re.IGNORECASE,
)


def part_of_the_agent(said: str) -> str:
    """The words that an agent says, not someone who wants something done."""
    match = _AGENT.search(said.replace("’", "'"))
    return "" if match is None else match.group()


_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")


def echoes(said: str, heard: str, wanted: str) -> str:
    """A sentence in which the user says to the agent what the agent asked or is about to do, and
    nobody wanted it."""
    asking = [
        s for s in _SENTENCE.findall(heard) if s.endswith(("?", "？")) or asks(s) or begins(s)
    ]
    before = [set(words_of(each)) for each in asking]
    own = set(words_of(wanted))
    for sentence in _SENTENCE.findall(said):
        words = set(words_of(sentence))
        if len(words) < 4 or len(words & own) >= 0.7 * len(words):
            continue
        if any(len(words & each) >= 0.8 * len(words | each) for each in before if each):
            return str(sentence).strip()
    return ""


_UNKNOWN = re.compile(
    r"\b(?:don't|do not|didn't) (?:really |actually )?know\b"
    r"(?! how| anything else| (?:its|the|any|what) (?:internal )?ids?\b| what to| when| which one)"
    r"|\bno idea\b|\bnot sure\b|\bunsure\b|不知道|不清楚|不确定",
    re.IGNORECASE,
)


def does_not_know(said: str) -> bool:
    return _UNKNOWN.search(said.replace("’", "'")) is not None


_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|sure|correct|right|ok|okay|exactly|that's (?:right|correct)|of course"
    r"|go ahead|please (?:do|go ahead|proceed))\b|\bis (?:right|correct)\b"
    r"|^\W*(?:是的|对(?!吗)|好的|没错|正确)",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\bno\b|\bnot\b|n't\b|\bactually\b|\bbut\b|\bwrong\b|\binstead\b|不|错|应该", re.IGNORECASE
)


def agrees(said: str) -> bool:
    """Whether it is a yes and nothing against it."""
    text = said.replace("’", "'")
    return _YES.search(text) is not None and _BUT.search(text) is None


def names(text: str, fact: Fact) -> bool:
    """Whether the text calls the fact by its name; one told late, by all the words of it."""
    about = fact.about or fact.name
    words = set(words_of(about)) - EMPTY
    return about.casefold() in text.casefold() or (
        fact.told and len(words) > 1 and words <= set(words_of(text))
    )


_EMPTY_ANSWER = re.compile(
    r"(?:not|now|already|correct|right|fine|good|ok|okay|unknown|missing|the same|as|what|that"
    r"|above|required|needed|done|up to|also|still|in|on|for)\b",
    re.IGNORECASE,
)


def states(text: str, fact: Fact) -> str:
    """What the text says that the fact is: of "the due date is 7 May", "7 May"; or nothing."""
    about = re.escape(fact.about or fact.name)
    form = (
        rf"(?<![一-鿿]){about}(?: (?:is|are|should be|will be|to be)|:|是| 是) ?([^.!?。！？,，]+)"
    )
    found = re.search(form, text.replace("’", "'"), re.IGNORECASE)
    if found is None or _EMPTY_ANSWER.match(found[1].strip()):
        return ""
    return found[1].strip()


def reads_back(heard: str, fact: Fact) -> str:
    """What the agent takes the fact to be, where it asks whether that is so; or nothing."""
    about = re.escape(fact.about or fact.name)
    for sentence in _SENTENCE.findall(heard.replace("’", "'")):
        forms = (
            rf"^\W*is {about} (.+?),? or something else",
            rf"^\W*is {about} ([^,?]+)\?",
            rf"{about} (?:is|是|to be) ?([^,?，？]+)[,，].*[?？]",
            rf"noted (.+?) as {about}",
        )
        for form in forms:
            found = re.search(form, sentence, re.IGNORECASE)
            if found:
                return str(found[1]).strip()
    return ""


def _is_question(sentence: str) -> bool:
    return sentence.rstrip().endswith(("?", "？"))


_ASKS = re.compile(
    r"\b(?:please|could you|can you|you)\b[^.?!]{0,30}"
    r"\b(?:provide|tell|give|send|specify|enter|check)\b|^(?:provide|tell|give|send|specify|enter)\b|请(?:您)?(?:提供|告诉|核对|确认|问)",
    re.IGNORECASE,
)


def asks(sentence: str) -> bool:
    """Whether it asks for something to be told or checked."""
    return _ASKS.search(sentence.strip()) is not None


def asks_for(said: str, fact: Fact) -> str:
    """A sentence in which the user asks the agent for what only the user knows."""
    for sentence in _SENTENCE.findall(said):
        about = (fact.about or fact.name).casefold()
        asking = _is_question(sentence) or asks(sentence)
        if asking and about in sentence.casefold():
            return str(sentence).strip()
    return ""


_ID = re.compile(r"\b(?:id|ids|gid|uuid|identifier)\b|编号|ＩＤ", re.IGNORECASE)


def asks_for_an_id(heard: str) -> bool:
    return _ID.search(heard) is not None


def speaks_of_an_id(said: str, value: str) -> bool:
    """Whether the value is given as an id."""
    found = re.search(
        rf"(?:\bID\b|\bidentifier\b|编号)[^.!?。]{{0,40}}{re.escape(value)}", said, re.IGNORECASE
    )
    return found is not None


_DONE = re.compile(
    r"\b(?:is|are|it's|that's|was|were|been|all|have|has|i've) (?:now |all |both )*"
    r"(?:done|completed?|finished)\b|\bthe answer is\b|\bdone[.!]|已(?:经)?完成|完成了",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"\b(?:i will|i'll|i am going to|i'm going to|let me(?! know)|one moment|just a moment"
    r"|working on|(?:am|i'm) (?:looking|starting)|try again|on it)\b|^\w+ing\b[^.?!]*(?:\.\.\.|…)"
    r"|请稍等|我先|现在就处理|正在处理",
    re.IGNORECASE,
)


def begins(heard: str) -> bool:
    """Whether the agent says what it is about to do, or has only begun."""
    text = heard.replace("’", "'")
    if re.search(r"\bon the rest\b|\ba part of\b|其余", text, re.IGNORECASE):
        return True
    return _BEGINS.search(text) is not None and _DONE.search(text) is None
