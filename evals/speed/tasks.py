"""How many proven tasks a second forge makes of an environment, in both sandboxes.

    python evals/speed/tasks.py [DOCS...] [--made FOLDER] [--tasks N] [--jobs N] [--sandbox KIND]
        [--many N] [--json]

Measures on the environment written by hand for the tests and, where documents are named, on those
that forge makes of them: first the seconds of making the environment (reading aside), its tools
checked, then proposing tasks and running every gate on each until N are kept. One process does it
all (but for Monty's workers), so real seconds are what one core gives. The tasks are the same in
both sandboxes; if they are not, this stops. Beside the real seconds stand those of CPU time, the
worker's included, which other work on the machine slows less.

`--made`: also over the environments of the data sets in a folder (`FOLDER/*/envs/*`, as in the
`sets/` that `evals/corpus.py` writes). `--jobs N`: in N processes side by side, each with every
Nth environment; what they keep a second is added up. `--sandbox KIND`: in that one alone.
`--many N` (slow) instead adds N tasks to a copy of the hand-written data set with `forge tasks`,
natively, and gives its peak memory: of half as many, too, so that it can be seen whether memory
grows with their number.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from forge.authors.structural.author import StructuralAuthor
from forge.dataset.environments import read_environment
from forge.docs.read import read
from forge.env.sandbox.sandbox import SandboxKind
from forge.env.session import World
from forge.gates.keep import Tally, kept_tasks
from forge.pipeline.garbage import collected_rarely
from forge.pipeline.workers import run
from forge.synth.build import build
from forge.tasks.dags.graph import tool_graph
from forge.types.environment import Environment

HAND = Path(__file__).parents[2] / "tests" / "hand" / "envs" / "projects"
SEED = 1
KINDS: tuple[SandboxKind, ...] = ("native", "monty")


@dataclass(frozen=True, slots=True)
class Figure:
    """`build` seconds made the environment, None where it was there; `seconds` went to `proposed`
    tasks, of which `kept` were, and `cpu` seconds of CPU time."""

    environment: str
    tools: int
    build: float | None
    sandbox: str
    proposed: int
    kept: int
    seconds: float
    cpu: float

    @property
    def rate(self) -> float:
        return self.kept / self.seconds


def cpu_time() -> float:
    """Seconds of this process and of those it has ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def environments(
    documents: list[Path], made: Path | None
) -> Iterator[tuple[Environment, float | None]]:
    """Those to measure on, with the seconds of making each."""
    yield read_environment(HAND), None
    for path in sorted(made.glob("*/envs/*/environment.json")) if made else []:
        yield read_environment(path.parent), None
    author = StructuralAuthor()
    for document in read(documents) if documents else []:
        for draft in author.draft(document):
            start = time.perf_counter()
            environment, _ = build(draft, author, seed=SEED)
            spent = time.perf_counter() - start
            if environment.tools:
                yield environment, spent


def measure_all(
    found: Sequence[tuple[Environment, float | None]], kinds: Sequence[SandboxKind], count: int
) -> list[Figure]:
    return [
        figure
        for environment, build in found
        for figure in measure(environment, build, kinds, count)
    ]


def measure(
    environment: Environment, build: float | None, kinds: Sequence[SandboxKind], count: int
) -> Iterator[Figure]:
    made = []
    for kind in kinds:
        tally = Tally()
        with World(environment, sandbox=kind) as world, collected_rarely():
            graph = tool_graph(environment)
            start, before = time.perf_counter(), cpu_time()
            made.append(
                [t.id for t in kept_tasks(world, graph, count=count, seed=SEED, tally=tally)]
            )
            spent = time.perf_counter() - start
        cpu = cpu_time() - before
        if made[-1] != made[0]:
            raise SystemExit(f"{environment.name}: {kinds[0]} and {kind} make different tasks")
        tools = len(environment.tools)
        yield Figure(environment.name, tools, build, kind, tally.proposed, tally.kept, spent, cpu)


def rate_of(figures: Sequence[Figure], kind: SandboxKind) -> float:
    """Kept tasks a second over all environments of a process, one after another."""
    of = [figure for figure in figures if figure.sandbox == kind]
    return sum(figure.kept for figure in of) / sum(figure.seconds for figure in of)


def many(count: int) -> dict[str, float]:
    """Adds so many tasks to a copy of the hand-written data set: seconds, and the memory of the
    largest process at its peak."""
    with tempfile.TemporaryDirectory() as home:
        data = shutil.copytree(HAND.parents[1], Path(home) / "data")
        command = [sys.executable, "-m", "forge", "tasks", str(data), "-n", str(count)]
        start = time.perf_counter()
        process = subprocess.Popen([*command, "--sandbox", "native"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit("forge tasks failed")
        spent = time.perf_counter() - start
        written = json.loads((data / "dataset.json").read_text())["counts"]["tasks"]
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return {"tasks": written, "seconds": round(spent, 1), "peak_mb": usage.ru_maxrss // unit}


def table(figures: list[Figure]) -> str:
    rows = [
        (
            "environment",
            "tools",
            "made in",
            "sandbox",
            "proposed",
            "kept",
            "seconds",
            "CPU s",
            "kept/s",
        )
    ]
    for each in figures:
        build = "" if each.build is None else f"{each.build:.1f} s"
        rows.append(
            (
                *(each.environment, str(each.tools), build, each.sandbox, str(each.proposed)),
                *(str(each.kept), f"{each.seconds:.2f}", f"{each.cpu:.2f}", f"{each.rate:.1f}"),
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            f"{cell:<{width}}" if number in (0, 3) else f"{cell:>{width}}"
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("documents", nargs="*", type=Path, help="API documents or folders of them")
    parser.add_argument("--made", type=Path, help="a folder of data sets, to measure on too")
    parser.add_argument("--many", type=int, help="measure memory with so many tasks instead")
    parser.add_argument("--tasks", type=int, default=40, help="how many to keep of each (40)")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side (1)")
    parser.add_argument("--sandbox", choices=KINDS, help="measure in this one alone")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.many:
        for count in (options.many // 2, options.many):
            print(json.dumps(many(count)))
        return
    found = list(environments(options.documents, options.made))
    jobs = range(min(options.jobs, len(found)))
    kinds: Sequence[SandboxKind] = [options.sandbox] if options.sandbox else KINDS
    shares = {
        str(n): partial(measure_all, found[n :: len(jobs)], kinds, options.tasks) for n in jobs
    }
    measured = dict(run(shares, len(jobs)))
    figures = [figure for n in shares for figure in measured[n]]
    machine = {
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
    }
    if options.json:
        rows = [asdict(figure) | {"rate": figure.rate} for figure in figures]
        print(json.dumps({"machine": machine, "figures": rows}, indent=2))
        return
    print(table(figures))
    for kind in kinds:
        rates = [rate_of(measured[n], kind) for n in shares]
        added = " + ".join(f"{rate:.1f}" for rate in rates)
        total = f"{added} = {sum(rates):.1f}" if len(rates) > 1 else added
        print(f"{kind}: {total} kept tasks/s in {len(rates)} process{'es' * (len(rates) > 1)}")
    print(f"{machine['cores']} cores, {machine['machine']}, Python {machine['python']}")


if __name__ == "__main__":
    main()
