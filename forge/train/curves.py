"""How runs went, as lines to be drawn: reward by step, and the held-out pass rate.

Always holds: a line has the steps that all runs of its group have; what is smoothed is the mean of
the steps around each, and fewer at the ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from forge.train.compare import Group
from forge.train.runs import Run

SHARE = 40
"""A step is smoothed with one in so many of all steps to each side of it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A value a step, and a band around it. `spans`: the 95% interval of each, where they have
    some."""

    label: str
    steps: Sequence[int]
    values: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    spans: Sequence[tuple[float, float]] = ()


def reach_of(groups: Sequence[Group]) -> int:
    """How many steps to each side are smoothed over: as many for all."""
    return max(run.steps for group in groups for run in group.runs) // SHARE


def rewards(group: Group, reach: int) -> Line:
    """The band: of one run, a standard error over the questions of a step; else the range."""
    rows = [{each["step"]: each for each in run.metrics} for run in group.runs]
    steps = _shared([[n for n, row in of.items() if row.get("reward") is not None] for of in rows])
    lines = [smoothed([of[step]["reward"] for step in steps], reach) for of in rows]
    if len(lines) > 1:
        return _ranged(group.label, steps, lines)
    (values,), (of,) = lines, rows
    errors = smoothed([of[step].get("reward_error") or 0.0 for step in steps], reach)
    low = [value - error for value, error in zip(values, errors, strict=True)]
    high = [value + error for value, error in zip(values, errors, strict=True)]
    return Line(group.label, steps, values, low, high)


def held_out(group: Group) -> Line:
    """The spans: over tasks, of all runs together."""
    steps = [each.step for each in group.evaluations]
    rates = [each.rate for each in group.evaluations]
    lines = [_rates(run, steps) for run in group.runs]
    ranged = _ranged(group.label, steps, lines)
    values, spans = [rate.value for rate in rates], [(rate.low, rate.high) for rate in rates]
    return Line(group.label, steps, values, ranged.low, ranged.high, spans)


def smoothed(values: Sequence[float], reach: int) -> list[float]:
    """Each the mean of those up to `reach` before and behind it."""
    found = []
    for at in range(len(values)):
        near = values[max(0, at - reach) : at + reach + 1]
        found.append(sum(near) / len(near))
    return found


def _rates(run: Run, steps: Sequence[int]) -> list[float]:
    found = {each.step: each.rate.value for each in run.evaluations}
    return [found[step] for step in steps]


def _ranged(label: str, steps: Sequence[int], lines: Sequence[Sequence[float]]) -> Line:
    columns = list(zip(*lines, strict=True))
    means = [sum(column) / len(column) for column in columns]
    return Line(
        label, steps, means, [min(each) for each in columns], [max(each) for each in columns]
    )


def _shared(steps: Sequence[Sequence[int]]) -> list[int]:
    return sorted(set.intersection(*(set(each) for each in steps)))
