"""A rollout as a dialogue to be read: what was said, called and answered, what went wrong where.

Always holds: nothing of the trajectory is left out but ids of tokens, which are counted. Pure.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from forge.browse.masks import Masked, masked
from forge.rollout.reasons import reasons
from forge.types.data import Json
from forge.types.rollout import Result, Slip, Step, Summary, ToolCall, Trajectory

Sign = Literal["calls", "refused", "broken", "says", "nothing"]
LONGEST = 120
"""Letters of the arguments that are shown while a call is folded."""


@dataclass(frozen=True, slots=True)
class Called:
    """A call and what came back. `brief`: its arguments in a line; `result`: None where none came
    back; `text`: the result, indented where it is JSON."""

    call: ToolCall
    brief: str
    result: Result | None
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """`number`: from 1; `slips`: what the user should not have said in answer; `first`: the turn,
    from 1, from which on all was read before this one; None: the whole dialogue was."""

    number: int
    step: Step
    calls: tuple[Called, ...]
    slips: tuple[Slip, ...]
    sign: Sign
    first: int | None
    summary: Summary | None

    @property
    def what(self) -> str:
        """In a few words."""
        if self.calls:
            return ", ".join(each.call.tool or "a call of no tool" for each in self.calls)
        return "speaks" if self.step.turn.text else "does nothing"


@dataclass(frozen=True, slots=True)
class Dialogue:
    """`opening`: what the user should not have said in the question; `reasons`: why it earned what
    it did; `rows`: what is trained on, empty where the policy has no tokens; `unfit`: why its
    tokens make no rows, "" if they do."""

    trajectory: Trajectory
    steps: tuple[Shown, ...]
    opening: tuple[Slip, ...]
    reasons: tuple[str, ...]
    rows: tuple[Masked, ...]
    unfit: str

    @property
    def reading(self) -> int:
        return sum(shown.step.turn.prompt_tokens for shown in self.steps)

    @property
    def writing(self) -> int:
        return sum(shown.step.turn.written for shown in self.steps)


def dialogue(trajectory: Trajectory) -> Dialogue:
    slips: dict[int, list[Slip]] = {}
    for slip in trajectory.user_errors:
        slips.setdefault(slip.turn, []).append(slip)
    rows: tuple[Masked, ...] = ()
    unfit = ""
    try:
        rows = masked(trajectory)
    except ValueError as error:  # of a file that forge did not write
        unfit = str(error)
    steps = tuple(
        _shown(number, step, slips.pop(number, [])) for number, step in enumerate(trajectory.steps)
    )
    return Dialogue(
        trajectory,
        steps,
        tuple(slip for others in slips.values() for slip in others),
        () if trajectory.verdict is None else tuple(reasons(trajectory.verdict)),
        rows,
        unfit,
    )


def _shown(number: int, step: Step, slips: Sequence[Slip]) -> Shown:
    turn = step.turn
    calls = tuple(
        _called(call, step.results[at] if at < len(step.results) else None)
        for at, call in enumerate(turn.calls)
    )
    view = turn.view
    first = None if view is None or not view.first else view.first + 1
    summary = None if view is None else view.summary
    return Shown(number + 1, step, calls, tuple(slips), _sign(step), first, summary)


def _called(call: ToolCall, result: Result | None) -> Called:
    arguments = call.arguments or {}
    brief = ", ".join(f"{name}={_json(value)}" for name, value in arguments.items())
    brief = brief if len(brief) <= LONGEST else f"{brief[: LONGEST - 1]}…"
    return Called(call, brief, result, "" if result is None else _indented(result.text))


def _sign(step: Step) -> Sign:
    failures = [result.failure for result in step.results if result.failure]
    if any(failure in ("internal", "unavailable") for failure in failures):
        return "broken"
    if failures:
        return "refused"
    if step.turn.calls:
        return "calls"
    return "says" if step.turn.text else "nothing"


def _indented(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        return text


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
