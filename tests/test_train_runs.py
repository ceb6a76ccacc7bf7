"""Runs of training on disk: how they are written, gone on with, listed, compared and drawn."""

import json
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice
from math import isclose, nan
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from forge.cli.main import app
from forge.dataset.rates import difference_of
from forge.errors import UserError
from forge.train.advantage import Scored
from forge.train.recipe import Recipe, Sft
from forge.train.record import Kept, Record, Tried, begin, reward_numbers
from forge.train.runs import read_run
from forge.types.rollout import Trajectory

DATA = f"1:{'a' * 64}"
LOGS = ("metrics.jsonl", "samples.jsonl", "evaluation.jsonl")
TASKS = {f"t{number}": "shop" if number % 2 else "library" for number in range(10)}

draws = pytest.mark.skipif(not find_spec("matplotlib"), reason="the extra `train` is missing")


def recipe_of(**keys) -> Recipe:
    return Recipe.model_validate({"model": "m", "data": "d", "steps": 8, **keys})


def began(folder: Path, recipe: Recipe | Sft | None = None, *, resume=False, data=DATA, steps=8):
    return begin(folder, recipe or recipe_of(), data=data, steps=steps, resume=resume)


def passing(number: int) -> list[Tried]:
    return [Tried(task, env, int(task[1:]) < number) for task, env in TASKS.items()]


def kept(n: int) -> Kept:
    trajectory = Trajectory.model_validate(
        {
            "task": "t1",
            "env": "shop",
            "kind": "change",
            "band": "easy",
            "policy": "p",
            "user": "scripted",
            "seed": 0,
            "attempt": n,
            "question": "q",
            "steps": [{"turn": {"text": 'Done. \u2028{"step": 99}\n'}}],
            "outcome": "done",
        }
    )
    return Kept(1.0, 0.5, trajectory)


def writes(record: Record, steps: range, every: int = 4) -> Iterator[Path]:
    """What a trainer writes in these steps, with a checkpoint each `every`; the file of each."""
    if not record.has_evaluated(0):
        record.evaluated(0, passing(2))
        yield record.folder / "evaluation.jsonl"
    for n in steps:
        record.samples(n, [kept(n), kept(n + 100)])
        yield record.folder / "samples.jsonl"
        record.step(n, {"reward": n / 100, "reward_error": 0.1, "seconds": 2.0})
        yield record.folder / "metrics.jsonl"
        if n % every == 0:
            record.evaluated(n, passing(n))
            yield record.folder / "evaluation.jsonl"
            yield checkpoint(record.folder, n)


def worked(record: Record, steps: range, every: int = 4) -> None:
    for _ in writes(record, steps, every):
        pass


def checkpoint(folder: Path, n: int) -> Path:
    home = folder / "checkpoints" / f"checkpoint-{n}"
    home.mkdir(parents=True, exist_ok=True)
    (home / "model.safetensors").write_text("weights")
    (home / "trainer_state.json").write_text(json.dumps({"global_step": n}))
    return home / "trainer_state.json"


def run_at(folder: Path, recipe: Recipe | None = None, steps: int = 8) -> Path:
    with began(folder, recipe, steps=steps) as record:
        worked(record, range(1, steps + 1))
        record.finish()
    return folder


def steps_in(path: Path) -> list[int]:
    return [json.loads(line)["step"] for line in path.read_text().splitlines()]


def forge(*arguments):
    return CliRunner().invoke(app, ["runs", *map(str, arguments)])


