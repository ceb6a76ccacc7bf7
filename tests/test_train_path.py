"""Training from end to end: a tiny model learns from nothing, is trained on, stopped and gone on
with, and drawn. What is measured is how runs compare with each other, never how good they are."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

if not all(map(find_spec, ("torch", "transformers", "trl"))):
    pytest.skip("the extra `train` is not installed", allow_module_level=True)

import torch
from transformers import AutoModelForCausalLM

from forge.cli.main import app
from forge.dataset.folder import read_dataset
from forge.rollout.tokens.load import load_template
from forge.train.play import playground
from forge.train.recipe import Tasks
from forge.train.runs import read_run
from forge.train.shown import shows

ROOT = Path(__file__).parent.parent
GARDEN = ROOT / "evals" / "learning" / "garden.yaml"
EASY = {"difficulty": ["easy"]}
ROLLOUTS = {"questions": 4, "group": 4, "turns": [6], "turn_tokens": 80, "tokens": 512}


def forge(*arguments: object) -> Result:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code in (0, 2), result.output
    return result


def run(*arguments: object) -> None:
    result = forge(*arguments)
    assert result.exit_code == 0, result.stderr


def written(path: Path, content: Mapping[str, Any]) -> Path:
    path.write_text(yaml.safe_dump(dict(content)))
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def weights(folder: Path) -> Mapping[str, torch.Tensor]:
    return dict(AutoModelForCausalLM.from_pretrained(folder).state_dict())


def same(one: Path, other: Path) -> bool:
    ours, theirs = weights(one), weights(other)
    return ours.keys() == theirs.keys() and all(torch.equal(ours[n], theirs[n]) for n in ours)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """So small a model gains little by two, and waits for both where a core has other work."""
    usual = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(usual)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("garden") / "set"
    run("synth", GARDEN, "--tasks", 8, "--seed", 3, "--out", folder)
    run("tasks", folder, "--difficulty", "easy", "-n", 14)
    return folder


@pytest.fixture(scope="module")
def tiny(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny") / "model"
    sizes = ["--width", "96", "--layers", "2", "--words", "700", "--context", "1024"]
    script = [sys.executable, str(ROOT / "train" / "tiny.py"), str(data), "--out", str(folder)]
    subprocess.run([*script, *sizes], check=True, capture_output=True, cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def began(data: Path, tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of a cold start, that knows its few tasks half by heart."""
    home = tmp_path_factory.mktemp("sft")
    recipe = {
        "model": str(tiny),
        "data": str(data),
        "passes": 45,
        "batch": 8,
        "tokens": 512,
        "turns": 6,
        "turn_tokens": 80,
        "tasks": EASY,
        "optimiser": {"rate": 3e-3, "rows": 8, "warmup": 5},
        "evaluation": {"every": 0},
    }
    path = written(home / "sft.yaml", recipe)
    result = forge("train", "sft", path, "--out", home / "run", "--json")
    learned = json.loads(result.stdout)["learned_from"]
    assert learned["rollouts"] > 0
    assert learned["earned_0"] == 0
    return home / "run"


@pytest.fixture
def recipe(data: Path, began: Path, tmp_path: Path) -> Callable[..., Path]:
    def make(name: str = "recipe", **changes: Any) -> Path:
        content = {
            "model": str(began / "model"),
            "data": str(data),
            "steps": 4,
            "seed": 1,
            "keep_every": 2,
            "samples": 2,
            "tasks": EASY,
            "rollouts": ROLLOUTS,
            "optimiser": {"rate": 1e-3, "rows": 8},
            "evaluation": {"every": 0},
        }
        return written(tmp_path / f"{name}.yaml", content | changes)

    return make


def told(run: Path) -> list[dict[str, Any]]:
    """The numbers of each step, without how long it took."""
    return [
        {key: value for key, value in row.items() if not key.startswith("seconds")}
        for row in lines(run / "metrics.jsonl")
    ]


def is_trained(run: Path) -> bool:
    """Whether some of its rollouts had anything to teach."""
    return any(row["rollouts/trained"] > 0 for row in told(run))


def test_a_cold_start_comes_closer_to_what_it_is_shown(began: Path) -> None:
    losses = [row["loss"] for row in lines(began / "metrics.jsonl")]

    assert losses[-1] < losses[0] / 10
    assert json.loads(forge("runs", began, "--json").stdout)["runs"][0]["state"] == "done"


