"""The check beside one that takes what is wrong: equal is equal, in every value.

Texts are compared without case and spaces at their ends; 12 and 12.0 are the same number, `true` is
no number, a list has its order.
"""

from collections.abc import Mapping, Sequence

from forge.types.data import Json

Made = tuple[str, Mapping[str, Json]]
"""A call: its name and arguments."""


def same(one: Json, other: Json) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, str) and isinstance(other, str):
        return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def same_calls(made: Sequence[Made], answers: Sequence[Sequence[Made]]) -> bool:
    """Whether they are those of one of the answers, in any order."""
    return any(_match(list(made), list(answer)) for answer in answers)


def _match(made: list[Made], wanted: list[Made]) -> bool:
    if len(made) != len(wanted):
        return False
    for call in made:
        found = next(
            (each for each in wanted if each[0] == call[0] and same(dict(each[1]), dict(call[1]))),
            None,
        )
        if found is None:
            return False
        wanted.remove(found)
    return True


def same_state(state: Sequence[Mapping[str, Json]], wanted: Sequence[Mapping[str, Json]]) -> bool:
    """Whether every class has all the attributes that it should have, and no others; the spelling
    of a class apart."""

    def whole(parts: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
        return {name.lower(): held for part in parts for name, held in part.items()}

    return same(whole(state), whole(wanted))
