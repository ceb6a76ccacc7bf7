"""A model at work on drafts and tasks: what it may cost, what it did cost, and what was gained.

Always holds: before anything is asked, the most that it can come to is known; what was answered is
kept, so that the same command pays for nothing twice, and gives the same bytes however the requests
overlap.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from forge.authors.author import Draft
from forge.authors.structural.author import StructuralAuthor
from forge.llm.budget import Budget, Purse
from forge.llm.cache import Cache
from forge.llm.client import Client, Endpoint
from forge.llm.model import Model, Tally
from forge.llm.prices import tariff_of
from forge.pipeline.passes import (
    cases,
    edges,
    glossary,
    questions,
    rules,
    space,
    stories,
    tools,
    values,
)
from forge.pipeline.passes.desk import Desk, Effort, Piece
from forge.synth.trying import Remembered
from forge.types.data import Json
from forge.types.doc import ApiDoc
from forge.types.task import Lang

Drafts = Sequence[tuple[ApiDoc, list[Draft]]]
Result = TypeVar("Result")


def _all_of_it(effort: Effort) -> Effort:
    return effort


@dataclass(frozen=True, slots=True)
class Asking:
    """What is asked for in one use. `sizes`: of what is asked at first, in tokens, one a piece;
    `typical`, `longest`: tokens of an answer; `asks`: the least and the most requests of one piece
    at one try; `effort`: what is made of it of the effort; `lang`: of the tasks that it is for,
    None: any."""

    use: str
    sizes: Callable[[ApiDoc, Draft], Sequence[int]]
    typical: int
    longest: int
    asks: tuple[int, int] = (1, 1)
    effort: Callable[[Effort], Effort] = _all_of_it
    lang: Lang | None = None


@dataclass(frozen=True, slots=True)
class Pass:
    """One that adds to drafts; `beside`: what it asks for besides; `lang`: of the tasks that it is
    for, None: any."""

    asking: Asking
    add: Callable[[ApiDoc, Draft, Desk], Awaitable[Draft]]
    beside: tuple[Asking, ...] = ()
    lang: Lang | None = None

    @property
    def use(self) -> str:
        return self.asking.use


_CASES = Asking(
    cases.USE,
    tools.case_sizes,
    typical=100,
    longest=cases.LONGEST,
    asks=(0, cases.ASKS),  # only of a function that passes all else
    effort=cases.effort_of,
)
_RULES = Asking(
    rules.USE,
    rules.sizes,
    typical=40,
    longest=rules.LONGEST,
    asks=(1, rules.ASKS),
    effort=rules.effort_of,
)
_TOLD = Asking(
    rules.TOLD,
    rules.sizes,
    typical=40,
    longest=rules.LONGEST,
    asks=(0, rules.ASKS_TOLD),  # only of a rule that was found
    effort=lambda effort: replace(effort, samples=1, repairs=0),
    lang="zh",
)
_EDGES = Asking(
    edges.USE,
    edges.sizes,
    typical=60,
    longest=edges.LONGEST,
    asks=(1, edges.ASKS),
    effort=edges.effort_of,
)
PASSES = (
    Pass(Asking(space.USE, space.sizes, 350, space.LONGEST), space.add),
    Pass(Asking(tools.USE, tools.sizes, 200, tools.LONGEST), tools.add, beside=(_CASES,)),
    Pass(_EDGES, edges.add),
    Pass(Asking(values.USE, values.sizes, 150, values.LONGEST), values.add),
    Pass(_RULES, rules.add, beside=(_TOLD,)),
    Pass(Asking(glossary.USE, glossary.sizes, 150, glossary.LONGEST), glossary.add, lang="zh"),
)
"""In the order in which they work on a draft: rules are tried on what the bases will hold."""


@dataclass(frozen=True, slots=True)
class Commission:
    """Which model is asked, how hard it is tried, what it may cost, and where answers are kept."""

    endpoint: Endpoint
    cache: Path
    budget: Budget = field(default_factory=Budget)
    concurrency: int = 16
    effort: Effort = field(default_factory=Effort)
    lang: Lang = "en"
    """Of the tasks' users."""
    passes: frozenset[str] | None = None
    """Those that are to be made; None: all. `words` goes with a language that is not English."""

    def has(self, use: str) -> bool:
        return self.passes is None or use in self.passes or use == glossary.USE