def test_a_policy_that_earns_something_is_trained_and_its_rollouts_are_kept(
    recipe: Callable[..., Path], began: Path, tmp_path: Path
) -> None:
    run("train", recipe(), "--out", tmp_path / "run")

    steps = lines(tmp_path / "run" / "metrics.jsonl")
    kept = lines(tmp_path / "run" / "samples.jsonl")
    assert [row["step"] for row in steps] == [1, 2, 3, 4]
    assert any(0 < row["reward"] < 1 and row["rollouts/trained"] > 0 for row in steps)
    assert {row["step"] for row in kept} == {1, 2, 4}
    assert len([row for row in kept if row["step"] == 1]) == 16
    assert all(row["trajectory"]["task"] == row["task"] for row in kept)
    assert not same(began / "model", tmp_path / "run" / "model")


def test_held_out_tasks_are_measured_before_the_first_step_and_after_the_last(
    recipe: Callable[..., Path], data: Path, tmp_path: Path
) -> None:
    more = Path(shutil.copytree(data, tmp_path / "set"))
    run("tasks", more, "-n", 24, "--seed", 5)
    held_out = playground(read_dataset(more), Tasks(), 2).test
    assert len(held_out) == 2
    everything = {"tasks": {"held_out": "both"}, "evaluation": {"every": 2, "tasks": 2}}

    run("train", recipe(steps=3, data=str(more), **everything), "--out", tmp_path / "run")

    found = read_run(tmp_path / "run").evaluations
    assert [each.step for each in found] == [0, 2, 3]
    assert all(set(each.tasks) == set(held_out) for each in found)


