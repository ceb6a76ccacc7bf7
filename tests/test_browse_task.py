"""The page of a task, and its tools called by hand."""

import html
import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest

from forge.dataset.folder import read_dataset
from forge.types.task import Task
from tests.browsing import asking, forge, sample

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def data(tmp_path) -> Path:
    return sample(tmp_path)


@pytest.fixture
def pages(data):
    return asking(data)


def task_of(data: Path, words: str) -> Task:
    (found,) = [task for task in read_dataset(data).tasks() if words in task.question]
    return found


@pytest.fixture
def task(data) -> Task:
    """Three writes, one with a value that is told when asked."""
    return task_of(data, "cancel reservation HH-4B6LB")


def page(pages, address: str) -> str:
    found = pages.get(f"/sample/{address}")
    assert found.status_code == 200, found.text
    return re.sub(r"\s+", " ", html.unescape(found.text))


def by_hand(pages, task: Task, *calls: dict, **query: str) -> str:
    told = "&".join(f"{name}={quote(value)}" for name, value in query.items())
    return page(pages, f"by-hand/{task.id}.html?calls={quote(json.dumps(calls))}&{told}")


def call(tool: str, **arguments: object) -> dict:
    return {"tool": tool, "arguments": arguments}


def test_it_says_the_question_and_what_is_told_late(pages, task):
    text = page(pages, f"tasks/{task.id}.html")
    assert task.question in text
    assert "Told only when asked" in text
    assert "<dt>the new number of beds</dt><dd" in text


def test_the_way_is_drawn_with_the_origin_of_every_argument(pages, task):
    text = page(pages, f"tasks/{task.id}.html")
    assert 'class="told" x="10" y="58">beds ← told 4<' in text
    assert "code ← said HH-4B6LB" in text


def test_reasoning_is_drawn_between_the_calls_it_reads_and_feeds(pages, data):
    task = task_of(data, "third-newest among those that have holds")
    text = page(pages, f"tasks/{task.id}.html")
    assert 'data-from="call1" data-to="reason2"' in text
    assert "book_id ← reason4.book_id" in text


def test_golden_calls_have_their_results_and_what_they_changed(pages, task):
    text = page(pages, f"tasks/{task.id}.html")
    assert 'cancel_reservation(code="HH-4B6LB")' in text
    assert '"status": "cancelled"' in text
    assert 'changed room 281: state "open" → "closed"' in text


def test_the_states_have_their_differences_marked(pages, task):
    text = page(pages, f"tasks/{task.id}.html")
    assert '<tr class="mark-changed"><td>changed</td>' in text
    assert "<del>open</del> <ins>closed</ins>" in text


def test_the_gates_are_reported(pages, task):
    text = page(pages, f"tasks/{task.id}.html")
    assert '<li class="good">unguessable</li>' in text


def test_measured_pass_rates_are_told_by_policy(data, task, tmp_path):
    files = []
    for policy in ("oracle", "noop"):
        files.append(tmp_path / f"{policy}.jsonl")
        done = forge("rollout", data, "--policy", policy, "-n", 24, "--out", files[-1])
        assert done.exit_code == 0
    text = page(asking(data, *files), f"tasks/{task.id}.html")
    assert '<td>oracle</td><td class="number">1</td><td class="number">1</td>' in text
    assert '<td>noop</td><td class="number">0</td><td class="number">1</td>' in text


def test_tasks_lead_to_those_beside_them(pages, data):
    first, second, *_ = read_dataset(data).tasks()
    text = page(pages, f"tasks/{first.id}.html")
    assert f'rel="next" href="{second.id}.html"' in text
    assert 'rel="prev"' not in text


def test_a_task_whose_environment_is_gone_still_shows_its_question(data, task):
    (data / "envs" / task.env / "environment.json").unlink()
    text = page(asking(data), f"tasks/{task.id}.html")
    assert "there is no environment.json" in text
    assert task.question in text
    assert 'cancel_reservation(code="HH-4B6LB")' in text


def test_a_task_that_is_not_there_is_not_found(pages):
    assert pages.get("/sample/tasks/nothing.html").status_code == 404
    assert pages.get("/sample/tasks/..%2f..%2fx.html").status_code == 404


def test_a_call_by_hand_shows_its_result_and_what_it_changed(pages, task):
    text = by_hand(pages, task, tool="close_room", run="1", **{"a.room_number": "281"})
    assert '"state": "closed"' in text
    assert 'changed room 281: state "open" → "closed"' in text
    assert "the records are not as they should be at the end" in text


def test_several_calls_are_made_in_one_session(pages, task):
    calls = [each.model_dump() for each in task.golden_calls]
    text = by_hand(pages, task, *calls[:2], tool="close_room", run="1", **{"a.room_number": "281"})
    assert "3 calls" in text
    assert "the records are as they should be at the end" in text


def test_an_address_names_a_session(pages, task):
    text = by_hand(pages, task, tool="close_room", run="1", **{"a.room_number": "281"})
    (again,) = re.findall(r'href="(\?[^"]*)">A link to this session', text)
    later = page(pages, f"by-hand/{task.id}.html{again}")
    assert 'changed room 281: state "open" → "closed"' in later


def test_a_refusal_is_shown_as_the_agent_sees_it(pages, task):
    text = by_hand(pages, task, call("close_room", room_number=99999))
    assert '<span class="tag bad">not_found</span>' in text


def test_what_a_field_cannot_be_is_for_the_tool_to_refuse(pages, task):
    text = by_hand(pages, task, tool="close_room", run="1", **{"a.room_number": "the blue one"})
    assert '<span class="tag bad">invalid</span>' in text


def test_an_address_that_tells_no_calls_says_so(pages, task):
    text = page(pages, f"by-hand/{task.id}.html?calls=%5B1")
    assert "the address tells no calls" in text


def test_the_form_has_a_field_for_each_argument(pages, task):
    text = by_hand(pages, task, tool="update_room")
    assert 'name="a.beds"' in text
    assert re.search(r'name="a.view"><option value="">not passed</option><option>', text)


def test_a_tool_that_breaks_shows_what_broke(data, task):
    path = data / "envs" / task.env / "tools.py"
    source = path.read_text()
    body = source.index("\n", source.index("def close_room")) + 1
    path.write_text(f'{source[:body]}    nothing = {{}}\n    nothing["there"]\n{source[body:]}')
    text = by_hand(asking(data), task, call("close_room", room_number=281))
    assert '<span class="tag bad">internal</span>' in text
    assert "KeyError" in text


def test_a_task_of_a_sequence_leads_to_the_next_and_has_notes(data):
    done = forge("tasks", data, "--env", "projects", "--kind", "sequence", "-n", 1)
    assert done.exit_code == 0
    first = next(t for t in read_dataset(data).tasks() if t.kind == "sequence" and not t.follows)
    pages = asking(data)
    text = page(pages, f"tasks/{first.id}.html")
    assert "follows it" in text
    assert "save_note(" in text
