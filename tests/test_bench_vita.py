"""`forge bench vitabench` end to end, on a look-alike of its command in `tests/benches`."""

import json
import os
import shutil
import subprocess

import pytest

from tests.places import ROOT
from tests.test_bench import forge, found, lines, refused

VITA = ROOT / "tests" / "benches" / "vita"
WHOLE = ("--model", "agent", "--user-model", "user", "--judge-model", "judge")


@pytest.fixture
def command(monkeypatch):
    monkeypatch.setenv("PATH", f"{VITA / 'bin'}{os.pathsep}{os.environ['PATH']}")


def failed(*arguments):
    result = forge(*arguments)
    assert result.exit_code == 2, result.output
    return result.stderr.splitlines()[-1]


def ordered(out, *arguments):
    return ("vitabench", "--root", VITA, *WHOLE, "--domain", "delivery", "--out", out, *arguments)


def test_its_own_command_runs_and_its_rewards_are_reported(command, tmp_path):
    report = found(*ordered(tmp_path / "v.jsonl"))
    (group,) = report["groups"]
    assert (group["name"], group["passed"], group["scored"]) == ("delivery chinese", 1, 2)
    assert group["measures"] == {"nl_assertion": 0.75}
    assert (report["policy"], report["user"]) == ("model:agent", "model:user")
    assert (report["judge"], report["trials"]) == ("model:judge", 1)
    assert (group["gold"], group["noop"]) == (None, None)
    assert "unknown" in forge(*ordered(tmp_path / "v.jsonl")).stdout


def test_its_conversations_are_kept_as_trajectories(command, tmp_path):
    found(*ordered(tmp_path / "v.jsonl", "--split", "english"))
    first, second = lines(tmp_path / "v.jsonl")
    assert (first.task, first.env, first.reward) == (
        "delivery/english/1",
        "vitabench:delivery",
        1,
    )
    assert (first.question, len(first.steps)) == ("A bowl of noodles", 2)
    (call,) = first.steps[0].turn.calls
    assert (call.tool, call.arguments) == ("order", {"what": "1"})
    assert (first.steps[0].results[0].text, first.steps[0].turn.completion_tokens) == ("ordered", 7)
    assert first.steps[1].user == "###STOP###"
    assert second.verdict.why == "1 of 2 rubrics not met"


def test_a_run_that_failed_is_counted_and_is_in_no_rate(command, tmp_path):
    report = found(*ordered(tmp_path / "v.jsonl", "-k", 2))
    (group,) = report["groups"]
    assert (group["episodes"], group["scored"], group["passed"]) == (4, 3, 2)
    assert group["powers"]["1"]["value"] == 0.5
    assert report["unscored"] == {"lost: vita has no result of it": 1}


def test_the_same_command_goes_on_with_what_failed(command, tmp_path, monkeypatch):
    found(*ordered(tmp_path / "v.jsonl", "-k", 2))
    monkeypatch.setenv("VITA_DOES", "works")
    (group,) = found(*ordered(tmp_path / "v.jsonl", "-k", 2))["groups"]
    assert (group["episodes"], group["scored"]) == (4, 4)


def test_another_run_does_not_go_on_in_the_same_file(command, tmp_path):
    found(*ordered(tmp_path / "v.jsonl"))
    line = failed(*ordered(tmp_path / "v.jsonl", "-k", 2))
    assert "The run config has changed" in line and "--no-resume" in line


def test_a_run_begun_anew_keeps_nothing_of_the_one_before(command, tmp_path):
    found(*ordered(tmp_path / "v.jsonl"))
    report = found(*ordered(tmp_path / "v.jsonl", "-k", 2, "--no-resume"))
    assert report["trials"] == 2


def test_what_was_not_judged_has_no_score(command, tmp_path, monkeypatch):
    monkeypatch.setenv("VITA_DOES", "unjudged")
    report = found(*ordered(tmp_path / "v.jsonl"))
    assert report["groups"][0]["scored"] == 0
    assert report["unscored"] == {"unscored: it was not judged": 2}


def test_a_run_that_met_a_limit_has_a_zero_and_its_reason(command, tmp_path, monkeypatch):
    monkeypatch.setenv("VITA_DOES", "endless")
    found(*ordered(tmp_path / "v.jsonl"))
    first = lines(tmp_path / "v.jsonl")[0]
    assert (first.reward, first.outcome, first.reason) == (0, "steps", "max_steps")
    assert first.verdict.why == "Simulation terminated prematurely."


def test_results_that_are_there_are_read_and_nothing_is_run(command, tmp_path):
    found(*ordered(tmp_path / "v.jsonl"))
    report = found("vitabench", "--root", VITA, "--results", tmp_path / "v.json")
    assert report["groups"][0]["passed"] == 1
    assert (report["judge"], report["groups"][0]["name"]) == ("not said", "delivery as-run")


def test_the_domains_together_are_one(command, tmp_path):
    arguments = ("vitabench", "--root", VITA, *WHOLE, "--out", tmp_path / "v.jsonl", "-n", 1)
    report = found(*arguments)
    assert report["groups"][0]["name"] == "delivery,instore,ota chinese"
    assert any("cross_domain" in file for file in report["source"]["files"])


def test_results_of_another_commit_than_the_checkouts_are_told(command, tmp_path):
    root = tmp_path / "checkout"
    shutil.copytree(VITA, root)
    for what in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        name = ["-c", "user.name=n", "-c", "user.email=e"]
        subprocess.run(["git", "-C", str(root), *name, *what], check=True)
    found(*ordered(tmp_path / "v.jsonl"))
    report = found("vitabench", "--root", root, "--results", tmp_path / "v.json")
    assert "the results are of commit 0123456789ab, not of this checkout" in report["cautions"]


def test_without_its_command_it_is_said_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "there is no command vita" in refused(*ordered(tmp_path / "v.jsonl"))


def test_a_command_that_fails_says_its_last_line_and_where_the_others_are(
    command, tmp_path, monkeypatch
):
    monkeypatch.setenv("VITA_DOES", "fails")
    line = failed(*ordered(tmp_path / "v.jsonl"))
    assert "v.log: vita ended with exit code 1: KeyError: 'no such model'" in line


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((*WHOLE, "--domain", "delivry"), "did you mean delivery or"),
        ((*WHOLE, "--split", "englisch"), "did you mean english?"),
        (("--gold",), "leave out --gold"),
        ((*WHOLE, "--base-url", "http://127.0.0.1:1/v1"), "models.yaml (leave out --base-url)"),
        (("--model", "agent"), "--user-model NAME"),
        (("--model", "agent", "--user-model", "user"), "judged by a model (--judge-model NAME)"),
    ],
)
def test_what_cannot_be_meant_is_one_line(command, tmp_path, arguments, told):
    assert told in refused("vitabench", "--root", VITA, *arguments)


def test_a_file_that_vita_did_not_save_is_one_line(tmp_path):
    file = tmp_path / "v.json"
    file.write_text(json.dumps({"info": {}}))
    line = refused("vitabench", "--root", VITA, "--results", file)
    assert "v.json" in line


def test_results_are_of_vitabench_alone(tmp_path):
    where = ("tau-bench", "--root", ROOT / "tests" / "benches" / "tau", "--gold")
    assert "leave out --results" in refused(*where, "--results", tmp_path / "v.json")


def test_a_folder_that_is_no_checkout_of_it_says_what_is_needed(command, tmp_path):
    line = refused("vitabench", "--root", tmp_path, *WHOLE)
    assert "there is no src/vita/evaluator" in line
