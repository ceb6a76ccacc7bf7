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

from forge.bench.benchmark import Benchmark, Conversation, Item, Score
from forge.bench.held import Threads, hold
from forge.bench.turns import Ended, take_turns
from forge.bench.voice import Voice
from forge.dataset.trajectories import TrajectoryFile
from forge.errors import EndpointGone, EndpointLost, UserError
from forge.rollout.policies.chat import Chat, ChatPlayer
from forge.rollout.policies.policy import Player
from forge.rollout.policies.renamed import RenamedPlayer
from forge.rollout.renaming.renaming import tool_renaming
from forge.rollout.run import BACKOFF, LONGEST_REASON, TRIES, seed_of
from forge.types.data import Json
from forge.types.rollout import Trajectory, Verdict

NOW = "2024-05-15T15:00:00Z"
"""The clock of what writes a date to a model. A benchmark's own date is in its rules."""


@dataclass(frozen=True, slots=True)
class Play:
    """How all episodes of a run are played. `most`: actions, where that is not as the benchmark has
    it; `renamed`: the seed of other names for tools and arguments; `marks`: what is not as usual,
    and which benchmark it is, as it stands in trajectories."""

    benchmark: Benchmark
    policy: Chat
    user: Voice | None
    judge: Voice | None = None
    seed: int = 0
    concurrent: int = 64
    most: int | None = None
    renamed: int | None = None
    marks: Mapping[str, Json] = field(default_factory=dict)

    @property
    def listener(self) -> str:
        """The user's name, as it stands in trajectories."""
        return "none" if self.user is None else self.user.client.name


Tell = Callable[[Trajectory, str], None]
"""Gets each trajectory at its end, and the traceback where code broke."""


async def play_all(
    play: Play, items: Sequence[Item], trials: int, file: TrajectoryFile, tell: Tell
) -> None:
    """Each item `trials` times, but for what is in the file. The models are closed.

    UserError if a model cannot be played with at all; EndpointGone if it will not come back."""
    works = False
    threads = Threads(play.concurrent)

    def jobs() -> Iterator[tuple[Item, int]]:
        for trial in range(trials):
            for item in items:
                if (item.id, trial) not in file:
                    yield item, trial

    left = jobs()

    async def work() -> None:
        nonlocal works
        for item, trial in left:
            ended = await _play(play, item, trial, works, threads)
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
        threads.stop()
        await play.policy.close()
        for voice in (play.user, play.judge):
            if voice is not None:
                await voice.client.close()


async def _play(play: Play, item: Item, trial: int, works: bool, threads: Threads) -> Ended:
    lost = ""
    for tried in range(TRIES):
        if tried:
            await asyncio.sleep(BACKOFF * 2 ** (tried - 1))
        try:
            ended = await _begin(play, item, seed_of(play.seed, item.id, trial), threads)
            ended.retries = tried
            return ended
        except EndpointGone:
            raise
        except EndpointLost as error:
            lost = _line(error)
        except UserError as error:
            if not works:
                raise
            return Ended("broken", reason=_line(error))
        except Exception as error:  # the boundary: a benchmark's code, or forge's, may be wrong
            trace = "".join(traceback.format_exception(error))
            return Ended("broken", reason=f"{type(error).__name__}: {_line(error)}", trace=trace)
    return Ended("lost", reason=lost, retries=TRIES - 1)


async def _begin(play: Play, item: Item, seed: int, threads: Threads) -> Ended:
    """From the beginning to an end. EndpointLost: nothing is left of it."""
    episode = play.benchmark.episode(item)
    player: Player = ChatPlayer(play.policy, play.policy.engine.talk(NOW), seed)
    if play.renamed is not None:
        player = RenamedPlayer(player, tool_renaming(tuple(episode.tools.values()), play.renamed))
    if isinstance(episode, Conversation):
        return await hold(episode, threads, player, play.user, play.judge, seed, play.most)
    return await take_turns(episode, player, play.user, seed, play.most)


def _trajectory(play: Play, item: Item, trial: int, ended: Ended) -> Trajectory:
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
