"""Which values a text names that another does not: numbers, dates, times, addresses, codes, quoted
texts and names.

English and Chinese. Always holds: what stands in the known text is no new value, in whatever form
of writing a number or a date; a word that begins a sentence is no name for that alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from forge.rollout import sayings

Kind = Literal["number", "date", "time", "address", "code", "text", "name"]


@dataclass(frozen=True, slots=True)
class Value:
    kind: Kind
    text: str


SMALL = 2
"""Numbers up to here are said of many things: "both", "one of them", "no"."""

_ADDRESS = re.compile(
    r"[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|\b(?:https?://|www\.)[^\s\"'<>]+"
)
_CODE = re.compile(
    r"(?<![\w@.#-])#?(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[A-Za-z])"
    r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*(?![\w@-])"
)
_ORDINAL = re.compile(r"#?\d+(?:st|nd|rd|th|am|pm|h|x|s|%|days?)$", re.IGNORECASE)
_QUOTED = re.compile(
    r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|「([^」\n]{2,80})」|《([^》\n]{2,80})》"
)
_SINGLE = re.compile(r"(?<!\w)['‘]([^'’\n]{2,60})['’](?!\w)")
_BESIDE_HAN = re.compile(r"(?<=[一-鿿])(?=\d)|(?<=\d)(?=[一-鿿])")
_WORD = re.compile(r"(?<![A-Za-z0-9_À-ɏ])[A-Za-zÀ-ɏ][A-Za-z0-9À-ɏ'’-]*")
_PHONE = re.compile(r"(?<![\w-])\+?\d[\d ()-]{6,}\d(?![\w-])", re.ASCII)
_BLANK = re.compile(r"\[[A-Za-z' ]{3,40}\]")
_BEFORE = re.compile(r"(?:^|[.!?:;,…\n\"“('‘*-])\s*$")
_PLAIN = """
i i'm i'll i've i'd id ids ok okay ai usd eur gbp hi hello hey yes no thanks thank please
dear sir madam mr mrs ms dr monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
english chinese agent user
"""
PLAIN = frozenset(_PLAIN.split())
"""Capitalised where they stand, and nobody's name."""


def new_values(text: str, known: str) -> list[Value]:
    """What the text names and the known text does not, in the order of the kinds."""
    plain = sayings.plain_text(known)
    found = [*_written(text, plain)]
    rest = text
    for pattern in (_ADDRESS, _CODE):
        rest = pattern.sub(lambda match: " " * len(match.group()), rest)
    found += _dates(rest, known)
    found += _times(rest, known)
    found += _numbers(rest, known)
    return [*found, *_names(rest, plain)]


def _written(text: str, plain: str) -> Iterator[Value]:
    """What stands as it is: addresses, codes, quoted texts."""
    rest = text
    for match in _ADDRESS.finditer(text):
        rest = rest.replace(match.group(), " " * len(match.group()))
        if sayings.plain_text(match.group().rstrip(".,")) not in plain:
            yield Value("address", match.group())
    for match in _CODE.finditer(rest):
        word = sayings.plain_text(match.group().lstrip("#"))
        if word not in plain and not _ORDINAL.fullmatch(match.group()):
            yield Value("code", match.group())
    there = re.sub(r"\D", "", plain)
    for match in _PHONE.finditer(rest):
        if not sayings.dates(match.group()) and re.sub(r"\D", "", match.group()) not in there:
            yield Value("number", match.group())
    for match in _BLANK.finditer(text):
        if sayings.plain_text(match.group()) not in plain:
            yield Value("text", match.group())
    for pattern in (_QUOTED, _SINGLE):
        for match in pattern.finditer(text):
            inner = next(filter(None, match.groups())).strip(" .,!?。，")
            if not _all_known(inner, plain):
                yield Value("text", inner)


def _all_known(text: str, plain: str) -> bool:
    folded = sayings.plain_text(text)
    return folded in plain or all(word in plain for word in folded.split())


def _dates(text: str, known: str) -> Iterator[Value]:
    there = sayings.dates(known)
    for days in sayings.dates(text):
        if not any(_same_day(a, b) for a in days for known_days in there for b in known_days):
            year, month, day = days[0]
            yield Value("date", f"{year or ''}-{month:02}-{day:02}".lstrip("-"))


def _same_day(one: sayings.Day, other: sayings.Day) -> bool:
    years = {one[0], other[0]}
    return one[1:] == other[1:] and (None in years or len(years) == 1)


def _times(text: str, known: str) -> Iterator[Value]:
    for hour, minute in sorted(sayings.times(text) - sayings.times(known)):
        yield Value("time", f"{hour}:{minute:02}")


def _numbers(text: str, known: str) -> Iterator[Value]:
    text, known = (_BESIDE_HAN.sub(" ", each) for each in (text, known))
    there = sayings.numbers(known)
    for number, decimals in sayings.numbers(text):
        if 0 <= number <= SMALL and number == int(number):
            continue
        if any(sayings.is_number(n, (number, decimals)) for n, _ in there):
            continue
        written = f"{number:.0f}" if number == int(number) else f"{number:.{decimals}f}"
        figures = re.compile(rf"(?<!\d){re.escape(written)}(?!\d)")
        if figures.search(text.replace(",", "")) and not figures.search(known):
            yield Value("number", written)


def _names(text: str, plain: str) -> Iterator[Value]:
    """Words with a capital that are not known, but for one that begins a sentence."""
    run: list[str] = []
    end = 0
    led = False  # whether the run stands where a capital means nothing
    for match in _WORD.finditer(text):
        word = match.group()
        new = (
            word[0].isupper()
            and len(word) > 1
            and word.lower() not in PLAIN
            and not _known_word(word, plain)
        )
        joined = run and text[end : match.start()] == " "
        if run and not (new and joined):
            yield from _name(run, led)
            run = []
        if new:
            if not run:
                led = bool(_BEFORE.search(text[: match.start()]))
            run.append(word)
            end = match.end()
    if run:
        yield from _name(run, led)


def _name(run: list[str], led: bool) -> Iterator[Value]:
    if not led or len(run) > 1:
        yield Value("name", " ".join(run))


def _known_word(word: str, plain: str) -> bool:
    folded = sayings.plain_text(word).removesuffix("'s")
    return re.search(rf"(?<![^\W_]){re.escape(folded)}", plain) is not None