def told(*arguments) -> dict:
    result = forge(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


# --------------------------------------------------------------------- the folder


def test_a_run_says_what_it_was_of(tmp_path):
    run = read_run(run_at(tmp_path / "r", recipe_of(algorithm="grpo", seed=3)))
    assert (run.head.kind, run.head.model, run.head.data) == ("grpo", "m", DATA)
    assert run.recipe["seed"] == 3
    assert run.recipe["rollouts.group"] == 8
    assert {"forge", "python"} <= set(run.head.sessions[0].versions)


def test_a_number_that_is_none_is_null_and_in_no_mean(tmp_path):
    with began(tmp_path) as record:
        record.step(1, {"reward": 1.0, "loss": nan})
        record.step(2, {"reward": nan, "loss": 2.0})
    assert '"loss":null' in (tmp_path / "metrics.jsonl").read_text()
    run = read_run(tmp_path)
    assert (run.mean("reward"), run.mean("loss"), run.mean("entropy")) == (1.0, 2.0, None)


def test_samples_keep_what_a_model_wrote_as_data_on_a_line_of_its_own(tmp_path):
    run_at(tmp_path)
    lines = (tmp_path / "samples.jsonl").read_bytes().split(b"\n")[:-1]
    first = json.loads(lines[0])
    assert len(lines) == 16
    assert (first["step"], first["task"], first["reward"], first["advantage"]) == (1, "t1", 1, 0.5)
    assert Trajectory.model_validate(first["trajectory"]) == kept(1).trajectory


def test_a_step_is_not_written_twice(tmp_path):
    with began(tmp_path) as record:
        record.step(1, {})
        with pytest.raises(ValueError, match="step 1 comes after step 1"):
            record.step(1, {})


def test_reward_is_the_mean_over_questions_of_valid_rollouts_and_its_error_over_questions():
    one = [Scored("a", "e", reward) for reward in (1, 1, 1, 0)]
    two = [Scored("b", "e", reward) for reward in (1, 0)]
    erred = [Scored("b", "e", 1.0, valid=False), Scored("c", "e", 1.0, valid=False)]
    numbers = reward_numbers([*one, *two, *erred])
    assert isclose(numbers["reward"], 0.625)
    assert isclose(numbers["reward_error"], 0.125)
    assert reward_numbers(erred) == {}


# ------------------------------------------------------------------------ resume


def test_a_run_is_gone_on_with_from_its_last_checkpoint_and_each_step_is_there_once(tmp_path):
    whole = run_at(tmp_path / "whole")
    cut = tmp_path / "cut"
    with began(cut) as record:
        worked(record, range(1, 7))
    with began(cut, resume=True) as record:
        assert (record.done, record.checkpoint) == (4, cut / "checkpoints" / "checkpoint-4")
        worked(record, range(5, 9))
    for name in LOGS:
        assert (cut / name).read_bytes() == (whole / name).read_bytes()
    assert [session.step for session in read_run(cut).head.sessions] == [0, 4]


def test_a_run_without_a_checkpoint_begins_again(tmp_path):
    with began(tmp_path) as record:
        worked(record, range(1, 3))
    with began(tmp_path, resume=True) as record:
        assert (record.done, record.checkpoint) == (0, None)
        assert record.has_evaluated(0)
    assert steps_in(tmp_path / "metrics.jsonl") == []


@pytest.mark.parametrize("state", [None, '{"global_st', '{"global_step": 7}', "[]"])
def test_a_checkpoint_that_is_not_whole_is_passed_over_and_removed(tmp_path, state):
    with began(tmp_path) as record:
        worked(record, range(1, 9))
    torn = tmp_path / "checkpoints" / "checkpoint-8" / "trainer_state.json"
    if state is None:
        torn.unlink()
    else:
        torn.write_text(state)
    with began(tmp_path, resume=True) as record:
        assert record.done == 4
    assert [each.name for each in (tmp_path / "checkpoints").iterdir()] == ["checkpoint-4"]


def test_checkpoints_count_updates_and_a_run_its_steps(tmp_path):
    recipe = recipe_of(optimiser={"updates": 2})
    with began(tmp_path, recipe) as record:
        for n in range(1, 4):
            record.step(n, {})
        checkpoint(tmp_path, 4)
        checkpoint(tmp_path, 5)
    with began(tmp_path, recipe, resume=True) as record:
        assert (record.done, record.checkpoint.name) == (2, "checkpoint-4")


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_however_a_run_ends_it_is_gone_on_with_as_if_it_had_not(data):
    """It ends, several times, in the middle of a write, which is torn at any byte."""
    steps = data.draw(st.integers(1, 6), "steps")
    every = data.draw(st.integers(1, 3), "every")
    with tempfile.TemporaryDirectory() as place:
        whole, cut = Path(place, "whole"), Path(place, "cut")
        with began(whole) as record:
            worked(record, range(1, steps + 1), every)
        for _ in range(data.draw(st.integers(1, 3), "kills")):
            with began(cut, resume=cut.exists()) as record:
                todo = range(record.done + 1, steps + 1)
                number = data.draw(st.integers(0, 20), "writes")
                written = list(islice(writes(record, todo, every), number))
            for path in written[-1:]:
                last = path.read_bytes().rstrip(b"\n").rpartition(b"\n")[2]
                with path.open("r+b") as file:
                    end = path.stat().st_size
                    file.truncate(end - data.draw(st.integers(0, min(end, len(last) + 1)), "torn"))
        with began(cut, resume=True) as record:
            done = record.done
            assert steps_in(cut / "metrics.jsonl") == list(range(1, done + 1))
            worked(record, range(done + 1, steps + 1), every)
        for name in LOGS:
            assert (cut / name).read_bytes() == (whole / name).read_bytes()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_wherever_the_metrics_are_cut_no_step_before_the_checkpoint_is_missing(cut):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with began(folder) as record:
            worked(record, range(1, 9), every=2)
        path = folder / "metrics.jsonl"
        with path.open("r+b") as file:
            file.truncate(cut % (path.stat().st_size + 1))
        whole = path.read_text().count("\n")
        with began(folder, resume=True) as record:
            assert record.done == whole - whole % 2
        assert steps_in(path) == list(range(1, record.done + 1))


# ----------------------------------------------------------------------- refused


def refused(folder: Path, *arguments, **options) -> str:
    with pytest.raises(UserError) as error, began(folder, *arguments, **options):
        pass
    return str(error.value)


def test_a_run_is_not_written_over(tmp_path):
    run_at(tmp_path)
    assert "holds a run already (go on with it by --resume" in refused(tmp_path)
    assert len(steps_in(tmp_path / "metrics.jsonl")) == 8


def test_what_is_no_run_is_not_written_over(tmp_path):
    (tmp_path / "metrics.jsonl").write_text("mine\n")
    assert "holds metrics.jsonl of no run" in refused(tmp_path)
    assert (tmp_path / "metrics.jsonl").read_text() == "mine\n"


def test_nothing_is_gone_on_with_where_there_is_no_run(tmp_path):
    folder = tmp_path / "none"
    assert "no run to go on with" in refused(folder, resume=True)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"algorithm": "grpo"}, "holds a run of erpo, not grpo"),
        ({"seed": 1}, "seed is 0 there, 1 here (--set seed=0, or"),
        ({"rollouts": {"group": 4}, "loss": {"kl": 0.1}}, "rollouts.group is 8 there, 4 here"),
        ({"tasks": {"envs": ["shop"]}}, 'tasks.envs is [] there, ["shop"] here'),
    ],
)
def test_the_run_of_another_recipe_is_not_gone_on_with(tmp_path, change, says):
    run_at(tmp_path)
    assert says in refused(tmp_path, recipe_of(**change), resume=True)


