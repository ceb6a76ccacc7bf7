"""The page of an environment: from its document to its tools, their checks and their graph."""

import html
import json
import re
from pathlib import Path

import pytest

from tests.browsing import asking, sample

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def data(tmp_path) -> Path:
    return sample(tmp_path)


def page(data: Path, name: str = "projects") -> str:
    found = asking(data).get(f"/sample/environments/{name}.html")
    assert found.status_code == 200
    return html.unescape(found.text)


def tool(text: str, name: str) -> str:
    """The part of the page that is about a tool."""
    return text.partition(f'<div id="tool-{name}">')[2].partition("</details>\n<details")[0]


def edited(data: Path, file: str, change) -> None:
    path = data / "envs" / "projects" / file
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_every_operation_is_a_tool_or_has_the_reason_why_not(data):
    text = page(data, "kestrel_shop")
    assert "shop.json" in text
    assert '<a href="#tool-get_product"><code>get_product</code></a>' in text
    assert "rebuild_best_sellers (POST /reports/best-sellers)" in text
    assert "a best seller is no record that the document shows whole" in text


def test_a_tool_has_its_schema_its_source_and_its_checks_side_by_side(data):
    about = tool(page(data), "close_task")
    assert '"task_id"' in about
    assert "def close_task(task_id: str) -> dict:" in about
    assert "def reopen_task" not in about
    assert '<li class="good">change</li>' in about
    assert re.search(r"noticed \d+ of \d+ broken versions", about)


def test_a_check_that_failed_says_why(data):
    def fail(content):
        content["tools"]["close_task"]["passed"] = False
        content["tools"]["close_task"]["checks"]["change"] = "it changed nothing"

    edited(data, "checks.json", fail)
    assert '<li class="bad">change: it changed nothing</li>' in tool(page(data), "close_task")


def test_tables_and_their_references_are_drawn(data):
    text = page(data)
    assert 'aria-label="Tables and references between them"' in text
    assert 'data-from="tasks" data-to="projects"' in text
    assert "assignee_id → users" in text


def test_the_tool_graph_knows_each_tools_neighbours_and_reads_from_writes(data):
    text = page(data)
    found = re.search(
        r'data-entry="list_projects" data-leads="([^"]*)">\s*<text class="(\w+)"', text
    )
    assert found
    assert "create_task" in found[1].split()
    assert found[2] == "read"
    assert re.search(r'data-entry="create_task"[^>]*>\s*<text class="write"', text)
    about = tool(text, "create_task")
    assert re.search(r"<code>project_id</code> can come from.*list_projects", about)


def test_rules_of_a_document_are_shown_as_text(data):
    edited(data, "environment.json", lambda content: content.update(rules=SCRIPT, title=SCRIPT))
    text = asking(data).get("/sample/environments/projects.html").text
    assert "&lt;script&gt;alert(1)" in text
    assert SCRIPT not in text


def test_checks_and_graph_that_cannot_be_read_are_lines_on_the_page(data):
    for file in ("checks.json", "graph.json"):
        (data / "envs" / "projects" / file).write_text("{")
    text = page(data)
    assert "checks.json:1:2: not JSON" in text
    assert "graph.json:1:2: not JSON" in text
    assert "not checked" in text


def test_an_environment_by_hand_needs_no_report(data):
    for file in ("checks.json", "graph.json", "made.json"):
        (data / "envs" / "projects" / file).unlink()
    assert "not checked" in page(data)


def test_an_environment_that_cannot_be_read_is_one_line(data):
    (data / "envs" / "projects" / "environment.json").write_text("{")
    found = asking(data).get("/sample/environments/projects.html")
    assert found.status_code == 503
    assert "not JSON" in found.text


@pytest.mark.parametrize("name", ["nothing", "..", "%2e%2e%2f%2e%2e%2fx", "a%00b"])
def test_what_is_no_environment_is_not_found(data, name):
    assert asking(data).get(f"/sample/environments/{name}.html").status_code == 404
