"""What of a dialogue a model reads before its next turn.

- `append`: all of it, so that each prompt begins with the one before
- `window`: the question, what the user said, the agent's own turns as it wrote them, and the newest
  results; of older results only that they were there
- `summary`: all of it up to a budget; then the agent sums up, and reads the question, what it
  wrote, and the last turns. So again each time the budget is met, a bounded number of times

Always holds: the beginning (rules, tools, question) and what the user said last are in every view;
a view is a conversation that every chat template can write; the same history gives the same view.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from forge.llm.sizes import tokens_in
from forge.types.data import Json
from forge.types.rollout import Summary, View

Strategy = Literal["append", "window", "summary"]
KEEP: dict[Strategy, int] = {"append": 0, "window": 1, "summary": 2}
LEFT_OUT = "[left out: it was shown to you before]"

SUM_UP = (
    "This conversation grows too long. Before it goes on, write down for yourself all that you need"
    " in order to go on: what the user wants, what they told you, what you found out with exact"
    " names, numbers and ids, what is done, and what is left to do. You will be shown the first"
    " request, what you write now, and little more. Write only that, in plain words; call no tool."
)
SUMMED_UP = "What you wrote down for yourself so far:"


@dataclass(frozen=True, slots=True)
class Context:
    """`keep`: the newest turns with results that a window holds whole, or the last turns beside a
    summary; None: as usual (`KEEP`). `budget`: tokens of a prompt above which it is summed up, at
    most `summaries` times. `result`: tokens of one result above which it is cut."""

    strategy: Strategy = "append"
    keep: int | None = None
    budget: int = 8192
    summaries: int = 3
    result: int | None = None

    @property
    def kept(self) -> int:
        return KEEP[self.strategy] if self.keep is None else self.keep


WHOLE = Context()


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn as messages: what the model wrote, and what came back. `without`: what came back
    with its results left out; None: the user answered. `cut`: results that are shortened in it."""

    sent: Json
    back: tuple[Json, ...]
    without: tuple[Json, ...] | None = None
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Seen:
    """What is read, as messages, and the same in numbers. None: all of the dialogue."""

    messages: list[Json]
    view: View | None


def seen(
    context: Context,
    system: Json,
    question: str,
    exchanges: Sequence[Exchange],
    summary: Summary | None = None,
) -> Seen:
    """The messages that the model reads before its next turn. `summary`: the last it wrote."""
    start = 0 if summary is None else summary.upto
    asked = question if summary is None else f"{question}\n\n{SUMMED_UP}\n{summary.text}"
    messages: list[Json] = [system, {"role": "user", "content": asked}]
    whole = start
    if context.strategy == "window":
        results = [n for n, each in enumerate(exchanges) if each.without is not None]
        older = results[: -context.kept] if context.kept else results
        whole = older[-1] + 1 if older else 0
    cut = notes = 0
    for number, each in enumerate(exchanges[start:], start):
        left_out = number < whole and each.without is not None
        notes += left_out
        cut += 0 if left_out else each.cut
        messages += [each.sent, *(each.without if left_out and each.without else each.back)]
    if not (whole or cut or summary):
        return Seen(messages, None)
    return Seen(messages, View(first=whole, notes=notes, cut=cut))


def is_full(context: Context, size: int, exchanges: int, summary: Summary | None) -> bool:
    """Whether to sum up before a prompt of `size` tokens: there must be turns to be summed up."""
    if context.strategy != "summary" or size <= context.budget:
        return False
    return exchanges - (summary.upto if summary else 0) > context.kept


def size_of(messages: Sequence[Json]) -> int:
    """Tokens, roughly."""
    return tokens_in(json.dumps(messages, ensure_ascii=False))


def cut(text: str, head: str) -> str:
    """A result of which only the head is shown, and what is missing."""
    missing = len(text) - len(head)
    return f"{head}\n[cut: {missing:,} of {len(text):,} characters are not shown]"
