"""Benchmarks as they are: `pytest -m bench_root --bench-root FOLDER`, which holds their checkouts,
each under the name that `forge bench` has for it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from forge.cli.main import app
from tests.places import CORPUS
from tests.test_bench import found

pytestmark = pytest.mark.bench_root


def test_all_gold_of_tau_bench_passes_and_doing_nothing_earns_what_it_is_known_to(
    bench_root: Path,
) -> None:
    report = found("tau-bench", "--root", bench_root / "tau-bench", "--gold", "--split", "all")
    assert {each["name"]: (each["gold"], each["tasks"]) for each in report["groups"]} == {
        "all": (685, 685),
        "airline test": (50, 50),
        "retail dev": (20, 20),
        "retail test": (115, 115),
        "retail train": (500, 500),
    }
    noop = {each["name"]: each["noop"] for each in report["groups"]}
    assert (noop["airline test"], noop["retail test"]) == (19, 7)


def test_gold_of_acebench_passes_as_its_own_scorer_gives(bench_root: Path) -> None:
    for lang, passed in (("en", 28), ("zh", 40)):
        where = ("--root", bench_root / "acebench", "--domain", lang, "--split", "agent")
        (whole, *_) = found("acebench", *where, "--gold")["groups"]
        assert (whole["gold"], whole["noop"], whole["tasks"]) == (passed, 0, 50)


def test_all_gold_of_bfcl_multi_turn_passes_its_checker(bench_root: Path) -> None:
    (whole, *_) = found("bfcl", "--root", bench_root / "bfcl", "--gold")["groups"]
    assert (whole["gold"], whole["tasks"]) == (800, 800)


@pytest.mark.parametrize(
    ("domain", "tasks", "noop"),
    [("airline", 50, 23), ("retail", 114, 11), ("telecom", 114, 0), ("banking_knowledge", 97, 0)],
)
def test_all_gold_of_tau2_bench_passes(
    domain: str, tasks: int, noop: int, bench_root: Path
) -> None:
    where = ("--root", bench_root / "tau2-bench", "--domain", domain)
    (group,) = found("tau2-bench", *where, "--gold")["groups"]
    assert (group["gold"], group["noop"], group["tasks"]) == (tasks, noop, tasks)


def test_an_environment_of_bfcls_documents_does_what_its_class_does(
    bench_root: Path, tmp_path: Path
) -> None:
    document = CORPUS / "tools-bfcl" / "posting_api.json"
    made = CliRunner().invoke(app, ["synth", str(document), "--tasks", "1", "--out", str(tmp_path)])
    assert made.exit_code == 0, made.stderr
    where = ("--against", "bfcl:TwitterAPI", "--root", str(bench_root / "bfcl"))
    done = CliRunner().invoke(app, ["fidelity", str(tmp_path), *where, "--json"])
    assert done.exit_code == 0, done.stderr
    golden = [tool["golden"] for tool in json.loads(done.stdout)["tools"] if not tool["why"]]
    assert sum(tally["calls"] for tally in golden) == 42
    assert all(tally["same"] == tally["calls"] for tally in golden)
