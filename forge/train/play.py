"""Tasks that are trained on and measured by, and rollouts of them.

Always holds: a rollout follows from the policy, the task, the seed and the attempt alone.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forge.dataset.choose import NoneSuch, Wanted, choose
from forge.dataset.files import parse_json
from forge.dataset.folder import Dataset, lines
from forge.dataset.hashes import environment_hash, is_held_out, task_hash
from forge.dataset.marks import left_out
from forge.env.session import World
from forge.errors import UserError
from forge.rollout.loop import Limits
from forge.rollout.policies.policy import Policy
from forge.rollout.run import Job, Played, Setting, run
from forge.rollout.users.scripted import Scripted
from forge.train.recipe import Tasks
from forge.types.rollout import Trajectory
from forge.types.task import Task


@dataclass(frozen=True, slots=True)
class Playground:
    """Tasks to train on and to be measured by, and the environments that they are of."""

    dataset: Dataset
    train: Mapping[str, Task]
    test: Mapping[str, Task]

    @property
    def hash(self) -> str:
        """Of what is trained on: the tasks and their environments."""
        envs = {task.env for task in self.train.values()}
        hashes = [environment_hash(self.dataset.environment(env)) for env in sorted(envs)]
        text = "\n".join([*hashes, *sorted(map(task_hash, self.train.values()))])
        return f"1:{hashlib.sha256(text.encode()).hexdigest()}"

    def world(self, env: str) -> World:
        return World(self.dataset.environment(env), sandbox="monty", workers=1)


def playground(dataset: Dataset, wanted: Tasks, tests: int) -> Playground:
    """`tests`: how many held-out tasks. UserError where no task is left to train on, or an
    environment has the tools of a known benchmark and that is not allowed."""
    known = {
        name: entry.overlaps
        for name, entry in dataset.manifest.environments.items()
        if entry.overlaps and (not wanted.envs or name in wanted.envs)
    }
    if known and not wanted.allow_overlaps:
        name, benchmarks = next(iter(known.items()))
        raise UserError(
            f"{name} has the tools of {', '.join(benchmarks)}: scores there would mean nothing",
            where=str(dataset.folder),
            mend="--set tasks.allow_overlaps=true, or other --set tasks.envs",
        )
    train = _chosen(dataset, wanted, wanted.envs, "train", None)
    if wanted.rates is not None:
        rates = _rates(wanted.rates)
        within = rates.keys() & train.keys()
        least, most = wanted.between
        train = {id: train[id] for id in train if id in within and least <= rates[id] <= most}
    if not train:
        raise UserError("no task is left to train on", where=str(dataset.folder), mend="tasks")
    names = [n for n in dataset.manifest.environments if not wanted.envs or n in wanted.envs]
    if wanted.held_out != "both":
        names = [name for name in names if is_held_out(name) == (wanted.held_out == "env")]
    test = _chosen(dataset, wanted, tuple(names), "test", tests) if tests and names else {}
    if tests and not test:
        raise UserError(
            "no held-out task is there to measure by",
            where=str(dataset.folder),
            mend="--set evaluation.every=0, or other --set tasks.held_out",
        )
    return Playground(dataset, train, test)


def _chosen(
    dataset: Dataset, wanted: Tasks, envs: tuple[str, ...], split: str, number: int | None
) -> dict[str, Task]:
    """Those of a split; tasks of sequences are left out, since each is played alone."""
    without = left_out(dataset.folder, wanted.without)
    asked = Wanted(envs, wanted.kind, wanted.difficulty, split, without=without, number=number)
    try:
        chosen = choose(dataset, asked)
    except NoneSuch:
        return {}
    return {group[0].id: group[0] for group in chosen.tasks() if len(group) == 1}


def _rates(path: Path) -> dict[str, float]:
    """Task -> the share of its rollouts that passed, of a file that `forge stats --rates` wrote."""
    found: dict[str, float] = {}
    for where, line in lines(path):
        row = parse_json(line, where)
        if not (isinstance(row, dict) and "task" in row and "rate" in row):
            raise UserError("is no pass rate", where=where, mend="forge stats FILE --rates FILE")
        if row["rate"] is not None:
            found[row["task"]] = row["rate"]
    return found


async def played(
    place: Playground,
    jobs: Sequence[tuple[Task, int]],
    policy: Policy,
    seed: int,
    turns: int,
    concurrent: int,
) -> list[Trajectory]:
    """Each of the tasks, as that attempt at it, in their order."""
    setting = Setting(policy, Scripted(), seed, concurrent, Limits(steps=turns), sandbox="monty")
    found: dict[tuple[str, int], Trajectory] = {}

    def done(played: Played) -> None:
        trajectory = played.trajectory
        if trajectory.outcome == "broken":
            raise RuntimeError(f"{trajectory.task}: {trajectory.reason}\n{played.trace}")
        found[trajectory.task, trajectory.attempt] = trajectory

    by_env = [Job(*each) for each in sorted(jobs, key=lambda each: each[0].env)]
    await run(by_env, place.world, setting, done)
    return [found[task.id, attempt] for task, attempt in jobs]
