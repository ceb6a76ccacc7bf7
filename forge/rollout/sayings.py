"""Values in a text: which numbers and dates it names, and whether it names a given text.

English and Chinese. Always holds: a longer value that is named hides a shorter one within it, so
"Anna Lee Park" does not name "Anna Lee".
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache

# ----------------------------------------------------------------------- texts

_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "_": " "})
_SENTENCE = re.compile(r"[^.?!。？！\n]*(?:[.](?=\S)[^.?!。？！\n]*)*[.?!。？！\n]*")


def statements(text: str) -> str:
    """The text without the sentences that ask."""
    parts = (match.group() for match in _SENTENCE.finditer(text))
    return "".join(part for part in parts if not part.rstrip().endswith(("?", "？")))


def plain_text(text: str) -> str:
    """In one case, one kind of quotes and single spaces; underscores are spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_QUOTES)
    return " ".join(folded.split())


def named_texts(values: Iterable[str], text: str) -> list[str]:
    """Those of the values that the text names, the longest first."""
    left = plain_text(text)
    found = []
    for value in sorted(set(values), key=lambda value: (-len(value), value)):
        wanted = plain_text(value)
        at = _place(wanted, left, 0) if wanted else -1
        if at >= 0:
            found.append(value)
        while at >= 0:
            left = f"{left[:at]}\0{left[at + len(wanted) :]}"
            at = _place(wanted, left, at)
    return found


def _place(wanted: str, text: str, start: int) -> int:
    """Where the words stand, and do not go on as longer ones, or -1. Chinese has no spaces that
    would show it."""
    at = text.find(wanted, start)
    while at >= 0:
        end = at + len(wanted)
        goes_on = (at > 0 and _joined(text[at - 1], wanted[0])) or (
            end < len(text) and _joined(wanted[-1], text[end])
        )
        if not goes_on:
            return at
        at = text.find(wanted, at + 1)
    return -1


def _joined(one: str, other: str) -> bool:
    return one.isalnum() and other.isalnum() and not (_is_han(one) or _is_han(other))


def _is_han(char: str) -> bool:
    return "一" <= char <= "鿿"


# --------------------------------------------------------------------- numbers

_NUMBER = re.compile(
    r"(?<![\w.#/-])[-−]?(?:\d{1,3}(?:[,\u202f ]\d{3})+(?!\d)|\d+)(?:\.\d+)?(?![\w/]|-\w|[.,:]\d)"
)
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_UNITS = {word: number for number, word in enumerate(_SMALL.split())}
_ROUND = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: 10 * number for number, word in enumerate(_ROUND.split(), start=2)}
_WORDS = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<rest>{'|'.join(_UNITS)}))?"
    rf"|(?P<unit>{'|'.join(_UNITS)}))\b",
    re.IGNORECASE,
)
_DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"两": 2}
_FIGURE = "一二三四五六七八九两"
_HAN = re.compile(
    rf"(?<![{_FIGURE}十百零])(?:([{_FIGURE}])(十?)|(?=十)()(十))([{_FIGURE}零]?)(?![百千万])"
)
_ONE = re.compile(r"\b(?:no|none)\b", re.IGNORECASE)


def numbers(text: str) -> list[tuple[float, int]]:
    """Each number that the text names, with its decimals, in figures or in words; not those that
    are part of a date, a time or a code."""
    return list(_numbers(text))


@lru_cache(maxsize=256)
def _numbers(text: str) -> tuple[tuple[float, int], ...]:
    rest = _blank(text, (span for span, *_ in _dated(text)))
    found = []
    for match in _NUMBER.finditer(rest):
        figures = re.sub(r"[,\u202f ]", "", match.group()).replace("−", "-")
        _, _, decimals = figures.partition(".")
        found.append((float(figures), len(decimals)))
    for match in _WORDS.finditer(rest):
        tens, unit = match["tens"], match["unit"] or match["rest"]
        value = (_TENS[tens.lower()] if tens else 0) + (_UNITS[unit.lower()] if unit else 0)
        found.append((float(value), 0))
    found += [(0.0, 0) for _ in _ONE.finditer(rest)]
    for match in _HAN.finditer(rest):
        first, ten, last = match[1], match[2] or match[4], match[5]
        units = _DIGITS[last] if last else 0 if ten else _DIGITS[first]
        found.append((float((10 * _DIGITS[first or "一"] if ten else 0) + units), 0))
    return tuple(found)


