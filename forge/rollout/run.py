"""Many rollouts side by side: jobs in, trajectories out as they come to their ends.

Always holds: jobs are read as they are needed, and no more than `concurrent` are open; whatever
happens in one rollout is a trajectory of its own and touches no other; a rollout follows from task,
seed and attempt alone, not from how many run beside it or in which order they end.
"""

import asyncio
import hashlib
import traceback
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from forge.env.sandbox.sandbox import SandboxKind
from forge.env.session import World
from forge.errors import EndpointGone, EndpointLost, SandboxLost, UserError
from forge.llm.structured import Unreadable
from forge.rollout.course import Course
from forge.rollout.faults import Faults
from forge.rollout.loop import Caller, Limits, Stage, call_here, rollout
from forge.rollout.policies.policy import Policy
from forge.rollout.users.judge import Judge
from forge.rollout.users.slips import slips_of
from forge.rollout.users.user import User
from forge.rollout.worlds import Worlds
from forge.types.call import ToolResult
from forge.types.data import Json
from forge.types.rollout import Outcome, Trajectory
from forge.types.task import Task

TRIES = 4
"""How often a rollout is begun before it is given up as lost."""
BACKOFF = 0.5
"""Seconds before the second try; twice as many before each further one."""
AHEAD = 256
"""Jobs that may wait in the queue."""
WORLDS = 32
"""Environments open at a time: a worker takes some 10 MB."""
LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Job:
    """`then`: the tasks that follow it in its sequence, to be played in the same session."""

    task: Task
    attempt: int
    then: tuple[Task, ...] = ()

    @property
    def tasks(self) -> tuple[Task, ...]:
        return (self.task, *self.then)


@dataclass(frozen=True, slots=True)
class Played:
    """`trace`: the traceback, where the trajectory is `broken` by a bug."""

    trajectory: Trajectory
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """How all rollouts of a run are played. `faults`: the share of calls that are struck; `marks`:
    what of this is not as usual, as it stands in trajectories."""

    policy: Policy
    user: User
    seed: int = 0
    concurrent: int = 64
    limits: Limits = field(default_factory=Limits)
    faults: float = 0.0
    sandbox: SandboxKind = "monty"
    threads: int = 4
    """For tool calls in `monty`, whose workers are processes. `native` tools run in the loop."""
    judge: Judge | None = None
    """Beside the rules, of a user that may err."""
    marks: Mapping[str, Json] = field(default_factory=dict)


def seed_of(seed: int, task: str, attempt: int) -> int:
    """Of one rollout; 63 bits."""
    text = f"{seed} {task} {attempt}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1


async def run(
    jobs: Iterable[Job],
    open_world: Callable[[str], World],
    setting: Setting,
    done: Callable[[Played], None],
) -> None:
    """Plays all jobs; those of an environment should follow each other. `open_world` makes an
    environment of its name; it is called on a thread. `done` gets each trajectory at its end.

    UserError: the policy or the user cannot play at all; EndpointGone: a model will not come back.
    What `jobs` and `done` raise ends the run too. Policy, user and judge stay open."""
    with ThreadPoolExecutor(setting.threads, "tools") as pool:
        worlds = Worlds(open_world, pool, WORLDS)
        try:
            await _Run(setting, worlds, done, _caller(setting, pool)).all(jobs)
        except BaseExceptionGroup as several:
            raise _first(several) from None
        finally:
            pool.shutdown(cancel_futures=True)
            worlds.close()


def _caller(setting: Setting, pool: ThreadPoolExecutor) -> Caller:
    if setting.sandbox == "native":
        return call_here
    loop = asyncio.get_running_loop()

    async def call_there(stage: Stage, tool: str, arguments: dict[str, Json]) -> ToolResult:
        return await loop.run_in_executor(pool, stage.call, tool, arguments)

    return call_there


def _first(several: BaseExceptionGroup) -> BaseException:
    error: BaseException = several
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


_Queue = asyncio.Queue[tuple[Job, World | Exception] | None]