@dataclass(frozen=True, slots=True)
class Estimate:
    """Of one pass with so many `pieces`, the least and the most. `usd`: None where there is no
    price."""

    pieces: int
    calls: tuple[int, int]
    prompt: tuple[int, int]
    completion: tuple[int, int]
    usd: tuple[float, float] | None

    def as_json(self) -> dict[str, Json]:
        return {
            "pieces": self.pieces,
            "calls": list(self.calls),
            "prompt_tokens": list(self.prompt),
            "completion_tokens": list(self.completion),
            "usd": None if self.usd is None else list(self.usd),
        }


def estimated(drafts: Drafts, commission: Commission, tasks: int) -> dict[str, Estimate]:
    """By pass, from the very prompts: at the least each piece is taken at once, at the most it
    takes every sample and repair. What is kept from earlier is not taken off. `tasks`: for each
    environment; a question's prompt is taken to be of a usual size."""
    found = {
        each.use: _estimate(
            [size for doc, some in drafts for draft in some for size in each.sizes(doc, draft)],
            (each.typical, each.longest),
            commission,
            each.effort(commission.effort),
            asks=each.asks,
        )
        for work in PASSES
        if work.lang in (None, commission.lang) and commission.has(work.use)
        for each in (work.asking, *work.beside)
        if each.lang in (None, commission.lang)
    }
    environments = sum(bool(draft.tools) for _, several in drafts for draft in several)
    told = tasks // stories.SHARE
    stories_too = ((stories.USE, told), (stories.REASONS, -(-told // stories.REASONED)))
    for use, count in stories_too if commission.has(stories.USE) else ():
        found[use] = _estimate(
            [stories.SIZE] * (count * environments),
            (stories.TYPICAL, stories.LONGEST),
            commission,
            stories.effort_of(commission.effort),
        )
    if commission.has(questions.USE):
        found[questions.USE] = _estimate(
            [questions.SIZE] * (tasks * environments),
            (questions.TYPICAL, questions.LONGEST + questions.LONGEST_READING),
            commission,
            questions.effort_of(commission.effort),
            requests=questions.REQUESTS,
        )
    return found


def _estimate(
    sizes: Sequence[int],
    written: tuple[int, int],
    commission: Commission,
    effort: Effort,
    requests: int = 1,
    asks: tuple[int, int] = (1, 1),
) -> Estimate:
    """`written`: tokens of what is answered in a try of so many requests, usually and at most;
    `asks`: how often such is asked for in a try, at the least and the most."""
    typical, longest = written
    pieces, tries = len(sizes), len(sizes) * effort.tries
    least, most = asks
    calls = (pieces * requests * least, tries * requests * most)
    quoted = pieces * effort.repairs * longest  # a repair quotes what was written
    prompt = (sum(sizes) * least, sum(sizes) * effort.tries * most + quoted)
    completion = (typical * pieces * least, longest * tries * most)
    tariff = tariff_of(commission.endpoint.model, commission.endpoint.base_url)
    usd = None
    if tariff is not None:
        usd = (
            tariff.of(calls[0], prompt[0], completion[0]),
            tariff.of(calls[1], prompt[1], completion[1]),
        )
    return Estimate(pieces, calls, prompt, completion, usd)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one pass: of so many `pieces`, those that were `gained`, by the try at which they were;
    why the others are as rules had them: the check that the last try failed -> how many."""

    pieces: int
    gained: int
    tries: dict[int, int]
    failures: dict[str, int]

    def as_json(self) -> dict[str, Json]:
        return {
            "pieces": self.pieces,
            "gained": self.gained,
            "gained_at_try": {str(number): count for number, count in self.tries.items()},
            "failures": dict(self.failures),
        }


@dataclass(frozen=True, slots=True)
class Done:
    """What a model did, by pass."""

    model: str
    tallies: Mapping[str, Tally]
    outcomes: Mapping[str, Outcome]
    usd: float | None

    def as_json(self) -> dict[str, Json]:
        passes: dict[str, Json] = {}
        for use in dict.fromkeys([*self.outcomes, *self.tallies]):
            tally = self.tallies.get(use, Tally())
            asked: dict[str, Json] = {
                "asked": tally.asked,
                "cached": tally.cached,
                "prompt_tokens": tally.used.prompt,
                "completion_tokens": tally.used.completion,
                "seconds": round(tally.seconds, 1),
                "usd": None if self.usd is None else tally.used.usd,
            }
            came = self.outcomes[use].as_json() if use in self.outcomes else {}
            passes[use] = asked | came
        return {"model": self.model, "passes": passes, "usd": self.usd}


class Engagement:
    """One run's model at work, phase after phase, on one budget. Closed by leaving the block."""

    def __init__(
        self,
        commission: Commission,
        *,
        seed: int,
        tell: Callable[[Piece, Model], None] = lambda piece, model: None,
    ) -> None:
        """UserError for a budget in USD where there is no price, and a file that is no cache."""
        endpoint = commission.endpoint
        self.commission, self.seed, self.tell = commission, seed, tell
        self.pieces: list[Piece] = []
        self._purse = Purse(commission.budget, tariff_of(endpoint.model, endpoint.base_url))
        self._tallies: dict[str, Tally] = {}
        self._values = Remembered(StructuralAuthor())
        self._cache = Cache(commission.cache)

    def __enter__(self) -> "Engagement":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._cache.close()

    def run(self, work: Callable[[Desk], Awaitable[Result]]) -> Result:
        """What the work comes to, at a desk with the model.

        UserError for what the user can mend (no server, a wrong key, an unknown model)."""

        async def all_of_it() -> Result:
            commission = self.commission
            model = Model(
                Client(commission.endpoint),
                self._purse,
                cache=self._cache,
                concurrency=commission.concurrency,
                tallies=self._tallies,
            )
            with ThreadPoolExecutor(os.cpu_count() or 1, "checks") as pool:
                desk = Desk(
                    model,
                    self._values,
                    self.seed,
                    commission.effort,
                    pool,
                    self.tell,
                    self.pieces,
                    commission.lang,
                )
                try:
                    return await work(desk)
                finally:
                    await model.close()

        return asyncio.run(all_of_it())

    def done(self) -> Done:
        uses = list(
            dict.fromkeys(
                [
                    *(each.use for each in PASSES),
                    stories.USE,
                    stories.REASONS,
                    questions.USE,
                    *self._tallies,
                ]
            )
        )
        return Done(
            self.commission.endpoint.model,
            self._tallies,
            {
                use: _outcome([piece for piece in self.pieces if piece.use == use])
                for use in uses
                if any(piece.use == use for piece in self.pieces)
            },
            None if self._purse.tariff is None else self._purse.spent.usd,
        )


def _outcome(pieces: Sequence[Piece]) -> Outcome:
    gained = [each for each in pieces if not each.why]
    return Outcome(
        len(pieces),
        len(gained),
        dict(sorted(Counter(each.tries for each in gained).items())),
        dict(
            sorted(
                Counter(each.why.partition(":")[0] for each in pieces if each.why).items(),
                key=lambda item: (-item[1], item[0]),
            )
        ),
    )


CHOSEN = (*(each.use for each in PASSES if each.lang is None), stories.USE, questions.USE)
"""The passes that can be chosen."""


async def authored(
    drafts: Drafts, commission: Commission, desk: Desk
) -> list[tuple[ApiDoc, list[Draft]]]:
    """The drafts of each document with what the model added, all at once, each pass after pass."""

    async def one(doc: ApiDoc, draft: Draft) -> Draft:
        for each in PASSES:
            if each.lang in (None, desk.lang) and commission.has(each.use):
                draft = await each.add(doc, draft, desk)
        return draft

    async def all_of(doc: ApiDoc, several: Sequence[Draft]) -> tuple[ApiDoc, list[Draft]]:
        return doc, list(await asyncio.gather(*(one(doc, draft) for draft in several)))

    return list(await asyncio.gather(*(all_of(doc, several) for doc, several in drafts)))
