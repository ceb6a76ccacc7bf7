"""Two rollouts of a task side by side, or one beside the golden calls: which acts belong together.

Always holds: both sides keep their order, and every act is in one row; what is put side by side is
as alike as can be, the same calls before calls of the same tool. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from forge.types.call import Call
from forge.types.data import Json
from forge.types.rollout import Result, Step

MOST = 1_000_000
"""Pairs that are weighed; beyond, acts are put side by side as they come."""

Alike = Literal["same", "other arguments", "both speak", "only left", "only right", "unlike"]


@dataclass(frozen=True, slots=True)
class Act:
    """Something that an agent does: a call, or that it `speaks`. `step`: its number, from 1, None:
    of no rollout; `result`: None where it is not known; `user`: what was answered."""

    speaks: bool = False
    step: int | None = None
    tool: str = ""
    arguments: dict[str, Json] | None = None
    result: Result | None = None
    says: str = ""
    user: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    left: Act | None
    right: Act | None

    @property
    def alike(self) -> Alike:
        if self.left is None or self.right is None:
            return "only right" if self.left is None else "only left"
        return _alike(self.left, self.right)


def acts_of(steps: Sequence[Step]) -> list[Act]:
    """In their order: the calls of a turn, then what it says; a turn with neither is one act."""
    found = []
    for number, step in enumerate(steps, 1):
        calls, turn = step.turn.calls, step.turn
        for at, call in enumerate(calls):
            result = step.results[at] if at < len(step.results) else None
            act = Act(step=number, tool=call.tool, arguments=call.arguments, result=result)
            found.append(act)
        if turn.text or step.user is not None or not calls:
            found.append(Act(speaks=True, step=number, says=turn.text, user=step.user))
    return found


def acts_of_calls(calls: Sequence[Call], results: Sequence[Result] = ()) -> list[Act]:
    """Those of no rollout; `results`: one a call, or none."""
    return [
        Act(tool=call.tool, arguments=call.arguments, result=result)
        for call, result in zip_longest(calls, results)
    ]


def aligned(left: Sequence[Act], right: Sequence[Act]) -> list[Row]:
    """Rows in which each side reads from top to bottom. Longer ones than `MOST` pairs: by place."""
    if len(left) * len(right) > MOST:
        longest = max(len(left), len(right))
        return [Row(_at(left, number), _at(right, number)) for number in range(longest)]
    best = _weights(left, right)
    rows, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        weight = _WEIGHTS[_alike(left[i], right[j])]
        if weight and best[i][j] == best[i + 1][j + 1] + weight:
            rows.append(Row(left[i], right[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            rows.append(Row(left[i], None))
            i += 1
        else:
            rows.append(Row(None, right[j]))
            j += 1
    rows += [Row(each, None) for each in left[i:]]
    return rows + [Row(None, each) for each in right[j:]]


_WEIGHTS: dict[Alike, int] = {"same": 4, "other arguments": 2, "both speak": 1, "unlike": 0}


def _alike(one: Act, other: Act) -> Alike:
    if one.speaks != other.speaks or one.tool != other.tool:
        return "unlike"
    if one.speaks:
        return "same" if one.says == other.says else "both speak"
    return "same" if one.arguments == other.arguments else "other arguments"


def _weights(left: Sequence[Act], right: Sequence[Act]) -> list[list[int]]:
    """Of the best way from each pair of places on."""
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            weight = _WEIGHTS[_alike(left[i], right[j])]
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + weight)
    return best


def _at(acts: Sequence[Act], number: int) -> Act | None:
    return acts[number] if number < len(acts) else None
