"""`forge browse` as seen in a browser: what needs its scripts, and the export opened from disk."""

import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin

import pytest

from tests.browsing import forge, sample, served
from tests.places import ROOT
from tests.test_browse_dataset import SCRIPT, changed


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return sample(tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="module")
def address(data):
    with served(data) as found:
        yield found


def test_typing_into_the_search_leaves_the_tasks_that_fit(page, address):
    page.goto(address)
    page.keyboard.press("/")
    page.keyboard.type("HH-4B6LB")
    page.get_by_text("1 task", exact=True).wait_for()
    assert page.locator("#tasks tbody tr").count() == 1
    assert "q=HH-4B6LB" in page.url


def test_a_choice_filters_at_once_and_can_be_gone_back_from(page, address):
    page.goto(address)
    page.locator("#filter [name=kind]").select_option("refuse")
    page.get_by_text("4 tasks", exact=True).wait_for()
    page.go_back()
    page.get_by_text("24 tasks", exact=True).wait_for()


def test_the_arrow_keys_go_from_task_to_task(page, address):
    page.goto(address)
    ids = page.locator("#tasks tbody a").evaluate_all("all => all.map(a => a.href)")
    page.locator("#tasks tbody a").first.click()
    page.wait_for_url(ids[0])
    page.keyboard.press("ArrowRight")
    page.wait_for_url(ids[1])
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(ids[0])


def test_a_tool_is_called_by_hand_and_what_it_changed_is_shown(page, address):
    page.goto(f"{address}?q=HH-4B6LB")
    page.locator("#tasks tbody a").click()
    page.get_by_role("link", name="Run a tool by hand").click()
    page.locator("form.call [name=tool]").select_option("close_room")
    page.locator("[name='a.room_number']").fill("281")
    page.get_by_role("button", name="Call close_room").click()
    page.get_by_text('changed room 281: state "open" → "closed"').wait_for()
    page.locator("form.call [name=tool]").select_option("reopen_room")
    page.locator("[name='a.room_number']").fill("281")
    page.get_by_role("button", name="Call reopen_room").click()
    page.get_by_text("2 calls").wait_for()


def test_a_tool_chosen_before_the_scripts_are_there_is_shown_once_they_are(page, address):
    page.goto(f"{address}?q=HH-4B6LB")
    page.locator("#tasks tbody a").click()
    by_hand = page.get_by_role("link", name="Run a tool by hand").get_attribute("href")
    late = []

    def hold(route):
        late.append(route)

    page.route("**/htmx.min.js", hold)
    page.goto(urljoin(page.url, by_hand), wait_until="commit")
    page.locator("form.call [name=tool]").select_option("close_room")
    late[0].continue_()
    page.locator("[name='a.room_number']").fill("281")


def test_pointing_at_a_tool_shows_its_neighbours(page, address):
    page.goto(address.replace("index.html", "environments/projects.html"))
    graph = page.locator("figure").nth(1)
    graph.locator("[data-entry=list_users]").hover()
    assert "next" in (graph.locator("[data-entry=add_member]").get_attribute("class") or "")
    assert graph.locator(".leads path").count() > 0


def test_a_graph_is_zoomed(page, address):
    page.goto(address.replace("index.html", "environments/projects.html"))
    graph = page.locator("figure").nth(1)
    before = graph.locator("svg").bounding_box()["width"]
    graph.get_by_role("button", name="Larger").click()
    assert graph.locator("svg").bounding_box()["width"] > 1.2 * before


def test_the_theme_is_switched_and_kept(page, address):
    page.goto(address)
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="dark theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light


@pytest.mark.parametrize("width", [1280, 390])
def test_no_page_is_wider_than_the_screen(page, address, width):
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(address)
    task = page.locator("#tasks tbody a").first.get_attribute("href")
    for path in ("index.html", "environments/projects.html", task):
        page.goto(address.replace("index.html", path))
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_export_opens_from_disk_and_can_be_searched(page, tmp_path):
    data = sample(tmp_path)
    changed(data, 2, question=SCRIPT)
    assert forge("browse", data, "--export", tmp_path / "site").exit_code == 0
    page.on("dialog", lambda dialog: pytest.fail("a script of a task was run"))
    page.goto((tmp_path / "site" / "sample" / "index.html").as_uri())
    page.get_by_label("Search").fill("alert(1)")
    page.get_by_text("1 task", exact=True).wait_for()
    page.locator("#tasks tbody a").click()
    assert page.locator("blockquote").inner_text() == SCRIPT
    page.get_by_role("link", name="sample").first.click()
    page.locator("#filter [name=env]").select_option("projects")
    page.locator("#filter [name=sort]").select_option("-calls")
    page.get_by_text("6 tasks", exact=True).wait_for()
    calls = page.locator("#tasks tbody tr td:nth-child(5)").all_inner_texts()
    assert calls == sorted(calls, reverse=True)


def test_the_rollouts_of_an_export_can_be_searched(page, tmp_path):
    data, played = sample(tmp_path), tmp_path / "played.jsonl"
    rollouts = ("rollout", data, "--policy", "random", "-r", "3", "--max-steps", "4")
    # in a process of its own, for the browser keeps an event loop running in this one
    subprocess.run(
        [sys.executable, "-m", "forge", *rollouts, "--out", played], check=True, cwd=ROOT
    )
    assert forge("browse", data, played, "--export", tmp_path / "site").exit_code == 0
    page.goto((tmp_path / "site" / "played" / "index.html").as_uri())
    rows = page.locator("#rollouts tbody tr")
    assert rows.count() == 50
    page.get_by_label("Search").fill("HH-4B6LB")
    page.get_by_text("3 rollouts of 72", exact=True).wait_for()
    assert rows.count() == 3
    page.get_by_label("Search").fill("")
    page.locator("#filter [name=env]").select_option("projects")
    page.get_by_text("18 rollouts of 72", exact=True).wait_for()
    assert not page.locator("nav.pager").is_visible()
    rows.first.get_by_role("link").click()
    page.get_by_role("heading", name="Dialogue").wait_for()
    page.go_back()
    page.locator("#filter [name=env]").select_option("")
    page.locator("nav.pager").wait_for()
    assert rows.count() == 50
