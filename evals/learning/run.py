"""Whether a policy is seen to learn, on two cores: a model of random weights gets a cold start on
what the oracle does, and then ERPO and GRPO, several seeds of each from the same weights.

    pip install 'forge-envs[train]'
    python evals/learning/run.py --out FOLDER [--seeds 3] [--steps 150] [--envs garden bikes]

For each environment a data set is made, a model (`train/tiny.py`), a cold start, the last of it
slower and slower and only until half of the held-out tasks are solved, the pass rates of what is
left, and the runs, on tasks that are solved now and then. In the end the cold start and what came
of it play tasks that were made after all that: by the held-out ones recipes are chosen, and the
cold start is stopped, which flatters it. Everything is kept in FOLDER and gone on with: a run that
was stopped goes on from its last checkpoint, one that is finished is not made again. FOLDER/cpu.md
holds the tables, FOLDER/ENV.svg the curves.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from forge.dataset.rates import Difference, Rate, difference_of, rate_of
from forge.dataset.trajectories import trajectories_in
from forge.train.compare import difference, grouped
from forge.train.runs import Counts, Run, read_run

HOME = Path(__file__).parent
ROOT = HOME.parent.parent
TASKS_FILE = "tasks.jsonl"
ENVS: Mapping[str, Mapping[str, int]] = {
    "garden": {"easy": 2000},
    "bikes": {"easy": 2000, "medium": 1000},
}
"""How many tasks of each difficulty are asked for, a tenth of them held out. A garden centre has 5
tools; bike hire has 12, and not as many easy tasks that differ."""
SIZE = ("--width", 128, "--layers", 4, "--context", 1024)
HELD_OUT = 200
FRESH, LATER = 300, 99
"""Tasks of each difficulty that are made in the end, and the seed of that."""
SHOWN: Mapping[str, Any] = {"batch": 16, "tokens": 384, "turns": 8, "turn_tokens": 96}
FIRST: Mapping[str, Any] = {
    **SHOWN,
    "passes": 40,
    "steps": 900,
    "optimiser": {"rate": 2e-3, "rows": 16, "warmup": 20},
    "evaluation": {"every": 300, "tasks": HELD_OUT},
}
COLD: Mapping[str, Any] = {
    **SHOWN,
    "passes": 40,
    "steps": 900,
    "until": 0.5,
    "optimiser": {"rate": 1e-3, "schedule": "linear", "rows": 16, "warmup": 5},
    "evaluation": {"every": 10, "tasks": HELD_OUT},
}
RATED = ("--split", "train", "-r", 4, "--seed", 5, "--temperature", 1)
PLAYED = ("--format", "hermes", "--turn-tokens", 96, "--max-steps", 8, "-c", 128)
BETWEEN = (0.2, 0.8)
"""Pass rates of the tasks that are trained on: four tries at one, some of which passed."""
TRAINED: Mapping[str, Any] = {
    "rollouts": {
        "questions": 32,
        "group": 4,
        "turns": [8],
        "turn_tokens": 96,
        "tokens": 384,
        "mask_cut": False,  # else a policy learns to be cut where it would fail
    },
    "optimiser": {"rate": 3e-4, "schedule": "linear", "rows": 32, "warmup": 5},
    "keep_every": 25,
}


def call(*words: object) -> None:
    print("+", *words, flush=True)
    subprocess.run([sys.executable, *map(str, words)], check=True, cwd=ROOT)


def train(recipe: Mapping[str, Any], path: Path, sft: bool = False) -> Run:
    """The finished run in the folder named like the recipe's file."""
    folder = path.with_suffix("")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(dict(recipe), sort_keys=False))
    begun = (folder / "run.json").exists()
    if not (begun and read_run(folder).head.finished):
        words = ["sft"] if sft else []
        more = ["--resume"] if begun else []
        call("-m", "forge", "train", *words, path, "--out", folder, *more)
    return read_run(folder)


def rated(data: Path, model: Path, home: Path) -> Path:
    """How often the model passes each task to train on, as a file."""
    rollouts, rates = home / "rollouts.jsonl", home / "rates.jsonl"
    if not rates.exists():
        policy = ("--policy", f"local:{model}", *PLAYED)
        call("-m", "forge", "rollout", data, *policy, *RATED, "--out", rollouts)
        call("-m", "forge", "stats", rollouts, "--rates", rates)
    return rates


def read_lines(path: Path) -> Mapping[str, str]:
    """Task -> its line."""
    return {json.loads(line)["id"]: line for line in path.read_text().splitlines()}


def fresh(env: str, data: Path, home: Path) -> Path:
    """A data set of tasks alone that `data` does not have."""
    found, begun = home / "fresh", home / "fresh-begun"
    if not found.exists():
        shutil.rmtree(begun, ignore_errors=True)
        shutil.copytree(data, begun)
        for difficulty in ENVS[env]:
            more = ("--difficulty", difficulty, "-n", FRESH, "--seed", LATER)
            call("-m", "forge", "tasks", begun, *more)
        there, now = (read_lines(folder / TASKS_FILE) for folder in (data, begun))
        new = [line for id, line in now.items() if id not in there]
        (begun / TASKS_FILE).write_text("".join(f"{line}\n" for line in new))
        (begun / "tasks.parquet").unlink()
        begun.rename(found)
    return found


