"""A rollout: what an agent did in a task, turn by turn, how it ended and what it earned.

Nothing here holds a time, a host or a path, so that equal rollouts are equal bytes.
"""

from typing import Literal

from pydantic import Field

from forge.types.call import Failure
from forge.types.data import Data, Json

Outcome = Literal["done", "gave_up", "steps", "tokens", "seconds", "lost", "unscored", "broken"]
"""Why a rollout ended.

- `done`: the user was served, or thought so; `gave_up`: they lost patience
- `steps`, `tokens`, `seconds`: a limit was met
- `lost`: the endpoint or a worker could not be reached, however often it was tried
- `unscored`: the end state could not be compared within the step limit
- `broken`: a bug of forge or of a policy

The last three earn nothing, neither 0 nor 1: they are left out of every rate.
"""
UNSCORED: frozenset[Outcome] = frozenset({"lost", "unscored", "broken"})


class ToolCall(Data):
    """A call as the agent wrote it. `fault`: why it cannot be made, in words for the agent; the
    arguments are then null."""

    tool: str
    arguments: dict[str, Json] | None = Field(default_factory=dict)
    id: str = ""
    fault: str = ""


class Tokens(Data):
    """What one sampling read and wrote, in the sampler's own ids.

    The whole prompt is the first `held` ids of what the sampling before it held (its prompt and its
    response, one after the other), then `prompt`. So a dialogue that only grows is kept once, and
    a prompt that begins anew says so."""

    held: int = 0
    prompt: tuple[int, ...]
    response: tuple[int, ...]
    logprobs: tuple[float, ...]
    """A number for each id of the response, as it was sampled."""


class Summary(Data):
    """What an agent wrote to itself in place of the turns before it."""

    text: str
    upto: int
    """The number of turns that it stands for, from the first."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tokens: Tokens | None = None


class View(Data):
    """What of the dialogue the agent read before a turn, beside its beginning.

    `first`: the first turn from which on it read everything; of those before, `notes` were read in
    the agent's own words, without their results, the others are told by a summary. `cut`: how many
    results were read shortened."""

    first: int = 0
    notes: int = 0
    cut: int = 0
    summary: Summary | None = None
    """Where it was written before this very turn; it holds until the next one."""


class Turn(Data):
    """What the agent does when it is its turn: it thinks, speaks, calls tools, or all of that."""

    text: str = ""
    """To the user. What was thought is not in it."""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    raw: str = ""
    """The text as the model wrote it, where it is more than `text`."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tokens: Tokens | None = None
    """None: a policy of texts, which has no tokens."""
    view: View | None = None
    """None: all of the dialogue was read."""

    @property
    def written(self) -> int:
        """Tokens that the agent wrote, those of a summary before the turn among them."""
        summary = None if self.view is None else self.view.summary
        return self.completion_tokens + (0 if summary is None else summary.completion_tokens)


class Result(Data):
    """What a call gave, as the agent reads it: JSON, of the value or of an error."""

    text: str
    failure: Failure | None = None
    bug: str = ""
    """What broke, for the environment's author, where the failure is `internal`."""


class Step(Data):
    """One turn of the agent and what came back: a result a call, or what the user answered."""

    turn: Turn
    results: tuple[Result, ...] = ()
    user: str | None = None
    served: tuple[int, ...] | None = None
    """The numbers (from 1) of the wishes that the user then believed served, where it counts."""


class Deviation(Data):
    """One way in which the end state is not the golden one; as `forge/env/compare.py` says it.
    `collateral`: in a record that the golden calls do not touch."""

    what: Literal["changed", "missing", "extra", "deleted", "not deleted"]
    table: str
    key: str
    column: str = ""
    expected: Json = None
    actual: Json = None
    collateral: bool = False


class Unsaid(Data):
    """An answer that was due and not given, or given among others."""

    wish: int
    """The number of the answer wish it belongs to, from 0."""
    expected: Json
    others: tuple[Json, ...] = ()
    """What was named in its place, or beside it."""


class Verdict(Data):
    """1 if the end state is the golden one and every answer due was said, and why not if not."""

    reward: Literal[0, 1]
    deviations: tuple[Deviation, ...] = ()
    unsaid: tuple[Unsaid, ...] = ()
    why: str = ""
    """Of a benchmark that others wrote: what it says, in a line."""
    measures: dict[str, float] = Field(default_factory=dict)
    """What else such a benchmark measured: shares, by name."""


Rule = Literal["contradicts", "invents", "stops early", "takes the agent's part", "says an id"]


class Slip(Data):
    """What a simulated user should not have said: the agent is not to be blamed for what came of
    it. `turn`: the number of the step that it answered, from 0; -1: the opening."""

    turn: int
    rule: Rule
    reason: str
    by: Literal["rules", "judge"] = "rules"


class Trajectory(Data):
    """A whole rollout: attempt `attempt` (from 0) of `policy` at `task`."""

    task: str
    env: str
    kind: str
    band: str
    policy: str
    user: str
    seed: int
    attempt: int
    settings: dict[str, Json] = Field(default_factory=dict)
    """How it was played, where that is not as usual: limits, faults, what the policy was given."""
    question: str
    steps: tuple[Step, ...]
    outcome: Outcome
    reason: str = ""
    """More about the outcome, in a line."""
    verdict: Verdict | None = None
    """None where the rollout could not be scored."""
    user_errors: tuple[Slip, ...] = ()
    retries: int = 0
    """How often it was begun anew, since the endpoint or a worker was lost."""

    @property
    def reward(self) -> int | None:
        return None if self.verdict is None else self.verdict.reward
