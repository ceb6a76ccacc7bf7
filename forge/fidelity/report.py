"""What a comparison found, tool by tool. Data, and what is counted of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from forge.types.data import Json

Part = Literal["refusal", "result", "change"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one call made on both from the same state. `result` is None where one refused; `beside`:
    what else the reference changed, in data that the environment has not; `bug`: the tool broke."""

    refusal: bool
    result: Literal["same", "alike", "differs"] | None
    change: bool
    beside: tuple[str, ...] = ()
    bug: bool = False

    @property
    def same(self) -> bool:
        return self.refusal and self.result != "differs" and self.change


@dataclass(frozen=True, slots=True)
class Differing:
    """The first call that differs, and the first part in which it does. `why`: in a line;
    `theirs`, `ours`: what each answered."""

    scenario: str
    drawn: bool
    arguments: Mapping[str, Json]
    part: Part
    why: str
    theirs: Json
    ours: Json


@dataclass(slots=True)
class Tally:
    """Of calls of one kind: the authors' own, or drawn ones."""

    calls: int = 0
    refusal: int = 0
    """Both refused, or neither."""
    answered: int = 0
    """Neither refused."""
    result: int = 0
    alike: int = 0
    """In another form; not among `result`."""
    change: int = 0
    same: int = 0
    """In all three, results that are alike taken as the same."""

    def add(self, verdict: Verdict) -> None:
        self.calls += 1
        self.refusal += verdict.refusal
        self.answered += verdict.result is not None
        self.result += verdict.result == "same"
        self.alike += verdict.result == "alike"
        self.change += verdict.change
        self.same += verdict.same


@dataclass(slots=True)
class OfTool:
    """`why`: why it was not compared, "" if it was; `covered`: whether the environment has it;
    `gold`: how often the reference's authors call it."""

    name: str
    covered: bool
    gold: int
    why: str = ""
    golden: Tally = field(default_factory=Tally)
    drawn: Tally = field(default_factory=Tally)
    bugs: int = 0
    unloaded: int = 0
    """Calls that were not compared, since the reference's records of a table that it touches did
    not load just then."""
    unloaded_why: str = ""
    """Of the first of them."""
    beside: dict[str, int] = field(default_factory=dict)
    """What else the reference changed, and in how many calls."""
    first: Differing | None = None


@dataclass(frozen=True, slots=True)
class Fidelity:
    """`tables`: table -> the place of its records in the reference; `absent`, `without`,
    `beside`, `actor`: see `SchemaMapping`. `more`: tools that the reference has not."""

    environment: str
    reference: str
    commit: str
    digest: str
    scenarios: int
    tools: Sequence[OfTool]
    more: Sequence[str]
    tables: Mapping[str, str]
    absent: Mapping[str, str]
    without: Mapping[str, Sequence[str]]
    beside: Mapping[str, Sequence[str]]
    actor: str | None

    @property
    def compared(self) -> list[OfTool]:
        return [tool for tool in self.tools if not tool.why]

    @property
    def covered(self) -> int:
        return sum(tool.covered for tool in self.tools)
