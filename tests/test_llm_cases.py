"""Example cases, end to end: a function that passes all checks is held to what the document says,
by cases that a second sample confirms."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evals.speed.endpoint import Reply, Request, says, serving
from forge.dataset.folder import read_dataset
from tests.test_llm_author import REFUSES_TO, RIGHT, bytes_of, help_desk, no_settings, synth

__all__ = ["no_settings"]

WRONG = RIGHT.replace('level="expert"', 'level="desk"').replace('== "expert"', '== "desk"')
"""Does the opposite, and nothing that a check without the document could tell."""
DESK = {"status": "open", "level": "desk"}
EXPERT = {"status": "waiting", "level": "expert"}
ESCALATES = {"before": 4, "outcome": "works", "after": EXPERT}
TWICE = {"before": 1, "outcome": "refused", "after": {"status": "open", "level": "expert"}}
"""States before are numbered: an open ticket at the desk is the fourth, an expert's the first."""
Endings = Callable[[dict[str, str]], dict[str, Any]]


def true_ending(before: dict[str, str]) -> dict[str, Any]:
    if before["level"] == "expert":
        return {"outcome": "refused", "after": before}
    return {"outcome": "works", "after": EXPERT}


def model(function: str, cases: object, ending: Endings = true_ending) -> Callable[..., Reply]:
    """One that writes this function, these cases, and says so how one ends."""

    def answer(request: Request) -> Reply:
        text = request.body["messages"][0]["content"]
        if "Say so for each" not in text:
            return says(function)
        assert "def " not in text, "who writes or confirms cases sees no function"
        schema = json.dumps(request.body["response_format"])
        if "endings" not in schema:
            return says(cases if isinstance(cases, str) else json.dumps({"cases": cases}))
        states = re.findall(r"^(\d)\. (.*)$", text, re.MULTILINE)
        ends = [
            {"before": int(number), **ending(json.JSONDecoder().raw_decode(before)[0])}
            for number, before in states
        ]
        return says(json.dumps({"cases": ends}))

    return answer


def made(folder: Path, answer: Callable[..., Reply], *flags: object, **options: Any) -> Any:
    with serving(answer) as server:
        flags = (*flags, "--samples", 1, "--repairs", 0)
        return json.loads(synth(folder, server, "--json", *flags, **options).stdout)


def gained(report: Any) -> int:
    count: int = report["model"]["passes"]["tools"]["gained"]
    return count


def test_a_function_that_does_what_the_document_does_not_say_is_refused_with_the_case(
    tmp_path: Path,
) -> None:
    report = made(tmp_path, model(WRONG, [ESCALATES]))
    assert gained(report) == 0
    assert report["model"]["passes"]["tools"]["failures"] == {"an example case": 1}
    (left,) = report["environments"][0]["left_out"]
    assert 'on a record with {"status": "open", "level": "desk"}, it works' in left["reason"]


def test_a_function_that_fulfils_its_cases_is_kept_and_says_how_many(tmp_path: Path) -> None:
    report = made(tmp_path, model(RIGHT, [ESCALATES, TWICE, ESCALATES]))
    assert report["model"]["passes"]["cases"]["gained"] == 1
    environment = read_dataset(tmp_path / "set").environment("help_desk")
    assert environment.made["tools/escalate_ticket"].cases == 2


def test_a_repair_is_told_the_case(tmp_path: Path) -> None:
    answer = model(WRONG, [ESCALATES])
    told: list[str] = []

    def mends(request: Request) -> Reply:
        text = request.body["messages"][0]["content"]
        if "What is wrong with it" in text:
            told.append(text.split("What is wrong with it: ")[1])
            return says(RIGHT)
        return answer(request)

    with serving(mends) as server:
        flags = ("--samples", 1, "--repairs", 1)
        report = json.loads(synth(tmp_path, server, "--json", *flags).stdout)
    assert gained(report) == 1
    assert 'leaves {"status": "waiting", "level": "expert"}' in told[0]


