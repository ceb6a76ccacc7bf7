"""The questions of a data set worded anew by a model, when its environments and tasks are made.

Always holds: the tasks of an environment are put in place together, in the order in which they lie;
what comes of them does not depend on the order of answers; at most `IN_FLIGHT` tasks are in memory.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from forge.dataset.environments import read_environment
from forge.dataset.files import parse_json, parse_model
from forge.dataset.folder import environment_folder
from forge.dataset.hashes import sealed
from forge.dataset.write import task_line
from forge.env.sandbox.sandbox import SandboxKind
from forge.env.session import World
from forge.gates.unique import Seen, remember, repeated
from forge.pipeline.output import tasks_anew, tasks_of
from forge.pipeline.passes.desk import Desk, Piece
from forge.pipeline.passes.questions import Around, worded
from forge.types.task import Task

Found = tuple[Task, Piece] | None

IN_FLIGHT = 256
"""Tasks that are worked on at a time, of all environments."""
OPEN = 8
"""Environments that are worked on at a time; each has a sandbox of its own."""


async def all_worded(
    out: Path, names: Sequence[str], sandbox: SandboxKind, desk: Desk
) -> dict[str, int]:
    """Puts the tasks of these environments in place anew, beside each, with the questions that the
    model found words for; by environment, how many are left out because there are none in the
    language that is asked for."""
    places, slots = asyncio.Semaphore(OPEN), asyncio.Semaphore(IN_FLIGHT)

    async def one(name: str) -> int:
        async with places:
            return await _environment_worded(out, name, sandbox, desk, slots)

    return dict(zip(names, await asyncio.gather(*map(one, names)), strict=True))


async def _environment_worded(
    out: Path, name: str, sandbox: SandboxKind, desk: Desk, slots: asyncio.Semaphore
) -> int:
    environment = await desk.check(partial(read_environment, environment_folder(out, name)))
    seen = Seen()
    for task in _tasks(out, name):
        remember(task, seen)
    with (
        await desk.check(partial(World, environment, sandbox=sandbox, workers=1)) as world,
        tasks_anew(out, name) as file,
    ):
        around = Around(world, seen)
        under_way: deque[tuple[Task, asyncio.Task[Found]]] = deque()
        lost = 0

        def write_first() -> None:
            nonlocal lost
            task, work = under_way.popleft()
            slots.release()
            settled = _settled(task, work.result(), seen, desk)
            if settled.lang == desk.lang:
                file.write(task_line(settled))
            else:
                lost += 1

        try:
            for task in _tasks(out, name):
                while under_way and slots.locked():
                    await under_way[0][1]
                    write_first()
                await slots.acquire()
                work = worded(task, around, desk) if _is_wanted(task, desk) else _as_it_is()
                under_way.append((task, asyncio.create_task(work)))
            while under_way:
                await under_way[0][1]
                write_first()
        finally:
            for _, left in under_way:
                left.cancel()
    return lost


def _is_wanted(task: Task, desk: Desk) -> bool:
    """A sequence keeps the words of rules: its tasks speak of each other."""
    return task.worded is None and (task.kind != "sequence" or desk.lang != "en")


async def _as_it_is() -> Found:
    return None


def _settled(task: Task, found: Found, seen: Seen, desk: Desk) -> Task:
    """The task as found, if it is none of those that were settled before it."""
    if found is None:
        return task
    reworded, piece = found
    if like := repeated(reworded, seen, task.id):
        desk.take_back([piece], f"the gate unique: {like}")
        return task
    remember(reworded, seen)
    return sealed(reworded)


def _tasks(out: Path, name: str) -> Iterator[Task]:
    for where, line in tasks_of(out, name):
        yield parse_model(Task, parse_json(line, where), where)
