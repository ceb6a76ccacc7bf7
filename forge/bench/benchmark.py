"""What a benchmark is to forge: its tasks, what its own code says of gold and of doing nothing, and
episodes that an agent can be in.

Always holds: rewards are given by the benchmark's code; an episode is over when it gives one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from forge.bench.checkout import Source
from forge.llm.completion import Message
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.rollout import Outcome, Trajectory, Turn

ALL = "all"
STRICT = "strict"
"""The measure of a check that forge has beside one that takes what is wrong."""


@dataclass(frozen=True, slots=True)
class Item:
    """One task: where the benchmark has it. `number`: its own name for it; `whole`: the
    conversation that it is a turn of, where the benchmark's table counts those, else ""."""

    domain: str
    split: str
    number: str
    whole: str = ""

    @property
    def id(self) -> str:
        return f"{self.domain}/{self.split}/{self.number}"


@dataclass(frozen=True, slots=True)
class Score:
    """`reward`: the benchmark's own. `why`: in a line, where it is 0. `measures`: what else the
    benchmark, or forge beside it, measured: shares, by name."""

    reward: Literal[0, 1]
    why: str = ""
    measures: Mapping[str, float] = field(default_factory=dict)


class Episode(Protocol):
    """One task, played once. `system`: the rules; `most`: actions that the benchmark grants, calls
    and words to the user alike."""

    @property
    def system(self) -> str: ...

    @property
    def tools(self) -> Mapping[str, Tool]: ...

    @property
    def most(self) -> int: ...

    def asked(self, heard: str | None) -> list[Json] | str:
        """The messages that a model is to answer as the user, who heard this; None: to open. Or
        what the user says, where that needs no model."""
        ...

    def hear(self, heard: str | None, reply: str) -> tuple[str, Score | None]:
        """The agent said `heard` (None: the user opens), and the user answers: what the agent
        reads of that."""
        ...

    def call(self, tool: str, arguments: dict[str, Json]) -> tuple[str, Score | None]:
        """What the agent reads of it."""
        ...

    def cut(self) -> Score:
        """What it is worth when it ends here, by a limit."""
        ...


@dataclass(frozen=True, slots=True)
class Held:
    """How a conversation came to its end. `score`: None where it could not be scored."""

    outcome: Outcome
    score: Score | None
    reason: str = ""


class Asks(Protocol):
    """What a conversation may ask while it is held. EndpointLost, ContextFull and UserError are to
    be let through."""

    @property
    def judged(self) -> bool:
        """Whether there is a judge."""
        ...

    def agent(self, heard: str | Sequence[str]) -> Turn:
        """The agent's next turn, to what the user said or what its calls gave, in their order."""
        ...

    def user(self, messages: Sequence[Json], tools: Sequence[Json]) -> Message: ...

    def judge(self, messages: Sequence[Json]) -> str: ...


@runtime_checkable
class Conversation(Protocol):
    """One task of a benchmark that has a loop of its own, held once, on a thread."""

    @property
    def system(self) -> str: ...

    @property
    def tools(self) -> Mapping[str, Tool]: ...

    def hold(self, asks: Asks, most: int | None) -> Held:
        """`most`: steps, where that is not as the benchmark has it."""
        ...


class Benchmark(Protocol):
    """`domains`: with their splits; `usual`: the split that scores are told of; `writes`: whether
    agents write calls as the benchmark has them, and no tools are in the request."""

    @property
    def name(self) -> str: ...

    @property
    def domains(self) -> Mapping[str, Sequence[str]]: ...

    @property
    def usual(self) -> str: ...

    @property
    def writes(self) -> bool: ...

    def speaks(self, item: Item) -> bool:
        """Whether a model is needed as the user."""
        ...

    def items(self, domain: str, split: str) -> list[Item]: ...

    def source(self, domains: Sequence[str]) -> Source:
        """Of the files that these domains' scores hang on. UserError if one is missing."""
        ...

    def gold(self, item: Item) -> Score:
        """Of the benchmark's own solution."""
        ...

    @property
    def stubbed(self) -> str:
        """What the scores of gold and of doing nothing leave out; "" if nothing."""
        ...

    def noop(self, item: Item) -> Score:
        """Of saying nothing, to a user who leaves at once."""
        ...

    def episode(self, item: Item) -> Episode | Conversation: ...

    def own(self, found: Sequence[Trajectory]) -> str | None:
        """Episodes of one domain and split in the shape that its own tools read; None: forge does
        not write that."""
        ...

    def cautions(self, user: str | None) -> list[str]:
        """What keeps its scores from being compared. `user`: the model that is the user."""
        ...
