"""What is minimised: the clipped objective, its corrections, and how tokens become one number.

Always holds: what was read gets no policy gradient, whatever is in it; with no weight on observed
tokens the loss is bit for bit the one without them. Shapes are (rows, ids) unless said otherwise.

Sources: clip-higher and token aggregation, DAPO (arXiv 2503.14476); dual clip, AgentRL; the ratio
of a whole sequence, as AutoForge (arXiv 2512.22857) writes it: the geometric mean over its trained
ids; observed tokens, ECHO (arXiv 2605.24517).
"""

from typing import Literal

import torch
from torch import Tensor

LOW, HIGH = 0.2, 0.28
Aggregation = Literal["sequence", "token", "fixed"]


def ratios(
    logprobs: Tensor, old: Tensor, trained: Tensor, level: Literal["token", "sequence"] = "token"
) -> Tensor:
    """How much likelier the policy makes each id than the one that it began the step as; of a whole
    sequence, one number a row, (rows, 1)."""
    difference = (logprobs - old) * trained
    if level == "token":
        return torch.exp(difference)
    mean = difference.sum(-1, keepdim=True) / trained.sum(-1, keepdim=True).clamp(min=1)
    return torch.exp(mean)


def clipped(
    ratio: Tensor,
    advantage: Tensor,
    low: float = LOW,
    high: float = HIGH,
    dual: float | None = None,
) -> Tensor:
    """What is to be made great, an id: the lesser of the ratio times the advantage and the same
    with the ratio kept within 1 - `low` and 1 + `high`; with `dual`, never less than that many
    times a negative advantage."""
    kept = torch.min(ratio * advantage, ratio.clamp(1 - low, 1 + high) * advantage)
    if dual is None:
        return kept
    return torch.where(advantage < 0, torch.max(kept, dual * advantage), kept)


def aggregated(
    losses: Tensor, trained: Tensor, how: Aggregation = "token", length: int | None = None
) -> Tensor:
    """One number: the mean of the rows' means, the mean over all trained ids, or the sum over rows
    and a fixed `length`. A row without trained ids counts as 0 among rows."""
    rows = torch.tensor(losses.shape[0])
    return total(losses, trained, how) / count(trained.sum(), rows, how, length)


def total(losses: Tensor, trained: Tensor, how: Aggregation) -> Tensor:
    """What is divided by `count`: of some rows, so that parts of a batch add up to the whole."""
    summed = (losses * trained).sum(-1)
    if how == "sequence":
        summed = summed / trained.sum(-1).clamp(min=1)
    return summed.sum()


def count(tokens: Tensor, rows: Tensor, how: Aggregation, length: int | None = None) -> Tensor:
    """Of a whole batch: its trained ids, its rows, or these times a fixed length. At least 1."""
    if how == "token":
        return tokens.clamp(min=1)
    if how == "sequence":
        return rows.clamp(min=1)
    if length is None:
        raise ValueError("a fixed length is needed")
    return rows.clamp(min=1) * length


def corrections(
    old: Tensor, sampled: Tensor, trained: Tensor, cap: float, how: Literal["mask", "truncate"]
) -> Tensor:
    """How much likelier each row is by the trainer than by what sampled it, (rows, 1): beyond `cap`
    it weighs nothing, or no more than that."""
    ratio = torch.exp(((old - sampled) * trained).sum(-1, keepdim=True))
    if how == "mask":
        return torch.where(ratio > cap, torch.zeros_like(ratio), ratio)
    return ratio.clamp(max=cap)


def divergence(logprobs: Tensor, reference: Tensor) -> Tensor:
    """From the reference, an id: the estimate that is never negative (k3)."""
    difference = reference - logprobs
    return torch.exp(difference) - difference - 1


def observed(
    logprobs: Tensor, seen: Tensor, how: Literal["sequence", "token"] = "sequence"
) -> Tensor:
    """The cross entropy of what the environment said; `seen`: 1 for those ids."""
    return aggregated(-logprobs, seen, how)


def with_observed(loss: Tensor, cross_entropy: Tensor, weight: float) -> Tensor:
    """The loss and that much of the cross entropy; with no weight, the very loss."""
    return loss if weight == 0 else loss + weight * cross_entropy
