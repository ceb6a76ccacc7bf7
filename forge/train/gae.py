"""Advantages where a critic gives values: over the steps of a rollout, over tokens carried across
its rows, and over the segments of one that was compacted. Pure functions.

Always holds: what was read gets no advantage and takes no part in the carrying; a rollout's
advantages depend on that rollout alone, until they are whitened.
"""

from collections.abc import Sequence
from math import fsum, sqrt

WHITEN = 1e-8


def over_steps(
    rewards: Sequence[float], values: Sequence[float], gamma: float = 1.0, lam: float = 0.95
) -> tuple[list[float], list[float]]:
    """Of one rollout, a number a step (Agent-R1): advantages, and returns, which are advantages
    plus values."""
    found = [0.0] * len(rewards)
    carried = following = 0.0
    for step in reversed(range(len(rewards))):
        delta = rewards[step] + gamma * following - values[step]
        carried = delta + gamma * lam * carried
        found[step], following = carried, values[step]
    return found, [advantage + value for advantage, value in zip(found, values, strict=True)]


def whitened(values: Sequence[float]) -> list[float]:
    """With mean 0 and deviation 1, the deviation taken over n - 1."""
    mean = fsum(values) / len(values)
    rest = max(1, len(values) - 1)
    spread = sqrt(fsum((value - mean) ** 2 for value in values) / rest + WHITEN)
    return [(value - mean) / spread for value in values]


def over_tokens(
    rewards: Sequence[Sequence[float]],
    values: Sequence[Sequence[float]],
    trained: Sequence[Sequence[int]],
    gamma: float = 1.0,
    lam: float = 0.95,
) -> list[list[float]]:
    """Of one rollout, row by row, id by id: carried from row to row and past what was read, whose
    advantage is 0."""
    found = [[0.0] * len(row) for row in rewards]
    carried = following = 0.0
    for number in reversed(range(len(rewards))):
        for place in reversed(range(len(rewards[number]))):
            if not trained[number][place]:
                continue
            value = values[number][place]
            delta = rewards[number][place] + gamma * following - value
            carried = delta + gamma * lam * carried
            found[number][place], following = carried, value
    return found


def over_segments(
    lengths: Sequence[int], reward: float, value: float, gamma: float = 1.0, lam: float = 0.9
) -> list[list[float]]:
    """Of a rollout that was compacted (CompactionRL, arXiv 2607.05378): each segment is a row of
    its own with the reward on its last token, its own advantages times (γλ) to the number of tokens
    in later segments. `value`: what the critic gives everywhere."""
    found: list[list[float]] = []
    for number, length in enumerate(lengths):
        rewards = [0.0] * (length - 1) + [reward]
        own = over_tokens([rewards], [[value] * length], [[1] * length], gamma, lam)[0]
        later = (gamma * lam) ** sum(lengths[number + 1 :])
        found.append([each * later for each in own])
    return found
