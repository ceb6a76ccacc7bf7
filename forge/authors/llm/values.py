"""The pass that writes values: what people of the domain write in one column, and what of it can be
taken.

Always holds: what is kept is plain words on one line, fits the column, and is told apart from the
others by anyone; it is shown to agents and users, and never more than data.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from pydantic import BaseModel, Field

from forge.authors.llm.prompts import prompt, version
from forge.authors.structural.lexicon import group
from forge.authors.structural.values.meaning import meaning
from forge.authors.structural.values.texts import is_placeholder
from forge.docs.text import clean, line
from forge.env.values import checked
from forge.errors import ToolError
from forge.types.data import Json
from forge.types.state import Column, Table

PROMPT = version("values")
MOST, MOST_OF_LABELS, LEAST = 12, 20, 6
"""Values that are asked for, and how many must be left."""
LONGEST, LONGEST_TEXT = 60, 160
"""Characters of a name, and of a sentence."""
_FEWEST = 3
_COLUMNS = 8
"""Other columns that are named."""


class Values(BaseModel):
    values: list[str] = Field(max_length=2 * MOST_OF_LABELS)


@dataclass(frozen=True, slots=True)
class Blank:
    """A column that values are asked for. `title`: of the document."""

    title: str
    table: Table
    column: Column

    @property
    def name(self) -> str:
        return f"{self.table.name}.{self.column.name}"

    @property
    def is_label(self) -> bool:
        return self.column.name == self.table.label

    @property
    def is_text(self) -> bool:
        """Whether sentences stand in it."""
        return meaning(self.column, self.table.noun) == "text"


def asked_for(blank: Blank, *, written: str = "", failure: str = "") -> list[Json]:
    """The messages that ask for the values. `written` and `failure`: what was wrong before."""
    column, table = blank.column, blank.table
    shown = [each for each in column.examples if isinstance(each, str) and not is_placeholder(each)]
    text = prompt(
        "values",
        title=line(blank.title),
        noun=table.noun,
        columns="\n".join(_said(each) for each in islice(table.columns, _COLUMNS)),
        column=column.name,
        about=line(column.description),
        wanted=MOST_OF_LABELS if blank.is_label else MOST,
        kind="one short sentence each" if blank.is_text else "a few words each",
        most=column.max_length,
        shown=" and ".join(json.dumps(line(each), ensure_ascii=False) for each in shown[:2]),
    )
    messages: list[Json] = [{"role": "user", "content": text}]
    if failure:
        again = f"These cannot be used: {failure}. Write {MOST} others."
        messages += [
            {"role": "assistant", "content": written},
            {"role": "user", "content": again},
        ]
    return messages


def _said(column: Column) -> str:
    if column.enum is None:
        return f"- {column.name}: {column.format or column.type}"
    return f"- {column.name}: one of {', '.join(map(str, column.enum[:MOST]))}"


def sifted(
    blank: Blank, values: Iterable[str], names: frozenset[str]
) -> tuple[tuple[str, ...], Counter[str]]:
    """Those that can be taken, in their order, and how many cannot, by reason. `names`: of tools,
    tables and columns."""
    kept: dict[str, str] = {}
    lost: Counter[str] = Counter()
    most = MOST_OF_LABELS if blank.is_label else MOST
    for value in values:
        text = _trimmed(value, is_text=blank.is_text)
        why = _wrong(text, value, blank, names)
        alike = _gist(text)
        if why is None and alike in kept:
            why = "said twice"
        if why is not None:
            lost[why] += 1
        elif len(kept) < most:
            kept[alike] = text
    return tuple(kept.values()), lost


_AROUND = " \t\r\n,;\"'“”‘’«»"
_NUMBERED = re.compile(r"(?:\d{1,2}[.)]|[-*•])\s+")


def _trimmed(value: str, *, is_text: bool) -> str:
    """Without what a list writes around its items, and the full stop of a name."""
    text = _NUMBERED.sub("", value.strip(_AROUND), count=1).strip(_AROUND)
    return text if is_text else text.rstrip(" .")


def _gist(text: str) -> str:
    """What values that are nearly the same have in common: their words, without numbers."""
    return " ".join(sorted(set(re.findall(r"[^\W\d_]+", text.casefold()))))


_MARKUP = re.compile(r"[`#|<>{}\[\]\\*~^]|__|\bhttps?:|www\.|\S@\S")
_IDENTIFIER = re.compile(
    r"[A-Za-z0-9]+_\w+|\b[a-z]+(?:[A-Z][a-z0-9]+)+|\w+\(\)|\w+[.:]{1,2}\w+\w*\("
)
_STAND_IN = re.compile(
    r"(?:\w+ )?(?:value|values|item|example|test|sample|title|name|text|string|entry|record|data|"
    r"column|field|option|type|category|description|note)s? ?(?:\d+|[a-z])?|.*\b(?:lorem|ipsum|foo|"
    r"foobar|placeholder|dummy|asdf|n/?a|tbd|todo|xxx+|john doe|jane doe|acme)\b.*|.*\.\.\.|.*…",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all|any|the|previous|prior|above|your)\b|\bsystem prompt\b|"
    r"\bas an ai\b|\blanguage model\b|\b(?:call|use|run|invoke) the (?:tool|function)\b|"
    r"^(?:here (?:is|are)|sure|certainly|i am sorry|i'm sorry|sorry,|answer|assistant|system) ?"
    r"[:,!]?(?: |$)|\bjson\b|\byou (?:must|should) (?:now|always|never|ignore)\b",
    re.IGNORECASE,
)


def _wrong(text: str, value: str, blank: Blank, names: frozenset[str]) -> str | None:
    """Why a value cannot be taken."""
    letters = [each for each in text if each.isalpha()]
    words = text.casefold().split()
    if clean(value) != value.strip() or "\n" in text or "\t" in text or _MARKUP.search(text):
        return "markup"
    if len(text) > (LONGEST_TEXT if blank.is_text else LONGEST):
        return "too long"
    if len(letters) < (_FEWEST if text.isascii() else 2) or len(letters) < 0.6 * len(
        text.replace(" ", "")
    ):
        return "no words"
    if text.casefold() in group("dummies") or _STAND_IN.fullmatch(text):
        return "a placeholder"
    if _ORDER.search(text):
        return "an instruction"
    if _IDENTIFIER.search(text) or text.casefold() in names:
        return "a name of the program"
    if len(set(words)) < 0.6 * len(words) or re.search(r"(.)\1{3}", text):
        return "the same again and again"
    if not _is_in_script(letters, blank):
        return "another language"
    return _misfit(text, blank.column)


def _is_in_script(letters: Sequence[str], blank: Blank) -> bool:
    """Whether it is written in the letters of the document."""
    told = f"{blank.title} {blank.column.description} {blank.table.description} " + " ".join(
        str(each) for column in blank.table.columns for each in column.examples
    )
    own = [each for each in told if each.isalpha()]
    if not own:
        return True
    latin = sum(map(_is_latin, own)) >= 0.5 * len(own)
    return latin is (sum(map(_is_latin, letters)) >= 0.9 * len(letters))


def _is_latin(letter: str) -> bool:
    return letter < "\u0250" or "\u1e00" <= letter < "\u1f00"


def _misfit(text: str, column: Column) -> str | None:
    try:
        return None if checked(column, text, column.name) == text else "another form"
    except ToolError:
        return "the column's limits"
