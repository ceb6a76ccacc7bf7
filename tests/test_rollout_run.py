"""Many rollouts side by side: what one does or suffers, the others do not notice."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from forge.dataset.choose import Wanted
from forge.dataset.folder import read_dataset
from forge.env.session import World
from forge.errors import EndpointLost, SandboxLost, UserError
from forge.pipeline.rollouts import play_all
from forge.rollout.dialogue import Dialogue
from forge.rollout.policies.oracle import Oracle
from forge.rollout.run import TRIES, Job, Played, Setting, run, seed_of
from forge.rollout.users.scripted import Scripted
from forge.types.rollout import Trajectory, Turn
from forge.types.task import Task
from tests.places import HAND
from tests.worlds import hand_environment, hand_tasks


class Acting:
    """A policy whose players all take their turns from one function: (task, turn number)."""

    name = "acting"

    def __init__(self, act: Callable[[Task, int], Turn]) -> None:
        self._act = act

    def seat(self, world: World, task: Task, seed: int) -> "Actor":
        return Actor(self._act, task)

    async def close(self) -> None:
        pass


class Actor:
    def __init__(self, act: Callable[[Task, int], Turn], task: Task) -> None:
        self._act, self._task = act, task

    async def act(self, dialogue: Dialogue) -> Turn:
        turn = self._act(self._task, len(dialogue.steps))
        if turn.text == "(slow)":
            await asyncio.sleep(0.5)
        return turn


def opened(name: str) -> World:
    return World(hand_environment(), sandbox="native")


def run_all(policy, count: int = 12, **options) -> list[Played]:
    found: list[Played] = []
    setting = Setting(policy, Scripted(), sandbox="native", **options)
    asyncio.run(run((Job(t, 0) for t in hand_tasks()[:count]), opened, setting, found.append))
    return found


def test_a_rollout_whose_endpoint_is_lost_for_a_while_begins_anew_and_is_scored():
    lost: Counter[str] = Counter()

    def act(task: Task, number: int) -> Turn:
        if number == 1 and lost[task.id] < 2:
            lost[task.id] += 1
            raise EndpointLost("no answer") if lost[task.id] == 1 else SandboxLost("killed")
        return Turn(text="What is the airspeed of a swallow?" if number == 0 else "Done.")

    found = run_all(Acting(act), count=3)
    assert {each.trajectory.outcome for each in found} == {"done"}
    assert {each.trajectory.retries for each in found} == {2}


def test_a_rollout_that_is_lost_for_good_earns_neither_0_nor_1():
    first = hand_tasks()[0].id

    def act(task: Task, number: int) -> Turn:
        if task.id == first:
            raise EndpointLost("no answer")
        return Turn(text="Done.")

    found = {each.trajectory.task: each.trajectory for each in run_all(Acting(act))}
    assert (found[first].outcome, found[first].reward) == ("lost", None)
    assert found[first].retries == TRIES - 1
    assert {each.reward for name, each in found.items() if name != first} == {0}


def test_a_bug_in_one_rollout_is_a_record_with_its_trace_and_ends_no_other():
    first = hand_tasks()[0].id

    def act(task: Task, number: int) -> Turn:
        if task.id == first:
            raise ZeroDivisionError("oh")
        return Turn(text="Done.")

    found = {each.trajectory.task: each for each in run_all(Acting(act))}
    assert found[first].trajectory.outcome == "broken"
    assert "ZeroDivisionError" in found[first].trajectory.reason
    assert "Traceback" in found[first].trace
    assert Counter(each.trajectory.outcome for each in found.values()) == {"broken": 1, "done": 11}


def test_a_slow_rollout_does_not_keep_the_others_waiting():
    first = hand_tasks()[0].id

    def act(task: Task, number: int) -> Turn:
        return Turn(text="(slow)" if task.id == first else "Done.")

    found = run_all(Acting(act), concurrent=2)
    assert [each.trajectory.task for each in found][-1] == first


def test_a_policy_that_cannot_play_at_all_ends_the_run():
    def act(task: Task, number: int) -> Turn:
        raise UserError("there is no such model", mend="--model")

    with pytest.raises(UserError, match="no such model"):
        run_all(Acting(act))


def test_no_more_rollouts_are_open_than_asked_for_and_jobs_are_read_as_needed():
    open_now = most = read = 0

    class Counting(Acting):
        def seat(self, world, task, seed):
            nonlocal open_now, most
            open_now += 1
            most = max(most, open_now)
            return super().seat(world, task, seed)

    def jobs():
        nonlocal read
        for task in hand_tasks()[:40]:
            read += 1
            yield Job(task, 0)

    ahead: list[int] = []

    def done(found: Played) -> None:
        nonlocal open_now
        open_now -= 1
        ahead.append(read)

    policy = Counting(lambda task, number: Turn(text="(slow)" if number == 0 else "Done."))
    setting = Setting(policy, Scripted(), sandbox="native", concurrent=4)
    asyncio.run(run(jobs(), opened, setting, done))
    assert most <= 4
    assert ahead[0] < 40


def test_rollouts_of_one_task_have_seeds_of_their_own():
    seeds = {seed_of(0, task.id, attempt) for task in hand_tasks() for attempt in range(50)}
    assert len(seeds) == 50 * len(hand_tasks())


def test_what_was_lost_or_broken_is_played_again_by_the_next_run(tmp_path: Path):
    out = tmp_path / "o.jsonl"
    dataset = read_dataset(HAND)
    sick = {task.id for task in list(dataset.tasks())[:3]}

    def act(task: Task, number: int) -> Turn:
        if task.id in sick:
            raise ZeroDivisionError
        return Turn(text="Done.")

    setting = Setting(Acting(act), Scripted(), sandbox="native")
    play_all(dataset, out, Wanted(), setting)
    first = [Trajectory.model_validate_json(line) for line in out.read_text().splitlines()]
    assert {t.task for t in first if t.outcome == "broken"} == sick
    well = Setting(Acting(lambda task, number: Turn(text="Done.")), Scripted(), sandbox="native")
    report = play_all(dataset, out, Wanted(), well)
    again = [Trajectory.model_validate_json(line) for line in out.read_text().splitlines()]
    assert report.resumed == len(first) - 3
    assert [t.task for t in again] == [task.id for task in dataset.tasks()]
    assert {t.outcome for t in again} == {"done"}


def test_tools_in_the_sandbox_run_on_threads_and_end_as_native_ones_do(tmp_path: Path):
    dataset = read_dataset(HAND)
    texts = []
    for sandbox in ("monty", "native"):
        out = tmp_path / f"{sandbox}.jsonl"
        play_all(dataset, out, Wanted(), Setting(Oracle(), Scripted(), sandbox=sandbox))
        texts.append(out.read_bytes())
    assert texts[0] == texts[1]


# ---------------------------------------------------------------- environments


def in_environments(count: int) -> list[Job]:
    """Three tasks of each of so many environments, in their order."""
    return [
        Job(task.model_copy(update={"env": f"env{number // 3}"}), 0)
        for number, task in enumerate(hand_tasks()[: 3 * count])
    ]


def run_jobs(
    jobs: list[Job],
    act: Callable[[Task, int], Turn],
    open_world: Callable[[str], World] = opened,
    **options,
) -> list[Played]:
    found: list[Played] = []
    setting = Setting(Acting(act), Scripted(), sandbox="native", **options)
    asyncio.run(run(jobs, open_world, setting, found.append))
    return found


def idle(task: Task, number: int) -> Turn:
    return Turn(text="Done.")


def test_each_environment_is_opened_once_and_closed_when_its_rollouts_are_over():
    log: list[str] = []

    class Told(World):
        def close(self) -> None:
            log.append("close")
            super().close()

    def open_world(name: str) -> World:
        log.append(f"open {name}")
        return Told(hand_environment(), sandbox="native")

    run_jobs(in_environments(6), idle, open_world, concurrent=1)
    assert [each for each in log if each != "close"] == [f"open env{n}" for n in range(6)]
    assert log.count("close") == 6
    assert log.index("close") < log.index("open env5")


def test_an_environment_that_cannot_be_opened_is_a_record_of_each_of_its_tasks():
    def open_world(name: str) -> World:
        if name == "env0":
            raise UserError("no tools", where="env0")
        return opened(name)

    found = run_jobs(in_environments(3), idle, open_world)
    ended = Counter((each.trajectory.env, each.trajectory.outcome) for each in found)
    assert ended == {("env0", "broken"): 3, ("env1", "done"): 3, ("env2", "done"): 3}


def test_a_task_that_does_not_fit_its_environment_is_a_record_and_the_others_go_on():
    jobs = in_environments(1)
    jobs[0] = Job(jobs[0].task.model_copy(update={"base": "nowhere"}), 0)
    found = {each.trajectory.task: each.trajectory for each in run_jobs(jobs, idle, concurrent=1)}
    assert found[jobs[0].task.id].outcome == "broken"
    assert "nowhere" in found[jobs[0].task.id].reason
    assert Counter(each.outcome for each in found.values()) == {"broken": 1, "done": 2}


def test_what_the_user_can_mend_is_a_record_once_something_worked():
    jobs = in_environments(1)

    def act(task: Task, number: int) -> Turn:
        if task.id == jobs[2].task.id:
            raise UserError("the key was taken back")
        return idle(task, number)

    found = {each.trajectory.task: each for each in run_jobs(jobs, act, concurrent=1)}
    broken = found[jobs[2].task.id]
    assert (broken.trajectory.outcome, broken.trace) == ("broken", "")
    assert broken.trajectory.reason == "the key was taken back"


def test_a_disk_that_is_full_ends_the_run():
    def full(played: Played) -> None:
        raise UserError("the disk is full")

    setting = Setting(Acting(idle), Scripted(), sandbox="native")
    with pytest.raises(UserError, match="full"):
        asyncio.run(run(in_environments(2), opened, setting, full))


def test_a_run_of_nothing_ends():
    assert run_jobs([], idle) == []
