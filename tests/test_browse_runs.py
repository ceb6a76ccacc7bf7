"""Pages of runs of training: curves, alarms, rollouts that were kept, two runs compared; while a
run goes on, and without the packages that train."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from forge.browse.chart import chart, number, plain
from forge.dataset.trajectories import trajectories_in
from forge.train.alarms import Alarm, alarms
from forge.train.curves import Line
from forge.train.recipe import Recipe, Sft
from forge.train.record import Kept, Record, Tried, begin
from forge.types.rollout import Trajectory
from tests.browsing import asking, forge, sample

DATA = f"1:{'a' * 64}"


def recipe_of(**keys: object) -> Recipe:
    return Recipe.model_validate({"model": "m", "data": "d", "steps": 40, **keys})


@contextmanager
def began(folder: Path, **keys: object) -> Iterator[Record]:
    with begin(folder, recipe_of(**keys), data=DATA, steps=40, resume=False) as record:
        yield record


def passing(number: int) -> list[Tried]:
    return [Tried(f"t{each}", "shop", each < number) for each in range(10)]


def numbers(n: int, **more: float) -> dict[str, float]:
    usual = {"reward": 0.2 + n / 100, "reward_error": 0.05, "seconds": 2.0}
    rollouts = {"rollouts/spread": 0.4, "rollouts/trained": 1.0, "rollouts/cut": 0.0}
    return {**usual, **rollouts, **more}


def rollout(task: str = "t1", **more: object) -> Trajectory:
    said = {"turn": {"text": "Done."}, "user": "Thanks."}
    return Trajectory.model_validate(
        {
            **{"task": task, "env": "shop", "kind": "change", "band": "easy", "policy": "p"},
            **{"user": "scripted", "seed": 0, "attempt": 0, "question": "Close it."},
            **{"steps": [said], "outcome": "done", "verdict": {"reward": 0}, **more},
        }
    )


def a_run(folder: Path, steps: int = 40, **keys: object) -> Path:
    with began(folder, **keys) as record:
        record.evaluated(0, passing(2))
        for n in range(1, steps + 1):
            if n == 1 or n % 20 == 0:
                record.samples(n, [Kept(1.0, 0.5, rollout()), Kept(0.0, None, rollout())])
            record.step(n, numbers(n))
            if n % 20 == 0:
                record.evaluated(n, passing(2 + n // 10))
        if steps == 40:
            record.finish()
    return folder


def text_of(pages: TestClient, address: str) -> str:
    found = pages.get(address)
    assert found.status_code == 200, found.text
    return found.text


# ------------------------------------------------------------------------ the page of a run


def test_a_run_shows_its_curves_with_bands_and_intervals(tmp_path):
    text = text_of(asking(a_run(tmp_path / "one")), "/one/index.html")
    assert "done, 40 steps" in text
    assert "Reward in training by step: one from 0." in text
    assert '<path class="band c0"' in text
    assert "one, step 40: 60% (31% to 83%)" in text
    assert "Alarm" not in text


def test_the_last_measurement_is_told_by_environment(tmp_path):
    with began(tmp_path / "one") as record:
        record.step(1, numbers(1))
        record.evaluated(1, [Tried("a", "shop", True), Tried("b", "library", False)])
    text = text_of(asking(tmp_path / "one"), "/one/index.html")
    assert re.search(r"<td>library</td><td[^>]*>1</td><td>0\.000", text)
    assert re.search(r"<td>shop</td><td[^>]*>1</td><td>1\.000", text)


def test_a_run_says_what_goes_wrong_and_since_when(tmp_path):
    with began(tmp_path / "bad") as record:
        for n in range(1, 31):
            record.step(n, numbers(n, **{"rollouts/cut": 0.9 if n > 9 else 0.1}))
    text = text_of(asking(tmp_path / "bad"), "/bad/index.html")
    assert "Alarm, as of step 14" in text
    assert "most rollouts met a limit" in text
    assert text.count('<line class="flag"') == 1


def test_a_run_without_a_step_says_so(tmp_path):
    with began(tmp_path / "new"):
        pass
    assert "No step is done yet" in text_of(asking(tmp_path / "new"), "/new/index.html")


def test_a_cold_start_has_curves_of_what_it_measures_and_no_alarms(tmp_path):
    recipe = Sft.model_validate({"model": "m", "data": "d"})
    with begin(tmp_path / "sft", recipe, data=DATA, steps=9, resume=False) as record:
        for n in range(1, 10):
            record.step(n, {"loss": 1 / n})
    text = text_of(asking(tmp_path / "sft"), "/sft/index.html")
    assert "loss by step" in text
    assert "Reward in training" not in text
    assert "Alarm" not in text


def test_a_torn_last_line_of_the_metrics_is_passed_over(tmp_path):
    run = a_run(tmp_path / "one", steps=10)
    with (run / "metrics.jsonl").open("a") as file:
        file.write('{"step": 11, "rew')
    assert "stopped at step 10 of 40" in text_of(asking(run), "/one/index.html")


def test_a_line_that_is_none_of_a_run_is_a_page_that_names_it(tmp_path):
    run = a_run(tmp_path / "one", steps=10)
    with (run / "metrics.jsonl").open("a") as file:
        file.write("[]\n")
    found = asking(run).get("/one/index.html")
    assert found.status_code == 503
    assert "metrics.jsonl:11" in found.text


def test_a_number_that_is_none_is_not_drawn(tmp_path):
    with began(tmp_path / "one") as record:
        for n in range(1, 6):
            record.step(n, numbers(n, loss=float("nan") if n == 3 else 1.0))
    text = text_of(asking(tmp_path / "one"), "/one/index.html")
    assert "nan" not in text.lower()
    loss = text[text.index("<caption>loss, one</caption>") :]
    assert loss[: loss.index("</table>")].count("<tr>") == 1 + 4


def test_a_run_that_goes_on_is_followed_and_one_that_is_done_is_not(tmp_path):
    with began(tmp_path / "now") as record:
        record.step(1, numbers(1))
        pages = asking(tmp_path / "now")
        text = text_of(pages, "/now/index.html")
        assert "running, at step 1 of 40" in text
        assert 'hx-get="index.html" hx-trigger="every 3s"' in text
        record.step(2, numbers(2))
        assert "running, at step 2 of 40" in text_of(pages, "/now/index.html")
        record.finish()
    assert "hx-get" not in text_of(pages, "/now/index.html")


def test_the_page_of_a_run_needs_no_package_that_trains(tmp_path):
    run = a_run(tmp_path / "one")
    code = (
        "import sys\n"
        "for name in ('torch', 'transformers', 'trl', 'accelerate', 'matplotlib'):\n"
        "    sys.modules[name] = None\n"
        "from pathlib import Path\n"
        "from tests.browsing import asking\n"
        f"print(asking(Path({str(run)!r})).get('/one/index.html').status_code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "200", done.stderr


# ------------------------------------------------------------------ rollouts that were kept


def test_the_steps_with_rollouts_are_linked_and_paged(tmp_path):
    pages = asking(a_run(tmp_path / "one"))
    run = text_of(pages, "/one/index.html")
    assert re.findall(r'href="samples/(\d+)\.html"', run) == ["1", "20", "40"]
    step = text_of(pages, "/one/samples/20.html")
    assert 'rel="prev" href="1.html"' in step
    assert 'rel="next" href="40.html"' in step
    assert "2 rollouts of 1 question" in step
    assert "+0.500" in step
    assert "not trained on" in step


def test_a_kept_rollout_is_a_dialogue_with_its_advantage(tmp_path):
    pages = asking(a_run(tmp_path / "one"))
    assert "advantage +0.500" in text_of(pages, "/one/samples/20/1.html")
    text = text_of(pages, "/one/samples/20/2.html")
    assert "not trained on" in text
    assert "Close it." in text
    assert 'href="2/beside/1.html"' in text


def test_two_rollouts_of_a_question_stand_side_by_side(tmp_path):
    text = text_of(asking(a_run(tmp_path / "one")), "/one/samples/20/2/beside/1.html")
    assert "one, step 20, rollout 2" in text
    assert "1 of 1 rows are the same" in text


@pytest.mark.parametrize(
    "address", ["2.html", "20/3.html", "20/0.html", "x.html", "20/2/beside/9.html"]
)
def test_a_step_or_a_rollout_that_was_not_kept_is_not_found(tmp_path, address):
    found = asking(a_run(tmp_path / "one")).get(f"/one/samples/{address}")
    assert found.status_code == 404
    assert 'role="alert"' in found.text


def test_a_kept_rollout_is_beside_the_golden_calls_of_a_data_set_that_is_browsed(tmp_path):
    data = sample(tmp_path)
    out = tmp_path / "o.jsonl"
    assert forge("rollout", data, "--policy", "oracle", "-n", 1, "--out", out).exit_code == 0
    (played,) = trajectories_in(out)
    with began(tmp_path / "one") as record:
        record.samples(1, [Kept(1.0, 0.5, played)])
    text = text_of(asking(data, tmp_path / "one"), "/one/samples/1/1/golden.html")
    assert 'class="same"' in text
    assert 'class="only-right"' not in text


def test_a_kept_rollout_that_cannot_be_read_is_told_and_the_others_are_exported(tmp_path):
    run = a_run(tmp_path / "one")
    with (run / "samples.jsonl").open("a") as file:
        file.write('{"step": 41, "trajectory": null}\n{"step": 42, "traj')
    found = asking(run).get("/one/samples/41.html")
    assert found.status_code == 503
    assert "samples.jsonl: at byte" in found.text
    out = tmp_path / "site"
    assert forge("browse", run, "--export", out).exit_code == 0
    assert (out / "one" / "samples" / "40" / "2" / "beside" / "1.html").is_file()
    assert "Cannot be shown" in (out / "one" / "samples" / "41.html").read_text()
    assert not (out / "one" / "samples" / "42.html").exists()


def test_what_a_policy_in_training_wrote_is_text(tmp_path):
    evil = "<script>alert(1)</script>"
    with began(tmp_path / "one") as record:
        steps = [{"turn": {"text": evil, "raw": evil}, "user": evil}]
        record.samples(1, [Kept(0.0, None, rollout(evil, question=evil, steps=steps))])
        record.step(1, {**numbers(1), evil: 1.0})
    pages = asking(tmp_path / "one")
    for address in ("index.html", "samples/1.html", "samples/1/1.html"):
        text = text_of(pages, f"/one/{address}")
        assert "<script>alert" not in text
        assert "&lt;script&gt;" in text


# ------------------------------------------------------------------------- two runs compared


def test_two_runs_are_drawn_together_and_compared_on_the_same_tasks(tmp_path):
    one = a_run(tmp_path / "runs" / "one")
    with began(tmp_path / "runs" / "two", algorithm="grpo", seed=7) as record:
        record.step(1, numbers(1))
        record.evaluated(1, passing(9))
    pages = asking(tmp_path / "runs")
    assert 'href="beside/two.html"' in text_of(pages, "/one/index.html")
    text = text_of(pages, "/one/beside/two.html")
    assert text.count('class="curve c1"') > 1
    assert "on the 10 tasks that both have, two is +0.300" in text
    told = text[text.index("What they were told") :]
    assert "<td>erpo</td><td>grpo</td>" in told
    assert "<code>seed</code>" in told
    assert "<code>rollouts.group</code>" not in told
    assert pages.get(f"/one/beside/{one.name}.html").status_code == 404


def test_runs_that_were_measured_on_other_tasks_share_none(tmp_path):
    a_run(tmp_path / "runs" / "one")
    with began(tmp_path / "runs" / "two") as record:
        record.evaluated(0, [Tried("other", "shop", True)])
    text = text_of(asking(tmp_path / "runs"), "/one/beside/two.html")
    assert "measured on different tasks" in text


def test_a_run_that_was_not_measured_is_not_compared(tmp_path):
    a_run(tmp_path / "runs" / "one")
    with began(tmp_path / "runs" / "two") as record:
        record.step(1, numbers(1))
    text = text_of(asking(tmp_path / "runs"), "/one/beside/two.html")
    assert "cannot be compared on held-out tasks" in text


def test_the_export_of_runs_has_every_page_and_no_form_or_polling(tmp_path):
    a_run(tmp_path / "runs" / "one")
    out = tmp_path / "site"
    with began(tmp_path / "runs" / "two") as record:
        record.samples(1, [Kept(1.0, 0.5, rollout()) for _ in range(3)])
        record.step(1, numbers(1))
        assert forge("browse", tmp_path / "runs", "--export", out).exit_code == 0
    assert (out / "two" / "samples" / "1" / "2" / "beside" / "1.html").is_file()
    assert (out / "one" / "beside" / "two.html").is_file()
    for page in out.rglob("*.html"):
        text = page.read_text()
        assert "hx-get" not in text
        for link in re.findall(r'(?:href|src)="([^"#?]+)', text):
            assert (page.parent / link).is_file(), (page, link)


# ---------------------------------------------------------------------------- charts, alarms


def test_a_chart_is_drawn_within_its_frame():
    line = Line("x", [1, 2, 3], [0.0, 5.0, 2.0], [0.0, 4.0, 1.0], [0.0, 9.0, 3.0])
    found = chart("x", [line])
    places = [
        tuple(map(float, each)) for each in re.findall(r"([\d.]+),([\d.]+)", found.curves[0].path)
    ]
    assert [x for x, _ in places] == [found.left, (found.left + found.right) / 2, found.right]
    assert all(found.top <= y <= found.bottom for _, y in places)
    assert places[0][1] == found.bottom
    assert found.curves[0].band.endswith("Z")


def test_a_chart_of_many_steps_is_thinned_and_keeps_the_last():
    steps = list(range(1, 100_001))
    (curve,) = chart("x", [plain("x", steps, [1.0] * len(steps))]).curves
    assert len(curve.rows) <= 242
    assert curve.rows[-1][0] == 100_000


def test_a_chart_of_nothing_is_none():
    assert chart("x", [plain("x", [], [])]) is None
    assert chart("x", [plain("x", [1], [float("nan")])]) is None


def test_a_chart_of_one_step_or_of_equal_values_is_drawn():
    (curve,) = chart("x", [plain("x", [5], [0.0])]).curves
    assert curve.path.startswith("M")
    assert curve.dots


@pytest.mark.parametrize(
    ("value", "share", "text"),
    [(0.5, True, "50%"), (1234.5, False, "1,234.5"), (1e-6, False, "1e-06"), (2.0, False, "2")],
)
def test_numbers_are_told_as_people_read_them(value, share, text):
    assert number(value, share) == text


def test_every_alarm_of_a_run_is_told_once_in_order():
    steps = [numbers(n) for n in range(1, 41)]
    for step in steps[9:]:
        step["reward"] = 0.0
    for step in steps[19:]:
        step["rollouts/trained"] = 0.0
    found = alarms(steps)
    assert [alarm.at for alarm in found] == [14, 24]
    assert found[0] == Alarm(14, found[0].what)
    assert "next to nothing is earned" in found[0].what


def test_a_number_that_is_missing_is_no_alarm():
    assert alarms([{"reward": 1.0} for _ in range(30)]) == []
    assert alarms([{"reward": 1.0, "rollouts/cut": None} for _ in range(30)]) == []