def attempts(data: Path, model: Path, out: Path) -> Counts:
    """Task -> how many attempts passed, of how many: one each, the likeliest word each time."""
    policy = ("--policy", f"local:{model}", *PLAYED, "--temperature", 0)
    call("-m", "forge", "rollout", data, *policy, "--out", out)
    verdicts = {each.task: each.verdict for each in trajectories_in(out)}
    return {task: (int(v is not None and v.reward == 1), 1) for task, v in verdicts.items()}


def learn(env: str, out: Path, seeds: int, steps: int) -> Mapping[str, Sequence[Run]]:
    home = out / env
    data, tiny = home / "set", home / "tiny"
    if not data.exists():
        begun = home / "set-begun"
        shutil.rmtree(begun, ignore_errors=True)
        call("-m", "forge", "synth", HOME / f"{env}.yaml", "--tasks", 20, "--out", begun)
        for difficulty, asked in ENVS[env].items():
            call("-m", "forge", "tasks", begun, "--difficulty", difficulty, "-n", asked)
        begun.rename(data)
    if not (tiny / "config.json").exists():
        call("train/tiny.py", data, "--out", tiny, *SIZE)
    tasks = {"difficulty": list(ENVS[env])}
    common = {"data": str(data), "tasks": tasks}
    first = train({"model": str(tiny), **common, **FIRST}, home / "sft-first.yaml", sft=True)
    model = str(first.folder / "model")
    cold = train({"model": model, **common, **COLD}, home / "sft.yaml", sft=True)
    rates = rated(data, home / "sft" / "model", home)
    found: dict[str, list[Run]] = {"sft": [cold]}
    for algorithm in ("erpo", "grpo"):
        for seed in range(seeds):
            recipe = {
                "algorithm": algorithm,
                "model": str(home / "sft" / "model"),
                "data": str(data),
                "tasks": {**tasks, "rates": str(rates), "between": list(BETWEEN)},
                "steps": steps,
                "seed": seed,
                **TRAINED,
                "evaluation": {"every": 50, "tasks": HELD_OUT},
            }
            run = train(recipe, home / f"{algorithm}-{seed}.yaml")
            found.setdefault(algorithm, []).append(run)
    folders = [run.folder for runs in found.values() for run in runs]
    call("-m", "forge", "runs", *folders, "--plot", out / f"{env}.svg")
    return found


def rate(each: Rate) -> str:
    return f"{each.value:.1%} ({each.low:.1%} to {each.high:.1%})"


def gain(each: Difference) -> str:
    return f"{each.value:+.1%} ({each.low:+.1%} to {each.high:+.1%})"


def tables(env: str, found: Mapping[str, Sequence[Run]]) -> Iterator[str]:
    cold = found["sft"][0]
    yield f"## {env}: {len(cold.evaluations[-1].tasks)} tasks held out"
    yield ""
    yield "| run | steps | held out before | after | gained | seconds |"
    yield "|---|--:|---|---|---|--:|"
    for name, runs in found.items():
        for run in runs:
            first, last = run.evaluations[0], run.evaluations[-1]
            seconds = sum(row.get("seconds") or 0 for row in run.metrics)
            label = name if name == "sft" else run.folder.name
            cells = [label, run.steps, rate(first.rate), rate(last.rate)]
            cells += [gain(difference(first, last)), round(seconds)]
            yield f"| {' | '.join(map(str, cells))} |"
    yield ""
    groups = {name: grouped(runs)[0] for name, runs in found.items() if name != "sft"}
    for name, group in groups.items():
        if group.gain is not None:
            seeds = len(group.runs)
            yield f"{name}, {seeds} seeds together, over the cold start: {gain(group.gain)}."
    if len(groups) == 2:
        erpo, grpo = (groups[name].evaluations[-1] for name in ("erpo", "grpo"))
        yield f"ERPO over GRPO, on the same tasks: {gain(difference(grpo, erpo))}."
    yield ""


def afterwards(env: str, out: Path, found: Mapping[str, Sequence[Run]]) -> Iterator[str]:
    """How all of them do on tasks by which nothing was chosen."""
    home = out / env
    data = fresh(env, home / "set", home)
    played = {
        name: [
            attempts(data, r.folder / "model", home / f"fresh-{r.folder.name}.jsonl") for r in of
        ]
        for name, of in found.items()
    }
    (cold,) = played.pop("sft")
    start = rate_of(list(cold.values()))
    yield f"On {len(cold)} tasks that were made afterwards: the cold start {rate(start)}."
    together: dict[str, Counts] = {}
    for name, runs in played.items():
        tasks = {t: (sum(run[t][0] for run in runs), len(runs)) for t in cold}
        each = ", ".join(f"{rate_of(list(run.values())).value:.1%}" for run in runs)
        over = difference_of([(cold[t], tasks[t]) for t in cold])
        all_of = rate(rate_of(list(tasks.values())))
        yield f"{name} {all_of}, by seed {each}; over the cold start {gain(over)}."
        together[name] = tasks
    if len(together) == 2:
        erpo, grpo = together["erpo"], together["grpo"]
        yield f"ERPO over GRPO: {gain(difference_of([(grpo[t], erpo[t]) for t in cold]))}."
    yield ""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--envs", nargs="*", choices=ENVS, default=list(ENVS))
    given = parser.parse_args()
    lines: list[str] = []
    out = given.out.resolve()
    for env in given.envs:
        found = learn(env, out, given.seeds, given.steps)
        lines += [*tables(env, found), *afterwards(env, out, found)]
        (out / "cpu.md").write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
