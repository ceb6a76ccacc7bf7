"""What rollouts cost: the loop, open sessions, whole episodes, a server to be kept busy.

    python evals/speed/rollout.py [DATASET] [--tau-root CHECKOUT] [--json]

DATASET (generated/sample) gives the environments and tasks. An episode is ten calls, one a turn,
the golden ones last, then "All done."; its reward is computed. Measured are

- the CPU time of a turn through the runner and the loop, 1,000 rollouts side by side, native tools;
- the memory of 10,000 rollouts that are open and wait for their agent;
- whole episodes a second through the loop with tools in Monty, and of session, calls and reward
  alone with native tools; with `--tau-root`, a checkout of github.com/sierra-research/tau-bench,
  beside reset, ten calls and reward of its retail environment, whose user is not called either;
- how much of its 64 slots a local server has at work that answers after a second, under `-c 256`,
  while 64 rollouts or more are unfinished. Server and client share this process.
"""

import argparse
import asyncio
import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from types import ModuleType

from endpoint import Reply, busy_share, calls, completion, serving

from forge.dataset.folder import Dataset, read_dataset
from forge.env.sandbox.sandbox import SandboxKind
from forge.env.session import World
from forge.llm.client import Client, Endpoint
from forge.rollout.dialogue import Dialogue, dialogue_of
from forge.rollout.loop import Limits
from forge.rollout.policies.chat import Chat
from forge.rollout.policies.policy import Player, Policy
from forge.rollout.reward import judge
from forge.rollout.run import Job, Played, Setting, run
from forge.rollout.users.scripted import Scripted
from forge.types.call import Call
from forge.types.rollout import ToolCall, Turn
from forge.types.task import Task

CALLS = 10
SIDE_BY_SIDE, OPEN = 1_000, 10_000
SLOTS, CLIENTS = 64, 256


@dataclass(frozen=True, slots=True)
class Figure:
    """`least`: the target is a least, not a most."""

    name: str
    value: float
    unit: str
    target: float
    least: bool = False


class Tens:
    """Makes ten calls, then says that it is done."""

    name = "tens"

    def seat(self, world: World, task: Task, seed: int) -> Player:
        return Ten(iter(ten_calls(world, task)))

    async def close(self) -> None:
        pass


class Ten:
    def __init__(self, made: Iterator[Call]) -> None:
        self.made = made

    async def act(self, dialogue: Dialogue) -> Turn:
        call = next(self.made, None)
        if call is None:
            return Turn(text="All done.")
        return Turn(calls=(ToolCall(tool=call.tool, arguments=call.arguments, id="c"),))


class Waiters:
    """Calls once, then waits for ever."""

    name = "waiters"

    def __init__(self) -> None:
        self.waiting = 0

    def seat(self, world: World, task: Task, seed: int) -> Player:
        return Waiter(self, world, task)

    async def close(self) -> None:
        pass


class Waiter:
    def __init__(self, policy: Waiters, world: World, task: Task) -> None:
        self.policy, self.first = policy, ten_calls(world, task)[-1]

    async def act(self, dialogue: Dialogue) -> Turn:
        if not dialogue.steps:
            return Turn(calls=(ToolCall(tool=self.first.tool, arguments=self.first.arguments),))
        self.policy.waiting += 1
        await asyncio.Event().wait()
        raise AssertionError


def ten_calls(world: World, task: Task) -> Sequence[Call]:
    """Reads of the golden way over and over, then the golden calls; the last ten."""
    reads = [c for c in task.golden_calls if world.tools[c.tool].kind == "read"]
    reads = reads or list(task.golden_calls[:1])
    padding = islice(cycle(reads), max(0, CALLS - len(task.golden_calls)))
    return [*padding, *task.golden_calls][-CALLS:]


