"""What agents that understand nothing earn on a data set, and the one that knows the way.

    python evals/baselines.py DATASET [--seeds N] [--sandbox monty|native]

Every task is rolled out with the scripted user by `oracle` (must earn 1 everywhere), `noop` (0),
`random` under `--seeds` (25) seeds that the gates have not used, and `first-match`, apart for tasks
whose golden way has a list of two or more to choose from (0) and for the others, which it solves as
the oracle does.
"""

import argparse
from pathlib import Path

from forge.dataset.folder import Dataset, read_dataset
from forge.env.session import World
from forge.gates.start import Trial
from forge.gates.unguessable import chooses
from forge.rollout.loop import Limits, rollout, run_here
from forge.rollout.policies.first_match import FirstMatch
from forge.rollout.policies.noop import Noop
from forge.rollout.policies.oracle import Oracle
from forge.rollout.policies.policy import Policy
from forge.rollout.policies.random import Random
from forge.rollout.users.scripted import Scripted
from forge.types.task import Task

FRESH = 1_000_003
"""Seeds from here on."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--seeds", type=int, default=25)
    parser.add_argument("--sandbox", choices=["monty", "native"], default="native")
    given = parser.parse_args()
    rows: dict[str, list[int]] = {}
    for world, task in opened(read_dataset(given.dataset), given.sandbox):
        for policy, seeds in (
            (Oracle(), 1),
            (Noop(), 1),
            (Random(), given.seeds),
            (FirstMatch(), 1),
        ):
            name = policy.name
            if isinstance(policy, FirstMatch):
                name += ", a choice" if chooses(Trial(world, task)) else ", no choice"
            rows.setdefault(name, [])
            rows[name] += [earned(world, task, policy, FRESH + number) for number in range(seeds)]
    print("| policy | rollouts | rewarded | share |\n|---|--:|--:|--:|")
    for name, rewards in rows.items():
        share = sum(rewards) / len(rewards)
        print(f"| {name} | {len(rewards):,} | {sum(rewards):,} | {share:.3f} |")


def opened(dataset: Dataset, sandbox: str):
    """Each task, with its environment open."""
    worlds: dict[str, World] = {}
    for task in dataset.tasks():
        if task.env not in worlds:
            for world in worlds.values():
                world.close()
            worlds = {task.env: World(dataset.environment(task.env), sandbox=sandbox)}
        yield worlds[task.env], task


def earned(world: World, task: Task, policy: Policy, seed: int) -> int:
    found = run_here(
        rollout(
            world,
            task,
            policy.seat(world, task, seed),
            Scripted().speaker(task, seed),
            policy=policy.name,
            user=Scripted.name,
            seed=seed,
            limits=Limits(steps=200),
        )
    )
    if found.reward is None:
        raise SystemExit(f"{task.id}: {found.outcome}: {found.reason}")
    return found.reward


if __name__ == "__main__":
    main()
