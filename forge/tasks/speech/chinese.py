"""What the user knows, in Chinese: dates and numbers by rule, words of the schema by the words that
an environment has for them, names and texts as they stand in the records.

Always holds: a task in Chinese is the same task, with the same values; `ways` lists all that counts
as saying one, and the `grounded` gate holds a fact's text against it.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from forge.tasks.intents.columns import column_named, is_internal, table_named
from forge.tasks.intents.inside import place_of
from forge.tasks.speech.called import called
from forge.tasks.speech.spoken import as_day, renderings
from forge.tasks.speech.words import noun_of
from forge.types.data import Json
from forge.types.state import Column, StateSchema, Table
from forge.types.task import Fact, Task

_NEAR = {-2: "前天", -1: "昨天", 0: "今天", 1: "明天", 2: "后天"}
_NUMBERS = "零一二三四五六七八九十"
_DATE_LENGTH = 10
AHEAD, BEHIND = 180, 120
"""Days within which a date may go without its year."""


class NoChinese(ValueError):
    """Something that the user would have to say has no words in Chinese; says what."""


def ways(value: Json, now: str, words: Mapping[str, str]) -> list[str]:
    """Every way to say the value, the plainest first. `words`: English -> Chinese."""
    match value:
        case bool():
            return []
        case int():
            named = [_NUMBERS[value]] if 0 <= value < len(_NUMBERS) else []
            named += {0: ["没有"], 2: ["两"]}.get(value, [])
            return [str(value), f"{value:,}", f"{value}.00", f"{value}%", *named]
        case float():
            return [way for way in renderings(value) if "$" not in way]
        case str():
            return _days(value, now) or _texts(value, words)
        case list():
            parts = [ways(each, now, words) for each in value]
            return ["、".join(part[0] for part in parts)] if all(parts) else []
    return []


def _texts(value: str, words: Mapping[str, str]) -> list[str]:
    known = words.get(renderings(value)[0])
    return [*([known] if known else []), value]


def _days(value: str, now: str) -> list[str]:
    day, today = as_day(value), as_day(now)
    if day is None:
        return []
    at = "" if len(value) == _DATE_LENGTH else f"{datetime.fromisoformat(value):%H:%M}"
    said = [f"{day.year}年{day.month}月{day.day}日"]
    if today is not None:
        ahead = (day - today).days
        said += [_NEAR[ahead]] if ahead in _NEAR else []
        said += [f"{day.month}月{day.day}日"] if -BEHIND <= ahead <= AHEAD else []
    return [f"{each}{at}" for each in said]


def in_chinese(task: Task, schema: StateSchema, words: Mapping[str, str]) -> Task:
    """The task with its facts in Chinese; its question is left to be written. NoChinese."""
    if task.kind == "sequence":
        raise NoChinese("a sequence")
    facts = tuple(_fact(fact, task, schema, words) for fact in task.facts)
    asked = [fact.about for fact in facts if fact.told]
    if len(set(asked)) < len(asked):
        raise NoChinese("two things are told late that one would ask for alike")
    return task.model_copy(update={"facts": facts, "lang": "zh"})


def _fact(fact: Fact, task: Task, schema: StateSchema, words: Mapping[str, str]) -> Fact:
    if isinstance(fact.value, bool):
        raise NoChinese("a yes or no")
    place = place_of(task.intent, fact.name)
    coded = False
    if place is not None and place.column and place.role == "value":
        column = column_named(table_named(schema, place.table), place.column)
        coded = _values(column) is not None
    found = ways(fact.value, task.now, words)
    if not found or (coded and isinstance(fact.value, str) and found[0] == fact.value):
        raise NoChinese("a word for a value")
    text = found[0]
    if fact.text == "no" and fact.value == 0:
        text = "没有"
    elif isinstance(fact.value, int | float) and fact.text in found:
        text = fact.text
    elif near := _near(fact, task.now):
        text = near
    about = _about(fact.about, words)
    if fact.told and not about:
        raise NoChinese("a word for what is asked for")
    return fact.model_copy(update={"text": text, "about": about})


def _near(fact: Fact, now: str) -> str:
    """A day as it lies from today, where it is said so in English too."""
    day, today = as_day(fact.value), as_day(now)
    if day is None or today is None or len(str(fact.value)) != _DATE_LENGTH:
        return ""
    if fact.text not in ("today", "tomorrow", "yesterday"):
        return ""
    return _NEAR[(day - today).days]


def _about(english: str, words: Mapping[str, str]) -> str:
    """ "the due date of the new loan" as "新借阅的到期日"; "" where a word is missing."""
    what, _, whose = english.removeprefix("the ").partition(" of the ")
    parts = [part for part in (whose, what) if part]
    if any(part.removeprefix("new ") not in words for part in parts):
        return ""
    return "的".join(
        f"{'新' if part.startswith('new ') else ''}{words[part.removeprefix('new ')]}"
        for part in parts
    )


# ------------------------------------------------------------------- vocabulary


def vocabulary(schema: StateSchema) -> list[tuple[str, ...]]:
    """The English words to have Chinese for, in groups in which no two may have the same: what the
    tables are called; of each table its columns; of each column its values."""
    nouns = tuple(dict.fromkeys(noun_of(table.noun) for table in schema.tables))
    groups = [nouns]
    for table in schema.tables:
        plain = table.model_copy(update={"noun": noun_of(table.noun)})
        shown = [each for each in plain.columns if _is_spoken_of(each, plain, schema)]
        groups.append(tuple(dict.fromkeys(called(each, plain) for each in shown)))
        for column in shown:
            values = _values(column) or ()
            said = [renderings(value)[0] for value in values if isinstance(value, str)]
            groups.append(tuple(dict.fromkeys(said)))
    return [group for group in groups if group]


def _is_spoken_of(column: Column, table: Table, schema: StateSchema) -> bool:
    return not is_internal(schema, table.name, column.name) and column.name.isascii()


def _values(column: Column) -> tuple[Json, ...] | None:
    return column.enum or (column.items.enum if column.items is not None else None)


def distinct(groups: list[tuple[str, ...]], words: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Those of the words that mean one thing only in each of their groups, the first of two."""
    taken: list[dict[str, str]] = [{} for _ in groups]
    for english in dict.fromkeys(word for group in groups for word in group):
        chinese = words.get(english)
        if chinese is None:
            continue
        mine = [known for known, group in zip(taken, groups, strict=True) if english in group]
        if any(chinese in known for known in mine):
            continue
        for known in mine:
            known[chinese] = english
        yield english, chinese
