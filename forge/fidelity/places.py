"""Where records lie in nested data: lists of objects, objects by key, objects within them, and
plain values in lists and by key, each as a record of one field.

A place is a path of names, with `*` for each key of a map or each item of a list:
`("orders", "*", "items", "*")`. Always holds: places are found by the data's shape alone; the same
data give the same records in the same order.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Optional

from forge.types.data import Json
from forge.types.state import Record

Place = tuple[str, ...]
WHOLE: Place = ()
EACH = "*"
VALUE = "value"
"""The field of a plain value."""


@dataclass(frozen=True, slots=True)
class Found:
    """`path`: to the record in the data; `trail`: what stood for each `*`, keys of maps as texts,
    positions in lists as numbers; `around`: the record that it lies in."""

    place: Place
    path: tuple[str | int, ...]
    record: Record
    around: Optional["Found"] = None

    @property
    def trail(self) -> tuple[str | int, ...]:
        return tuple(
            step for step, named in zip(self.path, self.place, strict=True) if named == EACH
        )


def records_in(
    data: Mapping[str, Json], only: Collection[Place] | None = None
) -> dict[Place, list[Found]]:
    """By place, in the order of the data. What lies in no record is one of its own, at WHOLE.
    `only`: the places that are asked for, and those on the way to them."""
    plain = {name: value for name, value in data.items() if _is_plain(value)}
    found: dict[Place, list[Found]] = {WHOLE: [Found(WHOLE, (), plain)]}
    for name, value in data.items():
        for each in _walk(value, (name,), (name,), None, only):
            found.setdefault(each.place, []).append(each)
    return found


def _walk(
    value: Json,
    place: Place,
    path: tuple[str | int, ...],
    around: Found | None,
    only: Collection[Place] | None,
) -> Iterator[Found]:
    if only is not None and not any(each[: len(place)] == place for each in only):
        return
    if isinstance(value, list):
        for number, each in enumerate(value):
            if isinstance(each, dict):
                yield from _record(each, (*place, EACH), (*path, number), around, only)
            elif _is_plain(each):
                yield Found((*place, EACH), (*path, number), {VALUE: each}, around)
    elif isinstance(value, dict) and is_map(value):
        for name, each in value.items():
            if isinstance(each, dict):
                yield from _record(each, (*place, EACH), (*path, name), around, only)
            else:
                yield from _walk(each, (*place, EACH), (*path, name), around, only)
    elif isinstance(value, dict) and value:
        yield from _record(value, place, path, around, only)
        if all(map(_is_plain, value.values())):
            for name, each in value.items():
                yield Found((*place, EACH), (*path, name), {VALUE: each}, around)


def _record(
    value: Record,
    place: Place,
    path: tuple[str | int, ...],
    around: Found | None,
    only: Collection[Place] | None,
) -> Iterator[Found]:
    found = Found(place, path, value, around)
    yield found
    for name, each in value.items():
        yield from _walk(each, (*place, name), (*path, name), found, only)


def _is_plain(value: Json) -> bool:
    return isinstance(value, str | int | float)


def is_map(value: Mapping[str, Json]) -> bool:
    """Whether an object's names are keys: all that it holds are objects, or lists of them."""
    if not value:
        return False
    if all(isinstance(each, dict) for each in value.values()):
        return True
    return all(
        isinstance(each, list) and all(isinstance(item, dict) for item in each)
        for each in value.values()
    )


def changes(before: Json, after: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths, positions written as texts, at which two values differ; of an object or list that
    is on one side only, its own."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in {**before, **after}:
            if name not in before or name not in after:
                yield (*path, name)
            else:
                yield from changes(before[name], after[name], (*path, name))
    elif isinstance(before, list) and isinstance(after, list):
        for number in range(max(len(before), len(after))):
            here = (*path, str(number))
            if number >= min(len(before), len(after)):
                yield here
            else:
                yield from changes(before[number], after[number], here)
    elif type(before) is not type(after) or before != after:
        yield path


def is_of(path: tuple[str, ...], place: Place) -> bool:
    """Whether a path leads to what is at the place, into it, or to what holds it."""
    return all(wanted in (EACH, step) for step, wanted in zip(path, place, strict=False))
