"""Many runs from one start, each as in a session of its own, and what they share done once.

Always holds: a run sees what it would see in a fresh session. A tool is a function of the records,
the clock and its arguments, so calls that were made in a row before, from the same start, give
what they gave then; anything else is really called. That tools are such functions is not proved
here, but by running without this (the `deterministic` gate).
"""

import marshal
from dataclasses import dataclass, field

from forge.env.session import Session
from forge.env.store import Store
from forge.types.call import ToolResult
from forge.types.data import Json
from forge.types.state import Overlay

Reads = dict[bytes, ToolResult]
"""Call, as `Run` writes it -> what it gave."""


@dataclass(slots=True)
class Place:
    """Where some calls have led, and where the next lead from there. Nothing is called on its
    session, only on forks of it. Two runs that are at the same one see the same."""

    session: Session
    calls: dict[bytes, "tuple[ToolResult, Place]"] = field(default_factory=dict)
    overlay: Overlay | None = None


class Rehearsal:
    """A session's state as the start of runs. `known`: what some reads gave at the same start."""

    def __init__(self, start: Session, known: Reads | None = None) -> None:
        self.start = start
        """Nothing is called on it; to be forked by who wants a session of their own."""
        self._start = Place(start)
        for name, result in (known or {}).items():
            self._start.calls[name] = (result, self._start)

    def run(self) -> "Run":
        return Run(self._start)

    def reads(self) -> Reads:
        """What was called at the start so far and wrote nothing."""
        calls = self._start.calls.items()
        return {name: result for name, (result, led) in calls if led is self._start}


class Run:
    """Like a session that is called, without changing it. `place`: where it is; it can be put to
    one that another run of the same rehearsal came to."""

    def __init__(self, start: Place) -> None:
        self.place = start

    def call(self, tool: str, arguments: dict[str, Json]) -> ToolResult:
        """What `Session.call` gives; not to be changed, since other runs get it too."""
        name = marshal.dumps((tool, arguments), 2)
        here = self.place
        if name not in here.calls:
            session = here.session.fork()
            result = session.call(tool, arguments)
            wrote = session.store.writes != here.session.store.writes
            here.calls[name] = (result, Place(session) if wrote else here)
        result, self.place = here.calls[name]
        return result

    def overlay(self) -> Overlay:
        """What the calls changed over base and setup; not to be changed."""
        if self.place.overlay is None:
            self.place.overlay = self.place.session.overlay()
        return self.place.overlay

    @property
    def store(self) -> Store:
        """The records as they are now; to be read only."""
        return self.place.session.store
