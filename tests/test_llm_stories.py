"""`forge synth --model` end to end: a model picks, from a menu of wishes that rules made, those
that one person has in one breath; gates decide, and a pick that is none changes nothing."""

import json
import random
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from evals.speed.endpoint import Reply, Request, Server, says, serving
from forge.authors.llm.prompts import version
from forge.authors.llm.stories import NoStory, Picked, places_of
from forge.dataset.folder import read_dataset
from forge.tasks.dags.graph import tool_graph
from forge.tasks.make import Proposer
from forge.tasks.starts import any_point
from forge.tasks.stories import menu_of, story
from forge.tasks.wishes.reasoned import reasoned
from forge.tasks.wishes.scene import Unfit
from forge.types.expression import Expression
from forge.types.intent import Aggregate, Answer
from forge.types.task import Task
from tests.test_llm_author import bytes_of, forge, no_settings, synth  # noqa: F401
from tests.test_llm_values import NONSENSE, register
from tests.worlds import hand_environment, hand_world

TASKS = 9
SAMPLES = ("--samples", 3, "--repairs", 0)
PAIRS = ([1, 2], [4, 3], [2, 5])


def menu_in(request: Request) -> list[str] | None:
    """The lines that are to be picked from, where that is what is asked."""
    text = str(request.body["messages"][0]["content"])
    if "things that\npeople" not in text.replace("things that people", "things that\npeople"):
        return None
    return re.findall(r"^\d+\. (.+)$", text, re.MULTILINE)


def picks(*pairs: object) -> Any:
    """Answers with one pick for the first sample, another for the second …"""

    def answer(request: Request) -> Reply:
        if menu_in(request) is None:
            return says(NONSENSE)
        pick = pairs[min(request.body["seed"], len(pairs) - 1)]
        if isinstance(pick, str):
            return says(pick)
        return says(json.dumps({"why": "They are about the same ship.", "pick": pick}))

    return answer


def proposer() -> Proposer:
    return Proposer(hand_world(), tool_graph(hand_environment()), seed=1)


def made(folder: Path, server: Server, *flags: object, **options: Any) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(
        synth(
            folder, server, "--json", *(flags or SAMPLES), doc=register(),
            tasks=options.pop("tasks", TASKS), **options,
        ).stdout
    )  # fmt: skip
    return told


def outcome(folder: Path, *pairs: object) -> dict[str, Any]:
    with serving(picks(*pairs)) as server:
        found: dict[str, Any] = made(folder, server)["model"]["passes"]["stories"]
    return found


def stories(folder: Path) -> list[Task]:
    return [task for task in read_dataset(folder).tasks() if task.merged is not None]


def test_wishes_that_a_model_picks_become_one_task_that_every_gate_passes(tmp_path: Path) -> None:
    found = outcome(tmp_path, *PAIRS)
    told = stories(tmp_path / "set")
    assert 1 <= len(told) == found["gained"] <= found["pieces"] == TASKS // 3
    for task in told:
        assert len(task.intent.wishes) == 2
        assert task.merged is not None
        assert (task.merged.model, task.merged.prompt) == ("scripted", version("story"))
    assert len(list(read_dataset(tmp_path / "set").tasks())) == TASKS
    done = forge("verify", tmp_path / "set", "--json")
    assert done.exit_code == 0, done.stdout


def test_a_menu_is_of_wishes_that_differ_and_the_same_every_time() -> None:
    menus = [menu_of(proposer(), 0) for _ in range(2)]
    assert menus[0].words == menus[1].words
    assert len(set(menus[0].words)) == len(menus[0].words) >= 4


def test_a_story_has_the_wishes_that_were_picked_in_that_order() -> None:
    maker = proposer()
    menu = menu_of(maker, 0)
    for places in ((0, 2), (2, 0), (3, 1), (1, 4)):
        with suppress(Unfit):
            wishes = story(maker, menu, places).task.intent.wishes
            picked = [menu.wishes[place].wish.verb for place in places]
            assert [wish.verb for wish in wishes] == picked
            return
    pytest.fail("no story came of any pick")


EXPRESSION = {
    "table": "shipwrecks", "where": [{"column": "condition", "op": "eq", "value": "intact"}],
    "op": "count", "column": None,
}  # fmt: skip


def reasons_and_picks(request: Request) -> Reply:
    """Writes an expression, and picks it with each of the first wishes in turn."""
    menu = menu_in(request)
    if menu is not None:
        return says(json.dumps({"why": ".", "pick": [request.body["seed"] + 1, len(menu)]}))
    asks = '"least", "most"' in str(request.body["messages"][0]["content"])
    return says(json.dumps(EXPRESSION) if asks else NONSENSE)


