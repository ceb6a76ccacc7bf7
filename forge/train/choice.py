"""Which questions to train on, from what rollouts showed: pure functions that cost nothing.

Always holds: what depends on how far the training is depends on the step alone, so that a run that
is resumed goes on as it would have.
"""

from collections.abc import Sequence
from math import ceil, fsum

from forge.train.advantage import deviation

TOP = 0.25
SLACK = 0.01
"""Of the sum of scores: how far `top_p` may stay below its share (RAGEN-2)."""
ROUNDS = (8, 12, 15)
PER_ROUND = 80


def by_variance(rewards: Sequence[Sequence[float]], share: float = TOP) -> list[int]:
    """The `share` of the questions whose rollouts' rewards spread most (StarPO-S, by the deviation
    that divides by n - 1), at least one; of equals the first. In the questions' order."""
    spread = [deviation(each, 1) for each in rewards]
    order = sorted(range(len(spread)), key=lambda number: -spread[number])
    return sorted(order[: max(1, ceil(share * len(spread)))]) if spread else []


def top_p(scores: Sequence[float], share: float) -> list[int]:
    """The questions of the greatest scores, in descending order, until they hold that share of the
    sum, less `SLACK` (RAGEN-2, linear); at least one, and none without a score."""
    order = [each for each in sorted(range(len(scores)), key=lambda n: -scores[n]) if scores[each]]
    threshold = share * fsum(scores) - SLACK
    kept: list[int] = []
    for number in order:
        if kept and fsum(scores[each] for each in kept) >= threshold:
            break
        kept.append(number)
    return kept


def informative(accuracy: Sequence[Sequence[float]]) -> list[float]:
    """LIMR: how closely the accuracy of each question over the epochs follows their mean, at most
    1. `accuracy`: a row a question, a column an epoch. ValueError where every mean is 1, since
    nothing is left to learn and the score is 0/0."""
    means = [fsum(column) / len(column) for column in zip(*accuracy, strict=True)]
    whole = fsum((1 - mean) ** 2 for mean in means)
    if whole == 0:
        raise ValueError("every question is solved in every epoch: none is more informative")
    return [
        1 - fsum((value - mean) ** 2 for value, mean in zip(row, means, strict=True)) / whole
        for row in accuracy
    ]


def within(rates: Sequence[float], least: float, most: float) -> list[int]:
    """The questions whose measured pass rate is in the band, its bounds included."""
    return [number for number, rate in enumerate(rates) if least <= rate <= most]


def turns_at(step: int, rounds: Sequence[int] = ROUNDS, per_round: int = PER_ROUND) -> int:
    """How many turns a rollout may take at a step from 1 (ScalingInter-RL): more as training goes
    on."""
    return rounds[min((step - 1) // per_round, len(rounds) - 1)]
