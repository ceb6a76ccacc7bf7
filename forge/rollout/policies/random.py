"""The policy that guesses: as many calls as the golden way has and a few more, then any answer."""

import json
import random
from dataclasses import dataclass, field

from forge.env.session import World
from forge.rollout.dialogue import Dialogue
from forge.rollout.policies.guessing import Pool, draw_answer, draw_call, in_question, in_result
from forge.types.rollout import ToolCall, Turn
from forge.types.task import Task

MORE_CALLS = 4


class Random:
    name = "random"

    def seat(self, world: World, task: Task, seed: int) -> "Guesser":
        calls = len(task.golden_calls) + MORE_CALLS
        return Guesser(random.Random(seed), calls, Pool([in_question(task.question, task.now)]))

    async def close(self) -> None:
        pass


@dataclass(slots=True)
class Guesser:
    rng: random.Random
    calls: int
    pool: Pool
    _made: int = field(default=0)

    async def act(self, dialogue: Dialogue) -> Turn:
        if dialogue.steps:
            for result in dialogue.steps[-1].results:
                if result.failure is None:
                    self.pool.shown.append(in_result(json.loads(result.text)))
        self._made += 1
        if self._made > self.calls:
            return Turn(text=f"The answer is {draw_answer(self.rng, self.pool)}.")
        tool, arguments = draw_call(self.rng, list(dialogue.tools.values()), self.pool)
        return Turn(calls=(ToolCall(id=f"call_{self._made}", tool=tool, arguments=arguments),))
