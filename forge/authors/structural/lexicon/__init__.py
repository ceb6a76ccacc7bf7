"""The word lists that invented values are made of: data beside this file, read once.

Nothing here draws at random; the order of every list is the order in its file.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Thing:
    """What records with one of these nouns are called, and what is written about them."""

    names: tuple[str, ...]
    texts: tuple[str, ...]
    price: tuple[float, float] | None
    code: str
    repeats: bool
    """Whether records of different parents may well be called the same: "To do", "Done"."""
    technical: bool
    """Whether it is one of software, whose names are often written small and joined."""


@cache
def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


@cache
def lists() -> Mapping[str, Sequence[str]]:
    """The lists that templates draw from, by name."""
    return {name: tuple(items) for name, items in _toml("lists.toml").items()}


@cache
def fields() -> Mapping[str, Sequence[str]]:
    """What stands in a text column, by the last word of its name."""
    return {name: tuple(items) for name, items in _toml("fields.toml")["field"].items()}


@cache
def purposes() -> Mapping[str, Sequence[str]]:
    """What stands in a text that is for something, by the last words of its column's name."""
    return {name: tuple(items) for name, items in _toml("fields.toml")["purpose"].items()}


_THINGS = ("things.toml", "software.toml", "more.toml")


@cache
def things() -> Mapping[str, Thing]:
    """By noun, whatever words stand before it."""
    return _things(alone=False)


@cache
def lone_things() -> Mapping[str, Thing]:
    """By nouns that mean this only without a word before them: a policy is an insurance, a
    retention policy is none."""
    return _things(alone=True)


def _things(*, alone: bool) -> Mapping[str, Thing]:
    found: dict[str, Thing] = {}
    for file, entry in ((name, entry) for name in _THINGS for entry in _toml(name)["thing"]):
        if entry.get("alone", False) is not alone:
            continue
        price = entry.get("price")
        own = [name for each in kin().get(entry["nouns"][0], ()) for name, _, _ in each.names]
        thing = Thing(
            names=tuple(own or entry["names"]),
            texts=tuple(entry["texts"]),
            price=None if price is None else (float(price[0]), float(price[1])),
            code=entry.get("code", ""),
            repeats=entry.get("repeats", False),
            technical=file == "software.toml",
        )
        found.update(dict.fromkeys(entry["nouns"], thing))
    return found


@dataclass(frozen=True, slots=True)
class Kin:
    """Names of one kind of thing, with the prices that fit each."""

    kinds: tuple[str, ...]
    names: tuple[tuple[str, float, float], ...]


@cache
def kin() -> Mapping[str, tuple[Kin, ...]]:
    """By each noun of the things that the names are of."""
    found: dict[str, list[Kin]] = {}
    for entry in _toml("kin.toml")["kin"]:
        names = []
        for line in entry["names"]:
            name, _, prices = line.rpartition(" ")
            low, _, high = prices.partition("-")
            names.append((name, float(low), float(high)))
        found.setdefault(entry["of"], []).append(Kin(tuple(entry["kinds"]), tuple(names)))
    nouns = [
        (entry["nouns"], found.get(entry["nouns"][0])) for entry in _toml("things.toml")["thing"]
    ]
    return {noun: tuple(each) for names_of, each in nouns if each for noun in names_of}


@cache
def senses(section: str) -> Mapping[str, str]:
    """A section of columns.toml turned round: word -> what it means."""
    return {
        word: sense
        for sense, words in _toml("columns.toml")[section].items()
        for word in words.split()
    }


@cache
def group(name: str) -> frozenset[str]:
    """A group of words, only ever to be asked whether it holds one."""
    return frozenset(_toml("columns.toml")["group"][name].split())
