"""`forge synth --model --preview N`: some tasks end to end, what they cost, and what all would."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evals.speed.endpoint import Reply, Request, Server, says, serving
from tests.test_llm_author import RIGHT, document, forge, help_desk, no_settings
from tests.test_llm_questions import answering

__all__ = ["no_settings"]

STEPS = 6


def several(number: int = STEPS) -> dict[str, Any]:
    """The help desk with so many operations that rules leave out."""
    doc = help_desk()
    path = doc["paths"].pop("/tickets/{id}/escalation")
    for step in range(number):
        operation = {**path["post"], "operationId": f"escalateTicket{step}"}
        doc["paths"][f"/tickets/{{id}}/escalation{step}"] = {"post": operation}
    return doc


def able() -> Callable[[Request], Reply]:
    """Writes the functions and words the questions."""
    words = answering()

    def answer(request: Request) -> Reply:
        prompt = request.body["messages"][0]["content"]
        for step in range(STEPS):
            if f"def escalate_ticket{step}(" in prompt:
                return says(RIGHT.replace("escalate_ticket", f"escalate_ticket{step}"))
        return words(request)

    return answer


def asked(folder: Path, server: Server, *flags: object) -> str:
    done = forge(
        "synth", document(folder, several()), "--out", folder / "set", "--model", "scripted",
        "--base-url", server.url, "--cache", folder / "answers.db", "--preview", 2, *flags,
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert not (folder / "set").exists()
    return done.stdout


def test_a_preview_makes_so_many_tasks_with_a_few_of_the_operations_and_tells_what_all_take(
    tmp_path: Path,
) -> None:
    with serving(able()) as server:
        found = json.loads(asked(tmp_path, server, "--json", "--tasks", 20))
        shown = asked(tmp_path, server, "--tasks", 20)
        again = json.loads(asked(tmp_path, server, "--json", "--tasks", 20))
    assert len(found["tasks"]) == 2
    assert {name for name in found["made"] if name.startswith("tools/")} == {
        "tools/escalate_ticket0", "tools/escalate_ticket1"
    }  # fmt: skip
    took, whole = found["model"]["passes"]["tools"], found["whole"]["tools"]
    assert (took["pieces"], whole["pieces"]) == (2, STEPS)
    assert whole["calls"] == [took["asked"] * STEPS // 2] * 2
    assert whole["prompt_tokens"] == [took["prompt_tokens"] * STEPS // 2] * 2
    assert found["whole"]["questions"]["pieces"] == 20
    assert "worded by the model" in shown
    assert "Hello there, this has been on my mind." in shown
    assert "all of the documents, by that" in shown
    assert all(each["asked"] == 0 for each in again["model"]["passes"].values())
    assert again["whole"] == found["whole"]


def test_a_preview_is_of_a_model(tmp_path: Path) -> None:
    done = forge("synth", document(tmp_path), "--out", tmp_path / "set", "--preview", 2)
    assert done.exit_code == 2
    assert "--model NAME" in done.stderr
