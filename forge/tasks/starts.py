"""Where a task starts."""

from dataclasses import dataclass

from forge.env.rehearsal import Rehearsal
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
