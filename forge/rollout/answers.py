"""Whether the agent gave the answers that were due: typed, and none beside them.

Only statements to the user count; to ask "is it Anna?" is not to say it. Always holds: naming
several values in the hope that one is right earns nothing, and neither does giving each of two
answers to the other's question.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime
from itertools import combinations

from forge.rollout import sayings
from forge.tasks.intents.inside import said_values
from forge.types.data import Json
from forge.types.intent import Intent
from forge.types.rollout import Step, Unsaid
from forge.types.task import Due, Task

MANNERS = frozenset({"done", "ok", "yes", "no", "all", "none", "new", "name"})
"""Values that an agent says without meaning them."""

MOST_OWN = 2
"""Numbers (or dates) beside the right one that nobody has shown the agent: sums on the way."""
MOST_SEEN = 8
"""The same, of those that tools gave, in the message that answers: what a sum is made of."""


def unsaid(task: Task, question: str, steps: Sequence[Step]) -> tuple[Unsaid, ...]:
    """The answers due that were not given, or not alone, after the user opened with `question`."""
    if not task.dues:
        return ()
    said = [sayings.statements(step.turn.text) for step in steps if step.turn.text]
    asked = "\n".join([question, *(step.user or "" for step in steps)])
    seen = "\n".join(result.text for step in steps for result in step.results)
    found: dict[int, Unsaid] = {}
    for number, due in enumerate(task.dues):
        rest = [other.value for other in task.dues if other is not due]
        missing = _missing(due, said, asked, seen, rest)
        if missing is not None:
            found[number] = missing
    for (i, one), (j, other) in combinations(enumerate(task.dues), 2):
        if not {i, j} & found.keys() and _swapped(task, one, other, "\n".join(said)):
            found[i] = Unsaid(wish=one.wish, expected=one.value, others=(other.value,))
            found[j] = Unsaid(wish=other.wish, expected=other.value, others=(one.value,))
    return tuple(found[number] for number in sorted(found))


_CLAUSE = re.compile(r"[.!。！](?=\s|$)|[;；,，、\n]|\band\b|\bwhile\b|和|，而")


def _swapped(task: Task, one: Due, other: Due, said: str) -> bool:
    """Whether each value is given as the answer to the other's question: in a clause that names
    only what the other asks about, or, where no clause does, in the other order."""
    if one.type != other.type or one.type == "boolean" or one.value == other.value:
        return False
    of_one, of_other = _subjects(task, one.wish), _subjects(task, other.wish)
    first: dict[bool, int] = {}
    for number, clause in enumerate(_CLAUSE.split(said)):
        gives_one, gives_other = _names(one, clause), _names(other, clause)
        if gives_one:
            first.setdefault(True, number)
        if gives_other:
            first.setdefault(False, number)
        about_one = bool(sayings.named_texts(of_one - of_other, clause))
        about_other = bool(sayings.named_texts(of_other - of_one, clause))
        if about_one != about_other and gives_one != gives_other:
            return about_one != gives_one
    return first.get(False, 0) < first.get(True, 0)


def _subjects(task: Task, wish: int) -> set[str]:
    """What the user says to tell what the wish is about."""
    answers = {str(due.value) for due in task.dues}
    facts = {fact.name: fact.text for fact in task.facts if fact.text not in answers}
    names = said_values(Intent(wishes=(task.intent.wishes[wish],)))
    return {facts[name] for name in names if name in facts}


def _names(due: Due, text: str) -> bool:
    match due.type:
        case "string":
            return bool(sayings.named_texts([str(due.value)], text))
        case "date" | "date-time":
            return any(sayings.is_date(_day(due.value), each) for each in sayings.dates(text))
        case _:
            return any(sayings.is_number(float(due.value), each) for each in sayings.numbers(text))


def _missing(
    due: Due, said: Sequence[str], asked: str, seen: str, rest: Sequence[Json]
) -> Unsaid | None:
    match due.type:
        case "string":
            return _text(due, said, asked, rest)
        case "boolean":
            return _truth(due, said)
        case "date" | "date-time":
            return _date(due, said, asked, seen, rest)
        case _:
            return _number(due, said, asked, seen, rest)


def _text(due: Due, said: Sequence[str], asked: str, rest: Sequence[Json]) -> Unsaid | None:
    """By the last message that names any of what it could be."""
    candidates = [c for c in due.candidates if isinstance(c, str)]
    beside = {each for each in rest if isinstance(each, str)}
    known = {c for c in candidates if sayings.named_texts([c], asked)} | beside
    known |= {c for c in candidates if c.casefold() in MANNERS}
    for message in reversed(said):
        named = sayings.named_texts([str(due.value), *candidates, *beside], message)
        others = [name for name in named if name != due.value and name not in known]
        if due.value in named or others:
            if due.value in named and not others:
                return None
            return Unsaid(wish=due.wish, expected=due.value, others=tuple(others))
    return Unsaid(wish=due.wish, expected=due.value)


def _truth(due: Due, said: Sequence[str]) -> Unsaid | None:
    for message in reversed(said):
        found = sayings.says(message)
        if found:
            others = tuple(sorted(found - {due.value}))
            return Unsaid(wish=due.wish, expected=due.value, others=others) if others else None
    return Unsaid(wish=due.wish, expected=due.value)


def _number(
    due: Due, said: Sequence[str], asked: str, seen: str, rest: Sequence[Json]
) -> Unsaid | None:
    value = float(due.value)
    told = {number for number, _ in sayings.numbers(asked)}
    told |= {float(v) for v in rest if isinstance(v, int | float)}
    candidates = {float(c) for c in due.candidates if isinstance(c, int | float)}
    every: set[float] = set()
    answer: set[float] | None = None
    for message in said:
        named = sayings.numbers(message)
        others = {n for n, d in named if not sayings.is_number(value, (n, d))} - told
        every |= others
        if any(sayings.is_number(value, each) for each in named):
            answer = others
    shown = {number for number in every if _stands(number, seen)}
    own = every - shown
    if answer is None:
        return Unsaid(wish=due.wish, expected=due.value, others=tuple(sorted(own)))
    wrong = answer & candidates
    if wrong or len(own) > MOST_OWN or len(answer & shown) > MOST_SEEN:
        others_named = tuple(sorted(wrong or own | answer))
        return Unsaid(wish=due.wish, expected=due.value, others=others_named)
    return None


def _stands(number: float, seen: str) -> bool:
    """Whether a tool's result has the number."""
    figures = str(int(number)) if number == int(number) else repr(number)
    return re.search(rf"(?<![\d.]){re.escape(figures)}(?!\d)", seen) is not None


