"""How much better than expected each rollout of a batch was: ERPO and the other estimators.

Always holds: a rollout in which the user erred counts nowhere, in no mean, no deviation and no
denominator; numbers are taken over the whole batch, so cutting it into parts or its order changes
none of them; a rollout that is not trained on has the advantage None.

ERPO: AutoForge, arXiv 2512.22857, equation 4: the mean is that of the question's rollouts, the
deviation that of the raw rewards of all valid rollouts of the same environment. The paper leaves
open whether it divides by n or n - 1, and whether questions without variance are dropped before the
deviation is taken; both are options.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import Literal

Algorithm = Literal["erpo", "grpo", "dr_grpo", "rloo", "task_norm", "batch"]
"""`erpo`: see above. `grpo`: by the question's own deviation. `dr_grpo`: by none. `rloo`: against
the mean of the question's other rollouts. `task_norm` (AgentRL): GRPO's, then normalised over the
trained tokens of each environment. `batch`: by the deviation of all rewards (TRL's `batch`)."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One rollout. `valid`: whether the user made no error; `tokens`: that are trained on."""

    question: Hashable
    environment: Hashable
    reward: float
    valid: bool = True
    tokens: int = 1


@dataclass(frozen=True, slots=True)
class Estimator:
    """`ddof`: the deviation divides by n - `ddof`; `epsilon`: is added to it. `drop`: whether
    questions with fewer than two valid rollouts or without variance are left out (dynamic
    sampling), after the deviation is taken or before."""

    algorithm: Algorithm = "erpo"
    ddof: Literal[0, 1] = 0
    epsilon: float = 0.0
    drop: Literal["after", "before", "never"] = "after"


def advantages(batch: Sequence[Scored], estimator: Estimator = Estimator()) -> list[float | None]:
    """One a rollout, in their order; None: it is not trained on."""
    valid = [number for number, each in enumerate(batch) if each.valid]
    groups = _grouped(valid, (batch[number].question for number in valid))
    live = {
        question: members
        for question, members in groups.items()
        if estimator.drop == "never" or _varies([batch[number].reward for number in members])
    }
    counted = live if estimator.drop == "before" else groups
    spread = _deviations(batch, counted, estimator)
    found: list[float | None] = [None] * len(batch)
    for members in live.values():
        rewards = [batch[number].reward for number in members]
        mean = fsum(rewards) / len(rewards)
        for number in members:
            reward = batch[number].reward
            if estimator.algorithm == "rloo":
                others = len(rewards) - 1
                found[number] = (reward - mean) * len(rewards) / others if others else 0.0
            else:
                found[number] = _divided(reward - mean, spread[number])
    return _over_tokens(batch, found) if estimator.algorithm == "task_norm" else found


def _grouped(members: Iterable[int], keys: Iterable[Hashable]) -> Mapping[Hashable, list[int]]:
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for number, key in zip(members, keys, strict=True):
        groups[key].append(number)
    return groups


def _varies(rewards: Sequence[float]) -> bool:
    return len(rewards) > 1 and any(reward != rewards[0] for reward in rewards)


def _deviations(
    batch: Sequence[Scored], groups: Mapping[Hashable, list[int]], estimator: Estimator
) -> Mapping[int, float]:
    """What each rollout's distance from its question's mean is divided by."""
    members = [number for group in groups.values() for number in group]
    match estimator.algorithm:
        case "erpo":
            shared = _grouped(members, (batch[number].environment for number in members))
        case "batch":
            shared = {"": members}
        case "grpo" | "task_norm":
            shared = groups
        case "dr_grpo" | "rloo":
            return dict.fromkeys(members, 1.0)
    return {
        number: deviation([batch[each].reward for each in several], estimator.ddof)
        + estimator.epsilon
        for several in shared.values()
        for number in several
    }


def deviation(values: Sequence[float], ddof: int) -> float:
    """The standard deviation; 0 of no more than `ddof` values, and of values that are the same."""
    if len(values) <= ddof or all(value == values[0] for value in values):
        return 0.0
    mean = fsum(values) / len(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / (len(values) - ddof))


def _divided(distance: float, by: float) -> float:
    return distance / by if by else 0.0


TASK_EPSILON = 1e-6


def _over_tokens(batch: Sequence[Scored], found: Sequence[float | None]) -> list[float | None]:
    """Normalised over the trained tokens of each environment, each with its rollout's advantage."""
    kept = [number for number, value in enumerate(found) if value is not None]
    normal: list[float | None] = list(found)
    for members in _grouped(kept, (batch[number].environment for number in kept)).values():
        values = [(found[number] or 0.0, batch[number].tokens) for number in members]
        tokens = sum(count for _, count in values)
        if tokens < 2:
            continue
        mean = fsum(value * count for value, count in values) / tokens
        spread = sqrt(fsum((v - mean) ** 2 * count for v, count in values) / (tokens - 1))
        for number in members:
            normal[number] = ((found[number] or 0.0) - mean) / (spread + TASK_EPSILON)
    return normal
