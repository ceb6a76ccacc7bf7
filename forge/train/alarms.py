"""Signs that a training goes wrong, told from what it measured: pure functions over its metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, log

WINDOW = 10
FALLEN = 0.1
HOPELESS, IN_A_ROW = 0.01, 5
MOSTLY = 0.5


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


def alarm_at(steps: Sequence[Mapping[str, float]]) -> str:
    """What goes wrong as of the last of these steps, "" if nothing does. `steps`: their numbers, as
    a run's metrics have them."""
    last = len(steps)
    if echo_trap([step["rollouts/spread"] for step in steps]) == last:
        return "the rollouts of a question earn more and more alike (an echo trap)"
    if hopeless([step.get("reward", 0.0) for step in steps]) == last:
        return (
            f"next to nothing is earned {IN_A_ROW} steps in a row: try easier tasks, or train sft"
        )
    if starved([int(step["rollouts/trained"] > 0) for step in steps]) == last:
        return f"no rollout was trained on {IN_A_ROW} steps in a row: all of a question earn alike"
    if _lasting([step["rollouts/cut"] > MOSTLY for step in steps]) == last:
        return (
            f"most rollouts met a limit {IN_A_ROW} steps in a row: more rollouts.turns,"
            " turn_tokens or tokens; what was cut is in the loss only with rollouts.mask_cut false"
        )
    return ""


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
