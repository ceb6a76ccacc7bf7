"""What counts as JSON where values come in from an agent and go out of a tool.

A plain value is finite, encodable, not too deep and not too large; tuples are lists. The copy that
is made shares nothing with what it was made of.
"""

from math import isfinite

from forge.types.data import Json

DEEPEST = 64
"""Levels of nesting."""

LARGEST = 8_000_000
"""Characters of JSON text, about."""

_INTEGERS = 2**63
_ATOMS = frozenset({bool, type(None)})


def plain(value: Json, largest: int = LARGEST) -> Json:
    """A copy of `value` as JSON. ValueError, with the reason, if it is none or is too large (what
    holds itself is)."""
    if weight(value, largest) > largest:
        raise ValueError(f"is longer than {largest} characters")
    return _plain(value, 0)


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


def _plain(value: Json, depth: int) -> Json:
    kind = type(value)
    if kind in _ATOMS:
        return value
    if isinstance(value, str):
        return value if kind is str and value.isascii() else _text(value)
    if isinstance(value, int):
        if not -_INTEGERS <= value < _INTEGERS:
            raise ValueError("holds a whole number of more than 64 bits")
        return int(value)
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"holds {value}, which is no number in JSON")
        return float(value)
    if depth >= DEEPEST:
        raise ValueError(f"is nested more than {DEEPEST} levels deep")
    if isinstance(value, dict):
        return {_name(name): _plain(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    raise ValueError(f"holds a {kind.__name__}, which is not JSON")


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise ValueError(f"has a name that is no text: {str(name)[:40]}")
    return name if type(name) is str and name.isascii() else _text(name)


def _text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("holds half a character (a lone surrogate)") from None
    return str(text)
