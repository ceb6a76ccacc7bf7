"""What a session of an environment costs in time and memory, beside what is aimed at.

    python evals/speed/env.py [--tau-root CHECKOUT] [--json]

Measures on the made-up shop of `retail.py`, at the size of τ-bench's retail domain and at ten
times that size. With `--tau-root`, a checkout of github.com/sierra-research/tau-bench, the reset,
scoring and memory of its retail environment are measured in the same run, on its own state.
A time is the median of many short rounds, each the mean of several calls; the best round is shown
too, since on a busy machine the median tells as much about its other work. What runs in this
process is counted in the CPU time that it takes; Monty, which has a process of its own, in real
time.
"""

import argparse
import gc
import importlib
import json
import os
import platform
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType

from retail import BASE, SCHEMA, shop

from forge.env.compare import compare
from forge.env.session import Session, World

ROUNDS = 200
LONG_ROUNDS = 15
LARGE = 10
TOUCHED = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """`rounds` and `target` in `unit`; `target` is the most it should be, None where the figure is
    there to compare with."""

    name: str
    unit: str
    rounds: list[float]
    target: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def best(self) -> float:
        return min(self.rounds)


def micros(
    action: Callable[[], object],
    calls: int,
    rounds: int = ROUNDS,
    clock: Callable[[], float] = time.process_time,
) -> list[float]:
    """Microseconds a call: means over `calls` calls each."""
    action()
    gc.collect()
    means = []
    for _ in range(rounds):
        start = clock()
        for _ in range(calls):
            action()
        means.append((clock() - start) / calls * 1e6)
    return means


def kilobytes(make: Callable[[], object], copies: int) -> list[float]:
    """Memory that one thing takes that `make` makes, the mean over several kept at once: it is
    the same in every round, so there is one."""
    make()
    gc.collect()
    tracemalloc.start()
    kept = [make() for _ in range(copies)]
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return [size / len(kept) / 1000]


def called(session: Session, tool: str, **arguments: str) -> None:
    result = session.call(tool, arguments)
    if result.failure is not None:
        raise SystemExit(f"{tool} failed: {result.message} {result.bug}")


def touched(world: World, records: range, note: str = "call first", orders: int = 0) -> Session:
    """A session that wrote to these orders and placed so many new ones."""
    session = world.open(BASE)
    for number in records:
        called(session, "set_note", order_id=f"ord_{number}", note=note)
    for number in range(orders):
        called(session, "place_order", user_id="usr_1", item_id=f"itm_{number}")
    return session


def figures_of_sessions(world: World, size: str) -> list[Figure]:
    session = touched(world, range(TOUCHED))
    setup = touched(world, range(TOUCHED), orders=TOUCHED).overlay()
    start = world.open(BASE, setup=setup)
    return [
        Figure(f"open a session, {size}", "µs", micros(lambda: world.open(BASE), 50), 50),
        Figure(
            f"fork a session that touched {TOUCHED} records, {size}",
            "µs",
            micros(session.fork, 50),
            50,
        ),
        Figure(
            f"open a session with a setup of {2 * TOUCHED} orders, {size}",
            "µs",
            micros(lambda: world.open(BASE, setup=setup), 2),
        ),
        Figure(
            f"the same again, as a fork of the first, {size}",
            "µs",
            micros(start.fork, 50),
            50,
        ),
    ]


def figures_of_comparison(world: World) -> list[Figure]:
    def end(*args: object, **kwargs: object) -> dict:
        return touched(world, *args, **kwargs).overlay()

    initial = world.open(BASE).store.initial
    expected, half = end(range(TOUCHED)), end(range(5), orders=5)
    wrong = end(range(TOUCHED), note="call later")
    pairs = [
        ("equal", expected, end(range(TOUCHED - 1, -1, -1)), True),
        ("equal, half of them new", half, end(range(4, -1, -1), orders=5), True),
        ("not equal, the difference told", expected, wrong, False),
    ]
    figures = []
    for name, one, other, equal in pairs:
        if compare(SCHEMA, initial, one, other).equal != equal:
            raise SystemExit(f"compared wrongly: {name}")
        spent = micros(partial(compare, SCHEMA, initial, one, other), 5)
        figures.append(
            Figure(f"compare end states, {TOUCHED} records changed, {name}", "µs", spent, 1000)
        )
    return figures


