"""One episode of a benchmark that forge's own loop plays: the agent calls or speaks, turn by turn.

Always holds: calls in a turn are made in their order, and none after the one that ends the episode;
what is beyond a limit is worth what the benchmark gives for what was done.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from forge.bench.benchmark import Episode, Score
from forge.bench.voice import Voice
from forge.errors import ContextFull, UserError
from forge.rollout.dialogue import Dialogue
from forge.rollout.loop import MOST_CALLS
from forge.rollout.policies.policy import Player
from forge.types.rollout import Outcome, Result, Step, Turn


@dataclass(slots=True)
class Ended:
    """How an episode came to its end. `score`: None where there is none, never a 0."""

    outcome: Outcome
    score: Score | None = None
    reason: str = ""
    retries: int = 0
    question: str = ""
    steps: Sequence[Step] = ()
    trace: str = ""


async def take_turns(
    episode: Episode, player: Player, user: Voice | None, seed: int, most: int | None
) -> Ended:
    """`most`: actions, where that is not as the benchmark has it. EndpointLost: nothing is left of
    it. UserError where a user is needed and there is none."""
    question, score = episode.hear(None, await _reply(episode, user, None, seed))
    dialogue = Dialogue(episode.system, episode.tools, question)
    ended = Ended("done", score, question=question, steps=dialogue.steps)
    most = most or episode.most
    taken = 0
    while ended.score is None:
        if taken >= most:
            ended.outcome, ended.score, ended.reason = "steps", episode.cut(), f"{most} actions"
            break
        try:
            turn = await player.act(dialogue)
        except ContextFull as full:
            ended.outcome, ended.score, ended.reason = "tokens", episode.cut(), str(full)
            break
        if turn.calls:
            taken += len(turn.calls)
            results, ended.score = _called(episode, turn)
            dialogue.steps.append(Step(turn=turn, results=results))
        else:
            taken += 1
            reply = await _reply(episode, user, turn.text, seed)
            told, ended.score = episode.hear(turn.text, reply)
            dialogue.steps.append(Step(turn=turn, user=told))
            dialogue.tools = episode.tools
    return ended


async def _reply(episode: Episode, user: Voice | None, heard: str | None, seed: int) -> str:
    asked = episode.asked(heard)
    if isinstance(asked, str):
        return asked
    if user is None:
        raise UserError("it is not said which model is the user", mend="--user-model NAME")
    return await user.says(asked, seed + len(asked))


def _called(episode: Episode, turn: Turn) -> tuple[tuple[Result, ...], Score | None]:
    results: list[Result] = []
    score: Score | None = None
    for number, each in enumerate(turn.calls):
        if score is not None or number >= MOST_CALLS:
            results.append(Result(text="Error: not called", failure="invalid"))
        elif each.arguments is None:
            results.append(Result(text=f"Error: {each.fault}", failure="invalid"))
        else:
            text, score = episode.call(each.tool, each.arguments)
            results.append(Result(text=text))
    return tuple(results), score