def _date(
    due: Due, said: Sequence[str], asked: str, seen: str, rest: Sequence[Json]
) -> Unsaid | None:
    value = _day(due.value)
    told = sayings.dates(asked)
    told += [((d.year, d.month, d.day),) for d in map(_day_or_none, rest) if d is not None]
    candidates = [d for d in map(_day_or_none, due.candidates) if d is not None and d != value]
    every: set[sayings.Day] = set()
    answer: set[sayings.Day] | None = None
    for message in said:
        named = sayings.dates(message)
        others = {n[0] for n in named if not sayings.is_date(value, n) and not _among(n, told)}
        every |= others
        if any(sayings.is_date(value, each) for each in named) and _at(due, message):
            answer = others
    own = {(y, m, d) for y, m, d in every if f"{y or ''}-{m:02}-{d:02}" not in seen}
    if answer is None:
        return Unsaid(wish=due.wish, expected=due.value, others=_written(own))
    wrong = {day for day in answer if any(sayings.is_date(c, (day,)) for c in candidates)}
    if wrong or len(own) > MOST_OWN or len(answer - own) > MOST_SEEN:
        return Unsaid(wish=due.wish, expected=due.value, others=_written(wrong or own | answer))
    return None


def _at(due: Due, message: str) -> bool:
    """Whether the time of day is right, where one is due and any is said."""
    if due.type == "date":
        return True
    at = datetime.fromisoformat(str(due.value))
    found = sayings.times(message)
    return not found or (at.hour, at.minute) in found


def _among(named: tuple[sayings.Day, ...], known: Sequence[tuple[sayings.Day, ...]]) -> bool:
    return any(
        (a[0] is None or b[0] is None or a[0] == b[0]) and a[1:] == b[1:]
        for a in named
        for days in known
        for b in days
    )


def _written(days: set[sayings.Day]) -> tuple[Json, ...]:
    parts = [(year or 0, month, day) for year, month, day in days]
    return tuple(
        f"{year:04}-{month:02}-{day:02}" if year else f"{month:02}-{day:02}"
        for year, month, day in sorted(parts)
    )


def _day(value: Json) -> date:
    return datetime.fromisoformat(str(value)).date()


def _day_or_none(value: Json) -> date | None:
    try:
        return _day(value)
    except ValueError:
        return None
