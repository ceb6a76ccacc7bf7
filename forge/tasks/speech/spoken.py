"""How a person says a value: dates in words, codes without underscores, prices with two decimals.

`renderings` lists every way that counts as saying a value; the `grounded` gate holds a fact's text
against it, so a question cannot say another day than the one its golden call uses.
"""

import re
from datetime import date, datetime

from forge.types.data import Json

_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")
_TIME = re.compile(r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?$")
_CLOCK = re.compile(r"^\d{2}:\d{2}(?::\d{2})?$")
_CODE = re.compile(
    r"^[A-Za-z]+(?:_[A-Za-z0-9]+)+$|^[A-Za-z]+(?:-[a-z]+)+$|^[A-Za-z]?[a-z]+(?:[A-Z][a-z]+)+$|^[A-Z]{4,}$"
)


def _days(day: date) -> list[str]:
    return [
        f"{day.day} {day:%B} {day.year}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day:%A} {day.day} {day:%B} {day.year}",
        f"{day:%A}, {day:%B} {day.day}, {day.year}",
        day.isoformat(),
    ]


def _code_words(value: str) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", value)
    return re.sub(r"[_-]+", " ", spaced).lower()


def renderings(value: Json) -> list[str]:
    """Every way to say the value, the plainest first."""
    match value:
        case None:
            return ["none", "nothing"]
        case bool():
            return ["yes", "on", "true"] if value else ["no", "off", "false"]
        case int():
            return [
                str(value),
                f"{value:,}",
                f"${value}",
                f"{value}%",
                f"{value}.00",
                f"${value}.00",
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
            return _text(value)
        case list():
            parts = [renderings(v)[0] for v in value]
            return [listed(parts), ", ".join(parts), listed([str(v) for v in value])]
    return [str(value)]


def _text(value: str) -> list[str]:
    if _DATE.match(value):
        try:
            return _days(date.fromisoformat(value))
        except ValueError:
            return [value]
    if _TIME.match(value):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return [value]
        clocks = [
            f"{moment:%H:%M}",
            f"{moment.hour % 12 or 12}:{moment:%M} {'am' if moment.hour < 12 else 'pm'}",
        ]
        midnight = _days(moment.date()) if (moment.hour, moment.minute) == (0, 0) else []
        return [
            *(f"{d} at {c}" for d in _days(moment.date())[:4] for c in clocks),
            *midnight,
            value,
        ]
    if _CLOCK.match(value):
        return [value[:5], value]
    if _CODE.match(value):
        return [_code_words(value), value, _code_words(value).replace(" ", "-")]
    return [value, f'"{value}"']


def listed(parts: list[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