def test_a_run_that_is_gone_on_with_comes_to_the_very_numbers_and_weights(
    recipe: Callable[..., Path], tmp_path: Path
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run("train", recipe(), "--out", whole)

    run("train", recipe(), "--out", parts, "--set", "steps=2")
    run("train", recipe(), "--out", parts, "--resume")

    assert told(parts) == told(whole)
    assert is_trained(whole)
    assert same(whole / "model", parts / "model")


def test_a_rate_falls_to_nothing_by_the_last_step_where_its_schedule_says_so(
    recipe: Callable[..., Path], tmp_path: Path
) -> None:
    optimiser = {"rate": 1e-3, "rows": 8, "schedule": "linear"}

    run("train", recipe(optimiser=optimiser), "--out", tmp_path / "run")

    rates = [row["learning_rate"] for row in told(tmp_path / "run")]
    assert rates == pytest.approx([1e-3, 7.5e-4, 5e-4, 2.5e-4])


def test_rollouts_may_be_learned_from_more_than_once(
    recipe: Callable[..., Path], tmp_path: Path
) -> None:
    optimiser = {"rate": 1e-3, "rows": 8, "updates": 3}

    run("train", recipe(steps=3, optimiser=optimiser), "--out", tmp_path / "run")

    steps = told(tmp_path / "run")
    assert [row["step"] for row in steps] == [1, 2, 3]
    assert all({"reward", "rollouts/spread", "loss"} <= row.keys() for row in steps)
    assert read_run(tmp_path / "run").head.finished


def test_how_many_rows_are_looked_at_at_once_changes_no_number(
    recipe: Callable[..., Path], tmp_path: Path
) -> None:
    found: list[Sequence[Mapping[str, Any]]] = []
    for rows in (2, 16):
        optimiser = {"rate": 1e-3, "rows": rows}
        run("train", recipe(steps=2, optimiser=optimiser), "--out", tmp_path / f"{rows}")
        found.append(told(tmp_path / f"{rows}"))

    assert is_trained(tmp_path / "2")
    for one, other in zip(*found, strict=True):
        assert one["reward"] == other["reward"]
        assert one["loss"] == pytest.approx(other["loss"], abs=1e-5)
        assert one["grad_norm"] == pytest.approx(other["grad_norm"], rel=1e-3, abs=1e-6)


def test_two_processes_come_to_the_numbers_of_one(
    recipe: Callable[..., Path], tmp_path: Path
) -> None:
    path = recipe(steps=2)
    run("train", path, "--out", tmp_path / "one")
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    words = ["-m", "forge", "train", str(path), "--out", str(tmp_path / "two")]

    subprocess.run(
        [sys.executable, *launch, *words], check=True, capture_output=True, cwd=ROOT, timeout=300
    )

    assert is_trained(tmp_path / "one")
    for one, two in zip(told(tmp_path / "one"), told(tmp_path / "two"), strict=True):
        assert one["reward"] == two["reward"]
        assert one["rollouts/trained"] == two["rollouts/trained"]
        assert one["grad_norm"] == pytest.approx(two["grad_norm"], rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("algorithm", ["grpo", "dr_grpo", "rloo", "task_norm"])
def test_every_algorithm_trains(
    algorithm: str, recipe: Callable[..., Path], tmp_path: Path
) -> None:
    run("train", recipe(algorithm=algorithm, steps=1), "--out", tmp_path / "run")

    assert lines(tmp_path / "run" / "metrics.jsonl")[0]["rollouts/valid"] > 0


def test_an_adapter_is_trained_and_then_part_of_the_weights(
    recipe: Callable[..., Path], began: Path, tmp_path: Path
) -> None:
    optimiser = {"rate": 1e-2, "rows": 8, "lora": 2}

    run("train", recipe(optimiser=optimiser), "--out", tmp_path / "run")

    before, after = weights(began / "model"), weights(tmp_path / "run" / "model")
    assert before.keys() == after.keys()
    assert is_trained(tmp_path / "run")
    assert not same(began / "model", tmp_path / "run" / "model")


def test_what_a_teacher_did_right_is_learned_as_what_the_oracle_did(
    data: Path, tiny: Path, tmp_path: Path
) -> None:
    run("rollout", data, "--policy", "oracle", "--out", tmp_path / "taught.jsonl")
    place, template = playground(read_dataset(data), Tasks(), 0), load_template(tiny)
    how: dict[str, Any] = {"format": "hermes", "turns": 40, "tokens": 4096}

    taught = shows(place, template, teachers=[tmp_path / "taught.jsonl"], **how)

    assert [row.ids for row in taught.rows] == [
        row.ids for row in shows(place, template, **how).rows
    ]
    assert taught.missed == 0


def test_a_dry_run_says_what_is_trained_on_and_how_long_rollouts_are_and_writes_nothing(
    recipe: Callable[..., Path], tmp_path: Path
) -> None:
    found = json.loads(
        forge("train", recipe(), "--dry-run", "--json", "--out", tmp_path / "run").stdout
    )

    assert found["steps"] == 4
    assert found["rollouts"] == 16
    assert found["lengths"] == sorted(found["lengths"])
    assert 0 < found["begins"] < found["lengths"][-1]
    assert not (tmp_path / "run").exists()


def test_runs_are_drawn_with_what_was_measured(
    recipe: Callable[..., Path], began: Path, tmp_path: Path
) -> None:
    run("train", recipe(steps=2), "--out", tmp_path / "run")

    run("runs", tmp_path / "run", "--plot", tmp_path / "runs.svg")

    assert "<svg" in (tmp_path / "runs.svg").read_text()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("rollout.group=4", "did you mean rollouts"),
        ("rollouts.tokens=4096", "--set rollouts.tokens=1024"),
        ("rollouts.group=1", "rollouts.group"),
        ("optimiser.rows=3", "--set optimiser.rows"),
        ("tasks.kind=refuse", "tasks"),
        ("model=nowhere", "is not there"),
        ("data=nowhere", "nowhere"),
    ],
)
def test_what_the_user_can_mend_is_one_line(
    change: str, said: str, recipe: Callable[..., Path], tmp_path: Path
) -> None:
    result = forge("train", recipe(), "--set", change, "--out", tmp_path / "run")

    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_folder_with_a_run_is_not_written_over(began: Path, recipe: Callable[..., Path]) -> None:
    result = forge("train", recipe(), "--out", began)

    assert result.exit_code == 2
    assert "holds a run already" in result.stderr


def test_the_line_for_many_gpus_is_printed(recipe: Callable[..., Path]) -> None:
    path = recipe()

    result = forge("train", path, "--print-launch", "--gpus", 4, "--set", "seed=3")

    assert result.stdout.strip().endswith(f"-m forge train {path} --set seed=3")
    assert "--num_processes 4" in result.stdout
