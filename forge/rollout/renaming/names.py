"""Other names for the names of an environment, by a seed.

Always holds: each name has another one, and no two the same; none is a name that was there, or
differs from one only in how it is written; the same environment and seed give the same names.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeVar

from forge.authors.structural.words import plural, singular, split
from forge.rollout.renaming.synonyms import SYNONYMS
from forge.types.data import Json, JsonSchema
from forge.types.environment import Environment
from forge.types.state import Column

Option = TypeVar("Option")

LONGEST = 64
"""Of a tool's name, by the protocol of chat completions."""
_AFFIXES = ("value", "field", "entry", "detail", "part", "item")


def tool_names(environment: Environment) -> set[str]:
    return {tool.name for tool in environment.tools}


def field_names(environment: Environment) -> set[str]:
    """Of arguments, of what results hold, and of columns, at any depth."""
    names: set[str] = set()
    for tool in environment.tools:
        names |= _in_schema(tool.parameters) | _in_schema(tool.returns)
    for table in environment.state_schema.tables:
        for column in table.columns:
            names |= _in_column(column)
    return names


def value_texts(environment: Environment) -> set[str]:
    """Texts that arguments are chosen from: what is equal to one of them may be it."""
    found: set[str] = set()
    for tool in environment.tools:
        found |= _choices(tool.parameters) | _choices(tool.returns)
    return found


def other_names(
    tools: Collection[str], fields: Collection[str], values: Collection[str], seed: int
) -> dict[str, str]:
    """Name -> other name, and back again: looked up twice, a name is itself. A tool and a field
    of one name have one other name."""
    words = _other_words({w for name in (*tools, *fields) for w in split(name)}, seed)
    taken = {_folded(name) for name in (*tools, *fields, *values)}
    styles = [_pick(seed, kind, _STYLES) for kind in ("tools", "fields")]
    verb_first = _pick(seed, "order", (True, False))
    made: dict[str, str] = {}
    for name in sorted({*tools, *fields}):
        own = [words[word] for word in split(name)]
        if name in tools and not verb_first and len(own) > 1:
            own = [*own[1:], own[0]]
        style = styles[0 if name in tools else 1]
        other = next(c for c in _variants(own, style, seed, name) if _folded(c) not in taken)
        taken.add(_folded(other))
        made[name] = other
    return made | {other: name for name, other in made.items()}


def _variants(
    words: Sequence[str], style: Callable[[Sequence[str]], str], seed: int, name: str
) -> Iterator[str]:
    """The words alone, then with more words, then with numbers; without end."""
    if words and not words[0][0].isdigit():
        yield style(words)[:LONGEST]
    affixes = _ordered(seed, name, _AFFIXES)
    short = style(words)[: LONGEST - 16] if words else ""
    for affix in affixes:
        yield style([*(split(short) if short else ()), affix]) if short else affix
    number = 2
    while True:
        yield style(["field", affixes[0], str(number)])
        number += 1


def _folded(name: str) -> str:
    return "".join(each for each in name.casefold() if each.isalnum()) or name


def _other_words(words: Collection[str], seed: int) -> dict[str, str]:
    """Word -> synonym, where there is one that is no other's, and no word of the names. Of the
    singular and the plural it is the same."""
    taken = set(words)
    chosen: dict[str, str] = {}
    made: dict[str, str] = {}
    for word in sorted(words):
        many = word not in SYNONYMS and singular(word) != word
        one = singular(word) if many else word
        if one not in chosen:
            options = _ordered(seed, one, SYNONYMS.get(one, ()))
            chosen[one] = next((o for o in options if taken.isdisjoint({o, plural(o)})), one)
            taken |= {chosen[one], plural(chosen[one])}
        found = chosen[one]
        made[word] = word if found == one else plural(found) if many else found
    return made


def _ordered(seed: int, about: str, options: Sequence[str]) -> list[str]:
    def place(option: str) -> bytes:
        return hashlib.sha256(f"{seed}:{about}:{option}".encode()).digest()

    return sorted(options, key=place)


def _pick(seed: int, about: str, options: Sequence[Option]) -> Option:
    digest = hashlib.sha256(f"{seed}:{about}".encode()).digest()
    return options[int.from_bytes(digest[:4]) % len(options)]


def _snake(words: Sequence[str]) -> str:
    return "_".join(words)


def _camel(words: Sequence[str]) -> str:
    return words[0] + "".join(word.capitalize() for word in words[1:])


def _pascal(words: Sequence[str]) -> str:
    return "".join(word.capitalize() for word in words)


_STYLES: tuple[Callable[[Sequence[str]], str], ...] = (_snake, _camel, _pascal)


def _in_schema(schema: Json) -> set[str]:
    found: set[str] = set()
    if isinstance(schema, list):
        for each in schema:
            found |= _in_schema(each)
    if isinstance(schema, dict):
        for word, inner in schema.items():
            if word == "properties" and isinstance(inner, dict):
                found |= set(inner)
                found |= _in_schema(list(inner.values()))
            elif word not in ("enum", "const", "default", "examples"):
                found |= _in_schema(inner)
    return found


def _choices(schema: JsonSchema | Json) -> set[str]:
    found: set[str] = set()
    if isinstance(schema, list):
        for each in schema:
            found |= _choices(each)
    if isinstance(schema, dict):
        for word, inner in schema.items():
            if word in ("enum", "examples") and isinstance(inner, list):
                found |= {each.removeprefix("-") for each in inner if isinstance(each, str)}
            elif word in ("const", "default") and isinstance(inner, str):
                found.add(inner)
            elif isinstance(inner, dict | list):
                found |= _choices(inner)
    return found


def _in_column(column: Column) -> set[str]:
    inner = [*column.properties, *(each for each in (column.items, column.values) if each)]
    return {name for name in (column.name,) if name} | {n for c in inner for n in _in_column(c)}
