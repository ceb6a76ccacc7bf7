"""What needs a browser: a run that is followed while it goes on, a dialogue and its keys."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from forge.dataset.marks import Mark, add_mark, read_marks
from forge.dataset.query import query
from forge.dataset.trajectories import trajectory_line
from forge.train.recipe import Recipe
from forge.train.record import Kept, begin
from forge.types.rollout import Trajectory
from tests.browsing import forge, sample, served

SOON = 15_000
"""Milliseconds in which a page that follows a run must have looked again."""
TURNS = 12


def rollout() -> Trajectory:
    calls = [{"tool": "list_orders", "arguments": {"state": "open"}}]
    step = {"turn": {"calls": calls}, "results": [{"text": '[{"id": "ord_1"}]'}]}
    return Trajectory.model_validate(
        {
            **{"task": "t1", "env": "shop", "kind": "change", "band": "easy", "policy": "p"},
            **{"user": "scripted", "seed": 0, "attempt": 0, "question": "Close it."},
            **{"steps": [step] * TURNS, "outcome": "done", "verdict": {"reward": 0}},
        }
    )


@pytest.fixture(scope="module")
def dialogue(tmp_path_factory) -> Iterator[str]:
    """The address of a rollout."""
    path = tmp_path_factory.mktemp("rollouts") / "x.jsonl"
    path.write_bytes(trajectory_line(rollout()))
    with served(path) as address:
        yield address.replace("index.html", "rollouts/t1.0.html")


def seen(locator):
    from playwright.sync_api import expect

    return expect(locator)


def test_a_run_is_followed_while_it_goes_on(page, tmp_path: Path) -> None:
    recipe = Recipe.model_validate({"model": "m", "data": "d", "steps": 3})
    with begin(tmp_path / "run", recipe, data="1:a", steps=3, resume=False) as record:
        record.step(1, {"reward": 0.25})
        with served(tmp_path) as address:
            page.goto(address)
            seen(page.get_by_text("running, at step 1 of 3")).to_be_visible()
            page.get_by_text("The same as tables").click()
            record.samples(2, [Kept(1.0, 0.5, rollout())])
            record.step(2, {"reward": 0.5})
            seen(page.get_by_text("running, at step 2 of 3")).to_be_visible(timeout=SOON)
            seen(page.locator("#numbers")).to_contain_text("0.5")
            seen(page.get_by_role("link", name="Rollouts of step 2")).to_be_visible()
            record.step(3, {"reward": 0.75})
            record.finish()
            seen(page.get_by_text("done, 3 steps")).to_be_visible(timeout=SOON)
            seen(page.locator("[hx-get]")).to_have_count(0)


def test_a_dialogue_is_gone_through_by_keys(page, dialogue) -> None:
    page.goto(dialogue)
    page.keyboard.press("j")
    page.keyboard.press("j")
    seen(page.locator("#step-2")).to_be_focused()
    page.keyboard.press("k")
    seen(page.locator("#step-1")).to_be_focused()
    page.get_by_role("link", name=f"Turn {TURNS}: list_orders").click()
    seen(page.locator(f"#step-{TURNS}")).to_be_in_viewport()


def test_a_dialogue_unfolds_and_is_no_wider_than_a_narrow_screen(page, dialogue) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(dialogue)
    result = page.locator("#step-2 pre").last
    seen(result).to_be_hidden()
    page.get_by_role("button", name="Unfold all").click()
    seen(result).to_contain_text("ord_1")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_dialogue_is_whole_without_scripts(chromium, dialogue) -> None:
    page = chromium.new_page(java_script_enabled=False)
    page.goto(dialogue)
    page.locator("#step-2 summary").click()
    seen(page.locator("#step-2 pre").last).to_contain_text("ord_1")
    seen(page.get_by_role("button", name="Unfold all")).to_be_hidden()
    page.close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return sample(tmp_path)


@pytest.fixture
def address(data: Path) -> Iterator[str]:
    """Where the data set is served; a test asks for it before its page, which is closed first."""
    with served(data) as found:
        yield found


def test_a_task_is_marked_by_hand_and_the_mark_is_there_after_a_look_elsewhere(
    address, page, data: Path
) -> None:
    task = query(data, "select id from tasks where env = 'projects' limit 1")[0][0]
    page.goto(address.replace("index.html", f"tasks/{task}.html"))
    page.get_by_label("A note, for those who come after").fill("it names no one")
    page.get_by_role("button", name="Bad").click()
    seen(page.get_by_text("it names no one").first).to_be_visible()
    page.goto(address.replace("index.html", "marks.html"))
    page.get_by_role("link", name=task).click()
    seen(page.get_by_role("button", name="Bad")).to_have_attribute("aria-pressed", "true")
    assert read_marks(data)[task].note == "it names no one"


def test_an_export_is_filtered_by_marks(page, data: Path, tmp_path: Path) -> None:
    task = query(data, "select id from tasks order by id limit 1")[0][0]
    add_mark(data, Mark(task=task, review="bad"))
    assert forge("browse", data, "--export", tmp_path / "site").exit_code == 0
    page.goto((tmp_path / "site" / "sample" / "index.html").as_uri())
    page.get_by_label("Marked").select_option("bad")
    seen(page.get_by_text("1 task", exact=True)).to_be_visible()
    seen(page.get_by_text("marked bad")).to_be_visible()
    page.get_by_label("Marked").select_option("unmarked")
    seen(page.get_by_text("23 tasks", exact=True)).to_be_visible()
