"""One rollout: the user opens, the agent calls tools or speaks, until the user is done or a limit
is met.

Always holds: nothing that an agent does ends the loop but the limits and the user; a call that
cannot be made is a result that the agent can act on; the loop needs no clock and no thread of its
own, so that with players that never wait it runs to its end at one `send`.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from forge.env.session import World
from forge.env.store import Store
from forge.errors import ComparisonLimit, ContextFull
from forge.rollout.dialogue import Dialogue, dialogue_of, result_of
from forge.rollout.faults import Faults
from forge.rollout.policies.policy import Player
from forge.rollout.reward import judge
from forge.rollout.users.user import Speaker
from forge.types.call import ToolResult
from forge.types.data import Json
from forge.types.rollout import Outcome, Result, Step, Trajectory, Turn
from forge.types.state import Overlay
from forge.types.task import Task

Got = TypeVar("Got")

MOST_CALLS = 32
"""In one turn; what is beyond is not called, and told so."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`steps`: turns of the agent; `tokens`: that it wrote, all turns together; `seconds`: of the
    whole rollout, waiting included. None: no limit."""

    steps: int = 40
    tokens: int | None = None
    seconds: float | None = None


class Stage(Protocol):
    """Where the calls are made: a session, or a run of several from one start."""

    @property
    def store(self) -> Store: ...

    def call(self, tool: str, arguments: dict[str, Json]) -> ToolResult: ...

    def overlay(self) -> Overlay: ...


class Caller(Protocol):
    """How tools are called: at once, or on a thread while other rollouts go on."""

    async def __call__(
        self, stage: Stage, tool: str, arguments: dict[str, Json], /
    ) -> ToolResult: ...


async def call_here(stage: Stage, tool: str, arguments: dict[str, Json]) -> ToolResult:
    """In this thread, at once."""
    return stage.call(tool, arguments)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a dialogue came to its end."""

    outcome: Outcome
    reason: str = ""


async def rollout(
    world: World,
    task: Task,
    player: Player,
    speaker: Speaker,
    *,
    policy: str,
    user: str,
    seed: int,
    attempt: int = 0,
    limits: Limits = Limits(),
    faults: Faults | None = None,
    call: Caller = call_here,
    stage: Stage | None = None,
) -> Trajectory:
    """Plays `task` once, from a fresh session (or on `stage`, which is at the task's start), and
    scores it.

    SandboxLost, EndpointLost: begin anew; nothing is left of it. UserError: the task does not
    start in this world."""
    if stage is None:
        stage = world.open(task.base, actor=task.actor, now=task.now, setup=task.setup)
    dialogue = dialogue_of(world, task)
    deadline = asyncio.get_running_loop().time() + limits.seconds if limits.seconds else None
    try:
        dialogue.question = await _by(deadline, speaker.opening())
        ended = await _converse(
            dialogue, stage, player, speaker, limits, deadline, faults or Faults(0, 0), call
        )
    except TimeoutError:
        ended = Ended("seconds", f"more than {limits.seconds:g} s")
    except ContextFull as full:
        ended = Ended("tokens", str(full))
    try:
        verdict = judge(task, stage.store, stage.overlay(), dialogue)
    except ComparisonLimit:
        verdict, ended = None, Ended("unscored", "the end states are too alike to be told apart")
    return Trajectory(
        task=task.id,
        env=task.env,
        kind=task.kind,
        band=task.band,
        policy=policy,
        user=user,
        seed=seed,
        attempt=attempt,
        question=dialogue.question,
        steps=tuple(dialogue.steps),
        outcome=ended.outcome,
        reason=ended.reason,
        verdict=verdict,
    )


def run_here(coroutine: Coroutine[Any, Any, Trajectory]) -> Trajectory:
    """The result of a coroutine that never waits, without an event loop."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        trajectory: Trajectory = stop.value
        return trajectory
    coroutine.close()
    raise RuntimeError("the rollout waits for something")


async def _converse(
    dialogue: Dialogue,
    stage: Stage,
    player: Player,
    speaker: Speaker,
    limits: Limits,
    deadline: float | None,
    faults: Faults,
    call: Caller,
) -> Ended:
    """Raises TimeoutError at the deadline, but not in the middle of a call."""
    written = 0
    heard: list[str] = []
    while len(dialogue.steps) < limits.steps:
        turn = await _by(deadline, player.act(dialogue))
        written += turn.written
        if turn.text:
            heard.append(turn.text)
        if turn.calls:
            results = await _call_all(turn, stage, faults, call)
            dialogue.steps.append(Step(turn=turn, results=results))
        else:
            reply = await _by(deadline, speaker.reply("\n".join(heard)))
            heard = []
            dialogue.steps.append(Step(turn=turn, user=reply.text, served=reply.served))
            if reply.end is not None:
                return Ended(reply.end)
        if limits.tokens is not None and written >= limits.tokens:
            return Ended("tokens", f"{written} tokens written, of {limits.tokens}")
    return Ended("steps", f"{limits.steps} turns")


async def _by(deadline: float | None, waiting: Coroutine[Any, Any, Got]) -> Got:
    if deadline is None:
        return await waiting
    async with asyncio.timeout_at(deadline):
        return await waiting


async def _call_all(turn: Turn, stage: Stage, faults: Faults, call: Caller) -> tuple[Result, ...]:
    """A result a call, in order; the stage is not used by two at once."""
    results = []
    for number, each in enumerate(turn.calls):
        if number >= MOST_CALLS:
            results.append(_refused(f"not called: {MOST_CALLS} calls in one turn are the most"))
        elif each.arguments is None:
            results.append(_refused(each.fault))
        else:
            found = faults.strike(each.tool, each.arguments)
            results.append(result_of(found or await call(stage, each.tool, each.arguments)))
    return tuple(results)


def _refused(message: str) -> Result:
    return result_of(ToolResult(failure="invalid", message=message))
