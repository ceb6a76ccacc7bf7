"""`forge tasks` end to end: what it adds, what it leaves as it was, and how it says why not."""

import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from forge.dataset.folder import read_dataset
from forge.dataset.hashes import is_held_out
from tests.places import HAND, ROOT
from tests.test_synth import hire

FORGE = [sys.executable, "-m", "forge"]
SAMPLE = ROOT / "generated" / "sample"


def forge(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [*FORGE, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def added(*arguments: object) -> dict[str, Any]:
    done = forge("tasks", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def refusal(*arguments: object) -> str:
    done = forge("tasks", *arguments)
    assert done.returncode == 2, done.stderr
    line = done.stderr.splitlines()[-1]
    assert line.startswith("forge: ")
    assert "Traceback" not in done.stderr
    return line


def files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def lines(folder: Path) -> list[str]:
    return (folder / "tasks.jsonl").read_text().splitlines()


@pytest.fixture
def hand(tmp_path: Path) -> Path:
    """A copy of the data set that was written by hand."""
    return Path(shutil.copytree(HAND, tmp_path / "hand"))


@pytest.fixture(scope="module")
def kites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small data set made of a document, with no task yet."""
    home = tmp_path_factory.mktemp("kites")
    (home / "kite.yaml").write_text(yaml.safe_dump(hire("kite")))
    done = forge("synth", home / "kite.yaml", "--tasks", 0, "--seed", 7, "--out", home / "set")
    assert done.returncode == 0, done.stderr
    return home


@pytest.fixture
def mine(kites: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kites / "set", tmp_path / "set"))


@pytest.fixture(scope="module")
def three(kites: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with three tasks."""
    out = tmp_path_factory.mktemp("three") / "set"
    shutil.copytree(kites / "set", out)
    assert added(out, "-n", 3, "--seed", 7)["environments"][0]["kept"] == 3
    return out


def home_of(dataset: Path) -> Path:
    (home,) = (dataset / "envs").iterdir()
    return home


# ----------------------------------------------------------------------- what it adds


def test_tasks_are_added_to_an_environment_written_by_hand(hand):
    before = lines(hand)
    (report,) = added(hand, "-n", 4)["environments"]
    assert (report["there"], report["kept"], report["exhausted"]) == (10, 4, False)
    after = lines(hand)
    assert set(before) < set(after)
    tasks = list(read_dataset(hand).tasks())
    assert [task.id for task in tasks] == sorted({task.id for task in tasks})
    assert len(tasks) == 14
    assert all(gate.passed for task in tasks for gate in task.gates.values())
    manifest = read_dataset(hand).manifest
    assert manifest.counts.tasks == sum(manifest.counts.bands.values()) == 14
    assert [each.environments for each in manifest.added] == [{"projects": 4}]
    assert forge("verify", hand).returncode == 0
    assert "4 tasks were added with seed 0" in forge("show", hand).stdout


def test_environments_without_a_data_set_become_one(tmp_path):
    shutil.copytree(HAND / "envs", tmp_path / "envs")
    added(tmp_path, "-n", 2)
    assert read_dataset(tmp_path).manifest.counts.tasks == 2


def test_tasks_made_later_are_those_that_synth_would_have_made(kites, three, tmp_path):
    done = forge(
        *("synth", kites / "kite.yaml", "--tasks", 3, "--seed", 7, "--out", tmp_path / "set")
    )
    assert done.returncode == 0, done.stderr
    assert lines(three) == lines(tmp_path / "set")


def test_the_number_of_processes_changes_no_byte(tmp_path):
    for jobs in (1, 2):
        shutil.copytree(SAMPLE, tmp_path / str(jobs))
        added(tmp_path / str(jobs), "-n", 2, "--seed", 5, "--jobs", jobs)
    assert files(tmp_path / "1") == files(tmp_path / "2")


def test_the_same_request_again_makes_other_tasks(three, tmp_path):
    again = Path(shutil.copytree(three, tmp_path / "set"))
    (report,) = added(again, "-n", 3, "--seed", 7)["environments"]
    assert report["kept"] == 3
    assert set(lines(three)) < set(lines(again))
    assert report["refused"].get("unique", 0) < 3


def test_only_tasks_of_the_kind_and_band_asked_for_are_made(mine):
    added(mine, "-n", 2, "--kind", "answer")
    assert {task.kind for task in read_dataset(mine).tasks()} == {"answer"}
    added(mine, "-n", 2, "--difficulty", "easy", "--kind", "change")
    tasks = [task for task in read_dataset(mine).tasks() if task.kind == "change"]
    assert [task.band for task in tasks] == ["easy", "easy"]


def test_only_the_environment_asked_for_gets_tasks(tmp_path):
    mine = Path(shutil.copytree(SAMPLE, tmp_path / "set"))
    before = read_dataset(mine).manifest.environments
    name = sorted(before)[-1]
    added(mine, "--env", name, "-n", 2)
    after = read_dataset(mine).manifest.environments
    assert {each for each in after if after[each] != before[each]} == {name}
    assert after[name].tasks == before[name].tasks + 2


def test_every_task_of_an_environment_that_is_held_out_is_for_testing():
    dataset = read_dataset(SAMPLE)
    splits: dict[str, set[str]] = {}
    for task in dataset.tasks():
        splits.setdefault(task.env, set()).add(task.split)
    for name in dataset.names():
        assert dataset.manifest.environments[name].held_out == is_held_out(name)
        assert not is_held_out(name) or splits[name] == {"test"}


# -------------------------------------------------------------------- what it goes on from


def test_after_a_kill_the_same_command_goes_on_to_the_same_bytes(hand, tmp_path):
    whole = Path(shutil.copytree(hand, tmp_path / "whole"))
    added(whole, "-n", 8)
    log = hand / ".adding" / "projects" / "log.jsonl"
    before = files(hand)
    running = subprocess.Popen([*FORGE, "tasks", str(hand), "-n", "8"], start_new_session=True)
    while not (log.exists() and log.read_bytes().count(b"\n") > 3):
        assert running.poll() is None
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    assert before.items() <= files(hand).items()
    assert "other" in refusal(hand, "-n", 9) or "else" in refusal(hand, "-n", 9)
    (report,) = added(hand, "-n", 8)["environments"]
    assert report["resumed"] >= 2
    assert files(hand) == files(whole)


def test_a_request_that_was_not_finished_can_be_dropped(mine, three):
    work = mine / ".adding" / home_of(mine).name
    work.mkdir(parents=True)
    (work / "log.jsonl").write_text(
        '{"forge":"0","environment":"1:00","there":0,"request":{"count":5,"seed":1}}\n'
    )
    before = files(mine)
    line = refusal(mine, "-n", 3, "--seed", 7)
    assert "--no-resume" in line
    assert files(mine) == before
    added(mine, "-n", 3, "--seed", 7, "--no-resume")
    assert files(mine) == files(three)


def test_files_that_were_ready_take_their_place_after_an_interruption(mine, three):
    ready = mine / ".adding" / "ready"
    ready.mkdir(parents=True)
    for name in ("tasks.jsonl", "tasks.parquet", "README.md", "dataset.json"):
        shutil.copy(three / name, ready / name)
    added(mine, "-n", 0)
    assert files(mine) == files(three)


def test_a_folder_that_another_run_writes_into_is_refused(mine):
    handle = os.open(mine, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        assert "another forge is writing" in refusal(mine)
    finally:
        os.close(handle)


def test_synth_keeps_the_tasks_that_were_added(kites, three, tmp_path):
    mine = Path(shutil.copytree(three, tmp_path / "set"))
    document, seed = kites / "kite.yaml", ("--seed", 7)
    done = forge("synth", document, "--tasks", 0, *seed, "--out", mine)
    assert done.returncode == 0, done.stderr
    assert files(mine) == files(three)
    done = forge("synth", document, "--tasks", 1, *seed, "--out", mine)
    assert done.returncode == 2
    assert "forge tasks added" in done.stderr
    assert files(mine) == files(three)


# --------------------------------------------------------------------------- edited input


def test_tasks_of_an_edited_environment_are_judged_anew_and_none_is_lost(hand):
    path = hand / "envs" / "projects" / "tools.py"
    text, before = path.read_text(), lines(hand)
    edited = text.replace('status="closed", closed_at', 'status="open", closed_at')
    assert edited != text
    path.write_text(edited)
    native = ("--sandbox", "native")
    done = forge("tasks", hand, "-n", 0, *native)
    assert done.returncode == 0, done.stderr
    assert "was edited" in done.stdout
    assert "no task is made with close_task" in done.stdout
    assert "set aside: meaning" in done.stdout or "set aside: replay" in done.stdout
    assert path.read_text() == edited
    aside = (hand / "envs" / "projects" / "set_aside.jsonl").read_text().splitlines()
    assert len(aside) == 2
    assert len(lines(hand)) + len(aside) == len(before)
    assert all(gate.passed for t in read_dataset(hand).tasks() for gate in t.gates.values())
    (report,) = added(hand, "-n", 3, *native)["environments"]
    assert not report["checked"]
    assert "close_task" in report["failing_tools"]
    path.write_text(text)
    added(hand, "-n", 0, *native)
    assert set(before) <= set(lines(hand))
    assert not (hand / "envs" / "projects" / "set_aside.jsonl").exists()


def test_an_edited_task_that_passes_is_kept_as_it_is_and_one_that_does_not_is_set_aside(
    mine, three
):
    rows = [json.loads(line) for line in lines(three)]
    rows[0]["question"] = "Hello! " + rows[0]["question"]
    rows[1]["golden_calls"] = rows[1]["golden_calls"][:-1]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (mine / "tasks.jsonl").write_text(text)
    done = forge("tasks", mine, "-n", 0)
    assert done.returncode == 0, done.stderr
    assert f"{rows[1]['id']}: replay" in done.stdout
    left = [json.loads(line) for line in lines(mine)]
    assert [row["question"] for row in left] == [rows[0]["question"], rows[2]["question"]]
    assert "(edited)" in forge("show", mine, rows[0]["id"]).stdout


def test_an_edited_environment_that_cannot_be_run_is_one_line_that_says_where(mine):
    path = home_of(mine) / "tools.py"
    path.write_text("import os\n" + path.read_text())
    before = files(mine)
    line = refusal(mine)
    assert str(home_of(mine)) in line
    assert "import of 'os'" in line
    assert "forge check" in line
    assert files(mine) == before


# ------------------------------------------------------------------------ what is missing


def test_a_request_for_more_than_there_is_says_how_many_there_are_and_why(mine):
    cut_bases(mine, 5)
    done = forge("tasks", mine, "-n", 300, "--kind", "answer", "--sandbox", "native")
    assert done.returncode == 0, done.stderr
    kept = len(lines(mine))
    assert 0 < kept < 300
    assert f"only {kept} of 300: the space is exhausted" in done.stdout
    assert " proposals: " in done.stdout


def test_an_environment_on_which_no_task_passes_says_why_and_what_to_change(mine):
    path = home_of(mine) / "environment.json"
    content = json.loads(path.read_text())
    for tool in content["tools"]:
        tool.pop("effect", None)
    path.write_text(json.dumps(content))
    before = (mine / "tasks.jsonl").read_bytes()
    done = forge("tasks", mine, "-n", 5)
    assert done.returncode == 1, done.stderr
    assert "no task: the space is exhausted" in done.stdout
    assert "150 proposals: " in done.stdout
    assert "declare the effects of the tools in environment.json" in done.stdout
    assert (mine / "tasks.jsonl").read_bytes() == before


def cut_bases(dataset: Path, records: int) -> None:
    """Leaves one base state, with so many records in each table."""
    first, *others = sorted(home_of(dataset).glob("bases/*.json"))
    for other in others:
        other.unlink()
    base = json.loads(first.read_text())
    state = {name: dict(list(rows.items())[:records]) for name, rows in base["state"].items()}
    first.write_text(json.dumps(base | {"state": state}))


# --------------------------------------------------------------------------- bad requests


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--env", "projcts"], "did you mean projects?"),
        (["--difficulty", "hardest"], "easy"),
        (["--kind", "chat"], "refuse"),
        (["-n", "-1"], "--number"),
        (["--jobs", "0"], "--jobs"),
    ],
)
def test_a_wrong_request_is_one_line(arguments, said):
    assert said in refusal(HAND, *arguments)


def test_a_folder_that_is_no_data_set_is_one_line(tmp_path):
    assert "not a data set" in refusal(tmp_path)
    (tmp_path / ".unfinished").mkdir()
    assert "forge synth has not finished it" in refusal(tmp_path)
    assert "nowhere: not a data set" in refusal(tmp_path / "nowhere")


# ------------------------------------------------------------------------------- coverage


def test_write_tools_that_no_task_calls_are_named_with_what_kept_tasks_from_them(hand):
    path = hand / "envs" / "projects" / "environment.json"
    content = json.loads(path.read_text())
    for tool in content["tools"]:
        if tool["name"] == "delete_project":
            tool.pop("effect")
    path.write_text(json.dumps(content))
    (hand / "tasks.jsonl").write_text("")
    (report,) = added(hand, "-n", 30, "--sandbox", "native")["environments"]
    calls = {call.tool for task in read_dataset(hand).tasks() for call in task.golden_calls}
    writes = {tool["name"] for tool in content["tools"] if tool["kind"] == "write"}
    assert writes - calls == set(report["unused"])
    assert len(calls & writes) > len(writes) / 2
    assert report["unused"]["delete_project"] == {"its effect is not declared": 1}
