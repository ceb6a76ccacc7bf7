"""Tasks that share one state and an agent's notes: how they are made, judged and played."""

import json
import shutil
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from forge.dataset.folder import read_dataset
from forge.dataset.hashes import sealed_sequence
from forge.env.notes import notes_of, with_notes
from forge.gates.judge import judge_all
from forge.gates.keep import Stand, Tally, Wanted
from forge.gates.sequences import more_sequences
from forge.rollout.course import Course
from forge.rollout.loop import rollout, run_here
from forge.rollout.policies.noop import Noop
from forge.rollout.policies.oracle import DagPlayer
from forge.rollout.policies.policy import Player
from forge.rollout.users.model import prompt_for
from forge.rollout.users.scripted import Scripted
from forge.tasks.dags.graph import tool_graph
from forge.tasks.sequences import end_of
from forge.types.dag import CallNode, TaskDag
from forge.types.environment import Tool
from forge.types.rollout import Trajectory
from forge.types.task import Task
from tests.places import HAND, ROOT
from tests.test_more_tasks import files, forge
from tests.worlds import hand_environment, hand_world

SAMPLE = ROOT / "generated" / "sample"


@cache
def sequences() -> tuple[tuple[Task, ...], ...]:
    """Some of the hand-written environment, one of them of three tasks."""
    graph, wanted = tool_graph(hand_environment()), Wanted(20, 0, kind="sequence")
    return tuple(more_sequences(hand_world(), graph, wanted, Stand(), Tally()))


def pair() -> tuple[Task, Task]:
    one, two = next(each for each in sequences() if len(each) == 2)
    return one, two


def three() -> tuple[Task, ...]:
    return next(each for each in sequences() if len(each) == 3)


def faults(*tasks: Task) -> list[dict[str, str]]:
    """What the gates have against each of them, sealed anew."""
    reports = judge_all(hand_world(), sealed_sequence(tasks))
    return [{name: r.reason for name, r in each.items() if not r.passed} for each in reports]


def playing(*players: tuple[Task, Player]) -> list[Trajectory]:
    """Tasks of a sequence, each by a player, in one session."""
    world = hand_world().of("sequence")
    course, found = Course(world), []
    for task, player in players:
        stage, measured = course.enter(task)
        speaker = Scripted().speaker(task, 0)
        given: dict[str, Any] = {"policy": "some", "user": "scripted", "seed": 0, "stage": stage}
        found.append(run_here(rollout(world, measured, player, speaker, **given)))
    return found


def forgetful(task: Task) -> Player:
    """The oracle, but it notes nothing."""
    _, save, _ = notes_of(hand_world().of("sequence").environment)
    nodes = [n for n in task.dag.nodes if not (isinstance(n, CallNode) and n.tool == save.name)]
    assert len(nodes) < len(task.dag.nodes)
    dag = TaskDag(nodes=tuple(nodes), orders=task.dag.orders)
    return DagPlayer(task.model_copy(update={"dag": dag}))


def again(first: Task, *others: Task) -> tuple[Task, ...]:
    """The tasks, each with its setup as the one before now leaves it."""
    made = [first]
    for task in others:
        made.append(task.model_copy(update={"setup": end_of(hand_world(), made[-1])}))
    return tuple(made)


