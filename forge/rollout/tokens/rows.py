"""What was sampled in a rollout, as rows to train on. Pure.

A sampling goes on in the row before it wherever its prompt begins with all that the row holds; and
also where it begins with what was read last and with some of what was written then: the rest of
that, which was not read again as it was written, leaves the row and is counted as drifted. Else it
begins a row of its own. Always holds: each trained id stands behind the very ids that it was
sampled after, and is trained once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from forge.types.rollout import Tokens, Trajectory


@dataclass(frozen=True, slots=True)
class Row:
    """`trained`: 1 for each id that was sampled, 0 for those that were read; `logprobs`: 0.0 for
    those that were read; all of one length. `drifted`: how many sampled ids left the row, and are
    in none."""

    ids: tuple[int, ...]
    trained: tuple[int, ...]
    logprobs: tuple[float, ...]
    drifted: int = 0


def rows_of(trajectory: Trajectory) -> tuple[Row, ...]:
    """Of a rollout; each summary is a trained segment once. Empty where the policy is of texts."""
    return rows(sampled_in(trajectory))


def sampled_in(trajectory: Trajectory) -> Iterator[Tokens]:
    """Each sampling, in the order in which they were made."""
    for step in trajectory.steps:
        summary = None if step.turn.view is None else step.turn.view.summary
        if summary is not None and summary.tokens is not None:
            yield summary.tokens
        if step.turn.tokens is not None:
            yield step.turn.tokens


def rows(samplings: Iterable[Tokens]) -> tuple[Row, ...]:
    """ValueError if a sampling holds more than there was before it, or has not a log-prob for each
    id of its response."""
    made: list[_Open] = []
    before: list[int] = []
    for each in samplings:
        if not 0 <= each.held <= len(before):
            raise ValueError(f"a sampling holds {each.held} of {len(before)} ids")
        if len(each.logprobs) != len(each.response):
            raise ValueError(f"{len(each.response)} ids have {len(each.logprobs)} log-probs")
        prompt = [*before[: each.held], *each.prompt]
        if not (made and made[-1].reads(prompt)):
            made.append(_Open(prompt))
        made[-1].writes(each)
        before = [*prompt, *each.response]
    return tuple(each.row() for each in made)


def common(one: list[int], other: list[int]) -> int:
    """How many ids at their beginnings are the same."""
    same, most = 0, min(len(one), len(other))
    while same < most:  # by halves, as whole parts are compared fast
        upto = (same + most + 1) // 2
        if one[same:upto] == other[same:upto]:
            same = upto
        else:
            most = upto - 1
    return same


class _Open:
    """A row that may go on."""

    def __init__(self, prompt: list[int]) -> None:
        self._ids = list(prompt)
        self._trained = [0] * len(prompt)
        self._logprobs = [0.0] * len(prompt)
        self._drifted = 0
        self._asked = len(prompt)
        """How many ids the last prompt had."""

    def reads(self, prompt: list[int]) -> bool:
        """Whether the row can go on with this prompt; if so, it does. Where nothing is left of what
        was written last, as with thinking that a template strips, it cannot: that is trained."""
        same = common(self._ids, prompt)
        if same < len(self._ids) and same <= self._asked:
            return False
        self._drifted += len(self._ids) - same
        more = len(prompt) - same
        self._ids[same:] = prompt[same:]
        self._trained[same:] = [0] * more
        self._logprobs[same:] = [0.0] * more
        self._asked = len(prompt)
        return True

    def writes(self, sampled: Tokens) -> None:
        self._ids += sampled.response
        self._trained += [1] * len(sampled.response)
        self._logprobs += sampled.logprobs

    def row(self) -> Row:
        return Row(tuple(self._ids), tuple(self._trained), tuple(self._logprobs), self._drifted)