def figures_of_tools(world: World, sandbox: str, target: float) -> list[Figure]:
    """Tools with two calls of the table API: the run of the tool, with its copies of records, and
    the whole call around it: arguments and result checked, a transaction."""
    session = world.open(BASE)
    user = session.store.get("deliveries", "dlv_7")["user_id"]
    lines = len(session.store.get("orders", "ord_7")["lines"])
    calls, clock = (20, time.process_time) if sandbox == "native" else (5, time.perf_counter)
    figures = []
    for what, tool, arguments in (
        ("two reads", "show_delivery", {"delivery_id": "dlv_7", "user_id": user}),
        ("a read and a write", "set_carrier", {"delivery_id": "dlv_7", "carrier": "Swift"}),
        (f"the same on an order of {lines} lines", "set_note", {"order_id": "ord_7", "note": "x"}),
    ):
        run = partial(world.sandbox.run, tool, arguments, session.store)
        call = partial(called, session, tool, **arguments)
        for part, action in (("run", run), ("whole call", call)):
            spent = micros(action, calls, clock=clock)
            figures.append(Figure(f"{sandbox}, {what}: {part}", "µs", spent, target))
    return figures


def figures_of_forge() -> list[Figure]:
    figures = []
    small = shop(1)
    records = sum(len(table) for table in small.bases[BASE].values())
    with World(small, sandbox="native") as world:
        figures += figures_of_sessions(world, f"base of {records:,} records")
        memory = kilobytes(lambda: touched(world, range(TOUCHED)), 20)
        figures.append(
            Figure(f"memory of a session that touched {TOUCHED} records", "kB", memory, 64)
        )
        figures += figures_of_comparison(world)
        figures += figures_of_tools(world, "native", 10)
    with World(small, sandbox="monty") as world:
        figures += figures_of_tools(world, "Monty", 600)
    with World(shop(LARGE), sandbox="native") as world:
        figures += figures_of_sessions(world, f"base of {records * LARGE:,} records")
    return figures


def figures_of_tau(root: Path) -> list[Figure]:
    """Reset, scoring and memory of τ-bench's retail environment, whose user model is not called:
    the package of its client need not be there."""
    client = ModuleType("litellm")
    client.completion = None  # type: ignore[attr-defined]
    sys.modules.setdefault("litellm", client)
    sys.path.insert(0, str(root))
    module = importlib.import_module("tau_bench.envs.retail.env")
    # A human user starts no model.
    env = module.MockRetailDomainEnv(user_strategy="human", task_split="test", task_index=0)

    def reset() -> None:
        env.data = env.data_load_func()

    score = micros(env.calculate_reward, 1, LONG_ROUNDS)
    return [
        Figure("τ-bench retail: reset", "µs", micros(reset, 1, LONG_ROUNDS)),
        Figure("τ-bench retail: hash the state", "µs", micros(env.get_data_hash, 1, LONG_ROUNDS)),
        Figure("τ-bench retail: score (two hashes, reset, replay)", "µs", score),
        Figure("τ-bench retail: one copy of the state", "kB", kilobytes(env.data_load_func, 2)),
    ]


def ratios(ours: list[Figure], theirs: list[Figure]) -> list[str]:
    """Ours at its slowest or largest beside theirs, median beside median."""
    reset, hashed, _, copy = (figure.median for figure in theirs)

    def most(start: str) -> float:
        return max(
            figure.median
            for figure in ours
            if figure.name.startswith(start) and figure.target is not None
        )

    return [
        f"opening a session takes 1/{reset / most('open'):,.0f} of a reset",
        f"comparing end states takes 1/{hashed / most('compare'):,.0f} of one hash",
        f"a session that touched {TOUCHED} records takes 1/{copy / most('memory'):,.0f} of a copy",
    ]


def table(figures: list[Figure]) -> str:
    rows = [("figure", "target", "median", "best")]
    for figure in figures:
        target = "" if figure.target is None else f"< {figure.target:,.0f} {figure.unit}"
        rows.append((figure.name, target, shown(figure, figure.median), shown(figure, figure.best)))
    first, *others = (max(len(row[column]) for row in rows) for column in range(4))
    return "\n".join(
        "  ".join(
            [
                f"{name:<{first}}",
                *(f"{cell:>{width}}" for cell, width in zip(cells, others, strict=True)),
            ]
        )
        for name, *cells in rows
    )


def shown(figure: Figure, value: float) -> str:
    return f"{value:,.{1 if value < 100 else 0}f} {figure.unit}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tau-root", type=Path, help="a checkout of sierra-research/tau-bench")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    root = options.tau_root
    if root is not None and not (root / "tau_bench" / "envs" / "retail").is_dir():
        parser.error(f"--tau-root: {root} is no checkout of tau-bench")
    machine = {
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
    }
    ours = figures_of_forge()
    theirs = figures_of_tau(root) if root is not None else []
    compared = ratios(ours, theirs) if theirs else []
    if options.json:
        figures = [
            {
                "name": figure.name,
                "unit": figure.unit,
                "target": figure.target,
                "median": figure.median,
                "best": figure.best,
            }
            for figure in ours + theirs
        ]
        print(json.dumps({"machine": machine, "figures": figures, "ratios": compared}, indent=2))
        return
    print(table(ours + theirs))
    print()
    for line in compared:
        print(line)
    print(f"{machine['cores']} cores, {machine['machine']}, Python {machine['python']}")


if __name__ == "__main__":
    main()
