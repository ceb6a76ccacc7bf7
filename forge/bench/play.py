"""Episodes of a benchmark with a model as the agent, side by side, into a file of trajectories.

Always holds: whatever happens in one episode is a trajectory of its own; an endpoint that is lost,
a user who writes nothing and code that breaks are outcomes without a reward, never a 0; what has
come to its end is in the file, and the same call goes on from there.
"""

import asyncio
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from forge.bench.benchmark import Benchmark, Episode, Item, Score
from forge.dataset.trajectories import TrajectoryFile
from forge.errors import ContextFull, EndpointGone, EndpointLost, UserError
from forge.llm.client import Client
from forge.rollout.dialogue import Dialogue
from forge.rollout.loop import MOST_CALLS
from forge.rollout.policies.calls import read_text
from forge.rollout.policies.chat import Chat, ChatPlayer, Sampling
from forge.rollout.run import BACKOFF, LONGEST_REASON, TRIES, seed_of
from forge.types.data import Json
from forge.types.rollout import Outcome, Result, Step, Trajectory, Turn, Verdict

NOW = "2024-05-15T15:00:00Z"
"""The clock of what writes a date to a model. A benchmark's own date is in its rules."""


@dataclass(frozen=True, slots=True)
class UserModel:
    client: Client
    sampling: Sampling = field(default_factory=Sampling)

    async def answer(self, messages: Sequence[Json], seed: int) -> str:
        """EndpointLost where there is no text to be had."""
        body = {
            "messages": list(messages),
            "temperature": self.sampling.temperature,
            "seed": seed & 0x7FFFFFFF,
            **self.sampling.extra,
        }
        given = {name: value for name, value in body.items() if value is not None}
        try:
            completion = await self.client.complete(given)
        except ContextFull as full:
            raise EndpointLost(f"the user's model: {full}") from None
        text = read_text(completion.message.text, {}).text.strip()
        if not text:
            raise EndpointLost("the user's model wrote nothing")
        return text


@dataclass(frozen=True, slots=True)
class Play:
    """How all episodes of a run are played. `most`: actions, where that is not as the benchmark has
    it; `marks`: what is not as usual, and which benchmark it is, as it stands in trajectories."""

    benchmark: Benchmark
    policy: Chat
    user: UserModel | None
    seed: int = 0
    concurrent: int = 64
    most: int | None = None
    marks: Mapping[str, Json] = field(default_factory=dict)

    @property
    def listener(self) -> str:
        """The user's name, as it stands in trajectories."""
        return "none" if self.user is None else self.user.client.name


@dataclass(slots=True)
class _Ended:
    outcome: Outcome
    score: Score | None = None
    reason: str = ""
    retries: int = 0
    question: str = ""
    steps: Sequence[Step] = ()
    trace: str = ""


Tell = Callable[[Trajectory, str], None]
"""Gets each trajectory at its end, and the traceback where code broke."""


async def play_all(
    play: Play, items: Sequence[Item], trials: int, file: TrajectoryFile, tell: Tell
) -> None:
    """Each item `trials` times, but for what is in the file. The models are closed.

    UserError if a model cannot be played with at all; EndpointGone if it will not come back."""
    works = False

    def jobs() -> Iterator[tuple[Item, int]]:
        for trial in range(trials):
            for item in items:
                if (item.id, trial) not in file:
                    yield item, trial

    left = jobs()

    async def work() -> None:
        nonlocal works
        for item, trial in left:
            ended = await _play(play, item, trial, works)
            works |= ended.score is not None
            found = _trajectory(play, item, trial, ended)
            file.add(found)
            tell(found, ended.trace)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(play.concurrent, len(items) * trials)):
                group.create_task(work())
    except BaseExceptionGroup as several:
        raise _first(several) from None
    finally:
        await play.policy.close()
        if play.user is not None:
            await play.user.client.close()


async def _play(play: Play, item: Item, trial: int, works: bool) -> _Ended:
    lost = ""
    for tried in range(TRIES):
        if tried:
            await asyncio.sleep(BACKOFF * 2 ** (tried - 1))
        try:
            ended = await _episode(play, item, seed_of(play.seed, item.id, trial))
            ended.retries = tried
            return ended
        except EndpointGone:
            raise
        except EndpointLost as error:
            lost = _line(error)
        except UserError as error:
            if not works:
                raise
            return _Ended("broken", reason=_line(error))
        except Exception as error:  # the boundary: a benchmark's code, or forge's, may be wrong
            trace = "".join(traceback.format_exception(error))
            return _Ended("broken", reason=f"{type(error).__name__}: {_line(error)}", trace=trace)
    return _Ended("lost", reason=lost, retries=TRIES - 1)


async def _episode(play: Play, item: Item, seed: int) -> _Ended:
    episode = play.benchmark.episode(item)
    player = ChatPlayer(play.policy, play.policy.engine.talk(NOW), seed)
    question, score = episode.hear(None, await _reply(play, episode, None, seed))
    dialogue = Dialogue(episode.system, episode.tools, question)
    ended = _Ended("done", score, question=question, steps=dialogue.steps)
    most = play.most or episode.most
    taken = 0
    while ended.score is None:
        if taken >= most:
            ended.outcome, ended.score = "steps", episode.cut()
            ended.reason = f"{most} actions"
            break
        try:
            turn = await player.act(dialogue)
        except ContextFull as full:
            ended.outcome, ended.score, ended.reason = "tokens", episode.cut(), _line(full)
            break
        if turn.calls:
            taken += len(turn.calls)
            results, ended.score = _called(episode, turn)
            dialogue.steps.append(Step(turn=turn, results=results))
        else:
            taken += 1
            reply = await _reply(play, episode, turn.text, seed)
            told, ended.score = episode.hear(turn.text, reply)
            dialogue.steps.append(Step(turn=turn, user=told))
    return ended


async def _reply(play: Play, episode: Episode, heard: str | None, seed: int) -> str:
    asked = episode.asked(heard)
    if isinstance(asked, str):
        return asked
    if play.user is None:
        raise UserError("it is not said which model is the user", mend="--user-model NAME")
    return await play.user.answer(asked, seed + len(asked))


def _called(episode: Episode, turn: Turn) -> tuple[tuple[Result, ...], Score | None]:
    """A result a call, in order; after a call that ends the episode, none is made."""
    results: list[Result] = []
    score: Score | None = None
    for number, each in enumerate(turn.calls):
        if score is not None or number >= MOST_CALLS:
            results.append(Result(text="Error: not called", failure="invalid"))
        elif each.arguments is None:
            results.append(Result(text=f"Error: {each.fault}", failure="invalid"))
        else:
            text, score = episode.call(each.tool, each.arguments)
            results.append(Result(text=text))
    return tuple(results), score


def _trajectory(play: Play, item: Item, trial: int, ended: _Ended) -> Trajectory:
    return Trajectory(
        task=item.id,
        env=f"{play.benchmark.name}:{item.domain}",
        kind="benchmark",
        band="",
        policy=play.policy.name,
        user=play.listener,
        seed=play.seed,
        attempt=trial,
        settings=dict(play.marks),
        question=ended.question,
        steps=tuple(ended.steps),
        outcome=ended.outcome,
        reason=ended.reason,
        verdict=verdict_of(ended.score),
        retries=ended.retries,
    )


def verdict_of(score: Score | None) -> Verdict | None:
    if score is None:
        return None
    return Verdict(reward=score.reward, why=score.why, measures=dict(score.measures))


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:LONGEST_REASON]


def _first(several: BaseExceptionGroup[Any]) -> BaseException:
    error: BaseException = several
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