def test_what_a_model_writes_as_an_expression_is_asked_in_a_story(tmp_path: Path) -> None:
    with serving(reasons_and_picks) as server:
        passes = made(tmp_path, server, "--samples", 4, "--repairs", 0)["model"]["passes"]
    assert passes["reasons"]["gained"] >= 1
    own = [task for task in stories(tmp_path / "set") if "+reason/" in str(task.merged)]
    assert own
    for task in own:
        wish = task.intent.wishes[-1]
        assert isinstance(wish, Answer)
        assert isinstance(wish.what, Aggregate)
        assert (wish.what.op, wish.what.of.table) == ("count", "shipwrecks")
    assert forge("verify", tmp_path / "set").exit_code == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"table": "ships"}, "there is no table to ask about"),
        ({"op": "sum", "column": "name"}, "nothing is computed over the column"),
        ({"op": "sum", "column": None}, "nothing is computed over the column"),
        ({"where": [{"column": "status", "op": "eq", "value": "lost"}]}, "has no such value"),
        ({"where": [{"column": "name", "op": "eq", "value": "x"}]}, "no condition by eq"),
        ({"where": []}, "all records fit"),
    ],
)
def test_an_expression_that_nobody_would_ask_for_or_that_is_not_exact_is_refused(
    change: dict[str, Any], why: str
) -> None:
    maker = proposer()
    _, scene = maker.opened_at(any_point(hand_world(), random.Random(1)), random.Random(1))
    fine = {
        "table": "projects", "where": [{"column": "status", "op": "eq", "value": "active"}],
        "op": "count", "column": None,
    }  # fmt: skip
    assert reasoned(Expression.model_validate(fine), scene)
    with pytest.raises(Unfit, match=why):
        reasoned(Expression.model_validate({**fine, **change}), scene)


def test_a_second_run_asks_nothing_and_gives_the_same_bytes(tmp_path: Path) -> None:
    with serving(picks(*PAIRS)) as server:
        made(tmp_path, server, out="first")
        asked = len(server.asked)
        made(tmp_path, server, out="second")
        before = bytes_of(tmp_path / "second")
        made(tmp_path, server, out="second")
        assert len(server.asked) == asked
    assert bytes_of(tmp_path / "first") == before == bytes_of(tmp_path / "second")


@pytest.mark.parametrize(
    ("pick", "why"),
    [
        ([1], "how many: 1 numbers; pick 2 or 3"),
        ([1, 2, 3, 4], "how many: 4 numbers; pick 2 or 3"),
        ([2, 2], "twice: a number is picked twice"),
        ([1, 99], "out of range: there is no 99; the numbers are 1 to 9"),
        ([0, 1], "out of range: there is no 0; the numbers are 1 to 9"),
    ],
)
def test_what_is_no_pick_is_refused_with_the_reason(pick: list[int], why: str) -> None:
    with pytest.raises(NoStory, match=why):
        places_of(Picked(why="", pick=pick), 9)


def test_where_nothing_is_picked_well_the_data_set_is_that_of_rules(tmp_path: Path) -> None:
    found = outcome(tmp_path, NONSENSE, [1, 1], [1, 99])
    assert (found["gained"], found["failures"]) == (0, {"the pick, out of range": 3})
    done = forge("synth", tmp_path / "desk.yaml", "--out", tmp_path / "rules", "--tasks", TASKS)
    assert done.exit_code == 0
    tasks = [(tmp_path / name / "tasks.jsonl").read_bytes() for name in ("set", "rules")]
    assert tasks[0] == tasks[1]


def test_what_a_gate_refuses_is_counted_by_the_gate(tmp_path: Path) -> None:
    with serving(picks([1, 2])) as server:
        passes = made(tmp_path, server, "--samples", 1, "--repairs", 0, tasks=36)["model"]["passes"]
    failures = passes["stories"]["failures"]
    assert sum(failures.values()) == passes["stories"]["pieces"] - passes["stories"]["gained"]
    assert all(why.startswith(("the gate ", "unfit, ")) for why in failures)
    assert any(why.startswith("the gate ") for why in failures)


def test_a_repair_says_what_was_wrong_with_the_pick(tmp_path: Path) -> None:
    with serving(picks([1, 99])) as server:
        made(tmp_path, server, "--samples", 1, "--repairs", 1, tasks=3)
        asked = [each for each in server.asked if menu_in(each) is not None]
    again = asked[1].body["messages"][0]["content"]
    assert "What is wrong with it: the pick, out of range: there is no 99" in again


def test_every_tool_that_was_called_still_is(tmp_path: Path) -> None:
    outcome(tmp_path, *PAIRS)
    done = forge("synth", tmp_path / "desk.yaml", "--out", tmp_path / "rules", "--tasks", TASKS)
    assert done.exit_code == 0
    called = [
        {call.tool for task in read_dataset(tmp_path / name).tasks() for call in task.golden_calls}
        for name in ("rules", "set")
    ]
    assert called[0] <= called[1]


def test_a_dry_run_says_what_stories_may_cost(tmp_path: Path) -> None:
    with serving(picks(*PAIRS)) as server:
        done = synth(tmp_path, server, "--dry-run", "--json", doc=register(), tasks=TASKS)
    assert json.loads(done.stdout)["passes"]["stories"]["calls"] == [3, 12]
