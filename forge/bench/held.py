"""One episode of a benchmark that has a loop of its own, which runs on a thread and asks here.

Always holds: the benchmark's code runs on one thread an episode, the models are asked in the event
loop; what a model cannot give goes through the benchmark's loop as an exception and comes out as
what it is; a run that is stopped stops each thread at its question. The threads are not the event
loop's own, which looks up addresses on those.
"""

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any, TypeVar

from forge.bench.benchmark import Conversation, Held, Score
from forge.bench.turns import Ended
from forge.bench.voice import Voice
from forge.errors import ContextFull, EndpointLost, UserError
from forge.llm.completion import Message
from forge.rollout.dialogue import Dialogue
from forge.rollout.loop import MOST_CALLS
from forge.rollout.policies.policy import Player
from forge.types.data import Json
from forge.types.rollout import Result, Step, Turn

Got = TypeVar("Got")
SECONDS = 1.0
"""After which a thread that waits looks whether the run was stopped."""
FAULTS = 8
"""Turns in a row with calls that cannot be read, after which the agent has had its say."""


class Threads:
    """For as many episodes at once."""

    def __init__(self, most: int) -> None:
        self.pool = ThreadPoolExecutor(most, "episodes")
        self.stopped = threading.Event()

    def stop(self) -> None:
        """Does not wait: a thread is at its end as soon as it asks."""
        self.stopped.set()
        self.pool.shutdown(wait=False, cancel_futures=True)


class Asking:
    """What a benchmark's loop asks, from its thread."""

    def __init__(
        self,
        conversation: Conversation,
        stopped: threading.Event,
        player: Player,
        user: Voice | None,
        judge: Voice | None,
        seed: int,
    ) -> None:
        self._stopped = stopped
        self._loop = asyncio.get_running_loop()
        self._player, self._user, self._judge, self._seed = player, user, judge, seed
        self._conversation = conversation
        self._last: Turn | None = None
        self._asked = 0
        self.dialogue: Dialogue | None = None

    @property
    def judged(self) -> bool:
        """Whether there is a judge."""
        return self._judge is not None

    def agent(self, heard: str | Sequence[str]) -> Turn:
        """The agent's next turn, to what the user said or what its calls gave, in their order."""
        if self._last is None:
            text = heard if isinstance(heard, str) else "\n".join(heard)
            self.dialogue = Dialogue(self._conversation.system, self._conversation.tools, text)
        else:
            self._close(self._last, heard)
        for _ in range(FAULTS):
            turn = self._last = self._do(self._player.act(self._open()))
            faults = [call.fault for call in turn.calls if call.arguments is None]
            if not faults and len(turn.calls) <= MOST_CALLS:
                return turn
            why = faults[0] if faults else f"{MOST_CALLS} calls in one turn are the most"
            self._close(turn, [f"Error: nothing was called: {why}"] * len(turn.calls))
        return Turn()

    def user(self, messages: Sequence[Json], tools: Sequence[Json]) -> Message:
        """The user's next message."""
        if self._user is None:
            raise UserError("it is not said which model is the user", mend="--user-model NAME")
        self._asked += 1
        return self._do(self._user.complete(messages, tools, self._seed + self._asked))

    def judge(self, messages: Sequence[Json]) -> str:
        """What the judge says. There is one."""
        assert self._judge is not None
        return self._do(self._judge.says(messages, self._seed))

    def _open(self) -> Dialogue:
        assert self.dialogue is not None
        return self.dialogue

    def _close(self, turn: Turn, heard: str | Sequence[str]) -> None:
        if isinstance(heard, str):
            step = Step(turn=turn, user=heard)
        else:
            step = Step(turn=turn, results=tuple(Result(text=text) for text in heard))
        self._open().steps.append(step)
        self._last = None

    def finish(self) -> Sequence[Step]:
        """All steps, with a last turn that was not answered any more."""
        if self.dialogue is None:
            return ()
        if self._last is not None:
            self._close(self._last, [""] * len(self._last.calls) if self._last.calls else "")
        return self.dialogue.steps

    def _do(self, asking: Coroutine[Any, Any, Got]) -> Got:
        asked = asyncio.run_coroutine_threadsafe(asking, self._loop)
        while not self._stopped.is_set():
            try:
                return asked.result(SECONDS)
            except CancelledError:
                break
            except TimeoutError:
                if asked.done():  # it is the answer's own
                    raise
        raise EndpointLost("the run was stopped")


async def hold(
    conversation: Conversation,
    threads: Threads,
    player: Player,
    user: Voice | None,
    judge: Voice | None,
    seed: int,
    most: int | None,
) -> Ended:
    """`most`: steps, where that is not as the benchmark has it. EndpointLost: nothing is left of
    it."""
    asking = Asking(conversation, threads.stopped, player, user, judge, seed)
    try:
        loop = asyncio.get_running_loop()
        held = await loop.run_in_executor(threads.pool, conversation.hold, asking, most)
    except ContextFull as full:
        held = Held("tokens", Score(0, "the dialogue no longer fits the model"), str(full))
    steps = asking.finish()
    question = "" if asking.dialogue is None else asking.dialogue.question
    return Ended(held.outcome, held.score, held.reason, question=question, steps=steps)