def test_a_run_on_other_data_is_not_gone_on_with(tmp_path):
    run_at(tmp_path)
    assert "holds a run on other data" in refused(tmp_path, data="1:b", resume=True)


def test_a_run_that_is_done_goes_on_only_with_more_steps(tmp_path):
    run_at(tmp_path)
    assert "has come to its end (--set steps=9" in refused(tmp_path, resume=True)
    more = {"steps": 12, "report_to": ["wandb"], "evaluation": {"every": 2}, "data": "elsewhere"}
    with began(tmp_path, recipe_of(**more, optimiser={"rows": 2}), resume=True, steps=12) as record:
        assert record.done == 8
    assert "stopped at step 8" in forge(tmp_path).stdout


def test_a_cold_start_is_no_run_of_a_policy(tmp_path):
    sft = Sft.model_validate({"model": "m", "data": "d"})
    with began(tmp_path, sft) as record:
        record.step(1, {"loss": 1.0})
    assert "holds a run of sft, not erpo" in refused(tmp_path, resume=True)
    with began(tmp_path, sft, resume=True):
        assert "sft" in forge(tmp_path).stdout


def test_two_processes_do_not_write_one_run(tmp_path):
    with began(tmp_path):
        assert "another forge is training here" in refused(tmp_path, resume=True)


