"""Stories in a data set: a part of each environment's tasks gives way to tasks whose wishes a model
joined.

Always holds: an environment has as many tasks as before, and every tool that was called by one
still is; its tasks are put in place together; what comes of them does not depend on the order of
answers; where there is a story already, nothing is asked.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from forge.dataset.environments import read_environment
from forge.dataset.files import parse_json, parse_model
from forge.dataset.folder import environment_folder
from forge.dataset.write import task_line
from forge.env.sandbox.sandbox import SandboxKind
from forge.env.session import World
from forge.gates.unique import Seen, remember, unique
from forge.pipeline.output import tasks_anew, tasks_of
from forge.pipeline.passes.desk import Desk
from forge.pipeline.passes.stories import SHARE, Among, Told, told
from forge.tasks.dags.graph import tool_graph
from forge.tasks.make import Proposer
from forge.types.environment import Environment
from forge.types.task import Task

OPEN = 8
"""Environments that are worked on at a time; each has a sandbox of its own."""
IN_FLIGHT = 32
"""Stories of an environment that are asked for at a time."""


@dataclass(slots=True)
class Stock:
    """The tasks that there are, by what they call. `tasks`: those that may give way, in the order
    in which they were made; `gone`: those that did."""

    tasks: dict[str, frozenset[str]] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    """Tool -> how many tasks call it."""
    gone: set[str] = field(default_factory=set)

    def add(self, task: Task) -> None:
        tools = _tools(task)
        self.calls.update(tools)
        if task.kind != "sequence":
            self.tasks[task.id] = tools

    def swap(self, story: Task) -> bool:
        """The last task without which every tool is still called gives way, if there is one."""
        self.calls.update(_tools(story))
        for id in reversed(self.tasks):
            if all(self.calls[tool] > 1 for tool in self.tasks[id]):
                self.calls.subtract(self.tasks.pop(id))
                self.gone.add(id)
                return True
        self.calls.subtract(_tools(story))
        return False


def _tools(task: Task) -> frozenset[str]:
    return frozenset(call.tool for call in task.golden_calls)


async def all_told(
    out: Path, names: Sequence[str], sandbox: SandboxKind, seed: int, desk: Desk
) -> None:
    """Puts the tasks of these environments in place anew, beside each, with the stories that came
    of what the model picked."""
    places = asyncio.Semaphore(OPEN)

    async def one(name: str) -> None:
        async with places:
            await _environment_told(out, name, sandbox, seed, desk)

    await asyncio.gather(*map(one, names))


async def _environment_told(
    out: Path, name: str, sandbox: SandboxKind, seed: int, desk: Desk
) -> None:
    seen, stock = Seen(), Stock()
    for task in _tasks(out, name):
        if task.merged is not None:
            return
        remember(task, seen)
        stock.add(task)
    wanted = len(stock.tasks) // SHARE
    if not wanted:
        return
    environment = await desk.check(partial(read_environment, environment_folder(out, name)))
    stories: list[bytes] = []
    with await desk.check(partial(World, environment, sandbox=sandbox, workers=1)) as world:
        among = Among(await desk.check(partial(_proposer, world, environment, seed)), seen)
        for start in range(0, wanted, IN_FLIGHT):
            numbers = range(start, min(wanted, start + IN_FLIGHT))
            found = await asyncio.gather(*(told(number, among, desk) for number in numbers))
            stories += _settled(found, seen, stock, desk)
    if not stories:
        return
    with tasks_anew(out, name) as file:
        for task in _tasks(out, name):
            if task.id not in stock.gone:
                file.write(task_line(task))
        file.writelines(stories)


def _proposer(world: World, environment: Environment, seed: int) -> Proposer:
    return Proposer(world, tool_graph(environment), seed=seed)


def _settled(found: Iterable[Told | None], seen: Seen, stock: Stock, desk: Desk) -> Iterator[bytes]:
    """The lines of those that are like none before them, and for which another task gives way."""
    for each in found:
        if each is None:
            continue
        task, piece = each
        if unique(task, seen) is not None:
            desk.take_back([piece], "the gate unique: another story is like it")
        elif not stock.swap(task):
            desk.take_back([piece], "no room: every other task is needed")
        else:
            yield task_line(task)


def _tasks(out: Path, name: str) -> Iterator[Task]:
    for where, line in tasks_of(out, name):
        yield parse_model(Task, parse_json(line, where), where)
