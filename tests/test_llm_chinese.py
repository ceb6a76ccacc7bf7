"""`forge synth --lang zh`: the same environments and tasks, with users who speak Chinese."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evals.speed.endpoint import Reply, Request, says, serving
from forge.dataset.folder import read_dataset
from forge.env.session import World
from forge.gates.judge import judge
from forge.tasks.speech.chinese import ways
from forge.types.rollout import Trajectory
from forge.types.task import Task
from tests.test_llm_author import bytes_of, forge, no_settings, synth
from tests.test_llm_questions import by_rules, desk, in_form, wishes_in

__all__ = ["no_settings"]

CHARACTERS = "工单标题状态级别客户等待解决打开专家桌面编号姓名内容时间地点种类"


def called(english: str) -> str:
    """A Chinese word, another for another."""
    digest = hashlib.sha256(english.encode()).digest()
    return "".join(CHARACTERS[byte % len(CHARACTERS)] for byte in digest[:4])


def said_in(prompt: str) -> list[str]:
    listed = prompt.partition("letter for letter, all of them:\n")[2].partition("\n\n")[0]
    return re.findall(r"^- (.*)$", listed, re.MULTILINE)


Write = Callable[[str], str]


def in_chinese(prompt: str) -> str:
    there = "、".join(said_in(prompt))
    return f"你好，请帮我把这几件事情办好，之后再告诉我现在的情况怎么样。说的是{there}。"


def answering(
    write: Write = in_chinese, call: Callable[[str], str] = called
) -> Callable[[Request], Reply]:
    wanted: dict[str, list[str]] = {}

    def answer(request: Request) -> Reply:
        prompt = request.body["messages"][0]["content"]
        if "into Chinese" in prompt:
            words = re.findall(r"^- (.*)$", prompt, re.MULTILINE)
            terms = [{"english": word, "chinese": call(word)} for word in words]
            return says(json.dumps({"terms": terms}))
        if "Write the first message" in prompt:
            question = write(prompt)
            wanted[question] = wishes_in(prompt)
            return says(json.dumps({"question": question}))
        if "sent this message to an assistant" in prompt:
            return says(in_form(understood(prompt, wanted)))
        return says("I do not know.")

    return answer


def understood(prompt: str, wanted: dict[str, list[str]]) -> list[str]:
    message, _, rest = prompt.partition("\n\n")[2].partition("\n\nWhat does the person want?")
    options = re.findall(r"^(\d+[a-h]): (.*)$", rest, re.MULTILINE)
    own = [name for name, text in options if text in wanted[message]]
    numbers = {name[:-1] for name in own}
    return own + [
        name for name, text in options if text == "none of these" and name[:-1] not in numbers
    ]


def made(
    folder: Path, *flags: object, out: str = "set", tasks: int = 12, **fake: Any
) -> tuple[list[Task], dict[str, Any]]:
    with serving(answering(**fake)) as server:
        report = json.loads(
            synth(
                folder, server, "--json", "--lang", "zh", *flags, doc=desk(), out=out, tasks=tasks
            ).stdout
        )
    return list(read_dataset(folder / out).tasks()), report


def test_chinese_is_for_a_model_to_write(tmp_path: Path) -> None:
    (tmp_path / "desk.yaml").write_text("openapi: 3.0.0")
    done = forge("synth", tmp_path / "desk.yaml", "--lang", "zh")
    assert done.exit_code == 2
    assert "--model NAME" in done.stderr


def test_users_who_speak_chinese_want_the_same(tmp_path: Path) -> None:
    tasks, report = made(tmp_path)
    rules = by_rules(tmp_path)
    (environment,) = report["environments"]
    assert environment["kept"] == len(tasks) > 6
    for task in tasks:
        assert task.worded is not None
        before = rules[task.worded.of]
        assert task.lang == "zh"
        assert (task.intent, task.dag, task.golden_calls, task.golden, task.split) == (
            before.intent, before.dag, before.golden_calls, before.golden, before.split,
        )  # fmt: skip
        assert [fact.value for fact in task.facts] == [fact.value for fact in before.facts]
        late = [fact for fact in task.facts if fact.told]
        assert all(re.search("[一-鿿]", fact.about) for fact in late)
    assert any(task.facts for task in tasks)
    assert any(fact.told for task in tasks for fact in task.facts)
    assert forge("verify", tmp_path / "set").exit_code == 0
    manifest = json.loads((tmp_path / "set" / "dataset.json").read_text())
    assert manifest["counts"]["languages"] == {"zh": len(tasks)}
    done = forge(
        "rollout", tmp_path / "set", "--policy", "oracle", "--out", tmp_path / "runs.jsonl"
    )
    assert done.exit_code == 0, done.stderr
    lines = (tmp_path / "runs.jsonl").read_text().splitlines()
    assert [Trajectory.model_validate_json(line).reward for line in lines] == [1] * len(tasks)


def test_a_second_run_asks_nothing_and_gives_the_same_bytes(tmp_path: Path) -> None:
    with serving(answering()) as server:
        synth(tmp_path, server, "--lang", "zh", doc=desk(), out="first", tasks=6)
        asked = len(server.asked)
        synth(tmp_path, server, "--lang", "zh", doc=desk(), out="second", tasks=6)
        assert len(server.asked) == asked
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")


@pytest.mark.parametrize(
    ("fake", "why"),
    [
        ({"write": lambda prompt: f"Please see to {', '.join(said_in(prompt))}."}, "its language"),
        ({"call": lambda word: word}, "no Chinese"),
        ({"call": lambda word: "工单"}, "no Chinese"),
        ({"write": lambda prompt: f"{in_chinese(prompt)}编号是8137。"}, "what nobody said"),
    ],
)
def test_a_task_with_no_words_in_chinese_is_left_out_and_counted(
    tmp_path: Path, fake: dict[str, Any], why: str
) -> None:
    tasks, report = made(tmp_path, "--samples", 1, "--repairs", 0, **fake)
    assert all(task.lang == "zh" for task in tasks)
    (environment,) = report["environments"]
    assert environment["refused"]["question"] == 12 - len(tasks) > 0
    assert report["model"]["passes"]["questions"]["failures"][why] > 0


def test_days_and_numbers_are_said_as_in_chinese() -> None:
    now = "2026-03-13T09:00:00Z"
    assert ways("2026-03-15", now, {})[:3] == ["2026年3月15日", "后天", "3月15日"]
    assert ways("2026-03-15T15:30:00Z", now, {})[0] == "2026年3月15日15:30"
    assert "两" in ways(2, now, {})
    assert ways("checked_in", now, {"checked in": "已入住"}) == ["已入住", "checked_in"]


def test_gates_hear_the_newest_where_the_oldest_is_meant(tmp_path: Path) -> None:
    tasks, _ = made(tmp_path, tasks=6)
    data = read_dataset(tmp_path / "set")
    with World(data.environment(tasks[0].env), sandbox="monty", workers=1) as world:
        task = next(each for each in tasks if each.kind in ("change", "mixed"))
        other = task.model_copy(update={"question": f"{task.question}要最新的那个。"})
        assert judge(world, task)["grounded"].passed
        report = judge(world, other)["grounded"]
        assert report.reason == "the question says '最新', and no max is meant"
