"""How much may be spent on a model, in USD or tokens; a run stops before it would be more.

Always holds: what was spent and what is under way together never pass the budget, as far as a
request's size is known before: its prompt roughly, its answer by what it may at most be.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from forge.errors import BudgetSpent, UserError
from forge.llm.prices import Tariff

_FORM = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(usd|\$|[km]?tok(?:ens)?)\s*", re.IGNORECASE)
_TIMES = {"k": 1_000, "m": 1_000_000}


@dataclass(frozen=True, slots=True)
class Budget:
    """One of the two is given, or neither: no limit."""

    usd: float | None = None
    tokens: int | None = None

    def __str__(self) -> str:
        if self.usd is not None:
            return f"{self.usd:g} USD"
        return "no limit" if self.tokens is None else f"{self.tokens:,} tokens"


def budget_of(text: str) -> Budget:
    """`5usd`, `0.5usd`, `200ktok`, `2mtok`, `9000tok`. UserError if it is neither."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise UserError(f"{text!r} is no budget", mend="--budget 5usd or --budget 200ktok")
    number, unit = float(match[1]), match[2].lower()
    if unit in ("usd", "$"):
        return Budget(usd=number)
    return Budget(tokens=round(number * _TIMES.get(unit[0], 1)))


@dataclass(frozen=True, slots=True)
class Usage:
    """Of one request, or of many together. `usd`: 0 where there is no price."""

    prompt: int = 0
    completion: int = 0
    usd: float = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt + self.completion

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt + other.prompt, self.completion + other.completion, self.usd + other.usd
        )


class Purse:
    """What is left of a budget, for many requests at once."""

    def __init__(self, budget: Budget, tariff: Tariff | None) -> None:
        """UserError for a budget in USD where there is no price."""
        if budget.usd is not None and tariff is None:
            raise UserError(
                "nobody says what this model costs there, so a budget in USD means nothing",
                mend="--budget 200ktok",
            )
        self.budget, self.tariff = budget, tariff
        self.spent = Usage()
        self._held = Usage()
        self._changed = asyncio.Condition()

    def usage(self, prompt: int, completion: int) -> Usage:
        usd = 0.0 if self.tariff is None else self.tariff.cost(prompt, completion)
        return Usage(prompt, completion, usd)

    @asynccontextmanager
    async def holding(self, prompt: int, most: int) -> AsyncIterator[None]:
        """Sets aside what a request of `prompt` tokens may cost whose answer has at most `most`
        tokens; waits for those under way where only they stand in the way. BudgetSpent if it is
        too much all the same."""
        wanted = self.usage(prompt, most)
        async with self._changed:
            while not self._fits(self.spent + self._held + wanted):
                if not self._held.tokens:
                    raise BudgetSpent(f"of {self.budget}, {self._said()} are spent")
                await self._changed.wait()
            self._held += wanted
        try:
            yield
        finally:
            async with self._changed:
                left = (
                    self._held.prompt - wanted.prompt,
                    self._held.completion - wanted.completion,
                )
                self._held = Usage(*left, max(0.0, self._held.usd - wanted.usd))
                self._changed.notify_all()

    def pay(self, prompt: int, completion: int) -> Usage:
        """Notes what a request used."""
        used = self.usage(prompt, completion)
        self.spent += used
        return used

    def _fits(self, usage: Usage) -> bool:
        usd, tokens = self.budget.usd, self.budget.tokens
        return (usd is None or usage.usd <= usd) and (tokens is None or usage.tokens <= tokens)

    def _said(self) -> str:
        if self.budget.usd is not None:
            return f"{self.spent.usd:.4f} USD"
        return f"{self.spent.tokens:,} tokens"
