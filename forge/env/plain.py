"""What counts as JSON where values come in from an agent and go out of a tool.

A plain value is finite, encodable, not too deep and not too large; tuples are lists. The copy that
is made shares nothing with what it was made of.
"""

from math import isfinite
from typing import NoReturn

from forge.types.data import Json

DEEPEST = 64
"""Levels of nesting."""

LARGEST = 8_000_000
"""Characters of JSON text, about."""

_INTEGERS = 2**63
_ATOMS = frozenset({bool, type(None)})


def plain(value: Json, largest: int = LARGEST) -> Json:
    """A copy of `value` as JSON. ValueError, with the reason, if it is none or is too large."""
    copier = _Copier(largest)
    made = copier.copy(value, 0)
    copier.check()
    return made


def weight(value: object, enough: int) -> int:
    """About how many characters `value` takes as JSON, counted no further than beyond `enough`.
    Takes anything, cyclic values too."""
    total = 0
    rest = [value]
    while rest and total <= enough:
        each = rest.pop()
        if isinstance(each, str):
            total += len(each) + 2
        elif isinstance(each, dict):
            total += 8 * (1 + len(each))
            rest += each.keys()
            rest += each.values()
        elif isinstance(each, list | tuple | set | frozenset):
            total += 8
            rest += each
        elif isinstance(each, int):
            total += 8 + each.bit_length() // 3
        else:
            total += 8
    return total


class _Copier:
    """Copies, and counts characters down as it goes. Whether too many are gone is looked at before
    the members of a list or dict are copied, and in the end: texts cost nothing to copy."""

    __slots__ = ("_largest", "_left")

    def __init__(self, largest: int) -> None:
        self._largest = self._left = largest

    def check(self) -> None:
        if self._left < 0:
            raise ValueError(f"is longer than {self._largest} characters")

    def copy(self, value: Json, depth: int) -> Json:
        if isinstance(value, dict):
            return self._dict(value, depth)
        if isinstance(value, list | tuple):
            return self._list(value, depth)
        if isinstance(value, str):
            self._left -= len(value)
            return _text(value)
        kind = type(value)
        if kind in _ATOMS:
            return value
        if isinstance(value, int):
            if not -_INTEGERS <= value < _INTEGERS:
                raise ValueError("holds a whole number of more than 64 bits")
            return int(value)
        if isinstance(value, float):
            if not isfinite(value):
                raise ValueError(f"holds {value}, which is no number in JSON")
            return float(value)
        raise ValueError(f"holds a {kind.__name__}, which is not JSON")

    def _list(self, value: list[Json] | tuple[Json, ...], depth: int) -> list[Json]:
        self._left -= 8 * (1 + len(value))
        if self._left < 0 or depth >= DEEPEST:
            self._refuse()
        deeper = depth + 1
        return [
            self._dict(item, deeper) if type(item) is dict else self.copy(item, deeper)
            for item in value
        ]

    def _dict(self, value: dict[Json, Json], depth: int) -> dict[str, Json]:
        """On the way of every call: what is seen most often is told first, and by its type."""
        self._left -= 8 * (1 + len(value))
        if self._left < 0 or depth >= DEEPEST:
            self._refuse()
        made: dict[str, Json] = {}
        spent = 0
        for name, item in value.items():
            key = name if type(name) is str and name.isascii() else _name(name)
            spent += len(key)
            kind = type(item)
            if kind is str:
                spent += len(item)
                made[key] = item if item.isascii() else _text(item)
            elif kind in _ATOMS or (kind is int and -_INTEGERS <= item < _INTEGERS):
                made[key] = item
            elif kind is dict:
                made[key] = self._dict(item, depth + 1)
            else:
                made[key] = self.copy(item, depth + 1)
        self._left -= spent
        return made

    def _refuse(self) -> NoReturn:
        self.check()
        raise ValueError(f"is nested more than {DEEPEST} levels deep")


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise ValueError(f"has a name that is no text: {str(name)[:40]}")
    return _text(name)


def _text(text: str) -> str:
    if type(text) is str and text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("holds half a character (a lone surrogate)") from None
    return str(text)
