"""Invented dates that agree with each other: created before updated, start before end.

Everything is counted from the base's own clock; the wall clock is never read.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Literal, cast

from forge.authors.structural.lexicon import group, senses
from forge.authors.structural.values.life import Life
from forge.authors.structural.words import split
from forge.types.data import Json

Stage = Literal["born", "old", "created", "plain", "begin", "due", "finish", "past", "updated"]
STAGES: tuple[Stage, ...] = (
    "born", "old", "created", "plain", "begin", "due", "finish", "past", "updated",
)  # fmt: skip
"""In the order in which a record's dates are made."""


def stage_of(name: str, noun: str = "") -> Stage:
    """Where in its record's life a date column lies, by its name. Guests arrive first; trains and
    parcels depart first."""
    words = split(name)
    if {"arrival", "departure", "arrives", "departs"} & {*words}:
        moves = noun.split()[-1:] and noun.rsplit(maxsplit=1)[-1] in group("moving")
        comes = bool({"arrival", "arrives"} & {*words})
        return "finish" if comes == bool(moves) else "begin"
    known = senses("stage")
    for word in (*map("".join, pairwise(words)), *words):
        if word in known:
            return cast(Stage, known[word])
    return "plain"


_CENTURY = (946_684_800, 4_102_444_800)


def moment_in(text: Json) -> datetime | None:
    """The moment that a date or date-time text names, or a Unix time of this century; or None."""
    if isinstance(text, int) and _CENTURY[0] <= text < _CENTURY[1]:
        return datetime.fromtimestamp(text, UTC)
    if not isinstance(text, str) or len(text) < 10:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def moment_for(
    rng: Random,
    name: str,
    noun: str,
    near: Mapping[str, Json],
    now: datetime,
    *,
    timed: bool,
    life: Life | None = None,
) -> datetime:
    """A moment for column `name` that agrees with the other dates in `near`, and with where in
    its life the record is."""
    stage = stage_of(name, noun)
    others: dict[Stage, datetime] = {}
    twin = twin_of(name, near)
    if twin is not None:
        return twin if twin.hour or not timed else twin.replace(hour=rng.randint(9, 17))
    for other, value in near.items():
        found = moment_in(value)
        if other != name and found is not None:
            others.setdefault(stage_of(other, noun), found)
    moment = _moment(rng, stage, noun, others, now=now, timed=timed, life=life)
    if stage == "begin" and "finish" in others:
        return moment
    return _clock(rng, moment, stage)


