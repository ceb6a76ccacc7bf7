"""`forge rollout` end to end: what comes of it, how it goes on, what goes wrong alone."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from evals.speed.endpoint import calls, refuses, says, serving
from forge.cli.main import app
from forge.dataset.folder import read_dataset
from forge.types.rollout import Trajectory
from tests.places import HAND, ROOT

SAMPLE = ROOT / "generated" / "sample"


def forge(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def rolled(out: Path, *arguments: object, dataset: Path = HAND, code: int = 0) -> list[Trajectory]:
    result = forge("rollout", dataset, "--out", out, *arguments)
    assert result.exit_code == code, result.stderr
    return [Trajectory.model_validate_json(line) for line in out.read_text().splitlines()]


def refused(*arguments: object) -> str:
    result = forge("rollout", *arguments)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    return line


# ------------------------------------------------------------------- baselines


def test_the_oracle_earns_the_reward_on_every_task_of_the_sample_in_the_sandbox(tmp_path):
    found = rolled(tmp_path / "o.jsonl", "--policy", "oracle", dataset=SAMPLE)
    assert [each.task for each in found] == [task.id for task in read_dataset(SAMPLE).tasks()]
    assert {each.reward for each in found} == {1}


def test_doing_nothing_and_guessing_earn_nothing_on_the_sample(tmp_path):
    for policy in ("noop", "random"):
        found = rolled(
            tmp_path / f"{policy}.jsonl",
            *("--policy", policy, "-r", 3, "--seed", 77, "--sandbox", "native"),
            dataset=SAMPLE,
        )
        assert {each.reward for each in found} == {0}


def test_faults_cost_the_oracle_nothing(tmp_path):
    found = rolled(tmp_path / "f.jsonl", "--policy", "oracle", "--faults", 0.2, "--max-steps", 99)
    failures = [r.failure for t in found for s in t.steps for r in s.results]
    assert "unavailable" in failures
    assert {each.reward for each in found} == {1}
    assert found[0].settings == {"max-steps": 99, "faults": 0.2}


def test_the_oracle_earns_the_reward_under_other_names_in_any_format(tmp_path):
    for number, format in enumerate(("native", "hermes", "react", "json")):
        how = ("--policy", "oracle", "--format", format, "--sandbox", "native")
        out = tmp_path / f"{format}.jsonl"
        found = rolled(out, *how, "--rename-tools", number, dataset=SAMPLE)
        assert {each.reward for each in found} == {1}
        assert found[0].settings["rename-tools"] == number
        assert found[0].settings.get("format", "native") == format


def test_a_recording_under_other_names_is_in_true_ones_and_can_be_replayed_either_way(tmp_path):
    renamed = tmp_path / "renamed.jsonl"
    made = rolled(renamed, "--policy", "random", "--rename-tools", 5, "--format", "react")
    names = {tool.name for tool in read_dataset(HAND).environment("projects").tools}
    assert {call.tool for each in made for s in each.steps for call in s.turn.calls} <= names
    for number, more in enumerate(((), ("--rename-tools", 6))):
        out = tmp_path / f"{number}.jsonl"
        again = rolled(out, "--policy", f"replay:{renamed}", *more)
        assert [each.steps for each in again] == [each.steps for each in made]


# ----------------------------------------------------------------- files


def test_the_same_rollouts_are_the_same_bytes_however_many_run_side_by_side(tmp_path):
    files = []
    for concurrent in (1, 3, 50):
        out = tmp_path / f"{concurrent}.jsonl"
        rolled(out, "--policy", "random", "-r", 4, "-c", concurrent)
        files.append(out.read_bytes())
    assert files[0] == files[1] == files[2]


def test_another_seed_draws_otherwise(tmp_path):
    one = rolled(tmp_path / "1.jsonl", "--policy", "random", "--seed", 1)
    other = rolled(tmp_path / "2.jsonl", "--policy", "random", "--seed", 2)
    assert [t.steps for t in one] != [t.steps for t in other]


def test_the_same_command_goes_on_where_a_run_stopped_and_drops_a_torn_line(tmp_path):
    out = tmp_path / "o.jsonl"
    rolled(out, "--policy", "random", "-r", 2)
    whole = out.read_bytes()
    lines = whole.splitlines(keepends=True)
    out.write_bytes(b"".join(lines[5:9]) + lines[0][:40])
    result = forge("rollout", HAND, "--policy", "random", "-r", 2, "--out", out)
    assert "4 of them made earlier" in result.stdout
    assert out.read_bytes() == whole


def test_more_attempts_are_added_to_those_that_are_there(tmp_path):
    out = tmp_path / "o.jsonl"
    rolled(out, "--policy", "random")
    more = rolled(out, "--policy", "random", "-r", 3)
    assert [t.attempt for t in more] == [0, 1, 2] * (len(more) // 3)


def test_a_run_can_be_started_over(tmp_path):
    out = tmp_path / "o.jsonl"
    rolled(out, "--policy", "oracle")
    found = rolled(out, "--policy", "noop", "--no-resume")
    assert {each.policy for each in found} == {"noop"}


@pytest.mark.parametrize(
    "other",
    [
        ["--policy", "noop"],
        ["--policy", "random", "--seed", 3],
        ["--policy", "random", "--faults", 0.5],
    ],
)
def test_a_file_holds_what_was_played_in_one_way_only(tmp_path, other):
    out = tmp_path / "o.jsonl"
    rolled(out, "--policy", "random")
    before = out.read_bytes()
    assert "--no-resume" in refused(HAND, "--out", out, *other)
    assert out.read_bytes() == before


def test_a_file_that_holds_something_else_is_left_alone(tmp_path):
    out = tmp_path / "notes.jsonl"
    out.write_text('{"dear": "diary"}\n')
    assert "not a trajectory" in refused(HAND, "--policy", "noop", "--out", out, "--no-resume")
    assert out.read_text() == '{"dear": "diary"}\n'


def test_after_ctrl_c_what_is_done_is_kept_and_the_same_command_goes_on(tmp_path):
    out = tmp_path / "o.jsonl"
    slow = [replace(says("One moment."), seconds=0.2)]
    with serving(slow) as server:
        run = subprocess.Popen(
            [
                *(sys.executable, "-m", "forge", "rollout", str(HAND), "--model", "scripted"),
                *("--base-url", server.url, "-c", "2", "-r", "9", "--out", str(out)),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "OPENAI_API_KEY": "none"},
        )
        until = time.monotonic() + 60
        while time.monotonic() < until and (not out.exists() or out.read_bytes().count(b"\n") < 2):
            time.sleep(0.05)
        os.killpg(run.pid, signal.SIGINT)
        _, told = run.communicate(timeout=60)
        assert run.returncode == 130
        assert told.splitlines()[-1] == "forge: interrupted"
        kept = out.read_text().splitlines()
        assert 2 <= len(kept) < 90
        after = rolled(out, "--model", "scripted", "--base-url", server.url, "-r", 9)
    assert len(after) == 90
    assert {json.loads(line)["task"] for line in kept} <= {each.task for each in after}


# ------------------------------------------------------------- which are played


def test_some_tasks_are_taken_from_all_environments_in_turn(tmp_path):
    found = rolled(tmp_path / "n.jsonl", "--policy", "noop", "-n", 4, dataset=SAMPLE)
    assert len({each.env for each in found}) == 4


def test_tasks_are_chosen_by_environment_and_kind(tmp_path):
    found = rolled(
        *(tmp_path / "k.jsonl", "--policy", "noop", "--env", "projects", "--kind", "change"),
        dataset=SAMPLE,
    )
    assert {(each.env, each.kind) for each in found} == {("projects", "change")}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--policy", "orakle"], "did you mean oracle"),
        ([], "--policy or --model"),
        (["--policy", "noop", "--model", "m"], "--policy or --model"),
        (["--policy", "replay"], "replay:FILE"),
        (["--policy", "script:nowhere.yaml"], "nowhere.yaml"),
        (["--policy", "noop", "--user", "scribbled"], "did you mean scripted"),
        (["--policy", "noop", "--env", "project"], "did you mean projects"),
        (
            ["--policy", "noop", "--kind", "refuse", "--difficulty", "easy", "--split", "test"],
            "no such tasks",
        ),
        (["--policy", "noop", "--kind", "sequence"], "--kind"),
    ],
)
def test_what_cannot_be_played_is_one_line(tmp_path, arguments, said):
    assert said in refused(HAND, "--out", tmp_path / "x.jsonl", *arguments)


# ------------------------------------------------------------ replay and script


def test_a_replay_plays_the_turns_of_a_file_again(tmp_path):
    played = rolled(tmp_path / "o.jsonl", "--policy", "random", "-r", 2)
    again = rolled(tmp_path / "r.jsonl", "--policy", f"replay:{tmp_path / 'o.jsonl'}", "-r", 2)
    assert [t.steps for t in again] == [t.steps for t in played]
    assert {t.policy for t in again} == {"replay:o"}


def test_a_script_says_what_is_done_in_which_task(tmp_path):
    task = next(
        t
        for t in read_dataset(HAND).tasks()
        if t.kind == "change" and not any(f.told for f in t.facts)
    )
    turns = [{"call": {"tool": c.tool, "arguments": c.arguments}} for c in task.golden_calls]
    script = tmp_path / "script.json"
    script.write_text(json.dumps({task.id: turns, "*": [{"say": "I cannot."}]}))
    found = rolled(tmp_path / "s.jsonl", "--policy", f"script:{script}")
    assert [t.task for t in found if t.reward] == [task.id]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("- {call: {tol: list_users}}", "did you mean tool"),
        ("- {shout: hello}", "turn 1"),
        ("- {call: {tool: a}, calls: []}", "turn 1"),
        ("3", "list of turns"),
        ("- {say: [1]}", "must be a text"),
        ("- {say: 'a", "s.yaml"),
    ],
)
def test_a_script_that_cannot_be_meant_is_one_line_with_its_place(tmp_path, script, said):
    path = tmp_path / "s.yaml"
    path.write_text(script)
    line = refused(HAND, "--policy", f"script:{path}", "--out", tmp_path / "x.jsonl")
    assert said in line
    assert "s.yaml" in line


# ----------------------------------------------------------- what goes wrong


def test_a_model_plays_and_a_server_that_fails_for_a_while_costs_nothing(tmp_path):
    replies = [
        refuses(429, "slow down", headers={"Retry-After": "0"}),
        says("I cannot do that."),
        refuses(500, "oh"),
    ]
    with serving(replies + [says("I cannot do that.")] * 40) as server:
        found = rolled(tmp_path / "m.jsonl", "--model", "scripted", "--base-url", server.url)
    assert {(t.outcome, t.reward) for t in found} == {("done", 0)}
    assert {t.policy for t in found} == {"model:scripted"}


def test_a_model_that_calls_wrongly_gets_told_and_goes_on(tmp_path):
    with serving([calls(("nothing", "{")), says("I cannot do that.")] * 20) as server:
        found = rolled(
            *(tmp_path / "m.jsonl", "-c", 1, "-n", 1, "--model", "scripted"),
            *("--base-url", server.url),
        )
    assert found[0].steps[0].results[0].failure == "invalid"
    assert found[0].outcome == "done"


def test_more_of_each_request_is_given_as_json(tmp_path):
    with serving(says("I cannot do that.")) as server:
        there = ("--model", "scripted", "--base-url", server.url, "-n", 1)
        rolled(tmp_path / "m.jsonl", *there, "--extra", '{"top_k": 5, "seed": null}')
        assert server.asked[0].body["top_k"] == 5
        assert "seed" not in server.asked[0].body
        said = refused(HAND, *there, "--out", tmp_path / "n.jsonl", "--extra", "top_k=5")
    assert "'top_k=5' is not a JSON object" in said


def test_the_key_of_an_endpoint_is_written_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with serving([says("No.")] * 40) as server:
        out = tmp_path / "m.jsonl"
        result = forge(
            "rollout", HAND, "--model", "scripted", "--base-url", server.url, "--out", out
        )
    assert result.exit_code == 0
    assert "sk-very-secret" not in out.read_text() + result.output


def test_an_environment_that_cannot_be_opened_spoils_no_other(tmp_path):
    broken = tmp_path / "set"
    shutil.copytree(SAMPLE, broken)
    (broken / "envs" / "projects" / "tools.py").write_text("def nothing(:\n")
    out = tmp_path / "o.jsonl"
    result = forge("rollout", broken, "--policy", "oracle", "--sandbox", "native", "--out", out)
    found = [Trajectory.model_validate_json(line) for line in out.read_text().splitlines()]
    assert {t.outcome for t in found if t.env == "projects"} == {"broken"}
    assert {t.reward for t in found if t.env != "projects"} == {1}
    assert {t.reward for t in found if t.env == "projects"} == {None}
    assert "Traceback" not in result.stderr
    assert len([line for line in result.stderr.splitlines() if "was not played" in line]) == 1
    assert result.exit_code == 1


def test_json_says_what_was_played_and_where_it_is(tmp_path):
    out = tmp_path / "o.jsonl"
    result = forge("rollout", HAND, "--policy", "oracle", "--out", out, "--json")
    told = json.loads(result.stdout)
    assert (told["rollouts"], told["file"]) == (10, str(out))
