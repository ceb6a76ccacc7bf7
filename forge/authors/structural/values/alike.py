"""Values beside those of the other records: names nearly the same, prices close by, every choice.

Always holds: a label is like another one now and then, and never equal to it.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from forge.authors.structural.values.fit import make
from forge.authors.structural.values.scene import Scene
from forge.types.data import Json
from forge.types.state import Column


def label_among(column: Column, scene: Scene, taken: list[Json]) -> Json:
    """Now and then like another record's, but never equal: two Toms, Auro and Aurora."""
    dice = scene.rng.random()
    alike = _akin if dice < 0.22 else _begins if dice < 0.32 else None
    folded = {str(value).casefold() for value in taken}
    first: Json = None
    for _ in range(60):
        fresh = replace(scene)
        value = make(column, fresh, lambda *_: None, taken)
        if str(value).casefold() in folded:
            continue
        if alike is None or any(alike(value, old) for old in taken):
            return value
        first = first or value
    return first or make(column, scene, lambda *_: None, taken)


def dealt(
    column: Column, choices: Sequence[Json], decks: dict[str, list[Json]], rng: Random
) -> Json:
    """Choices dealt from a shuffled deck, so that each occurs, the first ones more often."""
    deck = decks.setdefault(column.name, [])
    if not deck:
        options = [option for option in choices if option is not None]
        deck += [*options, *options, *options[: max(1, len(options) // 2)]]
        rng.shuffle(deck)
        if len(options) > 8:
            deck.sort(key=lambda option: options.index(option) % 3)
            deck.reverse()
    return deck.pop() if deck else None


def close_to(column: Column, value: Json, rng: Random) -> Json:
    """A price just beside another one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    large = 100 if value >= 10_000 else 5
    step = (
        rng.choice((1, 2)) * large if isinstance(value, int) else rng.choice((0.1, 0.4, 0.5, 1.0))
    )
    near = round(value + step, 2)
    return near if column.maximum is None or near <= column.maximum else None


def _akin(one: Json, other: Json) -> bool:
    """The same first word, and more after it."""
    if not isinstance(one, str) or not isinstance(other, str):
        return False
    first = one.split(" ")[0]
    return " " in one and first == other.split(" ")[0] and first.lower() not in ("the", "a")


def _begins(one: Json, other: Json) -> bool:
    if not isinstance(one, str) or not isinstance(other, str) or one == other:
        return False
    return one.startswith(other) or other.startswith(one)
