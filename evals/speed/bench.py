"""How fast `forge bench` replays the gold of τ-bench, beside τ-bench itself, in one run.

    python evals/speed/bench.py --root path/to/tau-bench [--domain airline] [--split test] [-n 50]

Always holds: both play the same tasks in the same way with the same code of the checkout, and the
rewards, and the hashes of the end states, are compared task by task. Its own way: an environment a
task, a reset, the gold actions, and a user who then leaves; no model is asked.
"""

import argparse
import json
from pathlib import Path
from time import process_time
from typing import Any

from forge.bench.benchmark import Item
from forge.bench.checkout import importing, stubbed
from forge.bench.taubench import STOP, TauBench, tau_bench

Found = list[tuple[float, str]]
"""Reward, and the hash of the gold end state, of each task."""


class _Leaves:
    def __init__(self, **given: object) -> None:
        self.says = STOP

    def reset(self, instruction: str | None = None) -> str:
        return ""

    def step(self, content: str) -> str:
        return self.says

    def get_total_cost(self) -> float:
        return 0.0


def played(env: Any, action: Any) -> float:
    """The reward for the gold of the task that `env` is at, its outputs said, and the user gone."""
    env.user.says = ""
    response = env.step(action(name="respond", kwargs={"content": " ".join(env.task.outputs)}))
    for each in env.task.actions:
        if each.name != "respond" and not response.done:
            response = env.step(each)
    if not response.done:
        env.user.says = STOP
        response = env.step(action(name="respond", kwargs={"content": ""}))
    reward: float = response.reward
    return reward


def its_own(root: Path, domain: str, split: str, number: int) -> tuple[Found, float]:
    """With the seconds from the first environment on; importing is not in them."""
    with importing(root, ["tau_bench"]), stubbed("litellm"):
        from tau_bench.envs import base, get_env  # type: ignore[import-not-found]
        from tau_bench.types import Action  # type: ignore[import-not-found]

        base.load_user = _Leaves

        def env_at(index: int) -> Any:
            return get_env(domain, "llm", "", split, user_provider="", task_index=index)

        number = min(number, len(env_at(0).tasks))
        found: Found = []
        seconds = 0.0
        for index in range(number):
            start = process_time()
            env = env_at(index)
            env.reset(index)
            reward = played(env, Action)
            seconds += process_time() - start
            found.append((reward, env.get_data_hash()))
        return found, seconds


def ours(root: Path, domain: str, split: str, number: int) -> tuple[Found, float, float]:
    """The seconds with loading the data, and those of a second run over the same tasks."""
    with tau_bench(root) as bench:
        found, first = _all(bench, domain, split, number)
        _, again = _all(bench, domain, split, number)
        return found, first, again


def _all(bench: TauBench, domain: str, split: str, number: int) -> tuple[Found, float]:
    found: Found = []
    seconds = 0.0
    for index in range(number):
        start = process_time()
        env = bench.env(Item(domain, split, str(index)))
        reward = played(env, bench.action)
        seconds += process_time() - start
        found.append((reward, env.get_data_hash()))
    return found, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--domain", default="airline")
    parser.add_argument("--split", default="test")
    parser.add_argument("-n", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    root = chosen.root.resolve()
    theirs, seconds = its_own(root, chosen.domain, chosen.split, chosen.n)
    mine, first, again = ours(root, chosen.domain, chosen.split, len(theirs))
    count = len(theirs)
    result = {
        "tasks": count,
        "passed": sum(reward == 1 for reward, _ in mine),
        "same rewards": [one for one, _ in theirs] == [one for one, _ in mine],
        "same hashes": [one for _, one in theirs] == [one for _, one in mine],
        "its own, episodes/s": round(count / seconds, 2),
        "forge, episodes/s, loading included": round(count / first, 2),
        "forge, episodes/s, loaded": round(count / again, 2),
        "times as fast, loading included": round(seconds / first, 1),
    }
    if chosen.json:
        print(json.dumps(result, indent=1))
    else:
        for name, value in result.items():
            print(f"{name:40}{value}")


if __name__ == "__main__":
    main()
