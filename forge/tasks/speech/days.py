"""Days and moments in words, absolute ("Friday 13 March 2026") and as seen from a task's `now`
("tomorrow", "Friday next week").

Every text names exactly one day for one who knows `now`: "next Friday", which people read in two
ways, is not among them. Weeks begin on Monday; since not everybody agrees, no Sunday is named by
its week.
"""

from datetime import date, datetime, timedelta

_COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 10: "ten"}
_AHEAD, _BEHIND = 180, 120
"""Days within which a date goes without its year; together less than a year, so that no day has
two."""
_SUNDAY = 7


def full(day: date) -> list[str]:
    """With the year."""
    return [
        f"{day.day} {day:%B} {day.year}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day:%A} {day.day} {day:%B} {day.year}",
        f"{day:%A}, {day:%B} {day.day}, {day.year}",
        day.isoformat(),
    ]


def seen_from(day: date, today: date) -> list[str]:
    """What the day is called by one who speaks today, the most natural first; nothing for a day
    far off."""
    ahead = (day - today).days
    ways = list({0: ("today",), 1: ("tomorrow",), -1: ("yesterday",)}.get(ahead, ()))
    ways += _by_week(day, today)
    if ahead > 1 and ahead % 7 == 0 and (weeks := ahead // 7) <= 4:
        ways.append("a week from today" if weeks == 1 else f"{_COUNTS[weeks]} weeks from today")
    elif ahead in _COUNTS:
        ways.append(f"{_COUNTS[ahead]} days from today")
    following = day + timedelta(days=1)
    if ahead > 1 and following.day == 1 and (day.year, day.month) == (today.year, today.month):
        ways.append("the last day of this month")
    if -_BEHIND <= ahead <= _AHEAD:
        ways += [f"{day:%A} {day.day} {day:%B}", f"{day:%A}, {day:%B} {day.day}"]
        ways += [f"{day.day} {day:%B}", f"{day:%B} {day.day}"]
    return ways


def _by_week(day: date, today: date) -> list[str]:
    """ "this Friday", "Friday next week"; neither for a Sunday nor said on one."""
    if _SUNDAY in (day.isoweekday(), today.isoweekday()) or (day - today).days < 2:
        return []
    weeks = (_monday(day) - _monday(today)).days // 7
    return {0: [f"this {day:%A}"], 1: [f"{day:%A} next week"]}.get(weeks, [])


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def clocks(moment: datetime) -> list[str]:
    """The time of day: "15:00", "3:00 pm", "3 pm"."""
    hour, half = moment.hour % 12 or 12, "am" if moment.hour < 12 else "pm"
    ways = [f"{moment:%H:%M}", f"{hour}:{moment:%M} {half}"]
    return [*ways, f"{hour} {half}"] if moment.minute == 0 else ways


def is_relative(text: str) -> bool:
    """Whether the words stand without "on": "tomorrow", "this Friday", "two weeks from today"."""
    head = text.partition(" at ")[0]
    return (
        head in ("today", "tomorrow", "yesterday")
        or head.startswith("this ")
        or head.endswith((" next week", " from today"))
    )
