"""Rollouts that were as they should be, as rows for a cold start: of the oracle, or of a teacher.

Always holds: a row is what a model would have read and written in that rollout, id for id; only
rollouts that earned 1 when they were played again are in.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forge.dataset.trajectories import recorded
from forge.errors import UserError
from forge.rollout.policies.context import WHOLE
from forge.rollout.policies.formats import Format
from forge.rollout.policies.oracle import Oracle
from forge.rollout.policies.policy import Policy
from forge.rollout.policies.replay import Replay
from forge.rollout.policies.shown import Shown
from forge.rollout.run import seed_of
from forge.rollout.tokens.rows import Row, rows_of
from forge.rollout.tokens.template import Template
from forge.train.play import Playground, played
from forge.types.rollout import Turn
from forge.types.task import Task

SIDE_BY_SIDE = 64
ANY = 1 << 30
"""Turns, or tokens of a row, where any number will do."""


@dataclass(frozen=True, slots=True)
class Shows:
    """`rows`: one a rollout; `long`: how many rollouts are left out, since they are longer than a
    row may be; `missed`: since they earn nothing."""

    rows: Sequence[Row]
    long: int
    missed: int


def shows(
    place: Playground,
    template: Template,
    *,
    format: Format,
    turns: int,
    tokens: int,
    teachers: Sequence[Path] = (),
    tasks: Iterable[Task] | None = None,
    seed: int = 0,
) -> Shows:
    """Of the tasks (None: all that are trained on), played by the oracle, or as the files of
    `teachers` have it: each of their rollouts with reward 1.

    UserError where there is nothing to learn from, or the template cannot write it."""
    chosen = list(place.train.values() if tasks is None else tasks)
    if not teachers:
        jobs, policy = [(task, 0) for task in chosen], _shown(Oracle(), template, format)
    else:
        turns_of = _taught(teachers)
        jobs = [(t, a) for t in chosen for a in sorted(turns_of.get(t.id, {}))]
        if not jobs:
            raise UserError(
                "no rollout with reward 1 is of a task to train on",
                where=", ".join(map(str, teachers)),
                mend="forge stats shows what a file of rollouts holds",
            )
        by_seed = {
            (task.id, seed_of(seed, task.id, attempt)): turns_of[task.id][attempt]
            for task, attempt in jobs
        }
        replay = Replay("teacher", lambda task, number: by_seed[task, number])
        policy = _shown(replay, template, format)
    found = asyncio.run(played(place, jobs, policy, seed, turns, SIDE_BY_SIDE))
    rows = [rows_of(each)[0] for each in found if each.reward == 1]
    fitting = [row for row in rows if len(row.ids) <= tokens]
    if not fitting:
        raise UserError(
            f"no rollout is left to learn from: {len(rows)} of {len(found)} earn 1, the shortest"
            f" has {min((len(row.ids) for row in rows), default=0)} tokens of {tokens}",
            where=str(place.dataset.folder),
            mend="--set tokens=… or --set turns=…",
        )
    return Shows(fitting, len(rows) - len(fitting), len(found) - len(rows))


def _shown(policy: Policy, template: Template, format: Format) -> Policy:
    return Shown(policy, WHOLE, format, template)


def _taught(files: Sequence[Path]) -> Mapping[str, Mapping[int, Sequence[Turn]]]:
    """Task -> number -> the turns of a rollout with reward 1; two that are the same count once."""
    found: dict[str, list[Sequence[Turn]]] = {}
    for source in map(recorded, files):
        for task, attempt in source.places:
            trajectory = source.find(task, attempt)
            if trajectory is None or trajectory.reward != 1 or trajectory.user_errors:
                continue
            turns = [_plain(step.turn) for step in trajectory.steps]
            several = found.setdefault(task, [])
            if turns not in several:
                several.append(turns)
    return {task: dict(enumerate(several)) for task, several in found.items()}


def _plain(turn: Turn) -> Turn:
    """What was done and said, without how it was sampled."""
    return Turn(text=turn.text, thinking=turn.thinking, calls=turn.calls)