def test_a_case_that_a_second_sample_does_not_confirm_does_not_count(tmp_path: Path) -> None:
    def otherwise(before: dict[str, str]) -> dict[str, Any]:
        return {"outcome": "works", "after": {**before, "status": "solved"}}

    report = made(tmp_path, model(WRONG, [ESCALATES], otherwise))
    assert gained(report) == 1
    assert report["model"]["passes"]["cases"]["failures"] == {"not confirmed": 1}
    environment = read_dataset(tmp_path / "set").environment("help_desk")
    assert environment.made["tools/escalate_ticket"].cases == 0


def test_cases_that_contradict_each_other_do_not_count(tmp_path: Path) -> None:
    other = {**ESCALATES, "after": {**EXPERT, "status": "open"}}
    report = made(tmp_path, model(WRONG, [ESCALATES, other]))
    assert gained(report) == 1
    assert report["model"]["passes"]["cases"]["failures"] == {"no case": 1}


@pytest.mark.parametrize(
    "nonsense",
    [
        REFUSES_TO,
        [],
        [{**ESCALATES, "after": {"status": "vanished", "level": "expert"}}],
        [{**ESCALATES, "after": DESK}],
        [{**ESCALATES, "before": "__import__('os')"}],
        [{**ESCALATES, "before": 5}],
        [{**ESCALATES, "call": "delete everything"}],
    ],
)
def test_what_is_no_case_changes_nothing(tmp_path: Path, nonsense: object) -> None:
    report = made(tmp_path, model(RIGHT, nonsense))
    assert gained(report) == 1
    assert report["model"]["passes"]["cases"]["gained"] == 0


def test_a_wrong_case_loses_the_operation_and_nothing_else(tmp_path: Path) -> None:
    solved = {"status": "solved", "level": "desk"}
    wrong = {"before": 4, "outcome": "works", "after": solved}
    ends = lambda before: {"outcome": "works", "after": solved}  # noqa: E731
    report = made(tmp_path, model(RIGHT, [wrong], ends))
    assert gained(report) == 0
    assert report["environments"][0]["implemented"] == 3


def test_a_dry_run_counts_cases_from_none_to_all(tmp_path: Path) -> None:
    with serving(says(RIGHT)) as server:
        done = synth(tmp_path, server, "--dry-run", "--json")
    estimate = json.loads(done.stdout)["passes"]["cases"]
    assert estimate["calls"] == [0, 8]
    assert estimate["completion_tokens"][0] == 0 < estimate["completion_tokens"][1]


def test_a_second_run_asks_for_no_case_and_gives_the_same_bytes(tmp_path: Path) -> None:
    with serving(model(RIGHT, [ESCALATES, TWICE])) as server:
        synth(tmp_path, server, out="first")
        asked = len(server.asked)
        synth(tmp_path, server, out="second")
        assert len(server.asked) == asked
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")


def test_arguments_are_part_of_a_case(tmp_path: Path) -> None:
    """A function that writes what is passed into the wrong place fulfils no case of it."""
    doc = help_desk("Hands a ticket over to a level, which is then its level.")
    operation = doc["paths"]["/tickets/{id}/escalation"]["post"]
    level = {"type": "string", "enum": ["desk", "expert"]}
    body = {"type": "object", "required": ["level"], "properties": {"level": level}}
    operation["requestBody"] = {
        "required": True, "content": {"application/json": {"schema": body}},
    }  # fmt: skip
    case = {
        "before": 1,
        "arguments": {"level": "expert"},
        "outcome": "works",
        "after": {"status": "open", "level": "expert"},
    }
    ending = lambda before: {"outcome": "works", "after": case["after"]}  # noqa: E731
    head = "```python\ndef escalate_ticket(ticket_id: str, level: str) -> dict:\n"
    right = f'{head}    return update("tickets", ticket_id, level=level)\n```'
    wrong = f'{head}    return update("tickets", ticket_id, status="waiting", level=level)\n```'
    for number, (function, count) in enumerate([(right, 1), (wrong, 0)]):
        report = made(tmp_path, model(function, [case], ending), doc=doc, out=f"set{number}")
        (tmp_path / "answers.db").unlink()
        assert gained(report) == count
