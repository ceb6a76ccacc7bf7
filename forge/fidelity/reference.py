"""What a reference is: an environment that others wrote by hand, with tools, data, and calls that
its authors hold to be right.

Always holds: what comes out of one is JSON and shares nothing with its data; each running copy
starts from the scenario's own data, whatever other copies did.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from forge.bench.checkout import Source
from forge.types.call import Call
from forge.types.data import Json

DEEPEST = 24
"""Levels of objects in objects that are looked at."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call gave. `refused`: it says that it could not be done."""

    value: Json
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Scenario:
    """Where it starts, by the reference's own name, and its authors' calls in their order."""

    name: str
    calls: tuple[Call, ...]


class Running(Protocol):
    @property
    def tools(self) -> Collection[str]:
        """Those that there are in its scenario."""
        ...

    def call(self, tool: str, arguments: dict[str, Json]) -> Answer: ...

    def state(self) -> dict[str, Json]:
        """Its data as they are now, as it nests them."""
        ...


class Reference(Protocol):
    """`tools`: their names in the order of its documents, and those of their arguments."""

    @property
    def name(self) -> str: ...

    @property
    def tools(self) -> Mapping[str, Sequence[str]]: ...

    @property
    def scenarios(self) -> Sequence[Scenario]: ...

    def source(self) -> Source: ...

    def open(self, scenario: Scenario) -> Running: ...


def as_json(value: object, around: tuple[int, ...] = ()) -> Json:
    """A copy as JSON. Objects are their public attributes; keys are texts; sets are sorted; what is
    nothing of this is its text, and so is what it lies in itself, or is nested too deeply."""
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    if id(value) in around or len(around) > DEEPEST:
        return type(value).__name__
    inner = (*around, id(value))
    if isinstance(value, Mapping):
        return {str(name): as_json(each, inner) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(each, inner) for each in value]
    if isinstance(value, set | frozenset):
        made = [as_json(each, inner) for each in value]
        return sorted(made, key=lambda each: json.dumps(each, sort_keys=True))
    try:
        kept = vars(value)
    except TypeError:  # it has none
        return str(value)
    return {name: as_json(each, inner) for name, each in kept.items() if not name.startswith("_")}
