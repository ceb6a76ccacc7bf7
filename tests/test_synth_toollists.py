"""`forge synth` on tool lists, end to end: a server's, and one of a known benchmark."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from forge.dataset.environments import read_environment
from forge.dataset.folder import read_dataset
from tests.places import CORPUS

GITHUB = CORPUS / "mcp-toolslists" / "github.json"
LINEAR = CORPUS / "mcp-toolslists" / "linear.json"
MEMORY = CORPUS / "tools-bfcl" / "memory_kv.json"


def forge(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "forge", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    out = tmp_path_factory.mktemp("lists") / "out"
    done = forge("synth", LINEAR, MEMORY, "--out", out, "--tasks", 2, "--jobs", 1, "--json")
    assert done.returncode == 0, done.stderr
    return out, done


@pytest.fixture(scope="module")
def report(made: tuple[Path, subprocess.CompletedProcess[str]]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(made[1].stdout)
    return found


def test_tool_lists_become_environments_with_tasks(report):
    kept = {each["environment"]: each["kept"] for each in report["environments"]}
    assert kept == {"linear": 2, "memory_kv": 2}
    for each in report["environments"]:
        assert each["implemented"] + len(each["left_out"]) == each["operations"]


def test_what_has_a_key_of_several_parts_is_named_by_all_of_them_once(tmp_path):
    out = tmp_path / "out"
    done = forge("synth", GITHUB, "--out", out, "--tasks", 3, "--jobs", 1)
    assert done.returncode == 0, done.stderr
    questions = [task.question for task in read_dataset(out).tasks()]
    assert len(questions) == 3
    for question in questions:
        named = re.findall(r"the repository \S+ of \w+ \w+", question)
        assert len(named) == question.count("the repository")


def test_what_is_made_from_a_benchmark_says_so_everywhere(made, report):
    out, done = made
    named = {each["document"]: each["overlaps"] for each in report["documents"]}
    assert named["linear.json"] == []
    assert "BFCL memory kv" in named["memory_kv.json"]
    assert "BFCL memory kv" in done.stderr
    assert "BFCL memory kv" in read_environment(out / "envs" / "memory_kv").overlaps
    assert read_environment(out / "envs" / "linear").overlaps == ()
    entry = json.loads((out / "dataset.json").read_text())["environments"]["memory_kv"]
    assert "BFCL memory kv" in entry["overlaps"]
    card = (out / "README.md").read_text()
    assert "Leave them out of training" in card
    assert "BFCL memory kv" in card
    for arguments in (("list", out), ("show", out), ("show", out, "memory_kv")):
        assert "BFCL memory kv" in forge(*arguments).stdout


def test_a_data_set_with_no_benchmark_in_it_does_not_speak_of_one(tmp_path):
    done = forge("synth", LINEAR, "--out", tmp_path / "out", "--tasks", 0, "--jobs", 1)
    assert done.returncode == 0, done.stderr
    assert "benchmark" not in (tmp_path / "out" / "README.md").read_text()


def test_a_list_that_no_tool_can_be_made_from_is_an_error_that_says_why():
    done = forge("synth", CORPUS / "tools-bfcl" / "math_api.json", "--out", "/nowhere/at/all")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("forge: ")
    assert "no operation could be made into a tool" in done.stderr