class _Run:
    def __init__(
        self, setting: Setting, worlds: Worlds, done: Callable[[Played], None], call: Caller
    ) -> None:
        self._setting, self._worlds, self._done, self._call = setting, worlds, done, call
        self._queue: _Queue = asyncio.Queue(min(setting.concurrent, AHEAD))
        self._works = False
        """Whether a rollout came to an end of its own."""

    async def all(self, jobs: Iterable[Job]) -> None:
        async with asyncio.TaskGroup() as group:
            players = 0
            for job in jobs:
                leased = await self._worlds.lease(job.task.env)
                await self._queue.put((job, leased))
                if players < self._setting.concurrent:
                    group.create_task(self._play_on())
                    players += 1
            for _ in range(players):
                await self._queue.put(None)

    async def _play_on(self) -> None:
        while (item := await self._queue.get()) is not None:
            job, world = item
            if isinstance(world, Exception):
                found = _broken(self._setting, job, world)
            else:
                found = await self._play(job, world)
            for played in found:
                self._done(played)
            self._worlds.give_back(job.task.env)
            # Players that never wait would keep the loop to themselves.
            await asyncio.sleep(0)

    async def _play(self, job: Job, world: World) -> list[Played]:
        """A trajectory a task; of a sequence all or none come to an end of their own."""
        lost = ""
        for tried in range(TRIES):
            if tried:
                await asyncio.sleep(BACKOFF * 2 ** (tried - 1))
            try:
                found = await self._begin(job, world)
                self._works = True
                return [Played(self._marked(each, tried)) for each in found]
            except Unreadable as error:  # it would write the same again
                return _without_end(self._setting, job, "lost", _line(error), retries=tried)
            except EndpointGone:
                raise
            except (SandboxLost, EndpointLost) as error:
                lost = _line(error)
            except UserError as error:
                if not self._works and _starts(job.task, world):
                    raise
                return _broken(self._setting, job, error)
            except Exception as error:  # the boundary: a policy, a user or forge may be wrong
                return _broken(self._setting, job, error)
        return _without_end(self._setting, job, "lost", lost, retries=TRIES - 1)

    async def _begin(self, job: Job, world: World) -> list[Trajectory]:
        if not job.then:
            world = world.of(job.task.kind)
            return [await self._roll_out(world, job.task, job.attempt)]
        world = await asyncio.to_thread(world.of, job.task.kind)
        course, found = Course(world), []
        for task in job.tasks:
            stage, measured = course.enter(task)
            found.append(await self._roll_out(world, measured, job.attempt, stage))
        return found

    async def _roll_out(
        self, world: World, task: Task, attempt: int, stage: Stage | None = None
    ) -> Trajectory:
        setting = self._setting
        seed = seed_of(setting.seed, task.id, attempt)
        trajectory = await rollout(
            world,
            task,
            setting.policy.seat(world, task, seed),
            setting.user.speaker(task, seed),
            policy=setting.policy.name,
            user=setting.user.name,
            seed=setting.seed,
            attempt=attempt,
            limits=setting.limits,
            faults=Faults(setting.faults, seed),
            call=self._call,
            stage=stage,
        )
        if not setting.user.errs:
            return trajectory
        slips = slips_of(task, trajectory)
        if setting.judge is not None:
            slips += await setting.judge.slips(task, trajectory)
        return trajectory.model_copy(update={"user_errors": slips}) if slips else trajectory

    def _marked(self, trajectory: Trajectory, retries: int) -> Trajectory:
        if not retries and not self._setting.marks:
            return trajectory
        update = {"retries": retries, "settings": dict(self._setting.marks)}
        return trajectory.model_copy(update=update)


def _starts(task: Task, world: World) -> bool:
    """Whether the environment has what the task begins with."""
    try:
        world.of(task.kind).open(task.base, actor=task.actor, now=task.now, setup=task.setup)
    except UserError:
        return False
    return True


def _broken(setting: Setting, job: Job, error: Exception) -> list[Played]:
    if isinstance(error, UserError):
        return _without_end(setting, job, "broken", _line(error))
    trace = "".join(traceback.format_exception(error))
    reason = f"{type(error).__name__}: {_line(error)}"
    return _without_end(setting, job, "broken", reason, trace)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:LONGEST_REASON]


def _without_end(
    setting: Setting, job: Job, outcome: Outcome, reason: str, trace: str = "", retries: int = 0
) -> list[Played]:
    """Of rollouts of which nothing is left."""
    return [
        Played(
            Trajectory(
                task=task.id,
                env=task.env,
                kind=task.kind,
                band=task.band,
                policy=setting.policy.name,
                user=setting.user.name,
                seed=setting.seed,
                attempt=job.attempt,
                settings=dict(setting.marks),
                question=task.question,
                steps=(),
                outcome=outcome,
                reason=reason,
                retries=retries,
            ),
            trace,
        )
        for task in job.tasks
    ]
