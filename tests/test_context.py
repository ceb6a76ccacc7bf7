"""What a model reads of a dialogue, beside a plain account of it made from the steps alone."""

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from evals.speed.endpoint import Reply, calls, completion, says, serving
from forge.cli.main import app
from forge.llm.client import Client, Endpoint
from forge.llm.sizes import head_of, tokens_in
from forge.rollout.loop import Limits, rollout, run_here
from forge.rollout.policies.chat import Chat
from forge.rollout.policies.context import LEFT_OUT, SUM_UP, SUMMED_UP, WHOLE, Context
from forge.rollout.policies.oracle import Oracle
from forge.rollout.policies.shown import Shown
from forge.rollout.users.scripted import Scripted
from forge.types.data import Json
from forge.types.rollout import Step, Summary, Trajectory
from forge.types.task import Task
from tests.worlds import HAND, hand_tasks, hand_world

TASKS = hand_tasks()[:50]
"""Those of the hand-written environment, played natively."""


def shown(task: Task, context: Context) -> tuple[Trajectory, list[list[Json]]]:
    """The oracle, and all it would have read."""
    player = Shown(Oracle(), context).seat(hand_world(), task, 0)
    speaker = Scripted().speaker(task, 0)
    play = rollout(hand_world(), task, player, speaker, policy="oracle", user="scripted", seed=0)
    return run_here(play), [body["messages"] for body in player.script.asked]


def account(step: Step, most: int | None = None, without: bool = False) -> list[str]:
    """One turn in words: what was written, and what came back."""
    made = [f"{call.tool} {json.dumps(call.arguments)}" for call in step.turn.calls]
    lines = [f"assistant: {step.turn.text}{' '.join(made)}"]
    for result in step.results:
        text = LEFT_OUT if without else result.text
        if most is not None and not without and len(text.encode()) > 4 * most:
            head = text.encode()[: 4 * most].decode(errors="ignore")
            text = (
                f"{head}\n[cut: {len(text) - len(head):,} of {len(text):,} characters are"
                " not shown]"
            )
        lines.append(f"tool: {text}")
    if step.user is not None:
        lines.append(f"user: {step.user}")
    return lines


def read(messages: list[Json]) -> list[str]:
    """The same of what a model is sent, after the system's message."""
    lines = []
    for message in messages[1:]:
        made = [
            f"{call['function']['name']} {json.dumps(json.loads(call['function']['arguments']))}"
            for call in message.get("tool_calls", ())
        ]
        lines.append(f"{message['role']}: {message['content'] or ''}{' '.join(made)}")
    return lines


def test_all_of_the_dialogue_is_read_on_fifty_tasks_and_each_prompt_begins_with_the_last() -> None:
    assert len(TASKS) == 50
    for task in TASKS:
        trajectory, prompts = shown(task, WHOLE)
        assert trajectory.reward == 1
        for number, messages in enumerate(prompts):
            told = [line for step in trajectory.steps[:number] for line in account(step)]
            assert read(messages) == [f"user: {task.question}", *told]
            assert number == 0 or messages[: len(prompts[number - 1])] == prompts[number - 1]
        assert all(step.turn.view is None for step in trajectory.steps)


@pytest.mark.parametrize("keep", [1, 2])
def test_a_window_holds_the_newest_results_and_the_agents_own_words_on_fifty_tasks(
    keep: int,
) -> None:
    for task in TASKS:
        trajectory, prompts = shown(task, Context("window", keep=keep))
        assert trajectory.reward == 1
        for number, messages in enumerate(prompts):
            before = trajectory.steps[:number]
            with_results = [n for n, step in enumerate(before) if step.results]
            newest = with_results[-keep:]
            told = [
                line
                for n, step in enumerate(before)
                for line in account(step, without=n not in newest)
            ]
            assert read(messages) == [f"user: {task.question}", *told]
            view = trajectory.steps[number].turn.view
            assert (view.notes if view else 0) == len(with_results) - len(newest)


def test_above_the_budget_a_summary_stands_for_all_but_the_last_turns_on_fifty_tasks() -> None:
    context = Context("summary", keep=1, budget=1, summaries=2)
    written = 0
    for task in TASKS:
        trajectory, prompts = shown(task, context)
        assert trajectory.reward == 1
        summary: Summary | None = None
        left = iter(prompts)
        for number, step in enumerate(trajectory.steps):
            told = _told(task, trajectory.steps[:number], summary)
            new = step.turn.view.summary if step.turn.view else None
            if new is not None:
                assert read(next(left)) == [*told, f"user: {SUM_UP}"]
                assert new.upto == number - 1
                summary, written = new, written + 1
                told = _told(task, trajectory.steps[:number], summary)
            assert read(next(left)) == told
        assert next(left, None) is None
        most = min(2, max(0, len(trajectory.steps) - 2))
        assert sum(_summary(step) is not None for step in trajectory.steps) == most
    assert written > 50


def _told(task: Task, before: tuple[Step, ...], summary: Summary | None) -> list[str]:
    if summary is None:
        return [f"user: {task.question}", *(line for each in before for line in account(each))]
    first = f"user: {task.question}\n\n{SUMMED_UP}\n{summary.text}"
    return [first, *(line for each in before[summary.upto :] for line in account(each))]


def _summary(step: Step) -> Summary | None:
    return step.turn.view.summary if step.turn.view else None


def test_a_summary_is_of_what_was_done_when_it_was_written() -> None:
    trajectory, _ = shown(TASKS[0], Context("summary", keep=1, budget=1, summaries=1))
    number, summary = next(
        (n, found) for n, step in enumerate(trajectory.steps) if (found := _summary(step))
    )
    assert summary.text.splitlines() == [
        f"I called {', '.join(call.tool for call in step.turn.calls)}."
        if step.turn.calls
        else f"I was told: {step.user}"
        for step in trajectory.steps[:number]
    ]


