"""The policy in training: it plays tasks with the weights of now, and what it sampled becomes rows.

Always holds: a rollout follows from the weights, the task, the seed and the attempt alone, so that
a run that is gone on with plays what it would have played; each rollout is one row.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.rollout.policies.chat import Chat, Sampling
from forge.rollout.policies.formats import Format
from forge.rollout.tokens.rows import Row, rows_of
from forge.rollout.tokens.talk import TokenEngine
from forge.rollout.tokens.template import Template
from forge.train.play import Playground, played
from forge.types.rollout import UNSCORED, Trajectory
from forge.types.task import Task

if TYPE_CHECKING:
    from forge.train.weights import Weights


@dataclass(frozen=True, slots=True)
class Sample:
    """One rollout as it is trained on. `valid`: whether the user made no error and it came to an
    end of its own. `row`: None where nothing was sampled."""

    task: str
    env: str
    reward: float
    valid: bool
    row: Row | None
    trajectory: Trajectory

    @property
    def cut(self) -> bool:
        """Whether it met a limit."""
        return self.trajectory.outcome in CUT


class Player:
    """The policy in training. `weights`: what samples, with the weights of now."""

    def __init__(
        self,
        weights: "Weights",
        template: Template,
        place: Playground,
        *,
        format: Format,
        turn_tokens: int,
        concurrent: int,
    ) -> None:
        self.template, self.place, self.format = template, place, format
        self._weights = weights
        self._engine = TokenEngine("policy", template, weights.sampler)
        self._turn_tokens, self._concurrent = turn_tokens, concurrent
        self._runner = asyncio.Runner()
        """One loop for all plays: what asks a server holds connections that belong to theirs."""

    def play(
        self,
        jobs: Sequence[tuple[Task, int]],
        *,
        seed: int,
        turns: int,
        temperature: float,
    ) -> list[Trajectory]:
        """Each of the tasks, as that attempt at it, in their order."""
        sampling = Sampling(temperature, 1.0, self._turn_tokens)
        policy = Chat(self._engine, format=self.format, sampling=sampling)
        plays = played(self.place, jobs, policy, seed, turns, self._concurrent)
        with self._weights.of_now():
            return self._runner.run(plays)

    def close(self) -> None:
        self._runner.run(self._engine.close())
        self._runner.close()


CUT = ("steps", "tokens", "seconds")


def sample_of(trajectory: Trajectory, mask_cut: bool) -> Sample:
    """`mask_cut`: whether a rollout that met a limit is not valid."""
    rows = rows_of(trajectory)
    scored = trajectory.outcome not in UNSCORED and not trajectory.user_errors
    cut = mask_cut and trajectory.outcome in CUT
    row = max(rows, key=lambda row: sum(row.trained), default=None)
    return Sample(
        trajectory.task,
        trajectory.env,
        float(trajectory.reward or 0),
        scored and not cut and row is not None,
        row,
        trajectory,
    )
