"""Turns `tasks.yaml` into a data set: plays every task in a fresh session, writes what it leaves.

Run `python -m tests.hand.seal` after changing the environment or a task. Always holds: calls and
golden states come from really running the tools; all else is as written.
"""

from collections.abc import Iterator
from pathlib import Path

import yaml

from forge.dataset.environments import read_environment
from forge.dataset.files import parse_model
from forge.dataset.write import write_dataset
from forge.env.session import World
from forge.gates.judge import judge
from forge.gates.unique import Seen, unique
from forge.tasks.dags.play import facts_of, play
from forge.types.data import Json
from forge.types.task import GateReport, Task

HOME = Path(__file__).parent


def written(path: Path) -> Iterator[dict[str, Json]]:
    """The documents of a YAML file of tasks, as they are."""
    yield from yaml.safe_load_all(path.read_text(encoding="utf-8"))


def played(world: World, document: dict[str, Json]) -> Task:
    """The task with the calls that its DAG makes and the state that they leave."""
    draft = parse_model(
        Task, {"id": "", "golden_calls": [], "golden": {}, **document}, "tasks.yaml"
    )
    session = world.open(draft.base, actor=draft.actor, now=draft.now, setup=draft.setup)
    done = play(session, draft.dag, facts_of(draft.facts), draft.dues)
    return draft.model_copy(update={"golden_calls": tuple(done.calls), "golden": session.overlay()})


def judged(world: World, task: Task, seen: Seen) -> Task:
    """The task with the report of every gate."""
    repeats = unique(task, seen)
    reports = judge(world, task) | {
        "unique": GateReport(passed=repeats is None, reason=repeats or "")
    }
    return task.model_copy(update={"gates": reports})


def seal(home: Path) -> None:
    """Writes all of the data set in `home` but the environment, which is there."""
    with World(read_environment(home / "envs" / "projects")) as world:
        seen = Seen()
        tasks = [
            judged(world, played(world, document), seen)
            for document in written(home / "tasks.yaml")
        ]
    write_dataset(home, tasks)


if __name__ == "__main__":
    seal(HOME)
