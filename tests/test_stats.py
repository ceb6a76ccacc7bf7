"""Statistics over trajectories: the formulas, what counts, and how files are read."""

import json
from itertools import pairwise
from math import isclose
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from forge.cli.main import app
from forge.dataset.rates import every_of, passed_every, rate_of, wilson
from forge.dataset.trajectories import recorded, trajectory_line
from forge.types.rollout import Trajectory

TASKS = st.lists(
    st.integers(1, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1
)


def line(task: str, reward: int | None, attempt: int = 0, **more) -> str:
    row = {
        "task": task,
        "env": more.pop("env", "shop"),
        "kind": "change",
        "band": more.pop("band", "easy"),
        "policy": "p",
        "user": "scripted",
        "seed": 0,
        "attempt": attempt,
        "question": "q",
        "steps": more.pop("steps", [{"turn": {"text": "Done.", "completion_tokens": 3}}]),
        "outcome": "done",
    }
    verdict = {} if reward is None else {"verdict": {"reward": reward}}
    return json.dumps({**row, **verdict, **more})


def failing(kind: str) -> dict:
    call = {"tool": "t", "arguments": {}}
    return {"turn": {"calls": [call]}, "results": [{"text": "{}", "failure": kind}]}


def forge(*arguments):
    return CliRunner().invoke(app, ["stats", *map(str, arguments)])


def told(tmp_path: Path, lines: list[str], *arguments) -> dict:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f"{each}\n" for each in lines))
    result = forge(path, "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


# -------------------------------------------------------------------- formulas


@pytest.mark.parametrize(
    ("passed", "count", "low", "high"),
    [(8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (1, 2, 0.0945, 0.9055)],
)
def test_the_interval_of_a_share_is_wilsons(passed, count, low, high):
    found = wilson(passed, count)
    assert isclose(found[0], low, abs_tol=1e-4)
    assert isclose(found[1], high, abs_tol=1e-4)


def test_pass_k_is_the_chance_that_k_drawn_attempts_all_pass():
    assert passed_every([(2, 4)], 2) == 1 / 6
    assert passed_every([(2, 4), (4, 4)], 2) == (1 / 6 + 1) / 2
    assert passed_every([(2, 4), (1, 1)], 1) == 0.75
    assert passed_every([(1, 1)], 2) is None


def test_the_interval_of_pass_k_counts_k_attempts_as_one_trial():
    tasks = [(2, 4), (4, 4), (0, 4)]
    assert every_of(tasks, 1) == rate_of(tasks)
    once, whole = every_of(tasks, 2), every_of(tasks, 4)
    assert once is not None and whole is not None
    assert once.low < once.value < once.high
    assert (whole.low, whole.high) == wilson(1, 3)
    assert every_of([(1, 1)], 2) is None


def test_attempts_at_one_task_are_no_independent_trials():
    alike = rate_of([(4, 4)] * 5 + [(0, 4)] * 5)
    spread = rate_of([(2, 4)] * 10)
    assert alike.value == spread.value == 0.5
    assert alike.high - alike.low > spread.high - spread.low


@given(TASKS)
def test_a_rate_lies_in_its_interval_and_pass_k_falls_with_k(tasks):
    rate = rate_of(tasks)
    assert 0 <= rate.low <= rate.value + 1e-9
    assert rate.value - 1e-9 <= rate.high <= 1
    most = min(attempts for _, attempts in tasks)
    powers = [passed_every(tasks, k) for k in range(1, most + 1)]
    assert all(one >= other - 1e-12 for one, other in pairwise(powers))
    assert isclose(powers[0], rate.value)


# ------------------------------------------------------------------- what counts


def test_a_task_counts_once_however_many_attempts_it_had(tmp_path):
    rows = [line("a", 1, n) for n in range(3)] + [line("b", 0)]
    (group,) = told(tmp_path, rows)["groups"]
    assert (group["rate"]["value"], group["tasks"], group["rollouts"]) == (0.5, 2, 4)


def test_what_could_not_be_scored_is_in_no_rate(tmp_path):
    rows = [line("a", 1), line("b", None, outcome="lost"), line("c", None, outcome="broken")]
    (group,) = told(tmp_path, rows)["groups"]
    assert (group["rate"]["value"], group["rollouts"], group["scored"]) == (1.0, 3, 1)
    assert group["outcomes"] == {"broken": 1, "done": 1, "lost": 1}


def test_errors_of_tools_are_counted_by_kind(tmp_path):
    steps = [failing("invalid"), failing("invalid"), failing("not_found")]
    (group,) = told(tmp_path, [line("a", 0, steps=steps), line("b", 1)])["groups"]
    assert group["errors"] == {"invalid": 2, "not_found": 1}
    assert group["steps"] == 2


def test_a_task_whose_tools_break_in_more_than_one_rollout_of_a_hundred_is_in_quarantine(tmp_path):
    rows = [line("sick", 0, 0, steps=[failing("internal")])]
    rows += [line("sick", 1, n) for n in range(1, 99)] + [line("well", 1, n) for n in range(99)]
    rows += [
        line("seldom", 1, n, steps=[failing("internal")] if n == 7 else []) for n in range(100)
    ]
    assert told(tmp_path, rows)["quarantine"] == ["sick"]


def test_groups_come_by_what_is_asked_for(tmp_path):
    rows = [line("a", 1, env="shop", band="hard"), line("b", 0, env="farm", band="easy")]
    for by, names in (("env", ["farm", "shop"]), ("difficulty", ["easy", "hard"])):
        groups = told(tmp_path, rows, "--by", by)["groups"]
        assert [group["group"] for group in groups] == ["all", *names]


def test_the_rates_of_tasks_are_written_for_curricula(tmp_path):
    rows = [line("b", 1), line("a", 1), line("a", 0, 1)]
    told(tmp_path, rows, "--rates", tmp_path / "rates.jsonl")
    written = [json.loads(each) for each in (tmp_path / "rates.jsonl").read_text().splitlines()]
    assert [(w["task"], w["attempts"], w["rate"]) for w in written] == [
        ("a", 2, 0.5),
        ("b", 1, 1.0),
    ]


# ----------------------------------------------------------------------- files


def test_a_line_that_is_being_written_is_passed_over(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(line("a", 1) + "\n" + line("b", 0)[:50])
    assert json.loads(forge(path, "--json").stdout)["groups"][0]["rollouts"] == 1


@pytest.mark.parametrize("text", ["", "{}\n", "[1]\n", "nonsense\n", '{"task": "a"}\n'])
def test_a_file_of_something_else_is_one_line(tmp_path, text):
    path = tmp_path / "t.jsonl"
    path.write_text(text)
    result = forge(path)
    assert result.exit_code == 2
    (said,) = result.stderr.splitlines()
    assert "t.jsonl" in said


def test_several_files_are_read_together(tmp_path):
    (tmp_path / "1.jsonl").write_text(line("a", 1) + "\n")
    (tmp_path / "2.jsonl").write_text(line("b", 0) + "\n")
    result = forge(tmp_path / "1.jsonl", tmp_path / "2.jsonl", "--json")
    assert json.loads(result.stdout)["groups"][0]["tasks"] == 2


def test_a_picture_under_a_name_that_is_not_of_svg_is_refused_and_nothing_is_written(tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text("")
    done = CliRunner().invoke(app, ["stats", str(rows), "--plot", str(tmp_path / "a.png")])
    assert done.exit_code == 2
    assert f"--plot {tmp_path / 'a.svg'}" in done.stderr
    assert not (tmp_path / "a.png").exists()


def test_the_plot_is_svg_in_which_names_are_text(tmp_path):
    out = tmp_path / "p.svg"
    told(tmp_path, [line("a", 1, env="<script>")], "--by", "env", "--plot", out)
    tree = ElementTree.fromstring(out.read_text())
    texts = [each.text for each in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert "<script>" in texts
    assert not list(tree.iter("{http://www.w3.org/2000/svg}script"))


def test_a_rollout_that_was_played_again_after_it_was_lost_counts_once(tmp_path):
    lines = [line("a", None, outcome="lost"), line("a", 1)]
    assert told(tmp_path, lines)["groups"][0]["rollouts"] == 1


def test_a_file_that_is_named_twice_counts_once(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(line("a", 1) + "\n")
    assert json.loads(forge(path, path, "--json").stdout)["groups"][0]["rollouts"] == 1


def test_several_policies_and_manners_of_playing_are_apart(tmp_path):
    lines = [line("a", 1), line("a", 0, settings={"faults": 0.1}), line("a", 0, policy="q")]
    found = told(tmp_path, lines)["groups"]
    assert [(each["group"], each["rate"]["value"]) for each in found[1:]] == [
        ("p", 1.0),
        ("p --faults 0.1", 0.0),
        ("q", 0.0),
    ]
    found = told(tmp_path, lines, "--by", "env")["groups"]
    assert [each["group"] for each in found[1:]] == [
        "shop, p",
        "shop, p --faults 0.1",
        "shop, q",
    ]


def test_a_rollout_in_which_no_token_was_written_counts_in_the_mean(tmp_path):
    lines = [line("a", 1), line("b", 1, steps=[{"turn": {"text": "Done."}}])]
    assert told(tmp_path, lines)["groups"][0]["completion_tokens"] == 1.5


@pytest.mark.parametrize(
    "wrong",
    [
        {"verdict": {"reward": 7}},
        {"verdict": None},
        {"outcome": "nonsense"},
        {"outcome": "lost"},
        {"attempt": "x"},
        {"steps": 7},
        {"question": "\ud83d"},
    ],
)
def test_no_whole_line_is_left_out_of_the_rates_unsaid(tmp_path, wrong):
    path = tmp_path / "t.jsonl"
    path.write_text(f"{line('a', 1)}\n{json.dumps({**json.loads(line('b', 0)), **wrong})}\n")
    result = forge(path)
    assert result.exit_code == 2
    assert "t.jsonl:2" in result.stderr


def test_a_rollout_in_which_half_a_character_was_written_can_be_read_again(tmp_path):
    row = json.loads(line("a", 0, steps=[{"turn": {"text": "half \ud83d"}}]))
    (tmp_path / "t.jsonl").write_bytes(trajectory_line(Trajectory.model_validate(row)))
    found = recorded(tmp_path / "t.jsonl").find("a", 0)
    assert found.steps[0].turn.text == "half \N{REPLACEMENT CHARACTER}"
    result = forge(tmp_path / "t.jsonl", "--json")
    assert json.loads(result.stdout)["groups"][0]["rollouts"] == 1
