"""One form for every date and time: `2026-03-02` and, in UTC, `2026-03-02T09:00:00Z`.

So equal moments are equal texts and the order of texts is the order of time.
"""

import re
from datetime import UTC, date, datetime, timedelta, timezone

from forge.errors import UserError

_DATE = r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
_TIME = r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]+)?)?"
_ZONE = r"(?:(?:[Zz])|([+-])([0-9]{2}):?([0-9]{2}))?"
_EVERY_MONTH = r"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
_NORMAL_DATE = re.compile(_EVERY_MONTH)
_NORMAL_DATE_TIME = re.compile(rf"{_EVERY_MONTH}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z")
"""Most texts are in normal form already; days that not every month has take the longer way."""
_ONLY_DATE = re.compile(_DATE)
_DATE_TIME = re.compile(rf"{_DATE}(?:[Tt ]{_TIME} ?{_ZONE})?")


def normal_date(text: str) -> str:
    """ "2026-3-2" -> "2026-03-02". ValueError if it is no date."""
    if _NORMAL_DATE.fullmatch(text):
        return text
    found = _ONLY_DATE.fullmatch(text.strip())
    if found is None:
        raise ValueError(text)
    year, month, day = map(int, found.groups())
    return date(year, month, day).isoformat()


def normal_date_time(text: str) -> str:
    """ "2026-03-02T10:00:00.5+01:00" -> "2026-03-02T09:00:00Z". Without a zone it is UTC, a mere
    date is its midnight, parts of a second are dropped. ValueError if it is no date and time."""
    if _NORMAL_DATE_TIME.fullmatch(text):
        return text
    found = _DATE_TIME.fullmatch(text.strip())
    if found is None:
        raise ValueError(text)
    year, month, day, hour, minute, second, sign, zone_hours, zone_minutes = found.groups(
        default="0"
    )
    offset = timedelta(hours=int(zone_hours), minutes=int(zone_minutes))
    zone = timezone(-offset if sign == "-" else offset)
    moment = datetime(
        int(year), int(month), int(day), int(hour), int(minute), int(second), tzinfo=zone
    )
    try:
        return written(moment.astimezone(UTC))
    except OverflowError as error:
        raise ValueError(text) from error


def moment_of(text: str) -> datetime:
    """The moment of a normalised date and time."""
    return datetime.fromisoformat(text)


def started(now: str) -> datetime:
    """The moment at which a clock starts, without its zone. UserError if it is none."""
    try:
        return moment_of(normal_date_time(now)).replace(tzinfo=None)
    except ValueError:
        raise UserError(f"{now!r} is no date and time like 2026-03-02T09:00:00Z") from None


def written(moment: datetime) -> str:
    """A moment in UTC, with or without its zone, as text; the year always has four digits."""
    return moment.isoformat()[:19] + "Z"
