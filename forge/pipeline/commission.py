"""A model at work on drafts: what it may cost, what it did cost, and what was gained by it.

Always holds: before anything is asked, the most that it can come to is known; what was answered is
kept, so that the same command pays for nothing twice.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from forge.authors.author import Draft
from forge.authors.llm.tools import asked_for, wanted
from forge.authors.structural.author import called
from forge.llm.budget import Budget, Purse
from forge.llm.cache import Cache
from forge.llm.client import Client, Endpoint
from forge.llm.model import Model, Tally
from forge.llm.prices import tariff_of
from forge.llm.sizes import tokens_in
from forge.pipeline.authoring import TOOLS, Effort, Written, authored
from forge.types.data import Json
from forge.types.doc import ApiDoc

TYPICAL = 200
"""Tokens of a function."""


@dataclass(frozen=True, slots=True)
class Commission:
    """Which model is asked, how hard it is tried, what it may cost, and where answers are kept."""

    endpoint: Endpoint
    cache: Path
    budget: Budget = field(default_factory=Budget)
    concurrency: int = 16
    effort: Effort = field(default_factory=Effort)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Of one pass, the least and the most. `usd`: None where there is no price."""

    calls: tuple[int, int]
    prompt: tuple[int, int]
    completion: tuple[int, int]
    usd: tuple[float, float] | None

    def as_json(self) -> dict[str, Json]:
        return {
            "calls": list(self.calls),
            "prompt_tokens": list(self.prompt),
            "completion_tokens": list(self.completion),
            "usd": None if self.usd is None else list(self.usd),
        }


@dataclass(frozen=True, slots=True)
class Done:
    """What a model did. `failures`: the checks that the last try of each lost operation failed;
    `tries`: of those gained, how many were gained at which try."""

    model: str
    tallies: dict[str, Tally]
    gained: int
    tries: dict[int, int]
    failures: dict[str, int]
    usd: float | None

    def as_json(self) -> dict[str, Json]:
        passes: dict[str, Json] = {
            name: {
                "asked": tally.asked,
                "cached": tally.cached,
                "prompt_tokens": tally.used.prompt,
                "completion_tokens": tally.used.completion,
                "seconds": round(tally.seconds, 1),
            }
            for name, tally in self.tallies.items()
        }
        return {
            "model": self.model,
            "passes": passes,
            "gained": self.gained,
            "gained_at_try": {str(number): count for number, count in self.tries.items()},
            "failures": dict(self.failures),
            "usd": self.usd,
        }


Drafts = Sequence[tuple[ApiDoc, list[Draft]]]


def estimated(drafts: Drafts, commission: Commission) -> dict[str, Estimate]:
    """By pass, from the very prompts: at the least each operation is written at once, at the most
    it takes every sample and repair. What is kept from earlier is not taken off."""
    effort = commission.effort
    sizes = [
        tokens_in(str(asked_for(wanted(doc, draft, operation), draft, {})[0]))
        for doc, several in drafts
        for draft in several
        for operation in doc.operations
        if draft.tools and called(operation) in {each.operation for each in draft.left_out}
    ]
    tries = effort.samples + effort.repairs
    more = effort.longest  # a repair quotes what was written
    calls = (len(sizes), len(sizes) * tries)
    prompt = (sum(sizes), sum(sizes) * tries + len(sizes) * effort.repairs * more)
    completion = (TYPICAL * len(sizes), effort.longest * calls[1])
    tariff = tariff_of(commission.endpoint.model, commission.endpoint.base_url)
    usd = None
    if tariff is not None:
        usd = (tariff.cost(prompt[0], completion[0]), tariff.cost(prompt[1], completion[1]))
    return {TOOLS: Estimate(calls, prompt, completion, usd)}


def commissioned(
    drafts: Drafts,
    commission: Commission,
    *,
    seed: int,
    tell: Callable[[Written, Model], None] = lambda written, model: None,
) -> tuple[list[list[Draft]], Done]:
    """The drafts of each document with what the model added, and what it came to.

    UserError for what the user can mend (no server, a wrong key, an unknown model, a budget in USD
    where there is no price)."""

    async def work(cache: Cache) -> tuple[list[list[Draft]], Done]:
        endpoint = commission.endpoint
        purse = Purse(commission.budget, tariff_of(endpoint.model, endpoint.base_url))
        model = Model(Client(endpoint), purse, cache=cache, concurrency=commission.concurrency)
        try:
            every = await asyncio.gather(
                *(
                    authored(
                        doc,
                        several,
                        model,
                        seed=seed,
                        effort=commission.effort,
                        tell=lambda written: tell(written, model),
                    )
                    for doc, several in drafts
                )
            )
        finally:
            await model.close()
        written = [each for made in every for each in made.written]
        gained = [each for each in written if not each.why]
        done = Done(
            endpoint.model,
            model.tallies,
            len(gained),
            dict(sorted(Counter(each.tries for each in gained).items())),
            dict(sum((made.failures for made in every), Counter()).most_common()),
            None if purse.tariff is None else purse.spent.usd,
        )
        return [list(made.drafts) for made in every], done

    with closing(Cache(commission.cache)) as cache:
        return asyncio.run(work(cache))
