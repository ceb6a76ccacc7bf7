"""Which tokens of a rollout are trained on: its rows, as stretches that were read or written. Pure.

Always holds: the stretches of a row are all of it, one behind the other; only where nothing drifted
is it said which turn a stretch is of.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from forge.rollout.tokens.rows import Row, rows_of
from forge.types.rollout import Trajectory


@dataclass(frozen=True, slots=True)
class Stretch:
    """Ids that follow each other, all trained on or none. `step`: the number, from 1, of the turn
    that wrote them; None: of no turn, or it is not known. `logprob`: their mean, as sampled."""

    start: int
    ids: tuple[int, ...]
    trained: bool
    logprob: float | None = None
    step: int | None = None

    @property
    def length(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Masked:
    """A row to train on. `drifted`: how many sampled ids left it, and are in none."""

    stretches: tuple[Stretch, ...]
    drifted: int

    @property
    def length(self) -> int:
        return sum(each.length for each in self.stretches)

    @property
    def trained(self) -> int:
        return sum(each.length for each in self.stretches if each.trained)


def masked(trajectory: Trajectory) -> tuple[Masked, ...]:
    """Empty where the policy is of texts. ValueError if its tokens do not fit together."""
    rows = rows_of(trajectory)
    found = [_stretches(row) for row in rows]
    writers = list(_writers(trajectory))
    written = sum(each.trained for row in found for each in row)
    steps = iter(writers if written == len(writers) else [None] * written)
    return tuple(
        Masked(tuple(_of_step(each, steps) for each in stretches), row.drifted)
        for stretches, row in zip(found, rows, strict=True)
    )


def _stretches(row: Row) -> Sequence[Stretch]:
    found, at = [], 0
    for flag, group in groupby(row.trained):
        end = at + len(list(group))
        mean = sum(row.logprobs[at:end]) / (end - at) if flag else None
        found.append(Stretch(at, row.ids[at:end], bool(flag), mean))
        at = end
    return found


def _of_step(stretch: Stretch, steps: Iterator[int | None]) -> Stretch:
    if not stretch.trained:
        return stretch
    return Stretch(stretch.start, stretch.ids, True, stretch.logprob, next(steps))


def _writers(trajectory: Trajectory) -> Iterator[int]:
    """The turn of each sampling that wrote something."""
    for number, step in enumerate(trajectory.steps, 1):
        view, tokens = step.turn.view, step.turn.tokens
        summary = None if view is None or view.summary is None else view.summary.tokens
        for each in (summary, tokens):
            if each is not None and each.response:
                yield number
