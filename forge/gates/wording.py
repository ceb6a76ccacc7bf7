"""Whether the question asks for another choice or another number than the intent means: it says
"latest" where the earliest is meant, or "average" where the total is.

Only words of rank and of computing are looked at, since facts are held against the question by
themselves.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from forge.tasks.intents.inside import measured, selections
from forge.types.intent import Answer, Intent
from forge.types.task import Task

Which = Literal["min", "max"]

_PLAIN: dict[Which, frozenset[str]] = {
    "min": frozenset(("earliest", "oldest", "lowest", "smallest", "fewest", "cheapest", "soonest")),
    "max": frozenset(("latest", "newest", "highest", "greatest", "largest", "biggest", "dearest")),
}
"""Words that mean nothing else."""
_EITHER = frozenset(("longest", "shortest"))
"""Overdue longest is due earliest."""
_OTHER: dict[Which, frozenset[str]] = {
    "min": frozenset(("first", "least", "minimum")) | _EITHER,
    "max": frozenset(("last", "most", "maximum", "recent", "recently")) | _EITHER,
}
"""Words that may mean it."""
OPPOSITES = {
    one: other
    for pair in (
        ("earliest", "latest"), ("oldest", "newest"), ("lowest", "highest"), ("first", "last"),
        ("fewest", "most"), ("smallest", "largest"), ("cheapest", "dearest"), ("least", "most"),
    )
    for one, other in (pair, pair[::-1])
}  # fmt: skip
_ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5}
_AFTER = {"after", "then", "once", "done"}
_COMPUTED = {
    "average": ("average", "mean", "averages"),
    "median": ("median",),
    "sum": ("total", "sum", "together", "altogether", "overall"),
    "distinct": ("different", "distinct", "unique"),
}
"""What a measure is called, at least by one of these."""
_BOUNDS = re.compile(r"\bat (?:least|most)\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")
_CHINESE: dict[Which, tuple[str, ...]] = {
    "min": ("最早", "最旧", "最老", "最低", "最小", "最便宜"),
    "max": ("最晚", "最新", "最高", "最大", "最贵"),
}
_CHINESE_OTHER: dict[Which, tuple[str, ...]] = {
    "min": ("最先", "第一", "首", "最少", "最近", "最短", "最长", "最差", "最后"),
    "max": ("最后", "最近", "最多", "最长", "最短", "最好", "最远"),
}
_CHINESE_AFTER = ("之后", "以后", "然后", "完成后", "后", "再", "接着", "等", "好了")
_CHINESE_COMPUTED = {
    "average": ("平均", "均值"),
    "median": ("中位",),
    "sum": ("总", "合计", "一共", "共", "加起来", "累计"),
    "distinct": ("不同", "几种", "多少种", "种"),
}


def without_facts(task: Task) -> str:
    """The question, without the words that say the values: a "3" is no part of "prj_83f2"."""
    text = task.question
    for fact in sorted(task.facts, key=lambda f: -len(f.text)):
        if fact.text in text:
            text = " ".join(_around(fact.text, text))
    return text


def _around(part: str, text: str) -> Iterator[str]:
    """What is before, between and after the places where `part` stands by itself."""
    start = at = 0
    while part and (at := text.find(part, at)) >= 0:
        end = at + len(part)
        if not (_is_inner(text[at - 1 : at]) or _is_inner(text[end : end + 1])):
            yield text[start:at]
            start = end
        at = end
    yield text[start:]


def _is_inner(character: str) -> bool:
    """Whether a word goes on with it."""
    return character.isalnum() or character in ("_", "-")


def misworded(task: Task, columns: Iterable[str]) -> str | None:
    """A word that is part of a name among `columns` says nothing of rank or computing."""
    if task.lang == "zh":
        return _misworded_in_chinese(task, columns)
    names = " ".join(columns).casefold()
    said = _BOUNDS.sub(" ", without_facts(task)).casefold()
    words = set(_WORD.findall(said))
    own = words - set(_WORD.findall(names))
    meant = set(_directions(task.intent))
    for which in ("min", "max"):
        if which in meant and not words & (_PLAIN[which] | _OTHER[which]):
            return f"the question does not say that the {which} is meant"
        if which not in meant and own & _PLAIN[which]:
            return f"the question says {min(own & _PLAIN[which])!r}, and no {which} is meant"
    places = {of.pick.nth for of, _ in selections(task.intent) if of.pick is not None}
    for word, place in _ORDINALS.items():
        if (place in places) != (word in words) and (place in places or word in own):
            return f"the question says {'not ' if place in places else ''}{word!r}"
    if any(isinstance(w, Answer) and w.after for w in task.intent.wishes) and not words & _AFTER:
        return "the question does not say that it is asked after the changes"
    measures = {each.op for each in measured(task.intent)}
    for op, called in _COMPUTED.items():
        if op in measures and not words & set(called):
            return f"the question does not ask for the {op}"
        if op not in measures and called[0] in own and op in ("average", "median"):
            return f"the question asks for the {op}, which is not meant"
    return None


def _misworded_in_chinese(task: Task, names: Iterable[str]) -> str | None:
    said = without_facts(task)
    own = said
    for name in sorted(names, key=lambda name: (-len(name), name)):
        own = own.replace(name, " ")
    meant = set(_directions(task.intent))
    for which in ("min", "max"):
        if which in meant and not _says_any(said, (*_CHINESE[which], *_CHINESE_OTHER[which])):
            return f"the question does not say that the {which} is meant"
        if which not in meant and (found := _says_any(own, _CHINESE[which])):
            return f"the question says {found!r}, and no {which} is meant"
    places = {of.pick.nth for of, _ in selections(task.intent) if of.pick is not None}
    for word, place in (("第二", 2), ("第三", 3), ("第四", 4), ("第五", 5)):
        if place in places and word not in said:
            return f"the question does not say {word!r}"
    after = any(isinstance(wish, Answer) and wish.after for wish in task.intent.wishes)
    if after and not _says_any(said, _CHINESE_AFTER):
        return "the question does not say that it is asked after the changes"
    measures = {each.op for each in measured(task.intent)}
    for op, called in _CHINESE_COMPUTED.items():
        if op in measures and not _says_any(said, called):
            return f"the question does not ask for the {op}"
        if op not in measures and op in ("average", "median") and called[0] in own:
            return f"the question asks for the {op}, which is not meant"
    return None


def _says_any(text: str, words: Iterable[str]) -> str:
    return next((word for word in words if word in text), "")


def _directions(intent: Intent) -> Iterator[Which]:
    for of, _ in selections(intent):
        if of.pick is not None and of.pick.near is None:
            yield of.pick.which
    for each in measured(intent):
        if each.op in ("min", "range"):
            yield "min"
        if each.op in ("max", "range"):
            yield "max"
