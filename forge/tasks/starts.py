"""Where a task starts."""

import random
from dataclasses import dataclass

from forge.env.rehearsal import Rehearsal
from forge.env.session import World
from forge.types.state import Overlay


@dataclass(frozen=True, slots=True)
class Point:
    """A base, with what is laid on it, for one who acts, at a time."""

    base: str
    actor: str | int | None
    now: str
    setup: Overlay


@dataclass(frozen=True, slots=True)
class Start:
    """The point, and the runs that were made from there."""

    at: Point
    rehearsal: Rehearsal


def any_point(world: World, rng: random.Random) -> Point:
    """Where a task may start: an actor's, in one of the bases."""
    base = rng.choice(sorted(world.bases))
    actors = world.environment.state_schema.actors
    actor: str | int | None = None
    if actors is not None:
        actor = rng.choice(sorted(key[0] for key in world.bases[base].records(actors)))
    return Point(base, actor, world.environment.nows[base], {})
