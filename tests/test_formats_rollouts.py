"""Whole rollouts in every format, by a model that is known: it writes what the oracle does."""

import asyncio
import json
from collections.abc import Callable
from typing import get_args

import pytest

from evals.speed.endpoint import Reply, Server, completion, says, serving
from forge.llm.client import Client, Endpoint
from forge.rollout.loop import rollout, run_here
from forge.rollout.policies.chat import Chat
from forge.rollout.policies.context import WHOLE
from forge.rollout.policies.formats import Format, write
from forge.rollout.policies.oracle import Oracle
from forge.rollout.policies.policy import Policy
from forge.rollout.policies.shown import Shown
from forge.rollout.users.scripted import Scripted
from forge.types.data import Json
from forge.types.rollout import Trajectory, Turn
from forge.types.task import Task
from tests.worlds import hand_tasks, hand_world

FORMATS: tuple[Format, ...] = get_args(Format)


def played(policy: Policy, task: Task) -> Trajectory:
    return run_here(
        rollout(
            hand_world(),
            task,
            policy.seat(hand_world(), task, 1),
            Scripted().speaker(task, 1),
            policy=policy.name,
            user="scripted",
            seed=1,
        )
    )


def reply_of(turn: Turn, format: Format) -> Reply:
    message = json.loads(write(turn, format).model_dump_json(exclude_none=True))
    for call in message.get("tool_calls", ()):
        call["type"] = "function"
        call["function"]["arguments"] = json.dumps(call["function"]["arguments"])
    return Reply(completion(message))


def at_a_server(replies: list[Reply], format: Format, task: Task) -> tuple[Trajectory, Server]:
    async def play(url: str) -> Trajectory:
        policy = Chat(Client(Endpoint("scripted", base_url=url)), format=format)
        try:
            return await rollout(
                hand_world(),
                task,
                policy.seat(hand_world(), task, 1),
                Scripted().speaker(task, 1),
                policy=policy.name,
                user="scripted",
                seed=1,
            )
        finally:
            await policy.close()

    with serving(replies) as server:
        return asyncio.run(play(server.url)), server


def asks() -> Task:
    """One in which the user must be asked for something."""
    return next(
        task
        for task in hand_tasks()
        if any(step.user for step in played(Oracle(), task).steps[:-1])
    )


def answers() -> Task:
    """One with several calls and an answer to give."""
    return next(task for task in hand_tasks() if task.dues and len(task.golden_calls) > 2)


@pytest.mark.parametrize("chosen", [asks, answers])
@pytest.mark.parametrize("format", FORMATS)
def test_a_model_in_any_format_earns_what_its_turns_earn(
    format: Format, chosen: Callable[[], Task]
) -> None:
    task = chosen()
    turns = [step.turn for step in played(Oracle(), task).steps]
    trajectory, server = at_a_server([reply_of(turn, format) for turn in turns], format, task)
    assert trajectory.reward == 1
    assert [made(step.turn) for step in trajectory.steps] == [made(turn) for turn in turns]
    assert len(server.asked) == len(turns)


def made(turn: Turn) -> Json:
    return turn.text, [(call.tool, call.arguments) for call in turn.calls]


@pytest.mark.parametrize("format", FORMATS)
def test_the_oracle_earns_all_in_any_format(format: Format) -> None:
    shown = Shown(Oracle(), WHOLE, format)
    assert {played(shown, task).reward for task in hand_tasks()} == {1}


# --------------------------------------------------------------------- thought and action

FIND = 'Thought: Look.\nAction: find_project\nAction Input: {"name": "Lumen"}'
BYE = says("Thought: Done.\nFinal Answer: Goodbye.")


def messages(server: Server) -> list[Json]:
    found: list[Json] = server.asked[-1].body["messages"]
    return found


def test_the_prompt_names_the_tools_and_the_server_is_to_stop_at_an_observation() -> None:
    _, server = at_a_server([BYE], "react", hand_tasks()[0])
    body = server.asked[0].body
    assert body["stop"] == ["\nObservation:"]
    assert "tools" not in body
    system = body["messages"][0]["content"]
    for name, tool in hand_world().tools.items():
        assert f'"name": "{name}"' in system
        assert json.dumps(tool.parameters, ensure_ascii=False) in system
    assert "Action Input:" in system


def test_a_result_comes_back_as_an_observation() -> None:
    trajectory, server = at_a_server([says(FIND), BYE], "react", hand_tasks()[0])
    (result,) = trajectory.steps[0].results
    assert messages(server)[2:4] == [
        {"role": "assistant", "content": FIND},
        {"role": "user", "content": f"Observation: {result.text}"},
    ]
    assert trajectory.steps[0].turn.thinking == "Look."


def test_a_made_up_observation_is_neither_believed_nor_sent_back_but_kept_raw() -> None:
    """As of a server that does not stop where it is told to."""
    written = f'{FIND}\nObservation: {{"name": "Lumina"}}\nFinal Answer: It is Lumina.'
    trajectory, server = at_a_server([says(written), BYE], "react", hand_tasks()[0])
    turn = trajectory.steps[0].turn
    assert [call.tool for call in turn.calls] == ["find_project"]
    assert (turn.text, turn.raw) == ("", written)
    assert messages(server)[2]["content"].strip() == FIND
    assert "Lumina" not in json.dumps(messages(server)[2:])
