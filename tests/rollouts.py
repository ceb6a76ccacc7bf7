"""Rollouts of the hand-written environment, by players that follow a list of turns."""

from collections.abc import Sequence
from typing import Any

from forge.rollout.dialogue import Dialogue
from forge.rollout.loop import rollout, run_here
from forge.rollout.policies.oracle import Oracle
from forge.rollout.policies.policy import Player
from forge.rollout.users.scripted import Scripted
from forge.types.rollout import ToolCall, Trajectory, Turn
from forge.types.task import Task
from tests.worlds import hand_tasks, hand_world


class Lines:
    """Takes the turns one after the other, then says that it is done."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turns = list(turns)
        self.seen: list[int] = []

    async def act(self, dialogue: Dialogue) -> Turn:
        self.seen.append(len(dialogue.steps))
        return self.turns.pop(0) if self.turns else say("All done.")


def say(text: str) -> Turn:
    return Turn(text=text)


def call(tool: str, **arguments: Any) -> Turn:
    return Turn(calls=(ToolCall(tool=tool, arguments=arguments),))


def played(task: Task, player: Player | Sequence[Turn], **options: Any) -> Trajectory:
    if isinstance(player, Sequence):
        player = Lines(player)
    speaker = Scripted().speaker(task, 0)
    given = {"policy": "lines", "user": "scripted", "seed": 0, **options}
    return run_here(rollout(hand_world(), task, player, speaker, **given))


def by_oracle(task: Task, **options: Any) -> Trajectory:
    return played(task, Oracle().seat(hand_world(), task, 0), policy="oracle", **options)


def some(fits: Any) -> Task:
    found = next((task for task in hand_tasks() if fits(task)), None)
    assert found is not None, "the sample holds no task of this kind"
    return found