def test_a_disk_that_is_full_is_one_line_and_what_was_written_stays(tmp_path):
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this machine has no /dev/full")
    with began(tmp_path) as record:
        record.step(1, {})
        (tmp_path / "evaluation.jsonl").symlink_to(full)
        with pytest.raises(UserError, match="cannot be written: No space left"):
            record.evaluated(1, passing(1))
    assert steps_in(tmp_path / "metrics.jsonl") == [1]


def test_a_place_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    assert "cannot be written" in refused(tmp_path / "file" / "run")


# ------------------------------------------------------------------------- listed


def test_runs_are_listed_with_how_they_went(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_at(Path("runs/one"))
    with began(Path("runs/deep/two"), recipe_of(algorithm="rloo")) as record:
        record.step(1, {"reward": 0.5, "seconds": 3.0})
        running = forge().stdout
    assert "running, at step 1" in running
    lines = forge().stdout.splitlines()
    assert lines[1].split()[:5] == ["runs/deep/two", "rloo", "m", "1/8", "0.500"]
    assert lines[1].endswith("stopped at step 1")
    assert lines[2].split()[:5] == ["runs/one", "erpo", "m", "8/8", "0.045"]
    assert "0.200 (0.057 to 0.510)  0.800 (0.490 to 0.943)  2.00    done" in lines[2]


def test_where_there_are_no_runs_it_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = forge()
    assert result.exit_code == 0
    assert "there are no runs under runs/" in result.stdout
    assert json.loads(forge("--json").stdout) == {"runs": []}
    assert forge(tmp_path / "none").exit_code == 2


def test_what_forge_did_not_write_is_named(tmp_path):
    run_at(tmp_path)
    (tmp_path / "evaluation.jsonl").write_text('{"step":1}\n')
    result = forge(tmp_path)
    assert result.exit_code == 2
    assert result.stderr.strip().endswith("evaluation.jsonl: step 1 is no evaluation")


def test_a_line_that_is_not_finished_is_passed_over(tmp_path):
    run_at(tmp_path)
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step":9,"rew')
    assert told(tmp_path)["runs"][0]["steps"] == 8


# ----------------------------------------------------------------------- compared


def test_runs_are_compared_on_the_tasks_that_both_played(tmp_path):
    one = run_at(tmp_path / "a")
    other = tmp_path / "b"
    with began(other, recipe_of(loss={"kl": 0.1})) as record:
        record.evaluated(0, passing(2)[:6])
    found = told(one, other)
    (difference,) = found["differences"]
    assert (difference["from"], difference["to"], difference["tasks"]) == ("a", "b", 6)
    assert isclose(difference["value"], 2 / 6 - 1)
    assert found["told"] == {"loss.kl": {"a": "0.0", "b": "0.1"}}
    assert isclose(found["groups"][0]["gain"]["value"], 0.6)
    shown = forge(one, other).stdout
    assert "At last, against a on the same tasks" in shown
    assert "loss.kl  0.0  0.1" in shown


def test_runs_that_differ_only_in_seed_are_one_group(tmp_path):
    for seed in range(3):
        run_at(tmp_path / f"erpo-seed{seed}", recipe_of(seed=seed, keep_every=seed + 1))
    run_at(tmp_path / "grpo", recipe_of(algorithm="grpo"))
    run_at(tmp_path / "grpo-again", recipe_of(algorithm="grpo"))
    groups = told(tmp_path)["groups"]
    assert [group["label"] for group in groups] == ["erpo (3 runs)", "grpo", "grpo-again"]
    last = groups[0]["evaluations"][-1]
    assert (last["tasks"], last["value"]) == (10, 0.8)
    assert set(last["environments"]) == {"library", "shop"}


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [((36, 12, 2, 0), 0.0569, 0.3404), ((36, 0, 0, 14), -0.0491, 0.0491)],
)
def test_the_interval_of_a_difference_is_newcombes(table, low, high):
    won, lost = (1, 1), (0, 1)
    kinds = [(won, won), (lost, won), (won, lost), (lost, lost)]
    pairs = [pair for pair, number in zip(kinds, table, strict=True) for _ in range(number)]
    found = difference_of(pairs)
    assert isclose(found.low, low, abs_tol=1e-4)
    assert isclose(found.high, high, abs_tol=1e-4)


