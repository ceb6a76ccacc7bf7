"""Pages of files of trajectories: the list, a rollout as a dialogue, two of them side by side."""

import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from forge.dataset.trajectories import trajectories_in, trajectory_line
from forge.types.rollout import (
    Result,
    Slip,
    Step,
    Summary,
    Tokens,
    ToolCall,
    Trajectory,
    Turn,
    Unsaid,
    Verdict,
    View,
)
from tests.browsing import asking, forge, sample


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    """A folder with the sample, and what oracle and random did in it."""
    home = tmp_path_factory.mktemp("played")
    data = sample(home)
    for policy, *more in (("oracle",), ("random", "-r", 2, "--max-steps", 6)):
        done = forge(
            *("rollout", data, "--policy", policy, "--env", "projects", *more),
            *("--out", home / f"{policy}.jsonl"),
        )
        assert done.exit_code == 0, done.output
    return home


@pytest.fixture
def pages(played) -> TestClient:
    return asking(played / "sample", played / "oracle.jsonl", played / "random.jsonl")


@pytest.fixture
def task(played) -> str:
    return next(trajectories_in(played / "oracle.jsonl")).task


def written(path: Path, *trajectories: Trajectory) -> Path:
    path.write_bytes(b"".join(map(trajectory_line, trajectories)))
    return path


def of(played: Path, **changes: object) -> Trajectory:
    first = next(trajectories_in(played / "oracle.jsonl"))
    return first.model_copy(update={"policy": "p", **changes})


def text_of(pages: TestClient, address: str) -> str:
    found = pages.get(address)
    assert found.status_code == 200, found.text
    return found.text


def test_the_list_has_every_rollout_and_the_pass_rate(pages, played):
    number = len(list(trajectories_in(played / "random.jsonl")))
    text = text_of(pages, "/random/index.html")
    assert f">{number} rollouts;" in text
    assert text.count('href="rollouts/') == number
    assert "0.000" in text
    assert "1.000" in text_of(pages, "/oracle/index.html")


def test_the_list_is_searched_and_filtered(pages, task):
    text = text_of(pages, f"/random/index.html?q={task.upper()}")
    assert set(re.findall(r'href="rollouts/([^"]+)"', text)) == {f"{task}.0.html", f"{task}.1.html"}
    assert 'href="rollouts/' not in text_of(pages, "/random/index.html?reward=1")
    assert "0 rollouts of " in text_of(pages, "/random/index.html?env=nowhere")


def test_a_long_list_comes_in_parts_that_keep_the_filter(played, tmp_path):
    many = [of(played, attempt=number) for number in range(120)]
    pages = asking(written(tmp_path / "many.jsonl", *many))
    first = text_of(pages, "/many/index.html?reward=1")
    assert first.count('href="rollouts/') == 50
    assert 'rel="next" href="part-2.html?reward=1"' in first
    last = text_of(pages, "/many/part-3.html?reward=1")
    assert last.count('href="rollouts/') == 20
    assert pages.get("/many/part-4.html").status_code == 404


def test_a_line_that_is_torn_or_no_trajectory_is_told_and_the_rest_is_shown(played, tmp_path):
    path = written(tmp_path / "torn.jsonl", of(played))
    pages = asking(path)
    with path.open("ab") as file:
        file.write(b'{"task": 1}\nnull\n{"task": "x", "ste')
    text = text_of(pages, "/torn/index.html")
    assert "line 2 is no trajectory" in text
    assert "line 4 is not whole" in text
    assert text.count('href="rollouts/') == 1


def test_what_is_written_meanwhile_is_there_at_the_next_look(played, tmp_path):
    path = written(tmp_path / "grows.jsonl", of(played))
    pages = asking(path)
    assert text_of(pages, "/grows/index.html").count('href="rollouts/') == 1
    written(path, of(played), of(played, attempt=1))
    assert text_of(pages, "/grows/index.html").count('href="rollouts/') == 2


def test_a_rollout_shows_its_calls_folded_with_arguments_and_results(pages, played, task):
    text = text_of(pages, f"/oracle/rollouts/{task}.0.html")
    first = next(trajectories_in(played / "oracle.jsonl"))
    called = [call.tool for step in first.steps for call in step.turn.calls]
    assert text.count('<details class="call') == len(called)
    assert '<details class="call" open' not in text
    assert all(f"<code>{tool}</code>" in text for tool in called)
    assert "reward 1" in text