def _moment(
    rng: Random,
    stage: Stage,
    noun: str,
    others: Mapping[Stage, datetime],
    *,
    now: datetime,
    timed: bool,
    life: Life | None,
) -> datetime:
    last = (noun.lower().split() or [""])[-1]
    day = timedelta(days=1)
    match stage:
        case "born":
            pet = last in ("pet", "animal", "dog", "cat", "horse")
            years = rng.uniform(0.5, 13) if pet else rng.triangular(19, 82, 38)
            return now - day * int(years * 365.25)
        case "old":
            latest = others.get("created", now)
            return min(latest, now) - day * rng.randint(30, 2200)
        case "created":
            reach = 130 if last in group("passing") else 420
            first = max(
                [others[s] for s in ("old", "born") if s in others], default=now - day * reach
            )
            latest = min(
                [others[s] for s in ("updated", "past", "begin", "due") if s in others], default=now
            )
            latest = min(latest, now - day * _SINCE.get(life, 0))
            span = max(1, min(reach, (latest - first).days - 1))
            return latest - day * (1 + int((span - 1) * rng.random() ** 1.6))
        case "plain":
            if last in group("to_come"):
                if life == "ahead":
                    return now + day * rng.randint(1, 60)
                if life in ("over", "now"):
                    return now - day * (rng.randint(1, 60) if life == "over" else 0)
                return now + day * rng.randint(-45, 60)
            latest = min(others.get("updated", now), now)
            first = others.get("created", latest - day * 260)
            return latest - day * rng.randint(1, max(1, (latest - first).days - 1))
        case "begin":
            if "finish" in others:
                start = others["finish"] - _lasting(rng, last, timed)
                if life == "ahead" and start <= now < others["finish"] - day:
                    return now + day * rng.randint(1, (others["finish"] - now).days)
                return min(start, now) if life in ("now", "over") else start
            earliest = others.get("created")
            if "due" in others:
                begun = others["due"] - day * rng.randint(2, 40)
                if life in ("now", "over"):
                    begun = min(begun, now)
                elif life == "ahead" and begun <= now < others["due"] - day:
                    begun = now + day
                before = earliest is not None and earliest < others["due"] - day
                return max(begun, earliest + day) if before and earliest is not None else begun
            if life == "ahead":
                return now + day * rng.randint(1, 70)
            if life in ("now", "over"):
                since = rng.randint(0, 3) if life == "now" else rng.randint(14, 80)
                begun = now - day * since
                return begun if earliest is None else max(begun, min(earliest + day, now))
            chosen = now + day * rng.randint(-40, 70)
            return max(chosen, earliest + day) if earliest is not None else chosen
        case "due":
            known = [others[s] for s in ("created", "plain", "begin") if s in others]
            if known:
                return max(known) + day * rng.randint(4, 50)
            return now + day * rng.randint(-20, 60)
        case "finish":
            if "begin" in others:
                end = others["begin"] + _lasting(rng, last, timed)
                if life == "now" and end < now + day and not (timed and last in group("short")):
                    return now + day * rng.randint(1, 5)
                if life == "over" and end >= now > others["begin"]:
                    return _between(rng, others["begin"], now)
                return end
            earliest = max(others.get("created", now), now)
            return earliest + day * rng.randint(20, 640)
        case "past":
            earliest = max(
                [
                    others[s]
                    for s in ("created", "plain", "begin")
                    if s in others and others[s] < now
                ],
                default=now - day * 120,
            )
            return _between(rng, earliest, now)
        case "updated":
            earliest = max(
                [others[s] for s in ("created", "past") if s in others and others[s] < now],
                default=now - day * 60,
            )
            return _between(rng, earliest, now)


_SINCE: dict[Life | None, int] = {"over": 90, "now": 5}
"""How many days ago a record was made at the latest, so that there is time for its life."""


def twin_of(name: str, near: Mapping[str, Json]) -> datetime | None:
    """The moment of a column that tells of the same: `due_on` beside `due_at`."""
    for other, value in near.items():
        if other != name and _untimed(other) == _untimed(name):
            found = moment_in(value)
            if found is not None:
                return found
    return None


_TWINS = (("on",), ("at",), ("date",), ("time",), ("datetime",), ("day",))


def _untimed(name: str) -> tuple[str, ...]:
    words = split(name)
    while words[-1:] in _TWINS:
        words = words[:-1]
    return words


def _lasting(rng: Random, noun: str, timed: bool) -> timedelta:
    if timed and noun in group("short"):
        return timedelta(minutes=rng.choice((30, 45, 60, 60, 90, 120, 180)))
    if noun in ("booking", "reservation", "stay", "rental", "trip", "leave", "absence", "loan"):
        return timedelta(days=rng.randint(1, 12))
    return timedelta(days=rng.randint(6, 90))


def _between(rng: Random, first: datetime, last: datetime) -> datetime:
    """In working hours, where there are any between the two."""
    seconds = max(60, int((last - first).total_seconds()))
    moment = first + timedelta(seconds=rng.randrange(30, seconds))
    at_work = moment.replace(hour=rng.randint(8, 18))
    return at_work if first < at_work < last else moment


def _clock(rng: Random, moment: datetime, stage: Stage) -> datetime:
    """Plans are made for round times in working hours; what happened, happened at any minute."""
    if stage in ("past", "updated"):
        return moment.replace(second=0, microsecond=0)
    if stage == "created":
        return moment.replace(hour=rng.randint(7, 18), minute=rng.randint(0, 59), second=0)
    if stage in ("begin", "due", "plain"):
        return moment.replace(hour=rng.randint(8, 18), minute=rng.choice((0, 15, 30, 45)), second=0)
    return moment.replace(second=0, microsecond=0)


def written(moment: datetime, form: str) -> str:
    """As "date", "time" or "date-time" text."""
    if form == "date":
        return date(moment.year, moment.month, moment.day).isoformat()
    if form == "time":
        return f"{moment:%H:%M}"
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