ATTEMPTS = st.tuples(st.integers(0, 3), st.just(3))


@given(st.lists(st.tuples(ATTEMPTS, ATTEMPTS), min_size=1))
def test_a_difference_lies_in_its_interval_and_turns_with_the_sides(pairs):
    found = difference_of(pairs)
    assert -1 - 1e-9 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1 + 1e-9
    turned = difference_of([(other, one) for one, other in pairs])
    assert isclose(turned.low, -found.high, abs_tol=1e-9)


# -------------------------------------------------------------------------- drawn


@draws
def test_a_picture_of_the_same_runs_is_the_same_bytes_and_names_them(tmp_path):
    for seed in range(2):
        run_at(tmp_path / "runs" / f"erpo-{seed}", recipe_of(seed=seed))
    run_at(tmp_path / "runs" / "_a $x_1$ <b>", recipe_of(algorithm="grpo"))
    pictures = []
    for name in ("one.svg", "two.svg"):
        assert forge(tmp_path / "runs", "--plot", tmp_path / name).exit_code == 0
        pictures.append((tmp_path / name).read_bytes())
    assert pictures[0] == pictures[1]
    texts = {each.text for each in ElementTree.fromstring(pictures[0]).iter() if each.text}
    assert {"erpo (2 runs)", "_a $x_1$ <b>", "held-out pass rate", "step"} <= texts
    assert any("their range" in text for text in texts)


@draws
def test_a_run_that_was_never_measured_is_drawn_without_held_out_rates(tmp_path):
    with began(tmp_path / "r") as record:
        record.step(1, {"reward": 0.5})
    assert forge(tmp_path / "r", "--plot", tmp_path / "p.svg").exit_code == 0
    assert "held-out" not in (tmp_path / "p.svg").read_text()


@draws
def test_a_cold_start_has_no_reward_to_be_drawn(tmp_path):
    with began(tmp_path / "r", Sft.model_validate({"model": "m", "data": "d"})) as record:
        record.evaluated(0, passing(2))
    assert forge(tmp_path / "r", "--plot", tmp_path / "p.svg").exit_code == 0
    text = (tmp_path / "p.svg").read_text()
    assert "held-out pass rate" in text
    assert "reward" not in text


@draws
def test_where_no_run_has_a_step_there_is_nothing_to_draw(tmp_path):
    with began(tmp_path / "r"):
        pass
    result = forge(tmp_path / "r", "--plot", tmp_path / "p.svg")
    assert result.exit_code == 2
    assert "nothing to draw yet" in result.stderr
    assert not (tmp_path / "p.svg").exists()


@pytest.mark.skipif(bool(find_spec("matplotlib")), reason="matplotlib is installed")
def test_without_matplotlib_a_picture_names_what_is_missing(tmp_path):
    result = forge(run_at(tmp_path / "r"), "--plot", tmp_path / "p.svg")
    assert result.exit_code == 2
    assert "matplotlib (pip install 'forge-envs[train]')" in result.stderr
