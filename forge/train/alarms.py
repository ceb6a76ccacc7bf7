"""Signs that a training goes wrong, told from what it measured: pure functions over its metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, log, nan

WINDOW = 10
FALLEN = 0.1
HOPELESS, IN_A_ROW = 0.01, 5
MOSTLY = 0.5
MANY, GROWN = 0.1, 3


def echo_trap(spreads: Sequence[float]) -> int | None:
    """The step from 1 at which the mean in-group deviation of rewards has been below a tenth of
    that of the first ten steps, ten steps long (RAGEN-2); None if at none. `spreads`: by step."""
    if len(spreads) <= WINDOW:
        return None
    limit = FALLEN * fsum(spreads[:WINDOW]) / WINDOW
    below = 0
    for step, spread in enumerate(spreads[WINDOW:], WINDOW + 1):
        below = below + 1 if spread < limit else 0
        if below == WINDOW:
            return step
    return None


def hopeless(successes: Sequence[float]) -> int | None:
    """The step at which the success rate has been below a hundredth five times in a row."""
    return _lasting([success < HOPELESS for success in successes])


def starved(kept: Sequence[int]) -> int | None:
    """The step at which five batches in a row had nothing left after filtering."""
    return _lasting([count == 0 for count in kept])


def fleeing(cuts: Sequence[float]) -> int | None:
    """The step at which the mean share of rollouts that were cut, over ten steps, is above a tenth
    and more than three times what it was over the first ten; None if at none. `cuts`: by step."""
    first = fsum(cuts[:WINDOW]) / WINDOW
    for step in range(2 * WINDOW, len(cuts) + 1):
        if fsum(cuts[step - WINDOW : step]) / WINDOW > max(MANY, GROWN * first):
            return step
    return None


@dataclass(frozen=True, slots=True)
class Alarm:
    """`at`: the number, from 1, of the step as of which it goes wrong; `what`: what does."""

    at: int
    what: str


def alarms(steps: Sequence[Mapping[str, float | None]]) -> list[Alarm]:
    """Each kind of sign once, where it was first seen. `steps`: their numbers, as a run's metrics
    have them; without a reward nothing was earned, another number that is missing is no sign."""
    cuts = [_number(step, "rollouts/cut") for step in steps]
    most, more = _lasting([cut > MOSTLY for cut in cuts]), fleeing(cuts)
    if most is not None and more is not None and most <= more:
        more = None  # which says no more
    found = {
        "the rollouts of a question earn more and more alike (an echo trap)": echo_trap(
            [_number(step, "rollouts/spread") for step in steps]
        ),
        f"next to nothing is earned {IN_A_ROW} steps in a row: try easier tasks, or train"
        " sft": hopeless([step.get("reward", 0.0) or 0.0 for step in steps]),
        f"no rollout was trained on {IN_A_ROW} steps in a row: all of a question earn"
        " alike": starved([int(_number(step, "rollouts/trained") != 0) for step in steps]),
        f"most rollouts met a limit {IN_A_ROW} steps in a row: more rollouts.turns, turn_tokens"
        " or tokens; what was cut is in the loss only with rollouts.mask_cut false": most,
        "more and more rollouts meet a limit: as long as those are masked, a policy learns to be"
        " cut where it would fail; set rollouts.mask_cut to false": more,
    }
    return sorted((Alarm(at, what) for what, at in found.items() if at), key=lambda each: each.at)


def alarm_at(steps: Sequence[Mapping[str, float]]) -> str:
    """What goes wrong as of the last of these steps, "" if nothing does."""
    return next((each.what for each in alarms(steps) if each.at == len(steps)), "")


def _number(step: Mapping[str, float | None], name: str) -> float:
    value = step.get(name)
    return nan if value is None else value


def _lasting(signs: Sequence[bool]) -> int | None:
    row = 0
    for step, sign in enumerate(signs, 1):
        row = row + 1 if sign else 0
        if row == IN_A_ROW:
            return step
    return None


@dataclass(frozen=True, slots=True)
class Collapse:
    """`information`: between prompts and what was thought, in nats, at most `bound`; `given`: the
    entropy of thoughts given their prompt; `entropy`: of thoughts alone; `retrieval`: the share
    whose own prompt makes them likeliest."""

    information: float
    bound: float
    given: float
    entropy: float
    retrieval: float


def template_collapse(likelihoods: Sequence[Sequence[float]], own: Sequence[int]) -> Collapse:
    """RAGEN-2's mutual information: `likelihoods[i][j]` is the mean log-probability of thought i
    under prompt j, `own[i]` the prompt it was thought on. Near 0, all thoughts are the same."""
    prompts = len(likelihoods[0])
    mine = [row[number] for row, number in zip(likelihoods, own, strict=True)]
    mixed = [_log_sum(row) - log(prompts) for row in likelihoods]
    found = [
        row[number] > max(value for place, value in enumerate(row) if place != number)
        for row, number in zip(likelihoods, own, strict=True)
    ]
    count = len(likelihoods)
    return Collapse(
        information=fsum(a - b for a, b in zip(mine, mixed, strict=True)) / count,
        bound=log(prompts),
        given=-fsum(mine) / count,
        entropy=-fsum(mixed) / count,
        retrieval=sum(found) / count,
    )


def _log_sum(values: Sequence[float]) -> float:
    top = max(values)
    return top + log(fsum(exp(value - top) for value in values))
