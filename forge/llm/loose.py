"""JSON as models write it: also with single quotes, trailing commas, Python's constants, and line
breaks in texts.

Always holds: what is JSON reads as JSON does; what is repaired is repaired the same way each time;
nothing is made up that is not there: what ends too early is refused. Time is linear in the text.
"""

import json
import math
import re

from forge.llm.completion import sound
from forge.types.data import Json

DEEPEST = 64

_SPACE = re.compile(r"\s*")
_PLAIN = {'"': re.compile(r'[^"\\]*'), "'": re.compile(r"[^'\\]*")}
_WORD = re.compile(r"[A-Za-z]+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_WORDS: dict[str, Json] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}


def _constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


_STRICT = json.JSONDecoder(strict=False, parse_constant=_constant)


def read(text: str, start: int = 0) -> tuple[Json, int]:
    """The value that begins at `start`, and where it ends. ValueError: says where it goes wrong."""
    try:
        value, end = _STRICT.raw_decode(text, start)
    except (ValueError, RecursionError):
        value, end = _value(text, start, 0)
    return checked(value), end


def read_whole(text: str) -> Json:
    """The value that the text is. ValueError if it is none, or more than one."""
    value, end = read(text, _SPACE.match(text).end())  # type: ignore[union-attr]
    if text[end:].strip():
        raise ValueError(f"there is more after the value, at character {end}")
    return value


def checked(value: Json) -> Json:
    """The value, with whole characters. ValueError if it is too deep or a number too large."""
    _check(value, 0)
    return sound(value)


def _check(value: Json, depth: int) -> None:
    if depth > DEEPEST:
        raise ValueError(f"it is nested more than {DEEPEST} deep")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is too large")
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            _check(item, depth + 1)


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _value(text: str, at: int, depth: int) -> tuple[Json, int]:
    if depth > DEEPEST:
        raise ValueError(f"it is nested more than {DEEPEST} deep")
    first = text[at : at + 1]
    if first == "{":
        return _object(text, at + 1, depth)
    if first == "[":
        return _array(text, at + 1, depth)
    if first in _PLAIN:
        return _string(text, at)
    word = _WORD.match(text, at)
    if word and word[0] in _WORDS:
        return _WORDS[word[0]], word.end()
    number = _NUMBER.match(text, at)
    if number:
        return json.loads(number[0]), number.end()
    raise _wrong("a value", text, at)


def _object(text: str, at: int, depth: int) -> tuple[Json, int]:
    made: dict[str, Json] = {}
    while True:
        at = _skip(text, at)
        if text.startswith("}", at):
            return made, at + 1
        if text[at : at + 1] not in _PLAIN:
            raise _wrong("a name in quotes", text, at)
        name, at = _string(text, at)
        at = _skip(text, at)
        if not text.startswith(":", at):
            raise _wrong('":"', text, at)
        made[name], at = _value(text, _skip(text, at + 1), depth + 1)
        at = _comma(text, at, "}")


def _array(text: str, at: int, depth: int) -> tuple[Json, int]:
    made: list[Json] = []
    while True:
        at = _skip(text, at)
        if text.startswith("]", at):
            return made, at + 1
        item, at = _value(text, at, depth + 1)
        made.append(item)
        at = _comma(text, at, "]")


def _comma(text: str, at: int, close: str) -> int:
    """After the comma; before the bracket that closes."""
    at = _skip(text, at)
    if text.startswith(",", at):
        return at + 1
    if text.startswith(close, at):
        return at
    raise _wrong(f'"," or "{close}"', text, at)


def _string(text: str, at: int) -> tuple[str, int]:
    quote = text[at]
    parts = []
    at += 1
    while True:
        plain = _PLAIN[quote].match(text, at)
        assert plain is not None  # it matches nothing too
        parts.append(plain[0])
        at = plain.end()
        if at >= len(text) - 1 and not text.startswith(quote, at):
            raise ValueError("it ends within a text in quotes")
        if text[at] == quote:
            return "".join(parts), at + 1
        escaped = text[at + 1]
        code = _HEX.match(text, at + 2) if escaped == "u" else None
        if code:
            parts.append(chr(int(code[0], 16)))
            at = code.end()
        else:
            kept = escaped if escaped in "\"'\\/" else f"\\{escaped}"
            parts.append(_ESCAPES.get(escaped, kept))
            at += 2


def _wrong(wanted: str, text: str, at: int) -> ValueError:
    if at >= len(text):
        return ValueError(f"it ends where {wanted} is due")
    return ValueError(f"at character {at}, {text[at]!r} is where {wanted} is due")
