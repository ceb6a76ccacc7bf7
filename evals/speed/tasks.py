"""How many proven tasks a second forge makes of an environment, in both sandboxes.

    python evals/speed/tasks.py [DOCS...] [--tasks N] [--json]

Measures on the environment written by hand for the tests and, where documents are named, on those
that forge makes of them: first the seconds of making the environment (reading aside), its tools
checked, then proposing tasks and running every gate on each until N are kept. One process does it
all (but for Monty's workers), so real seconds are what one core gives. The tasks are the same in
both sandboxes; if they are not, this stops.
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from forge.authors.structural.author import StructuralAuthor
from forge.dataset.environments import read_environment
from forge.docs.read import read
from forge.env.sandbox.sandbox import SandboxKind
from forge.env.session import World
from forge.gates.keep import Tally, kept_tasks
from forge.synth.build import build
from forge.tasks.dags.graph import tool_graph
from forge.types.environment import Environment

HAND = Path(__file__).parents[2] / "tests" / "hand" / "envs" / "projects"
SEED = 1
KINDS: tuple[SandboxKind, ...] = ("native", "monty")


@dataclass(frozen=True, slots=True)
class Figure:
    """`build` seconds made the environment, None where it was there; `seconds` went to `proposed`
    tasks, of which `kept` were."""

    environment: str
    tools: int
    build: float | None
    sandbox: str
    proposed: int
    kept: int
    seconds: float

    @property
    def rate(self) -> float:
        return self.kept / self.seconds


def environments(documents: list[Path]) -> Iterator[tuple[Environment, float | None]]:
    """Those to measure on, with the seconds of making each."""
    yield read_environment(HAND), None
    author = StructuralAuthor()
    for document in read(documents) if documents else []:
        for draft in author.draft(document):
            start = time.perf_counter()
            environment, _ = build(draft, author, seed=SEED)
            spent = time.perf_counter() - start
            if environment.tools:
                yield environment, spent


def measure(environment: Environment, build: float | None, count: int) -> Iterator[Figure]:
    made = []
    for kind in KINDS:
        tally = Tally()
        with World(environment, sandbox=kind) as world:
            graph = tool_graph(environment)
            start = time.perf_counter()
            made.append(
                [t.id for t in kept_tasks(world, graph, count=count, seed=SEED, tally=tally)]
            )
            spent = time.perf_counter() - start
        if made[-1] != made[0]:
            raise SystemExit(f"{environment.name}: {KINDS[0]} and {kind} make different tasks")
        yield Figure(
            environment.name, len(environment.tools), build, kind, tally.proposed, tally.kept, spent
        )


def table(figures: list[Figure]) -> str:
    rows = [("environment", "tools", "made in", "sandbox", "proposed", "kept", "seconds", "kept/s")]
    for each in figures:
        build = "" if each.build is None else f"{each.build:.1f} s"
        rows.append(
            (
                *(each.environment, str(each.tools), build, each.sandbox, str(each.proposed)),
                *(str(each.kept), f"{each.seconds:.2f}", f"{each.rate:.1f}"),
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
    parser.add_argument("--tasks", type=int, default=40, help="how many to keep of each (40)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    figures = [
        figure
        for environment, build in environments(options.documents)
        for figure in measure(environment, build, options.tasks)
    ]
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
    print(f"{machine['cores']} cores, {machine['machine']}, Python {machine['python']}")


if __name__ == "__main__":
    main()
