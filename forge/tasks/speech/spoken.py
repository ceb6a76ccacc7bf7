"""How a person says a value: dates in words, codes without underscores, prices with two decimals.

`renderings` lists every way that counts as saying a value; the `grounded` gate holds a fact's text
against it, so a question cannot say another day than the one its golden call uses.
"""

import re
from datetime import date, datetime

from forge.tasks.speech.days import clocks, full, seen_from
from forge.types.data import Json

_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")
_TIME = re.compile(r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?$")
_CLOCK = re.compile(r"^\d{2}:\d{2}(?::\d{2})?$")
_CODE = re.compile(
    r"^[A-Za-z]+(?:_[A-Za-z0-9]+)+$|^[A-Za-z]+(?:-[a-z]+)+$|^[A-Za-z]?[a-z]+(?:[A-Z][a-z]+)+$|^[A-Z]{4,}$"
)

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MACHINE = re.compile(
    r"(?=.*\d)(?=.*[a-f])[0-9a-fA-F]{8,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|\w+_(?=\w*\d)[A-Za-z0-9]{8,}|[a-z][a-z0-9+]*://.*|[<{\[].*|arn:.*|do:.*"
)


def is_for_machines(value: str) -> bool:
    """Whether only a program would say it: hashes, tokens, addresses of pages, markup."""
    return _MACHINE.fullmatch(value.strip()) is not None


def is_sayable(value: Json) -> bool:
    """Whether a person would give this as a value: a name, a number, an address of a page that they
    copy, but no token, and no list of sentences."""
    match value:
        case str():
            return value.startswith(("http://", "https://")) or not is_for_machines(value)
        case list():
            return all(is_sayable(v) and not (isinstance(v, str) and v[-1:] == ".") for v in value)
    return True


def _code_words(value: str) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", value)
    return re.sub(r"[_-]+", " ", spaced).lower()


def renderings(value: Json, now: str = "") -> list[str]:
    """Every way to say the value, the plainest first. With `now`, also what a day is called by one
    who speaks then; these come last."""
    match value:
        case None:
            return ["none", "nothing", "no"]
        case bool():
            return ["yes", "on", "true"] if value else ["no", "off", "false"]
        case int():
            words = [_WORDS[value]] if 0 <= value < len(_WORDS) else []
            return [
                str(value),
                f"{value:,}",
                f"${value}",
                f"{value}%",
                f"{value}.00",
                f"${value}.00",
                *(["no"] if value == 0 else []),
                *words,
            ]
        case float():
            short = f"{value:g}" if value == round(value, 6) else repr(value)
            long = f"{value:,.2f}"
            return [
                short,
                repr(value),
                f"{value:.2f}",
                long,
                f"${value:.2f}",
                f"${long}",
                f"{short}%",
            ]
        case str():
            return _text(value, now)
        case list():
            parts = [renderings(v)[0] for v in value]
            return [listed(parts), ", ".join(parts), listed([str(v) for v in value])]
    return [str(value)]


def as_day(value: Json) -> date | None:
    """The day that a text in the form of a date or a moment falls on."""
    if not isinstance(value, str) or not (_DATE.match(value) or _TIME.match(value)):
        return None
    try:
        return datetime.fromisoformat(value).date()
    except ValueError:
        return None


def near_ways(value: Json, now: str) -> list[str]:
    """What a date or moment is called by one who speaks `now`, the most natural first."""
    day, today = as_day(value), as_day(now)
    if day is None or today is None or not isinstance(value, str):
        return []
    days = seen_from(day, today)
    if _DATE.match(value):
        return days
    return [f"{d} at {c}" for d in days for c in clocks(datetime.fromisoformat(value))]


def _text(value: str, now: str) -> list[str]:
    day = as_day(value)
    if day is not None and _DATE.match(value):
        return [*full(day), *near_ways(value, now)]
    if day is not None:
        moment = datetime.fromisoformat(value)
        midnight = full(day) if (moment.hour, moment.minute) == (0, 0) else []
        return [
            *(f"{d} at {c}" for d in full(day)[:4] for c in clocks(moment)[:2]),
            *midnight,
            *near_ways(value, now),
            value,
        ]
    if _CLOCK.match(value):
        return [value[:5], value]
    if re.fullmatch(r"[A-Z][a-z]+", value):
        return [value, f'"{value}"', value.lower()]
    if _CODE.match(value):
        return [_code_words(value), value, _code_words(value).replace(" ", "-")]
    return [value, f'"{value}"']


def listed(parts: list[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
