"""The page of a data set: what it says, and its tasks searched, filtered, sorted and paged."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from forge.dataset.files import json_text
from forge.dataset.write import write_lines
from tests.browsing import asking, forge, sample

SCRIPT = "<script>alert(1)</script> & \"quotes\" 'too'"


@pytest.fixture
def data(tmp_path) -> Path:
    return sample(tmp_path)


@pytest.fixture
def pages(data) -> TestClient:
    return asking(data)


def page(pages: TestClient, query: str = "") -> str:
    found = pages.get(f"/sample/index.html{query}")
    assert found.status_code == 200
    return found.text


def listed(text: str) -> list[str]:
    """The ids of the tasks in the table, in their order."""
    return re.findall(r'href="tasks/([^"]+)\.html"', text)


def rows(data: Path) -> list[dict]:
    return [json.loads(line) for line in (data / "tasks.jsonl").read_text().splitlines()]


def changed(data: Path, number: int, **fields: object) -> dict:
    """The task of that number, changed by hand."""
    found = rows(data)
    found[number].update(fields)
    write_rows(data, found)
    return found[number]


def write_rows(data: Path, found: list[dict]) -> None:
    path = data / "tasks.jsonl"
    path.write_text("".join(json_text(row) + "\n" for row in found))
    newer(path, than=data / "tasks.parquet")


def newer(path: Path, than: Path) -> None:
    """As it would be had it been written a second later."""
    then = than.stat().st_mtime_ns + 1_000_000_000
    os.utime(path, ns=(then, then))


def test_it_says_what_it_was_made_from_and_what_is_in_it(pages):
    text = page(pages)
    assert "24 tasks in 4 environments with 71 tools" in text
    for document in ("hotel.yaml", "library.yaml", "projects.md", "shop.json"):
        assert document in text
    for picture in ("Difficulty", "Golden calls", "Tables touched", "Tools used most"):
        assert f"<figcaption>{picture}</figcaption>" in text


def test_the_gates_that_refused_proposals_are_counted(pages):
    figure = re.search(r"Proposals refused, by gate</figcaption>.*?</figure>", page(pages), re.S)
    assert figure
    assert re.search(r'sensitive.*?<td class="number">3</td>', figure[0], re.S)


def test_all_tasks_are_listed_in_the_order_of_the_file(pages, data):
    assert listed(page(pages)) == [row["id"] for row in rows(data)]


def test_words_of_the_question_and_ids_are_searched_for(pages, data):
    task = next(row for row in rows(data) if "cancel reservation HH-4B6LB" in row["question"])
    assert listed(page(pages, "?q=HH-4b6lb+CANCEL")) == [task["id"]]
    assert listed(page(pages, f"?q={task['id'][-8:]}")) == [task["id"]]
    assert listed(page(pages, "?q=nobody+says+this")) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("env", "projects"), ("kind", "refuse"), ("band", "medium"), ("split", "test")],
)
def test_a_filter_leaves_the_tasks_that_fit(pages, data, name, value):
    wanted = [row["id"] for row in rows(data) if row[name] == value]
    assert 0 < len(wanted) < 24
    assert listed(page(pages, f"?{name}={value}")) == wanted


def test_a_tool_leaves_the_tasks_that_call_it(pages, data):
    wanted = [
        row["id"]
        for row in rows(data)
        if any(call["tool"] == "lend_book" for call in row["golden_calls"])
    ]
    assert listed(page(pages, "?tool=lend_book")) == wanted


def test_languages_can_be_told_apart_where_there_are_several(data):
    assert 'name="lang"' not in page(asking(data))
    chinese = changed(data, 3, lang="zh", question="请把任务交给王芳。")
    assert listed(page(asking(data), "?lang=zh")) == [chinese["id"]]


def test_gates_that_refused_a_task_are_shown_and_found(data):
    gates = rows(data)[5]["gates"] | {"necessary": {"passed": False, "reason": "call 2"}}
    refused = changed(data, 5, gates=gates)
    pages = asking(data)
    assert listed(page(pages, "?gate=refused")) == [refused["id"]]
    assert "refused by necessary" in page(pages, "?gate=refused")
    assert refused["id"] not in listed(page(pages, "?gate=passed"))


def test_what_is_no_filter_or_no_value_is_passed_over(pages):
    assert len(listed(page(pages, "?kind=nonsense&x=1&page=-3&sort=nonsense"))) == 24


def test_tasks_are_sorted_both_ways(pages, data):
    calls = {row["id"]: row["difficulty"]["calls"] for row in rows(data)}
    up = [calls[id] for id in listed(page(pages, "?sort=calls"))]
    down = [calls[id] for id in listed(page(pages, "?sort=-calls"))]
    assert up == sorted(calls.values())
    assert down == up[::-1]


def test_measured_pass_rates_are_shown_and_filtered_by(data, tmp_path):
    file = tmp_path / "oracle.jsonl"
    arguments = ("rollout", data, "--policy", "oracle", "-n", 3, "--out", file)
    assert forge(*arguments).exit_code == 0
    pages = asking(data, file)
    assert len(listed(page(pages, "?rate=always"))) == 3
    assert "1 of 1" in page(pages, "?rate=always")
    assert len(listed(page(pages, "?rate=unmeasured"))) == 21
    assert listed(page(pages, "?rate=never")) == []


def test_many_tasks_come_in_pages(tmp_path):
    data = tmp_path / "sample"
    shutil.copytree(sample(tmp_path / "from") / "envs", data / "envs")
    (row, *_) = rows(tmp_path / "from" / "sample")
    lines = (json_text(row | {"id": f"t-{n:04}"}).encode() + b"\n" for n in range(120))
    write_lines(data, lines, into=data, seed=0, models=(), sources={})
    pages = asking(data)
    assert listed(page(pages)) == [f"t-{n:04}" for n in range(50)]
    text = page(pages, "?page=3")
    assert listed(text) == [f"t-{n:04}" for n in range(100, 120)]
    assert 'rel="prev" href="?page=2#tasks"' in text
    assert 'rel="next"' not in text
    assert listed(page(pages, "?page=99")) == listed(text)


def test_a_question_that_is_a_script_is_text(data):
    id = changed(data, 2, question=SCRIPT)["id"]
    pages = asking(data)
    for address in ("index.html", f"tasks/{id}.html", f"by-hand/{id}.html", "tasks.js"):
        text = pages.get(f"/sample/{address}").text
        assert "alert(1)" in text
        assert "<script>alert" not in text


def test_a_task_whose_id_is_no_name_is_shown_and_has_no_page(data, tmp_path):
    changed(data, 0, id="../../../escaped")
    text = page(asking(data))
    assert len(listed(text)) == 23
    assert "cannot be an address" in text
    assert forge("browse", data, "--export", tmp_path / "a" / "b" / "site").exit_code == 0
    assert not list(tmp_path.rglob("*escaped*"))


def test_what_was_edited_by_hand_is_what_is_shown(data):
    pages = asking(data)
    assert "Water the plants" not in page(pages)
    changed(data, 1, question="Water the plants.")
    assert "Water the plants" in page(pages)


def test_a_torn_line_is_counted_and_the_others_are_shown(data):
    path = data / "tasks.jsonl"
    with path.open("a") as file:
        file.write('{"id": "half of it')
    newer(path, than=data / "tasks.parquet")
    text = page(asking(data))
    assert "1 line of tasks.jsonl cannot be read" in text
    assert len(listed(text)) == 24


def test_a_missing_environment_is_a_line_on_the_page(data):
    shutil.rmtree(data / "envs" / "projects")
    text = page(asking(data))
    assert "no envs/projects/environment.json" in text
    assert len(listed(text)) == 24


def test_a_data_set_that_is_being_written_is_said_to_be_none_yet(data):
    pages = asking(data)
    (data / "dataset.json").unlink()
    found = pages.get("/sample/index.html")
    assert found.status_code == 503
    assert "there is no dataset.json" in found.text


def test_a_report_that_cannot_be_read_is_a_line_on_the_page(data):
    (data / "envs" / "projects" / "made.json").write_text("{")
    assert "made.json:1:2: not JSON" in page(asking(data))


def test_a_data_set_without_tasks_shows_its_environments(data):
    for file in ("tasks.jsonl", "tasks.parquet"):
        (data / file).unlink()
    text = page(asking(data))
    assert "0 tasks</span>" in text
    assert "hotel.yaml" in text


@pytest.mark.parametrize(
    "fields",
    [
        {"gates": "all"},
        {"gates": {"replay": 1, "necessary": None}},
        {"gates": None, "difficulty": None, "golden_calls": None},
        {"difficulty": {"calls": "many", "tables": [1]}},
        {"golden_calls": {"tool": "x"}},
        {"golden_calls": [1, None, {"tool": {"a": 1}}]},
        {"band": "impossible", "kind": 3, "lang": None, "question": None},
        {"env": "../../..", "id": 7},
    ],
)
def test_a_line_that_is_no_task_hides_no_other(data, fields):
    changed(data, 4, **fields)
    pages = asking(data)
    text = page(pages)
    assert len(listed(text)) >= 23
    assert pages.get("/sample/tasks.js").status_code == 200
    for id in listed(text):
        assert pages.get(f"/sample/tasks/{id}.html").status_code in (200, 503)