def test_a_rollout_says_why_it_earned_nothing(played, tmp_path):
    verdict = Verdict(reward=0, unsaid=(Unsaid(wish=0, expected=3, others=(4,)),))
    pages = asking(written(tmp_path / "x.jsonl", of(played, verdict=verdict, task="t")))
    text = text_of(pages, "/x/rollouts/t.0.html")
    assert "reward 0" in text
    assert "<li>not said: 3, but 4</li>" in text


def test_a_rollout_that_was_lost_is_not_scored_and_says_why(played, tmp_path):
    lost = of(played, verdict=None, outcome="lost", reason="no answer", task="t")
    text = text_of(asking(written(tmp_path / "x.jsonl", lost)), "/x/rollouts/t.0.html")
    assert "not scored" in text
    assert "lost (no answer)" in text


def test_user_errors_stand_at_the_turn_and_at_the_opening(played, tmp_path):
    step = Step(turn=Turn(text="When?"), user="On Friday.")
    slips = (
        Slip(turn=0, rule="invents", reason="no fact has Friday"),
        Slip(turn=-1, rule="says an id", reason="prj_1 is internal", by="judge"),
    )
    erred = of(played, steps=(step,), user_errors=slips, task="t")
    pages = asking(written(tmp_path / "x.jsonl", erred))
    text = text_of(pages, "/x/rollouts/t.0.html")
    opening, turn = text.split('<ol class="steps">')
    assert "prj_1 is internal" in opening
    assert "no fact has Friday" in turn
    assert "user erred" in text_of(pages, "/x/index.html")


def test_a_rollout_shows_which_tokens_are_trained_on(played, tmp_path):
    tokens = Tokens(prompt=(5, 6, 7), response=(8, 9), logprobs=(-0.25, -0.75))
    turn = Turn(text="hello", prompt_tokens=3, completion_tokens=2, tokens=tokens)
    shown = of(played, steps=(Step(turn=turn),), task="t")
    text = text_of(asking(written(tmp_path / "x.jsonl", shown)), "/x/rollouts/t.0.html")
    assert "read 3 tokens, 3 of them new; wrote 2" in text
    assert "Row 1: 5 tokens, 2 of them trained on" in text
    assert re.search(r"<td>yes</td>.*-0\.500</td><td[^>]*>8 9<", text)


def test_a_rollout_without_tokens_says_so(pages, task):
    assert "this rollout has no tokens" in text_of(pages, f"/oracle/rollouts/{task}.0.html")


def test_tokens_that_do_not_fit_together_are_told(played, tmp_path):
    torn = Turn(tokens=Tokens(held=9, prompt=(), response=(), logprobs=()))
    text = text_of(
        asking(written(tmp_path / "x.jsonl", of(played, steps=(Step(turn=torn),), task="t"))),
        "/x/rollouts/t.0.html",
    )
    assert "a sampling holds 9 of 0 ids" in text


def test_what_was_summed_up_or_cut_before_a_turn_is_told_there(played, tmp_path):
    summary = Summary(text="The order is ord_1.", upto=2)
    views = (None, None, View(first=2, cut=1, summary=summary))
    steps = tuple(Step(turn=Turn(text="And?", view=view)) for view in views)
    pages = asking(written(tmp_path / "x.jsonl", of(played, steps=steps, task="t")))
    last = text_of(pages, "/x/rollouts/t.0.html").split('id="step-3"')[1]
    assert "read turns from 3 on" in last
    assert "1 result was cut" in last
    assert "Summed up turns 1 to 2" in last
    assert "The order is ord_1." in last


def test_two_rollouts_of_a_task_stand_side_by_side(pages, task):
    text = text_of(pages, f"/random/rollouts/{task}.0/beside/oracle/{task}.0.html")
    assert "random, attempt 0" in text
    assert "oracle, attempt 0" in text
    assert 'class="only-left"' in text
    same = text_of(pages, f"/oracle/rollouts/{task}.0/beside/oracle/{task}.0.html")
    number = same.count('class="same"')
    assert number and f"{number} of {number} rows are the same" in same


