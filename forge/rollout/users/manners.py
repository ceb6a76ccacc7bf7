"""How people and agents speak: who says that something was done, who agrees, who does not know.

Rules over words, English and Chinese, on the turns of a simulated user and of the agent before it.
Always holds: each gives the words that it goes by, or nothing.
"""

import re
from collections.abc import Sequence

from forge.rollout import sayings
from forge.rollout.users.matching import facts_in, words_of
from forge.types.task import Fact

_DEEDS = (
    "updated?|changed?|added|created|cancell?ed|deleted|removed|booked|scheduled|moved|placed|sent|"
    "assigned|registered|recorded|renamed|reopened|closed|completed|finished|processed|set|made|"
    "found|checked|looked|marked|entered|suspended|shipped|noted|corrected|fixed"
)
_DOING = (
    "updat|chang|add|creat|cancel|delet|remov|book|schedul|mov|plac|send|assign|register|record|"
    "renam|reopen|clos|complet|finish|process|look|check|work|proceed|start|handl"
)
_VERBS = (
    "update|change|add|create|cancel|delete|remove|book|schedule|move|place|send|assign|register|"
    "record|rename|reopen|close|complete|process|look|check|do|handle|proceed|help|assist|get"
)
_AGENT = re.compile(
    rf"\bI(?:'ve| have)(?: just| now| already| successfully)* (?:{_DEEDS})\b"
    rf"|\bI(?:'m| am)(?: now| just| currently| still)* (?:{_DOING})\w*ing\b"
    rf"|\b(?:I will|I'll|let me|allow me to)(?: now| just)* (?:{_VERBS})\b"
    rf"|\bI was able to\b|\bI(?: am|'m)(?: going| about) to (?:{_VERBS})\b"
    r"|\bhow (?:can|may|could) I (?:help|assist|be of)"
    r"|\b(?:help|assist) you\b|\bI(?:'m| am) (?:here|happy|glad) to (?:help|assist)\b"
    r"|\bdon't hesitate\b|\bdo not hesitate\b|\bfeel free to\b|\bat your service\b"
    r"|\blet me know (?:if|how) (?:you|I|there)\b|\byou(?:'re| are) welcome\b"
    r"|\bwhat (?:do|would|can) (?:you|I) (?:need|like|do for)\b|\byou need help\b"
    r"|\bI (?:can't|cannot|can|could) help\b|\bunable to (?:help|assist|process)\b"
    r"|\bso (?:that )?I can (?:verify|help|assist|proceed|process|continue|do|start)\b"
    r"|\b(?:please |could you |can you )?(?:provide|give|tell|send)(?: me)?(?: with)? (?:your|more"
    r"|the (?:details|customer|necessary|required|following|name|number|date))\b"
    r"|\byour (?:request|order|reservation|account|booking|task|changes?|wish(?:es)?)"
    r" (?:has|have|is|are|was|were|will)\b"
    rf"|\b(?:has|have|had) been (?:successfully )?(?:{_DEEDS})\b"
    r"|我已经?(?:为您|帮您|将|把|更新|修改|添加|取消|删除|创建|完成|预订)|(?:已|会|正在)?(?:为|帮)您"
    r"|请(?:您)?(?:提供|告诉我您|告知)|有什么可以帮|需要什么帮助|您需要|您已经|您的(?:预订|订单|请求|账户|名字|需求)"
    r"|我来处理|我先查|我现在就|正在处理|请稍等|稍等",
    re.IGNORECASE,
)


def part_of_the_agent(said: str) -> str:
    """The words that an agent says, not someone who wants something done."""
    match = _AGENT.search(said.replace("’", "'"))
    return "" if match is None else match.group()


_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")


def echoes(said: str, heard: str, wanted: str) -> str:
    """A sentence in which the user says to the agent what the agent said or asked, and nobody
    wanted it."""
    before = [set(words_of(each)) for each in _SENTENCE.findall(heard)]
    own = set(words_of(wanted))
    for sentence in _SENTENCE.findall(said):
        words = set(words_of(sentence))
        if len(words) < 4 or len(words & own) >= 0.7 * len(words):
            continue
        if any(len(words & each) >= 0.8 * len(words | each) for each in before if each):
            return str(sentence).strip()
    return ""


_UNKNOWN = re.compile(
    r"\b(?:don't|do not|didn't) (?:really |actually )?(?:know|have)\b|\bno idea\b|\bnot sure\b"
    r"|\bunsure\b|不知道|不清楚|不确定",
    re.IGNORECASE,
)


def does_not_know(said: str) -> bool:
    return _UNKNOWN.search(said.replace("’", "'")) is not None


_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|sure|correct|right|ok|okay|exactly|that's (?:right|correct)|of course"
    r"|go ahead|please (?:do|go ahead|proceed))\b|\bis (?:right|correct)\b"
    r"|^\W*(?:是的|对|好的|没错|正确)",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\bno\b|\bnot\b|n't\b|\bactually\b|\bbut\b|\bwrong\b|\binstead\b|不|错|应该", re.IGNORECASE
)


def agrees(said: str) -> bool:
    """Whether it is a yes and nothing against it."""
    text = said.replace("’", "'")
    return _YES.search(text) is not None and _BUT.search(text) is None


_NUMBERED = " 0123456789"
_BACK = re.compile(
    r"\b(?:so|is|noted|have|understand(?: that)?)\b.*\b(?:is|as|to be)\b|^is \b|是.*对吗",
    re.IGNORECASE,
)


def reads_back(heard: str, facts: Sequence[Fact]) -> tuple[Fact, str] | None:
    """A fact that the agent takes to be something else, and asks whether that is so; and what."""
    for sentence in _SENTENCE.findall(heard.replace("’", "'")):
        if not _BACK.search(sentence):
            continue
        for name in facts_in(sentence, facts):
            same = [
                fact
                for fact in facts
                if fact.name.rstrip(" 0123456789") == name.rstrip(" 0123456789")
            ]
            if any(sayings.named_texts([fact.text, str(fact.value)], sentence) for fact in same):
                continue
            fact = next(each for each in same if each.name == name)
            about = re.escape(fact.about or fact.name)
            found = re.search(
                rf"{about} (?:is|是|to be) ?([^,?，？]+)|noted (.+?) as {about}", sentence
            )
            if found:
                return fact, next(filter(None, found.groups())).strip()
    return None


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
    r"|working on|(?:am|i'm) (?:looking|starting)|try again|on it)\b"
    r"|请稍等|我先|现在就处理|正在处理",
    re.IGNORECASE,
)


def begins(heard: str) -> bool:
    """Whether the agent says what it is about to do, or has only begun."""
    text = heard.replace("’", "'")
    if re.search(r"\bon the rest\b|\ba part of\b|其余", text, re.IGNORECASE):
        return True
    return _BEGINS.search(text) is not None and _DONE.search(text) is None