# --------------------------------------------------------------------- the command


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The sample and the hand-written data set, with sequences made for each environment."""
    home, native = tmp_path_factory.mktemp("sets"), ("--sandbox", "native")
    sets = [shutil.copytree(SAMPLE, home / "sample"), shutil.copytree(HAND, home / "hand")]
    for folder, count in zip(sets, (2, 4), strict=True):
        done = forge("tasks", folder, "--kind", "sequence", "-n", count, "--seed", 5, *native)
        assert done.returncode == 0, done.stderr
    return sets


def of_sequences(folder: Path) -> list[Task]:
    return [task for task in read_dataset(folder).tasks() if task.kind == "sequence"]


def rewards(out: Path) -> dict[str, int]:
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    return {row["task"]: row["verdict"]["reward"] for row in rows}


def test_sequences_are_made_of_every_environment_and_lie_in_their_order(made: list[Path]) -> None:
    tasks = [task for folder in made for task in of_sequences(folder)]
    assert sum(task.follows is None for task in tasks) >= 6
    for before, task in pairwise(tasks):
        assert task.follows in (None, before.id)
    assert {task.env for task in of_sequences(made[0])} == set(read_dataset(made[0]).names())


def test_verify_passes_a_data_set_with_sequences(made: list[Path]) -> None:
    for folder in made:
        done = forge("verify", folder, "--sandbox", "native")
        assert done.returncode == 0, done.stdout
        assert "remembered" in done.stdout


def test_the_oracle_earns_all_of_a_sequence_and_noop_nothing(
    made: list[Path], tmp_path: Path
) -> None:
    for folder in made:
        for policy, reward in (("oracle", 1), ("noop", 0)):
            out = tmp_path / f"{folder.name}-{policy}.jsonl"
            options = ("--kind", "sequence", "--sandbox", "native", "--out", out)
            done = forge("rollout", folder, "--policy", policy, *options)
            assert done.returncode == 0, done.stderr
            assert rewards(out) == {task.id: reward for task in of_sequences(folder)}


def test_tasks_that_were_there_keep_every_byte(made: list[Path]) -> None:
    before = (SAMPLE / "tasks.jsonl").read_text().splitlines()
    after = (made[0] / "tasks.jsonl").read_text().splitlines()
    assert [line for line in after if json.loads(line)["kind"] != "sequence"] == before


def test_the_same_seed_makes_the_same_bytes(made: list[Path], tmp_path: Path) -> None:
    other = shutil.copytree(HAND, tmp_path / "hand")
    options = ("--kind", "sequence", "-n", 4, "--seed", 5, "--jobs", 1)
    assert forge("tasks", other, *options).returncode == 0
    assert files(other) == files(made[1])


def test_a_number_of_rollouts_takes_sequences_whole(made: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "one.jsonl"
    options = ("--kind", "sequence", "-n", 1, "--sandbox", "native", "--out", out)
    assert forge("rollout", made[1], "--policy", "noop", *options).returncode == 0
    tasks = [json.loads(line)["task"] for line in out.read_text().splitlines()]
    follows = {task.id: task.follows for task in of_sequences(made[1])}
    assert len(tasks) > 1
    assert [follows[id] for id in tasks] == [None, *tasks[:-1]]


def test_a_sequence_that_is_partly_there_is_played_anew_as_a_whole(
    made: list[Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    options = ("--kind", "sequence", "-r", 2, "--sandbox", "native", "--out", out)
    assert forge("rollout", made[1], "--policy", "oracle", *options).returncode == 0
    whole = out.read_bytes()
    rows = whole.splitlines(keepends=True)
    out.write_bytes(b"".join(rows[1:]))
    done = forge("rollout", made[1], "--policy", "oracle", *options, "--json")
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() == whole


def test_show_prints_the_whole_sequence(made: list[Path]) -> None:
    before, task = next(
        pair for pair in pairwise(of_sequences(made[1])) if pair[1].follows is not None
    )
    shown = " ".join(forge("show", made[1], task.id).stdout.split())
    for each in (before, task):
        assert " ".join(each.question.split()) in shown
    row = json.loads(forge("show", made[1], task.id, "--json").stdout)
    assert row["id"] == task.id
    assert {before.id, task.id} <= set(row["sequence"])


def test_statistics_tell_sequences_apart(made: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "all.jsonl"
    options = ("--sandbox", "native", "--out", out)
    assert forge("rollout", made[1], "--policy", "noop", *options).returncode == 0
    assert "sequence" in forge("stats", out, "--by", "kind").stdout


def test_where_one_task_fails_the_whole_sequence_is_set_aside(
    made: list[Path], tmp_path: Path
) -> None:
    mine = shutil.copytree(made[1], tmp_path / "mine")
    rows = [json.loads(line) for line in (mine / "tasks.jsonl").read_text().splitlines()]
    at = next(n for n, row in enumerate(rows) if row.get("follows"))
    rows[at]["question"] = "Please do what I said before."
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows]
    (mine / "tasks.jsonl").write_text("".join(lines))
    assert forge("tasks", mine, "-n", 0, "--sandbox", "native").returncode == 0
    left = of_sequences(mine)
    set_aside = (mine / "envs" / "projects" / "set_aside.jsonl").read_text().splitlines()
    gone = {json.loads(line)["id"] for line in set_aside}
    assert {rows[at]["id"], rows[at]["follows"]} <= gone
    assert all(task.follows not in gone for task in left)


def test_a_person_plays_the_tasks_one_after_the_other(made: list[Path]) -> None:
    first = next(task for task in of_sequences(made[1]) if task.follows is None)
    typed = "\n".join(["save_note text=hello", "All done.", "list_notes", "All done."] * 2)
    done = forge_typing(typed, "play", made[1], first.id)
    assert done.count("the user is back") >= 1
    assert '"text": "hello"' in done.split("the user is back")[1]


def forge_typing(typed: str, *arguments: object) -> str:
    command = [sys.executable, "-m", "forge", *map(str, arguments), "--sandbox", "native"]
    done = subprocess.run(command, input=typed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_making_goes_on_where_it_was_interrupted() -> None:
    graph, wanted = tool_graph(hand_environment()), Wanted(8, 0, kind="sequence")
    stand = Stand()
    making = more_sequences(hand_world(), graph, wanted, stand, Tally())
    first, number = next(making), stand.number
    then = next(making)
    later = Stand(number=number)
    for task in first:
        later.add(task)
    assert next(more_sequences(hand_world(), graph, wanted, later, Tally(kept=len(first)))) == then


# ------------------------------------------------------------------- in the session


def test_without_notes_the_later_task_is_not_to_be_done() -> None:
    for tasks in sequences():
        noting = [t for t in tasks if any(f.name.startswith("note ") for f in t.facts)]
        players: list[tuple[Task, Player]] = [
            (task, forgetful(task) if task in noting else DagPlayer(task)) for task in tasks
        ]
        found = playing(*players)
        later = [t.reward for t, task in zip(found, tasks, strict=True) if task.follows]
        assert found[0].reward == 1, "what is noted is not compared"
        assert later == [0] * len(later)


def test_the_oracle_finds_what_it_noted() -> None:
    for tasks in sequences():
        assert [t.reward for t in playing(*((t, DagPlayer(t)) for t in tasks))] == [1] * len(tasks)


def test_where_an_earlier_task_went_wrong_the_later_is_played_and_measured_all_the_same() -> None:
    one, two = pair()
    first, second = playing((one, Noop()), (two, DagPlayer(two)))
    assert first.reward == 0
    assert second.reward == 0
    assert len(second.steps) > 1


def test_the_user_says_that_they_told_it_before() -> None:
    _, two = pair()
    (fact,) = (fact for fact in two.facts if fact.noted)
    speaker = Scripted().speaker(two, 0)
    told = run_reply(speaker.reply(f"What is {fact.about}?"))
    assert "told you that before" in told
    assert fact.text not in told
    chinese = two.model_copy(update={"lang": "zh"})
    assert "之前" in run_reply(Scripted().speaker(chinese, 0).reply(f"What is {fact.about}?"))


def test_a_model_as_the_user_tells_beforehand_and_later_knows_only_that_it_told() -> None:
    schema = hand_world().of("sequence").environment.state_schema
    one, two = pair()
    (note,) = (fact for fact in one.facts if fact.name == "note 1")
    (fact,) = (fact for fact in two.facts if fact.noted)
    assert f"mention, for another day, that {note.text}" in prompt_for(one, schema, "en", 0)
    later = prompt_for(two, schema, "en", 0)
    assert fact.text not in later
    assert f"- {fact.about}" in later.partition("in an earlier conversation")[2]


def run_reply(coroutine: Any) -> str:
    with pytest.raises(StopIteration) as stop:
        coroutine.send(None)
    return str(stop.value.value.text)


def test_time_goes_on_between_the_tasks() -> None:
    one, two = pair()
    course = Course(hand_world().of("sequence"))
    course.enter(one)[0].call("save_note", {"text": "hello"})
    session, _ = course.enter(two)
    assert session.store.now() == two.now > one.now
    assert session.call("list_notes", {}).value[0]["text"] == "hello"


# ------------------------------------------------------------------------- the gates


def test_sequences_that_are_kept_pass_every_gate() -> None:
    for tasks in (pair(), three()):
        assert faults(*tasks) == [{}] * len(tasks)


def test_a_task_of_a_sequence_does_not_stand_alone() -> None:
    one, two = pair()
    assert faults(one) == [{"remembered": "it stands alone"}]
    (alone,) = judge_all(hand_world(), [two])
    assert "is not before it" in alone["remembered"].reason


def test_a_note_that_is_not_saved_is_missed() -> None:
    one, two = pair()
    nodes = tuple(n for n in one.dag.nodes if not n.id.startswith("save"))
    calls = tuple(call for call in one.golden_calls if call.tool != "save_note")
    golden = {name: rows for name, rows in one.golden.items() if name != "notes"}
    update = {"dag": TaskDag(nodes=nodes, orders=one.dag.orders), "golden_calls": calls}
    bare = one.model_copy(update={**update, "golden": golden})
    assert faults(*again(bare, two))[1].keys() >= {"replay", "solvable"}


def test_a_note_that_nobody_needs_is_idle() -> None:
    tasks = next(
        each
        for each in sequences()
        if len(each) == 3 and any(call.tool == "save_note" for call in each[1].golden_calls)
    )
    _, last = faults(*tasks[:2])
    assert last["remembered"].startswith("no later task needs the note")


def test_a_start_that_is_not_the_end_of_the_task_before_is_seen() -> None:
    one, two = pair()
    notes = {name: rows for name, rows in two.setup.items() if name == "notes"}
    _, found = faults(one, two.model_copy(update={"setup": notes}))
    assert found["remembered"] == "it does not start where the task before ends"


def test_golden_notes_that_no_call_writes_are_seen() -> None:
    one, two = pair()
    ((key, note),) = one.golden["notes"].made.items()
    other = one.golden["notes"].model_copy(update={"made": {key: {**note, "text": "nothing"}}})
    first = one.model_copy(update={"golden": {**one.golden, "notes": other}})
    assert faults(*again(first, two))[0] == {"remembered": "the golden calls leave other notes"}


def test_what_the_question_says_itself_needs_no_memory() -> None:
    one, two = pair()
    (fact,) = (fact for fact in two.facts if fact.noted)
    said = two.model_copy(update={"question": f"{two.question} It is {fact.text}."})
    assert "grounded" in faults(one, said)[1]


def test_what_no_earlier_task_tells_is_seen() -> None:
    one, two = pair()
    (note,) = (fact for fact in one.facts if fact.name == "note 1")
    silent = one.model_copy(update={"question": one.question.replace(note.text, "something")})
    first, second = faults(silent, two)
    assert {"grounded", "solvable"} <= first.keys()
    assert second["remembered"].startswith("no earlier task tells")


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("now", "2020-01-01T09:00:00Z", "it is 2020"),
        ("actor", None, "its actor"),
        ("lang", "zh", "its lang"),
    ],
)
def test_tasks_of_a_sequence_hang_together(field: str, value: Any, reason: str) -> None:
    one, two = pair()
    _, found = faults(one, two.model_copy(update={field: value}))
    assert found["remembered"].startswith(reason)


def test_tasks_of_a_sequence_are_on_one_side_of_the_split() -> None:
    one, two = pair()
    moved = two.model_copy(update={"split": "test" if one.split == "train" else "train"})
    reports = judge_all(hand_world(), [one, moved])
    assert reports[1]["remembered"].reason.startswith("its split")


def test_only_a_task_of_a_sequence_follows_another() -> None:
    one, two = pair()
    reports = judge_all(hand_world(), [one, two.model_copy(update={"kind": "change"})])
    assert reports[1]["replay"].reason == "it follows a task, and its kind is change"


# ------------------------------------------------------------------------- the notes


def test_notes_take_names_that_are_free() -> None:
    plain = hand_environment()
    taken = Tool(name="list_notes", description="", parameters={"type": "object"}, kind="read")
    other = with_notes(plain.model_copy(update={"tools": (*plain.tools, taken)}))
    table, save, listing = notes_of(other)
    assert (table, save.name, listing.name) == ("memos", "save_memo", "list_memos")


def test_a_later_fact_is_never_one_of_a_few_values() -> None:
    for tasks in sequences():
        noted = [fact.value for task in tasks for fact in task.facts if fact.noted]
        assert noted
        assert not {"admin", "member", "viewer", True, False} & set(map(str, noted))


def test_days_are_told_in_full_beforehand() -> None:
    for tasks in sequences():
        for task in tasks:
            notes = [fact.text for fact in task.facts if fact.name.startswith("note ")]
            assert not any("tomorrow" in note or "from today" in note for note in notes)
