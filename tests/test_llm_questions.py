"""`forge synth --model`: questions that a model words, and what keeps the words of rules."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evals.speed.endpoint import Reply, Request, says, serving
from forge.dataset.folder import read_dataset
from forge.types.task import Task
from tests.test_llm_author import bytes_of, forge, help_desk, no_settings, synth

__all__ = ["no_settings"]

Write = Callable[[str, list[str]], str]


def wishes_in(prompt: str) -> list[str]:
    """What the person wants, by the prompt."""
    part = prompt.split("What the person wants")[2].split("\n\n", maxsplit=1)[0]
    return re.findall(r"^\d+\. (.*)$", part, re.MULTILINE)


def plainly(prompt: str, wishes: list[str]) -> str:
    """Every wish, in other words than those of rules."""
    told = [each for each in wishes if each.startswith("ask ")]
    done = [each for each in wishes if not each.startswith("ask ")]
    parts = [f"I want you to {', then '.join(done)}"] if done else []
    parts += [f"Let me {each}" for each in told]
    return f"Hello there, this has been on my mind. {'. '.join(parts)}."


def understood(prompt: str) -> str:
    """The options whose words stand in the message, the longest of each number."""
    message, _, rest = prompt.partition("\n\n")[2].partition("\n\nWhat does the person want?")
    picked = []
    for number in range(1, 30):
        options = re.findall(rf"^({number}[a-h]): (.*)$", rest, re.MULTILINE)
        if not options:
            break
        there = [(len(text), name) for name, text in options if text in message]
        picked.append(max(there)[1] if there else options[-1][0])
    return in_form(picked)


def in_form(picked: list[str]) -> str:
    return json.dumps({f"wish_{each[:-1]}": each for each in picked})


def answering(write: Write = plainly) -> Callable[[Request], Reply]:
    def answer(request: Request) -> Reply:
        prompt = request.body["messages"][0]["content"]
        if "Write the first message" in prompt:
            return says(json.dumps({"question": write(prompt, wishes_in(prompt))}))
        if "sent this message to an assistant" in prompt:
            return says(understood(prompt))
        return says("I do not know.")

    return answer


def desk(**more: Any) -> dict[str, Any]:
    """The help desk with nothing that rules leave out."""
    doc = help_desk()
    del doc["paths"]["/tickets/{id}/escalation"]
    doc["paths"]["/tickets/{id}"]["patch"] = {
        **doc["paths"]["/tickets"]["post"],
        "operationId": "updateTicket",
        "parameters": doc["paths"]["/tickets/{id}"]["get"]["parameters"],
    }
    doc["paths"]["/tickets/{id}"]["delete"] = {
        "operationId": "deleteTicket",
        "parameters": doc["paths"]["/tickets/{id}"]["get"]["parameters"],
        "responses": {"204": {"description": "Gone."}},
    }
    return doc


def made(
    folder: Path, write: Write = plainly, *flags: object, out: str = "set", tasks: int = 12
) -> tuple[list[Task], dict[str, Any]]:
    """The tasks, and what the report says of the pass."""
    with serving(answering(write)) as server:
        report = json.loads(
            synth(folder, server, "--json", *flags, doc=desk(), out=out, tasks=tasks).stdout
        )
    return list(read_dataset(folder / out).tasks()), report["model"]["passes"]["questions"]


def by_rules(folder: Path, tasks: int = 12) -> dict[str, Task]:
    done = forge("synth", folder / "desk.yaml", "--out", folder / "rules", "--tasks", tasks)
    assert done.exit_code == 0, done.stderr
    return {task.hash: task for task in read_dataset(folder / "rules").tasks()}


def test_a_question_that_passes_is_kept_with_who_worded_it(tmp_path: Path) -> None:
    tasks, report = made(tmp_path)
    worded = [task for task in tasks if task.worded is not None]
    assert len(worded) == report["gained"] > 6
    rules = by_rules(tmp_path)
    for task in worded:
        assert task.worded is not None
        assert (task.worded.model, task.worded.tries) == ("scripted", 1)
        before = rules[task.worded.of]
        assert task.question != before.question
        assert (task.intent, task.facts, task.split) == (before.intent, before.facts, before.split)
    assert forge("verify", tmp_path / "set").exit_code == 0
    manifest = json.loads((tmp_path / "set" / "dataset.json").read_text())
    assert manifest["models"] == ["scripted"]
    assert manifest["counts"]["worded"] == len(worded)
    shown = forge("show", tmp_path / "set", worded[0].id).stdout
    assert "worded by scripted, prompt question/2, try 1" in shown


@pytest.mark.parametrize(
    ("write", "why"),
    [
        (lambda prompt, wishes: "", "its length"),
        (lambda prompt, wishes: plainly(prompt, [*wishes, *wishes]), "what must be said"),
        (lambda prompt, wishes: "Please. " * 400, "its length"),
        (
            lambda prompt, wishes: plainly(prompt, wishes) + " The id is tic_83f2a1b9.",
            "what nobody said",
        ),
        (
            lambda prompt, wishes: (
                plainly(
                    prompt, [each for each in wishes if not re.match("delete|remove|get", each)]
                )
                + " And delete all the others."
            ),
            "",
        ),
        (
            lambda prompt, wishes: re.sub(r"\w+", "Tisch", plainly(prompt, wishes)),
            "what must be said",
        ),
        (lambda prompt, wishes: "Hello there, please do what I asked for.", ""),
        (lambda prompt, wishes: "Hello there, could you please delete every ticket?", ""),
    ],
)
def test_a_question_that_says_less_or_other_leaves_the_words_of_rules(
    tmp_path: Path, write: Write, why: str
) -> None:
    tasks, report = made(tmp_path, write, "--samples", 1, "--repairs", 0)
    assert report["gained"] == 0
    assert any(reason.startswith(why) for reason in report["failures"])
    assert {task.hash: task for task in tasks} == by_rules(tmp_path)


def swapped(prompt: str, wishes: list[str]) -> str:
    """Another verb, and what comes first for what comes last."""
    text = plainly(prompt, wishes)
    for one, other in (("delete", "change"), ("get rid of", "change"), ("remove", "change")):
        text = text.replace(one, other)
    return text


def test_a_reader_who_finds_another_wish_in_it_keeps_the_words_of_rules(tmp_path: Path) -> None:
    """A deletion that became a change passes every gate, and no reader."""
    tasks, report = made(tmp_path, swapped, "--samples", 1, "--repairs", 0, tasks=20)
    assert report["failures"]["the reader"] > 0
    for task in tasks:
        if task.worded is not None:
            assert not any(wish.verb == "delete" for wish in task.intent.wishes)


def test_a_wish_that_is_left_out_is_missed(tmp_path: Path) -> None:
    def short(prompt: str, wishes: list[str]) -> str:
        listed = prompt.partition("letter for letter, all of them:\n")[2].partition("\n\n")[0]
        said = re.findall(r"^- (.*)$", listed, re.MULTILINE)
        return f"{plainly(prompt, wishes[:-1])} It is about {' and '.join(said)}, you know."

    tasks, report = made(tmp_path, short, "--samples", 1, "--repairs", 0, tasks=20)
    assert all(task.worded is None for task in tasks if len(task.intent.wishes) > 1)
    assert report["failures"]["the reader"] > 0


def test_a_reader_who_does_not_answer_takes_nothing(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        if "sent this message to an assistant" in request.body["messages"][0]["content"]:
            return says("It asks for everything.")
        return answering()(request)

    with serving(answer) as server:
        report = json.loads(synth(tmp_path, server, "--json", doc=desk(), tasks=4).stdout)
    assert report["model"]["passes"]["questions"]["failures"] == {"the reader": 4}


def test_a_second_run_asks_nothing_and_gives_the_same_bytes(tmp_path: Path) -> None:
    with serving(answering()) as server:
        synth(tmp_path, server, doc=desk(), out="first", tasks=12)
        asked = len(server.asked)
        synth(tmp_path, server, doc=desk(), out="second", tasks=12)
        synth(tmp_path, server, doc=desk(), out="first", tasks=12)
        assert len(server.asked) == asked
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")


def test_where_the_budget_ends_the_rest_keeps_the_words_of_rules_and_is_worded_later(
    tmp_path: Path,
) -> None:
    whole, _ = made(tmp_path, out="whole")
    (tmp_path / "answers.db").unlink()
    some, report = made(tmp_path, plainly, "--budget", "1200tok", "--concurrency", 1)
    count = sum(task.worded is not None for task in some)
    assert 0 < count < sum(task.worded is not None for task in whole)
    assert report["failures"]["the budget"] > 0
    assert forge("verify", tmp_path / "set").exit_code == 0
    made(tmp_path, plainly, "--budget", "900ktok", "--concurrency", 1)
    assert bytes_of(tmp_path / "set") == bytes_of(tmp_path / "whole")


def test_what_it_may_cost_is_said_before_it_is_asked(tmp_path: Path) -> None:
    with serving(answering()) as server:
        done = synth(tmp_path, server, "--dry-run", "--json", doc=desk(), tasks=10)
        assert not server.asked
    assert json.loads(done.stdout)["passes"]["questions"]["calls"] == [20, 80]