def test_two_rollouts_of_different_tasks_are_not_put_side_by_side(pages, played):
    one, other = [each.task for each in trajectories_in(played / "oracle.jsonl")][:2]
    found = pages.get(f"/oracle/rollouts/{one}.0/beside/random/{other}.0.html")
    assert found.status_code == 404
    assert "not of one task" in found.text


def test_the_oracle_makes_the_golden_calls(pages, task):
    text = text_of(pages, f"/oracle/rollouts/{task}.0/golden.html")
    assert "golden calls" in text
    assert 'class="same"' in text
    assert 'class="only-right"' not in text
    assert 'class="other-arguments"' not in text


def test_without_the_data_set_there_are_no_golden_calls_and_the_page_says_so(played, task):
    pages = asking(played / "oracle.jsonl")
    assert "browse its data set together with it" in text_of(
        pages, f"/oracle/rollouts/{task}.0.html"
    )
    assert pages.get(f"/oracle/rollouts/{task}.0/golden.html").status_code == 404


def test_what_an_agent_wrote_is_text_and_never_markup(played, tmp_path):
    evil = "<script>alert(1)</script>"
    call = ToolCall(tool=evil, arguments={evil: evil}, fault=evil)
    turn = Turn(text=evil, thinking=evil, raw=evil, calls=(call,))
    steps = (Step(turn=turn, results=(Result(text=evil, bug=evil),), user=evil),)
    slips = (Slip(turn=0, rule="invents", reason=evil),)
    hostile = of(
        played, task=evil, env=evil, policy=evil, question=evil, steps=steps, user_errors=slips
    )
    pages = asking(
        written(tmp_path / "x.jsonl", hostile, hostile.model_copy(update={"attempt": 1}))
    )
    listing = text_of(pages, "/x/index.html")
    address = re.search(r'href="(rollouts/task-[0-9a-f]{16}\.0)\.html"', listing)[1]
    name = address.partition("/")[2]
    other = name.replace(".0", ".1")
    for text in (
        listing,
        text_of(pages, f"/x/{address}.html"),
        text_of(pages, f"/x/{address}/beside/x/{other}.html"),
    ):
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert(1)" in text


def test_half_of_a_character_is_shown_as_a_replacement(played, tmp_path):
    row = json.loads(trajectory_line(of(played, task="t")))
    row["policy"] = "\ud800"
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(of(played).model_dump(mode="json")) + "\n" + json.dumps(row) + "\n")
    assert "\N{REPLACEMENT CHARACTER}" in text_of(asking(path), "/x/index.html")


def test_a_rollout_that_is_not_there_is_a_page_that_says_so(pages):
    found = pages.get("/oracle/rollouts/nothing.0.html")
    assert found.status_code == 404
    assert "there is no rollout" in found.text


def test_rollouts_are_paged_by_links_to_those_before_and_behind(pages, played):
    first, second, *_ = [each.task for each in trajectories_in(played / "oracle.jsonl")]
    text = text_of(pages, f"/oracle/rollouts/{first}.0.html")
    assert f'rel="next" href="{second}.0.html"' in text
    assert 'rel="prev"' not in text


def test_the_export_has_every_rollout_and_each_beside_others(played, tmp_path):
    out = tmp_path / "site"
    done = forge(
        *("browse", played / "sample", played / "oracle.jsonl", played / "random.jsonl"),
        *("--export", out),
    )
    assert done.exit_code == 0, done.output
    pages = sorted((out / "random").rglob("*.html"))
    task = next(trajectories_in(played / "oracle.jsonl")).task
    assert out / "random" / "rollouts" / f"{task}.1.html" in pages
    assert (
        out / "random" / "rollouts" / f"{task}.0" / "beside" / "oracle" / f"{task}.0.html" in pages
    )
    for page in pages:
        text = page.read_text()
        lists = page.parent == out / "random"  # it is searched by a script, which shows its form
        assert text.count("<form") == text.count('role="search" hidden>') == lists
        for link in re.findall(r'(?:href|src)="([^"#?]+)', text):
            assert (page.parent / link).is_file(), (page, link)
