"""Draws tasks at random, to be read by someone who judges whether a person would ask for them.

    python evals/task_reading.py ENVIRONMENT... [--each 5] [--of 40]

Of each environment's folder, `--of` kept tasks are made (seed 7) and `--each` of them drawn by a
generator seeded with the environment's name, so that nobody chooses. Each is shown with what is
told when asked, what must be said, what is to be refused, and its golden calls.
"""

import argparse
import random
from pathlib import Path

from forge.dataset.environments import read_environment
from forge.dataset.states import call_text
from forge.env.session import World
from forge.gates.keep import Tally, kept_tasks
from forge.tasks.dags.graph import tool_graph
from forge.types.intent import Refused
from forge.types.task import Task

SEED = 7


def drawn(folder: Path, each: int, of: int) -> list[Task]:
    environment = read_environment(folder)
    with World(environment, sandbox="monty") as world:
        graph = tool_graph(environment)
        kept = list(kept_tasks(world, graph, count=of, seed=SEED, tally=Tally()))
    return random.Random(f"reading {environment.name}").sample(kept, min(each, len(kept)))


def shown(task: Task) -> list[str]:
    told = [f"{fact.about}: {fact.text}" for fact in task.facts if fact.told]
    refused = [w.why for w in task.intent.wishes if isinstance(w, Refused)]
    return [
        f"- {task.id} ({task.kind}): {task.question}",
        *(f"    told when asked: {one}" for one in told),
        *(f"    must be said: {due.value}" for due in task.dues),
        *(f"    cannot be granted: {why}" for why in refused),
        *(f"    {call_text(call)}" for call in task.golden_calls),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("environments", nargs="+", type=Path)
    parser.add_argument("--each", type=int, default=5)
    parser.add_argument("--of", type=int, default=40)
    options = parser.parse_args()
    for folder in options.environments:
        for task in drawn(folder, options.each, options.of):
            print("\n".join(shown(task)))


if __name__ == "__main__":
    main()