def is_number(value: float, named: tuple[float, int]) -> bool:
    """Whether the number named is the value, or the value rounded to the decimals named."""
    number, decimals = named
    if number == value:
        return True
    return decimals > 0 and abs(number - value) <= 0.5 * 10**-decimals + 1e-9


# ----------------------------------------------------------------------- dates

_YEAR = "january february march april may june july august september october november december"
_MONTHS = _YEAR.split()
_MONTH = "|".join([*_MONTHS, *(name[:3] for name in _MONTHS), "sept"])
_DATES = [
    re.compile(r"(?<!\d)(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)"),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m>{_MONTH})\b\.?(?:,? (?P<y>\d{{4}}))?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<m>{_MONTH})\b\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y>\d{{4}}))?",
        re.IGNORECASE,
    ),
    re.compile(r"(?:(?P<y>\d{4}) ?年 ?)?(?P<m>\d{1,2}) ?月 ?(?P<d>\d{1,2}) ?[日号]"),
]
_SLASHED = re.compile(r"(?<!\d)(?P<a>\d{1,2})[/.](?P<b>\d{1,2})[/.](?P<y>\d{4})(?!\d)")
_TIME = re.compile(
    r"(?<!\d)(?P<h>\d{1,2}):(?P<m>\d{2})(?::\d{2}(?:\.\d+)?)?(?: ?(?P<half>[ap])\.?m\b\.?)?",
    re.IGNORECASE,
)

Day = tuple[int | None, int, int]
"""Year (None where it goes unsaid), month, day."""


def dates(text: str) -> list[tuple[Day, ...]]:
    """Each date that the text names, as the days it may mean: 3/4/2026 may mean two."""
    return [days for _, days in _dated(text) if days]


def is_date(value: date, named: tuple[Day, ...]) -> bool:
    return any(
        (year in (None, value.year)) and (month, day) == (value.month, value.day)
        for year, month, day in named
    )


def times(text: str) -> set[tuple[int, int]]:
    """Each time of day that the text names, as hour and minute."""
    found = set()
    for match in _TIME.finditer(text):
        hour, half = int(match["h"]), (match["half"] or "").lower()
        found.add((hour % 12 + (12 if half == "p" else 0) if half else hour, int(match["m"])))
    return found


@lru_cache(maxsize=256)
def _dated(text: str) -> tuple[tuple[tuple[int, int], tuple[Day, ...]], ...]:
    """Where dates and times stand, and which days they are; of times, none."""
    return tuple(_every_dated(text))


def _every_dated(text: str) -> Iterator[tuple[tuple[int, int], tuple[Day, ...]]]:
    for pattern in _DATES:
        for match in pattern.finditer(text):
            month = _month(match["m"])
            year = int(match["y"]) if match["y"] else None
            yield match.span(), _real([(year, month, int(match["d"]))])
    for match in _SLASHED.finditer(text):
        a, b, year = int(match["a"]), int(match["b"]), int(match["y"])
        yield match.span(), _real([(year, a, b), (year, b, a)])
    for match in _TIME.finditer(text):
        yield match.span(), ()


def _real(days: Iterable[Day]) -> tuple[Day, ...]:
    return tuple(day for day in days if 1 <= day[1] <= 12 and 1 <= day[2] <= 31)


def _month(word: str) -> int:
    if word.isdigit():
        return int(word)
    return next(n for n, name in enumerate(_MONTHS, 1) if name[:3] == word[:3].lower())


def _blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    chars = list(text)
    for start, end in spans:
        chars[start:end] = " " * (end - start)
    return "".join(chars)


# -------------------------------------------------------------------- booleans

_NO = re.compile(
    r"\b(?:no|not|false|none|never|isn't|doesn't|hasn't|without)\b|不|没|否", re.IGNORECASE
)
_YES = re.compile(r"\b(?:yes|true|indeed|it is|it does|it has)\b|是|有", re.IGNORECASE)


def says(text: str) -> set[bool]:
    """What an answer to a yes-or-no question says: both where it says both."""
    found: set[bool] = set()
    if _NO.search(plain_text(text)):
        found.add(False)
    if _YES.search(plain_text(text)):
        found.add(True)
    return found
