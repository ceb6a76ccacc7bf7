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

MOST_READS = 128
"""That are remembered of one base: those that came again last."""


@dataclass(frozen=True, slots=True)
class Read:
    result: ToolResult
    looked: frozenset[str]
    """The tables that it comes of, and the clock where that was asked."""


Results = dict[bytes, Read]
"""Call, as `Run` writes it -> what it gave."""


@dataclass(frozen=True, slots=True)
class Reads:
    """What reads gave on the records of one base, at its own time. What a read did not look at may
    be otherwise where it is called again."""

    anyone: Results = field(default_factory=dict)
    """Whoever acts."""
    own: Results = field(default_factory=dict)
    """To the one who acts."""

    def get(self, name: bytes, changed: frozenset[str]) -> ToolResult | None:
        """Where so much is otherwise than in the base."""
        for there in (self.anyone, self.own):
            read = there.get(name)
            if read is not None and read.looked.isdisjoint(changed):
                there[name] = there.pop(name)
                return read.result
        return None

    def keep(self, name: bytes, read: Read, *, own: bool) -> None:
        there = self.own if own else self.anyone
        there[name] = read
        if len(there) > MOST_READS:
            del there[next(iter(there))]


@dataclass(slots=True)
class Place:
    """Where some calls have led, and where the next lead from there. Nothing is called on its
    session, only on forks of it. Two runs that are at the same one see the same."""

    session: Session
    reads: Reads | None = None
    calls: dict[bytes, "tuple[ToolResult, Place]"] = field(default_factory=dict)
    overlay: Overlay | None = None
    spare: Session | None = None
    """A fork on which calls were made that left no trace: as good as a new one."""
    changed: frozenset[str] = frozenset()
    """What is otherwise than in the base."""

    def __post_init__(self) -> None:
        if self.reads is not None:
            self.changed = self.session.store.changed

    def call(
        self, name: bytes, tool: str, arguments: dict[str, Json]
    ) -> "tuple[ToolResult, Place]":
        """What a call gives that was not made here before, and where it leads."""
        known = self.reads.get(name, self.changed) if self.reads is not None else None
        if known is not None:
            return known, self
        session = self.spare or self.session.fork()
        store = session.store
        store.watch()
        result = session.call(tool, arguments)
        if store.writes != self.session.store.writes:
            self.spare = None
            return result, Place(session, self.reads)
        self.spare = session
        if self.reads is not None and result.failure is None:
            read = Read(result, frozenset(store.looked))
            if read.looked.isdisjoint(self.changed):
                self.reads.keep(name, read, own=store.asked_me)
        return result, self


class Rehearsal:
    """A session's state as the start of runs. `reads`: what some reads gave on the same base, and
    where it is kept what others give; the session is at the base's own time, and the same acts."""

    def __init__(self, start: Session, reads: Reads | None = None) -> None:
        self.start = start
        """Nothing is called on it; to be forked by who wants a session of their own."""
        self._start = Place(start, reads)

    def run(self) -> "Run":
        return Run(self._start)


class Run:
    """Like a session that is called, without changing it. `place`: where it is; it can be put to
    one that another run of the same rehearsal came to."""

    def __init__(self, start: Place) -> None:
        self.place = start

    def call(self, tool: str, arguments: dict[str, Json]) -> ToolResult:
        """What `Session.call` gives; not to be changed, since other runs get it too."""
        name = marshal.dumps((tool, arguments), 2)
        here = self.place
        found = here.calls.get(name)
        if found is None:
            found = here.calls[name] = here.call(name, tool, arguments)
        result, self.place = found
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
