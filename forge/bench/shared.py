"""Data of a benchmark, loaded once and shared by all episodes, each of which sees only its own
changes.

Always holds: whoever reads sees plain dicts and lists; whatever changes one of them writes down
first what was in it, so that leaving an episode puts the loaded data back and entering it again
puts its changes back, at the cost of what it touched. What a unit (a record two levels down) is
written as is kept until somebody changes it, and never longer.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from forge.types.data import Json

Container = Any
"""A `SharedDict` or a `SharedList`."""
Changes = dict[int, tuple[Container, Json]]
"""By identity: a container, and what an episode left in it."""
UNIT = 2
"""How deep the records lie below the whole."""


class SharedDict(dict[str, Json]):
    """`unit`: the number of the record that it is of, or is; -1: above the records."""

    __slots__ = ("book", "unit")
    book: "Shared"
    unit: int

    def __copy__(self) -> dict[str, Json]:
        return dict(self)

    def __deepcopy__(self, memo: dict[int, Json]) -> dict[str, Json]:
        return {name: deepcopy(value, memo) for name, value in self.items()}


class SharedList(list[Json]):
    __slots__ = ("book", "unit")
    book: "Shared"
    unit: int

    def __copy__(self) -> list[Json]:
        return list(self)

    def __deepcopy__(self, memo: dict[int, Json]) -> list[Json]:
        return [deepcopy(value, memo) for value in self]


class Shared:
    """`data`: the loaded data, as whoever is in it sees it."""

    def __init__(self, loaded: Json) -> None:
        self._touched: Changes = {}
        """What was in the containers that are changed now."""
        self._dirty: dict[int, int] = {}
        """Units that are changed now, and in how many containers."""
        self._units = 0
        self._roots: dict[int, int] = {}
        """The identity of each record, and its unit."""
        self._kept: dict[int, Written] = {}
        self.data = self._share(loaded, 0, -1)

    def fresh(self) -> Json:
        """The data as it was loaded. What an episode changed, and did not leave, is gone."""
        self._put_back()
        return self.data

    @contextmanager
    def entered(self, changes: Changes) -> Iterator[None]:
        """The data as one episode left it; what it changes meanwhile is in `changes` afterwards."""
        self._put_back()
        for container, left in changes.values():
            self.note(container)
            _fill(container, left)
        try:
            yield
        finally:
            changes.clear()
            for container, _ in self._touched.values():
                changes[id(container)] = (container, _contents(container))
            self._put_back()

    def note(self, container: Container) -> None:
        """It is about to be changed."""
        if id(container) not in self._touched:
            self._touched[id(container)] = (container, _contents(container))
            self._dirty[container.unit] = self._dirty.get(container.unit, 0) + 1

    def written(self, item: Json, write: Callable[[Json], Json]) -> Json:
        """`write(item)`, which is a tuple; of a record that nobody has changed, the one that was
        made the first time."""
        unit = self._roots.get(id(item))
        if unit is None or unit in self._dirty:
            return write(item)
        known = self._kept.get(unit)
        if known is None:
            known = self._kept[unit] = Written(write(item))
        return known

    def _put_back(self) -> None:
        touched, self._touched = self._touched, {}
        self._dirty = {}
        for container, before in touched.values():
            _fill(container, before)

    def _share(self, value: Json, depth: int, unit: int) -> Json:
        if not isinstance(value, dict | list):
            return value
        shared: Container = SharedDict() if isinstance(value, dict) else SharedList()
        if depth == UNIT:
            unit = self._units
            self._units += 1
            self._roots[id(shared)] = unit
        shared.book, shared.unit = self, unit
        if isinstance(value, dict):
            below: Json = {name: self._share(each, depth + 1, unit) for name, each in value.items()}
        else:
            below = [self._share(each, depth + 1, unit) for each in value]
        _fill(shared, below)
        return shared


class Written(tuple[Json, ...]):
    """A tuple that knows how it is printed."""

    _text: str

    def __repr__(self) -> str:
        try:
            return self._text
        except AttributeError:
            self._text = super().__repr__()
            return self._text


def _contents(container: Container) -> Json:
    return dict(container) if isinstance(container, dict) else list(container)


def _fill(container: Container, contents: Json) -> None:
    """Puts these in place of what is in it, and tells nobody."""
    if isinstance(container, dict):
        dict.clear(container)
        dict.update(container, contents)
    else:
        list.__setitem__(container, slice(None), contents)


def _noting(change: Callable[..., Json]) -> Callable[..., Json]:
    def noted(self: Container, *given: Json, **named: Json) -> Json:
        self.book.note(self)
        return change(self, *given, **named)

    return noted


_OF_BOTH = ("__setitem__", "__delitem__", "clear", "pop")
_OF_DICTS = ("__ior__", "popitem", "setdefault", "update")
_OF_LISTS = ("__iadd__", "__imul__", "append", "extend", "insert", "remove", "reverse", "sort")
for _name in (*_OF_BOTH, *_OF_DICTS):
    setattr(SharedDict, _name, _noting(dict.__dict__[_name]))
for _name in (*_OF_BOTH, *_OF_LISTS):
    setattr(SharedList, _name, _noting(list.__dict__[_name]))
