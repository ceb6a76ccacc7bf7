"""How often tasks are passed, and how sure that is: the formulas.

Rates are of tasks: a task counts once, however many attempts it had.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt

Z = 1.959963984540054
"""Of the normal distribution, for 95%."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share and its 95% interval, within 0 and 1."""

    value: float
    low: float
    high: float


def wilson(passed: float, count: float) -> tuple[float, float]:
    """The 95% interval of a share of `count` independent trials (Wilson, JASA 22, 1927)."""
    if not count:
        return 0.0, 1.0
    share, square = passed / count, Z * Z
    middle = (share + square / (2 * count)) / (1 + square / count)
    reach = Z * sqrt(share * (1 - share) / count + square / (4 * count**2)) / (1 + square / count)
    low = 0.0 if passed == 0 else max(0.0, middle - reach)
    return low, 1.0 if passed == count else min(1.0, middle + reach)


def rate_of(tasks: Sequence[tuple[int, int]]) -> Rate:
    """The mean over tasks of passed / attempts, of pairs (passed, attempts).

    Attempts at one task are alike, so they are no independent trials: the interval is Wilson's for
    as many trials as would vary like the means of the tasks do, at least one a task and at most one
    an attempt (the design effect of clusters; Kish, Survey Sampling, 1965)."""
    means = [passed / attempts for passed, attempts in tasks]
    return _mean_of(means, sum(attempts for _, attempts in tasks))


def _mean_of(means: Sequence[float], trials: int) -> Rate:
    """`trials`: as many as all the tasks together may count for."""
    count = len(means)
    if not count:
        return Rate(0.0, 0.0, 1.0)
    value = sum(means) / count
    effective = float(count)
    if count > 1 and 0 < value < 1:
        variance = sum((mean - value) ** 2 for mean in means) / (count - 1) / count
        if variance > 0:
            effective = min(float(trials), max(float(count), value * (1 - value) / variance))
        else:
            effective = float(trials)
    return Rate(value, *wilson(value * effective, effective))


@dataclass(frozen=True, slots=True)
class Difference:
    """Of two rates, and its 95% interval, within -1 and 1; of so many tasks."""

    value: float
    low: float
    high: float
    tasks: int


def difference_of(pairs: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> Difference:
    """How much higher the second rate is, of the same tasks: of each its (passed, attempts) for the
    one and for the other.

    The intervals of the two rates are joined as far apart as the tasks say: those that one passes
    are more or less those that the other passes (Newcombe, Statistics in Medicine 17, 1998, pp.
    2635-2650, method 10, with its correction of the correlation for small numbers)."""
    count = len(pairs)
    if not count:
        return Difference(0.0, -1.0, 1.0, 0)
    one, other = rate_of([first for first, _ in pairs]), rate_of([second for _, second in pairs])
    alike = _correlation(
        [passed / attempts for (passed, attempts), _ in pairs],
        [passed / attempts for _, (passed, attempts) in pairs],
    )
    value = other.value - one.value
    down, up = other.value - other.low, one.high - one.value
    low = value - sqrt(max(0.0, down**2 - 2 * alike * down * up + up**2))
    down, up = one.value - one.low, other.high - other.value
    high = value + sqrt(max(0.0, down**2 - 2 * alike * down * up + up**2))
    return Difference(value, low, high, count)


def _correlation(one: Sequence[float], other: Sequence[float]) -> float:
    count = len(one)
    first, second = sum(one) / count, sum(other) / count
    joint = sum((a - first) * (b - second) for a, b in zip(one, other, strict=True)) / count
    spread = sqrt(
        sum((each - first) ** 2 for each in one)
        / count
        * sum((each - second) ** 2 for each in other)
        / count
    )
    if joint > 0:
        joint = max(0.0, joint - 1 / (2 * count))
    return joint / spread if spread else 0.0


def passed_every(tasks: Sequence[tuple[int, int]], k: int) -> float | None:
    """pass^k: how likely all of `k` attempts at a task pass, the mean over tasks with at least so
    many, each by C(passed, k) / C(attempts, k) (τ-bench, arXiv 2406.12045). None if there are no
    such tasks."""
    found = every_of(tasks, k)
    return None if found is None else found.value


def every_of(tasks: Sequence[tuple[int, int]], k: int) -> Rate | None:
    """pass^k with its interval: as `rate_of`, where `k` attempts are one trial."""
    able = [(passed, attempts) for passed, attempts in tasks if attempts >= k]
    if not able:
        return None
    means = [comb(passed, k) / comb(attempts, k) for passed, attempts in able]
    return _mean_of(means, sum(attempts // k for _, attempts in able))
