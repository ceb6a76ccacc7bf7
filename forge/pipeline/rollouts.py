"""A data set played by a policy: tasks in, one file of trajectories out.

Always holds: what has come to its end is in the file, whatever happens to the rest; the same call
goes on from there; when all is done the file is in the order of the tasks, so that equal runs of a
policy that follows from its seed are equal bytes.
"""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from forge.dataset.choose import Chosen, Wanted, choose
from forge.dataset.folder import Dataset
from forge.dataset.trajectories import Manner, TrajectoryFile, trajectory_file
from forge.env.session import World
from forge.rollout.run import Job, Played, Setting, run


@dataclass(frozen=True, slots=True)
class Progress:
    """A rollout is at its end: `done` of `total` are, those of earlier runs among them."""

    done: int
    total: int
    played: Played


@dataclass(frozen=True, slots=True)
class Rollouts:
    """`resumed` were there from an earlier run."""

    out: Path
    tasks: int
    total: int
    resumed: int
    seconds: float


def play_all(
    dataset: Dataset,
    out: Path,
    wanted: Wanted,
    setting: Setting,
    *,
    attempts: int = 1,
    resume: bool = True,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> Rollouts:
    """Plays each chosen task `attempts` times into `out`. Policy, user and judge are closed.

    UserError if the data set, the file or the policy is not as it must be; KeyboardInterrupt at
    Ctrl-C, when all that runs has been ended."""
    start = perf_counter()
    manner = Manner(setting.policy.name, setting.user.name, setting.seed, setting.marks)
    chosen = choose(dataset, wanted)
    with trajectory_file(out, manner, chosen.order, resume=resume) as file:
        resumed = sum(
            len(group)
            for group in chosen.groups
            for attempt in range(attempts)
            if all((id, attempt) in file for id in group)
        )
        total = chosen.number * attempts
        done = resumed

        def note(played: Played) -> None:
            nonlocal done
            done += 1
            file.add(played.trajectory)
            tell(Progress(done, total, played))

        def open_world(env: str) -> World:
            return World(dataset.environment(env), sandbox=setting.sandbox, workers=setting.threads)

        async def play() -> None:
            try:
                await run(_jobs(chosen, attempts, file), open_world, setting, note)
            finally:
                await setting.policy.close()
                await setting.user.close()
                if setting.judge is not None:
                    await setting.judge.close()

        run_to_its_end(play())
        file.settle(chosen.order)
    return Rollouts(out, chosen.number, total, resumed, perf_counter() - start)


def _jobs(chosen: Chosen, attempts: int, file: TrajectoryFile) -> Iterator[Job]:
    """What is not in the file yet; a sequence of which something is not, as a whole."""
    for tasks in chosen.tasks():
        for attempt in range(attempts):
            if any((task.id, attempt) not in file for task in tasks):
                yield Job(tasks[0], attempt, tasks[1:])


def run_to_its_end(main: Coroutine[Any, Any, None]) -> None:
    """Runs it. Ctrl-C cancels it, so that it ends in order, and is raised when it has; a process
    that was told to ignore Ctrl-C goes on ignoring it."""
    before = signal.getsignal(signal.SIGINT)
    if before == signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        asyncio.run(main)
        return
    came = False

    async def heeding() -> None:
        loop, this = asyncio.get_running_loop(), asyncio.current_task()
        assert this is not None

        def interrupt() -> None:
            nonlocal came
            came = True
            this.cancel()

        loop.add_signal_handler(signal.SIGINT, interrupt)
        try:
            await main
        finally:
            loop.remove_signal_handler(signal.SIGINT)

    try:
        asyncio.run(heeding())
    except asyncio.CancelledError:
        if not came:
            raise
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt
