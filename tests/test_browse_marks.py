"""Tasks are marked on their pages, and the marks are seen there and together."""

import re

import pytest

from forge.dataset.marks import MARKS, Mark, add_mark, read_marks
from forge.dataset.query import query
from tests.browsing import asking, forge, sample


@pytest.fixture
def data(tmp_path):
    return sample(tmp_path)


@pytest.fixture
def pages(data):
    return asking(data)


@pytest.fixture
def task(data) -> str:
    return query(data, "select id from tasks order by id limit 1")[0][0]


def marked(pages, task: str, **form: str):
    return pages.post(f"/sample/tasks/{task}/mark", data=form)


def test_a_task_is_marked_and_its_page_shows_it(pages, data, task):
    done = marked(pages, task, review="bad", note="  nobody asks so\n")
    assert done.status_code == 303
    assert done.headers["location"] == f"/sample/tasks/{task}.html"
    assert read_marks(data) == {task: Mark(task=task, review="bad", note="nobody asks so")}
    text = pages.get(done.headers["location"]).text
    assert 'Marked <strong class="bad">bad</strong>: <span class="prose">nobody asks so' in text


def test_a_mark_is_taken_back(pages, data, task):
    marked(pages, task, review="good", note="fine")
    marked(pages, task, review="none", note="fine")
    assert read_marks(data) == {}
    assert "Not marked." in pages.get(f"/sample/tasks/{task}.html").text


def test_all_marks_are_on_one_page_with_their_notes(pages, data, task):
    marked(pages, task, review="bad", note="<script>alert(1)</script>")
    add_mark(data, Mark(task="gone-0123456789", review="good"))
    text = pages.get("/sample/marks.html").text
    assert "1 bad, 1 good" in text
    assert f'href="tasks/{task}.html"' in text
    assert "gone-0123456789" in text
    assert 'href="tasks/gone-0123456789.html"' not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "<script>alert" not in text


def test_tasks_are_filtered_by_their_marks(pages, data, task):
    assert 'name="mark"' not in pages.get("/sample/index.html").text
    add_mark(data, Mark(task=task, review="bad"))
    bad = pages.get("/sample/index.html?mark=bad").text
    assert re.findall(r'href="tasks/([^"]+)\.html"', bad) == [task]
    assert '<span class="tag bad">marked bad</span>' in bad
    rest = pages.get("/sample/index.html?mark=unmarked").text
    assert "23 tasks" in rest
    assert f'href="tasks/{task}.html"' not in rest
    assert "0 tasks" in pages.get("/sample/index.html?mark=good").text


def test_a_form_of_another_site_marks_nothing(pages, data, task):
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
        address = f"/sample/tasks/{task}/mark"
        refused = pages.post(address, data={"review": "bad"}, headers=headers)
        assert refused.status_code == 403
    assert not (data / MARKS).exists()


def test_looking_at_the_address_of_a_mark_marks_nothing(pages, data, task):
    assert pages.get(f"/sample/tasks/{task}/mark?review=bad").status_code in (404, 405)
    assert not (data / MARKS).exists()


@pytest.mark.parametrize(
    ("named", "form", "status"),
    [
        ("projects-0000000000", {"review": "bad"}, 404),
        ("..%2f..%2fx", {"review": "bad"}, 404),
        (None, {"review": "awful"}, 404),
        (None, {}, 404),
        (None, {"review": "bad", "note": "x" * 2001}, 503),
    ],
)
def test_what_is_no_mark_or_of_no_task_is_refused(pages, data, task, named, form, status):
    found = marked(pages, named or task, **form)
    assert found.status_code == status
    assert not (data / MARKS).exists()


def test_marks_that_cannot_be_read_are_a_line_on_the_page(pages, data, task):
    (data / MARKS).write_text('{"task": 1}\n')
    found = pages.get(f"/sample/tasks/{task}.html")
    assert found.status_code == 200
    assert f"{MARKS}:1" in found.text
    assert "<textarea" not in found.text


def test_the_export_shows_marks_and_has_no_buttons(data, task, tmp_path):
    add_mark(data, Mark(task=task, review="bad", note="no such order"))
    out = tmp_path / "site"
    assert forge("browse", data, "--export", out).exit_code == 0
    page = (out / "sample" / "tasks" / f"{task}.html").read_text()
    assert "no such order" in page
    assert '"mark": "bad"' in (out / "sample" / "tasks.js").read_text()
    assert "<form" not in page
    marks = (out / "sample" / "marks.html").read_text()
    assert re.findall(r'href="(tasks/[^"]+)"', marks) == [f"tasks/{task}.html"]


def test_what_is_marked_in_the_browser_is_left_out_of_an_export(pages, data, task, tmp_path):
    marked(pages, task, review="bad")
    new = tmp_path / "new"
    assert forge("export", data, "--out", new, "--without", "marked-bad").exit_code == 0
    assert query(new, "select id from tasks where id = ?", (task,)) == []