def test_below_the_budget_nothing_is_summed_up() -> None:
    for task in TASKS[:10]:
        assert shown(task, Context("summary", budget=10**6))[1] == shown(task, WHOLE)[1]


@pytest.mark.parametrize("strategy", ["append", "window", "summary"])
def test_long_results_are_cut_with_a_mark_and_counted(strategy) -> None:
    cut = 0
    for task in TASKS:
        trajectory, prompts = shown(task, Context(strategy, keep=1, result=8))
        for step, messages in zip(trajectory.steps, prompts, strict=True):
            marks = sum("[cut: " in line for line in read(messages))
            assert marks == (step.turn.view.cut if step.turn.view else 0)
            cut += marks
    assert cut > 50


def test_a_result_that_is_cut_is_cut_alike_at_every_turn() -> None:
    trajectory, prompts = shown(TASKS[0], Context(result=8))
    for number, messages in enumerate(prompts):
        told = [line for step in trajectory.steps[:number] for line in account(step, most=8)]
        assert read(messages)[1:] == told


@given(st.text(max_size=200), st.integers(1, 60))
def test_the_head_of_a_text_is_a_beginning_that_is_no_longer_than_asked(text, tokens) -> None:
    head = head_of(text, tokens)
    assert text.startswith(head)
    assert tokens_in(head) <= tokens
    assert head == text or tokens_in(text[: len(head) + 1]) > tokens


# a model at a server


def by_model(replies: list[Reply], context: Context) -> tuple[Trajectory, list[list[Json]]]:
    async def play(url: str) -> Trajectory:
        policy = Chat(Client(Endpoint("scripted", base_url=url, tries=1)), context=context)
        task = hand_tasks()[0]
        try:
            return await rollout(
                hand_world(),
                task,
                policy.seat(hand_world(), task, 1),
                Scripted().speaker(task, 0),
                policy=policy.name,
                user="scripted",
                seed=1,
                limits=Limits(steps=6),
            )
        finally:
            await policy.close()

    with serving(replies) as server:
        found = asyncio.run(play(server.url))
        return found, [request.body["messages"] for request in server.asked]


FIND = calls(("find_project", {"name": "Lumen"}))
BYE = says("Goodbye.")


def test_a_prompt_is_measured_by_what_the_server_counted() -> None:
    message = FIND.body["choices"][0]["message"]
    large = Reply(completion(message, prompt=900, written=100))
    replies = [FIND, large, says("So far so good."), FIND, BYE]
    trajectory, prompts = by_model(replies, Context("summary", keep=1, budget=800))
    assert [_summary(step) is not None for step in trajectory.steps] == [False, False, True, False]
    assert prompts[2][-1]["content"] == SUM_UP


def test_the_tokens_of_summaries_count_as_written() -> None:
    replies = [FIND, FIND, says("So far so good."), FIND, BYE]
    trajectory, _ = by_model(replies, Context("summary", keep=1, budget=5, summaries=1))
    assert [step.turn.written for step in trajectory.steps] == [5, 5, 10, 5]
    summary = _summary(trajectory.steps[2])
    assert summary is not None
    assert (summary.text, summary.prompt_tokens, summary.completion_tokens) == (
        "So far so good.", 7, 5
    )  # fmt: skip


def test_a_model_that_writes_no_summary_goes_on_with_what_it_read() -> None:
    trajectory, prompts = by_model(
        [FIND, FIND, FIND, BYE], Context("summary", keep=1, budget=5, summaries=1)
    )
    assert prompts[2][-1]["content"] == SUM_UP
    assert prompts[3] == prompts[2][:-1]
    assert all(_summary(step) is None for step in trajectory.steps)


# at the command line


def forge(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_contexts_are_compared_on_the_same_tasks(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.jsonl" for name in ("append", "window", "summary")]
    for file in files:
        flags = ("--context-tokens", "500") if file.stem == "summary" else ()
        done = forge(
            "rollout", HAND, "--policy", "oracle", "--context", file.stem, *flags, "--out", file
        )
        assert done.exit_code == 0, done.output
    told = json.loads(forge("stats", *files, "--by", "context", "--json").stdout)
    groups = {group["group"]: group for group in told["groups"]}
    assert list(groups) == ["all", "append", "summary --context-tokens 500", "window"]
    assert {group["rate"]["value"] for group in groups.values()} == {1.0}
    assert groups["window"]["prompt_tokens"] > 0


def test_what_was_in_force_is_kept_with_each_turn(tmp_path: Path) -> None:
    out = tmp_path / "w.jsonl"
    forge("rollout", HAND, "--policy", "oracle", "--context", "window", "--out", out)
    found = [Trajectory.model_validate_json(line) for line in out.read_text().splitlines()]
    assert {str(each.settings["context"]) for each in found} == {"window"}
    assert any(step.turn.view and step.turn.view.notes for each in found for step in each.steps)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--context-tokens", "9"), "--context-tokens is for --context summary"),
        (("--context", "window", "--context-summaries", "9"), "is for --context summary"),
        (("--context-keep", "9"), "is for --context window and summary"),
    ],
)
def test_a_flag_of_another_context_is_one_line(tmp_path: Path, flags, said: str) -> None:
    done = forge("rollout", HAND, "--policy", "oracle", *flags, "--out", tmp_path / "x.jsonl")
    assert done.exit_code == 2
    assert said in done.stderr
