"""Where a record is in its life, by its status or flags, and what that means for its columns.

A booked stay lies ahead, one that is checked in is going on, a completed task is done; what tells
of an end that has not come (`closed_at`, a disposal price) is not there.
"""

from collections.abc import Collection, Mapping
from typing import Literal, cast

from forge.authors.structural.lexicon import senses
from forge.authors.structural.words import split
from forge.types.data import Json
from forge.types.state import Column

Life = Literal["ahead", "now", "over", "void"]

_STATUS = ("status", "state", "stage", "phase")


def is_status(column: Column) -> bool:
    """Whether the column says how far the record is."""
    return column.enum is not None and split(column.name)[-1:] in [(word,) for word in _STATUS]


def life_of(status: Json) -> Life | None:
    """What a status says; None where it says nothing of time."""
    words = split(status) if isinstance(status, str) else ()
    if not words:
        return None
    known = senses("life")
    for word in ("".join(words), *(() if words[0] in ("not", "un", "re") else words[::-1])):
        if word in known:
            return cast(Life, known[word])
    return "ahead" if words[0] == "not" else None


def life_in(columns: Collection[Column], near: Mapping[str, Json]) -> Life | None:
    """By the record's status, or the one it begins with."""
    for column in columns:
        if is_status(column):
            found = life_of(near.get(column.name, column.default))
            if found is not None:
                return found
    return None


_SETTLED = ("approved", "rejected", "accepted", "declined")


def is_done(column: Column, status: Json) -> bool:
    """Whether this status is an end, as far as its choices know one."""
    ends = [option for option in column.enum or () if life_of(option) == "over"]
    return status in ends if ends else status in _SETTLED


def says_done(column: Column) -> bool:
    """Whether a flag says that a record is done."""
    return column.type == "boolean" and bool(
        {stem(word) for word in split(column.name)} & {"complet", "done", "finish", "clos"}
    )


def agrees(
    column: Column, value: Json, columns: Collection[Column], near: Mapping[str, Json]
) -> bool:
    """Whether a flag's or status' value agrees with the statuses or flags in `near`."""
    if says_done(column):
        return all(
            value is is_done(other, near[other.name])
            for other in columns
            if is_status(other) and near.get(other.name) is not None
        )
    if is_status(column):
        return all(
            near[other.name] is is_done(column, value)
            for other in columns
            if says_done(other) and near.get(other.name) is not None
        )
    return True


def happened(column: Column, columns: Collection[Column], near: Mapping[str, Json]) -> bool | None:
    """Whether what a column like `closed_at`, `closed_by` or `disposalPrice` tells of has happened,
    by the record's own flag or status; None where the record does not say."""
    words = split(column.name)
    stages = senses("stage")
    stems = {stem(word) for word in words if stages.get(word) == "past"}
    stems |= {stem(word) for word in words if word in _ENDINGS}
    if "complet" in stems:
        stems.add("done")
    if not stems:
        return None
    told: bool | None = None
    for other in columns:
        value = near.get(other.name)
        if other.type == "boolean" and any(stem(word) in stems for word in split(other.name)):
            return value is True
        options = [o for o in other.enum or () if isinstance(o, str)]
        if any(stem(word) in stems for option in options for word in split(option)):
            told = isinstance(value, str) and any(stem(word) in stems for word in split(value))
    return told


_ENDINGS = {
    "disposal": "dispos", "completion": "complet", "cancellation": "cancel", "closure": "clos",
    "closing": "clos", "resolution": "resolv", "rejection": "reject", "refund": "refund",
}  # fmt: skip


def stem(word: str) -> str:
    """ "closed", "close" and "closing" are one."""
    if word in _ENDINGS:
        return _ENDINGS[word]
    if word in ("canceled", "cancelled", "cancel"):
        return "cancel"
    if word in ("complete", "completed"):
        return "complet"
    for end in ("ed", "e"):
        if word.endswith(end) and len(word) > len(end) + 2:
            return word[: -len(end)]
    return word