def jobs(tasks: Sequence[Task], count: int) -> list[Job]:
    """So many, those of an environment together."""
    each = -(-count // len(tasks))
    return [Job(task, number) for task in tasks for number in range(each)][:count]


def played(
    dataset: Dataset,
    made: list[Job],
    policy: Policy,
    sandbox: SandboxKind,
    concurrent: int,
    done: Callable[[Played], None],
) -> None:
    def opened(env: str) -> World:
        return World(dataset.environment(env), sandbox=sandbox, workers=os.cpu_count() or 1)

    setting = Setting(
        policy, Scripted(), concurrent=concurrent, limits=Limits(steps=20), sandbox=sandbox,
        threads=os.cpu_count() or 1,
    )  # fmt: skip

    async def play() -> None:
        await run(made, opened, setting, done)
        await policy.close()

    asyncio.run(play())


def of_the_loop(dataset: Dataset, tasks: Sequence[Task]) -> Figure:
    steps = 0

    def count(found: Played) -> None:
        nonlocal steps
        steps += len(found.trajectory.steps)

    began = time.process_time()
    played(dataset, jobs(tasks, 4 * SIDE_BY_SIDE), Tens(), "native", SIDE_BY_SIDE, count)
    spent = time.process_time() - began
    return Figure(f"a turn, {SIDE_BY_SIDE:,} rollouts side by side", spent / steps * 1e3, "ms", 1)


def of_memory(dataset: Dataset, tasks: Sequence[Task]) -> Figure:
    policy = Waiters()

    async def fill() -> float:
        def opened(env: str) -> World:
            return World(dataset.environment(env), sandbox="native")

        setting = Setting(policy, Scripted(), concurrent=OPEN, sandbox="native")
        before = resident()
        running = asyncio.ensure_future(run(jobs(tasks, OPEN), opened, setting, lambda found: None))
        while policy.waiting < OPEN:
            await asyncio.sleep(0.1)
        after = resident()
        running.cancel()
        await asyncio.wait([running])
        return (after - before) / 1e9

    return Figure(f"{OPEN:,} open rollouts", asyncio.run(fill()), "GB", 2)


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def of_episodes(dataset: Dataset, tasks: Sequence[Task]) -> Iterator[Figure]:
    for sandbox, count in (("monty", 800), ("native", 4_000)):
        ended: list[Played] = []
        began = time.perf_counter()
        played(dataset, jobs(tasks, count), Tens(), sandbox, 64, ended.append)
        pace = len(ended) / (time.perf_counter() - began)
        if any(each.trajectory.verdict is None for each in ended):
            raise SystemExit("an episode was not scored")
        target = 20 * 3.9 if sandbox == "monty" else 0
        yield Figure(f"episodes through the loop, {sandbox}", pace, "/s", target, least=True)
    yield Figure("session, calls and reward, native", _alone(dataset, tasks), "/s", 200 * 3.9, True)


def _alone(dataset: Dataset, tasks: Sequence[Task]) -> float:
    spent, count = 0.0, 0
    for env in sorted({task.env for task in tasks}):
        with World(dataset.environment(env), sandbox="native") as world:
            own = [task for task in tasks if task.env == env]
            ways = [(task, ten_calls(world, task), dialogue_of(world, task)) for task in own]
            began = time.perf_counter()
            for task, made, dialogue in ways * 200:
                session = world.open(task.base, actor=task.actor, now=task.now, setup=task.setup)
                for call in made:
                    session.call(call.tool, call.arguments)
                judge(task, session.store, session.overlay(), dialogue)
            spent += time.perf_counter() - began
            count += len(ways) * 200
    return count / spent


def of_tau(root: Path) -> float:
    """Episodes a second: reset, ten calls of its own golden ones, reward."""
    client = ModuleType("litellm")
    client.completion = None  # type: ignore[attr-defined]
    sys.modules.setdefault("litellm", client)
    sys.path.insert(0, str(root))
    module = importlib.import_module("tau_bench.envs.retail.env")
    action = importlib.import_module("tau_bench.types").Action
    env = module.MockRetailDomainEnv(user_strategy="human", task_split="test", task_index=0)
    env.user.reset = lambda instruction=None: ""
    rounds = 12
    began = time.perf_counter()
    for number in range(rounds):
        env.reset(number)
        own = [a for a in env.task.actions if a.name in env.tools_map]
        for each in islice(cycle(own), CALLS):
            env.step(action(name=each.name, kwargs=dict(each.kwargs)))
        env.calculate_reward()
    return rounds / (time.perf_counter() - began)


def of_a_server(dataset: Dataset, tasks: Sequence[Task]) -> Figure:
    reads = {}
    for env in {task.env for task in tasks}:
        reads[env] = next(t.name for t in dataset.environment(env).tools if t.kind == "read")
    look, bye = calls(("nothing", {})), completion({"content": "All done."})

    def answer(request: object) -> Reply:
        looked = any(m["role"] == "tool" for m in request.body["messages"])  # type: ignore[attr-defined]
        return Reply(bye if looked else look.body, seconds=1)

    ends: list[float] = []
    made = jobs(tasks, 12 * SLOTS)
    with serving(answer, slots=SLOTS) as server:
        policy = Chat(Client(Endpoint("scripted", base_url=server.url)))
        began = time.monotonic()
        played(
            dataset, made, policy, "native", CLIENTS, lambda found: ends.append(time.monotonic())
        )
        first = server.usage[0][0]
    until = sorted(ends)[len(made) - SLOTS] - began
    share = busy_share(server.usage, SLOTS, until - first)
    return Figure(f"slots of {SLOTS} at work, -c {CLIENTS}", 100 * share, "%", 95, least=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", type=Path, nargs="?", default=Path("generated/sample"))
    parser.add_argument("--tau-root", type=Path, help="a checkout of sierra-research/tau-bench")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    dataset = read_dataset(given.dataset)
    tasks = list(dataset.tasks())
    figures = [of_the_loop(dataset, tasks), of_memory(dataset, tasks)]
    figures += of_episodes(dataset, tasks)
    figures.append(of_a_server(dataset, tasks))
    peer = of_tau(given.tau_root) if given.tau_root else None
    if given.json:
        rows = [
            {"name": f.name, "value": f.value, "unit": f.unit, "target": f.target} for f in figures
        ]
        print(json.dumps({"figures": rows, "tau retail episodes a second": peer}, indent=1))
        return
    for figure in figures:
        sign = ">=" if figure.least else "<="
        target = f"{sign} {figure.target:g} {figure.unit}" if figure.target else ""
        ratio = (
            f"{figure.value / peer:,.0f} times τ-bench retail"
            if peer and figure.unit == "/s"
            else ""
        )
        print(f"{figure.name:<44} {figure.value:>9.2f} {figure.unit:<3} {target:<12} {ratio}")
    if peer:
        print(f"{'τ-bench retail: reset, ten calls, reward':<44} {peer:>9.2f} /s")


if __name__ == "__main__":
    main()
