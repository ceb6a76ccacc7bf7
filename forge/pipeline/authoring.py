"""What a model adds to the drafts that rules made: a function for each operation they left out.

Always holds: nothing is in a draft that did not pass its checks when it was run; an operation that
the model cannot write stays left out, with the last reason; with the answers of an earlier run the
drafts are the same bytes, however the requests overlap. What is gained before the budget is spent
stays.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

from forge.authors.author import Author, Draft
from forge.authors.llm.tools import PROMPT, NoFunction, Wanted, asked_for, function_in, wanted
from forge.authors.structural.author import StructuralAuthor, called
from forge.errors import BudgetSpent, ContextFull, EndpointLost
from forge.llm.model import Model
from forge.synth.trying import Remembered, Tried, tried
from forge.types.data import Json
from forge.types.doc import ApiDoc, Operation
from forge.types.environment import LeftOut, Provenance
from forge.types.state import State

TOOLS = "tools"
"""The pass, as it is counted."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard is tried for one operation: fresh samples first, then repairs that quote what is
    wrong. `temperature`: of samples; `longest`: tokens of one function."""

    samples: int = 5
    repairs: int = 1
    temperature: float = 0.8
    longest: int = 700


@dataclass(frozen=True, slots=True)
class Written:
    """What came of one operation. `tried`: None where nothing could be tried; `why`: why it is
    still left out, "" if it is not; `tries`: functions asked for."""

    operation: str
    tried: Tried | None
    tries: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Authored:
    """The drafts with what was gained, in their order, and what came of each operation."""

    drafts: tuple[Draft, ...]
    written: tuple[Written, ...]

    @property
    def failures(self) -> Counter[str]:
        """The checks that the last try of each lost operation failed."""
        return Counter(each.why.partition(":")[0] for each in self.written if each.why)


async def authored(
    doc: ApiDoc,
    drafts: Sequence[Draft],
    model: Model,
    *,
    seed: int,
    effort: Effort = Effort(),
    tell: Callable[[Written], None] = lambda written: None,
) -> Authored:
    """The drafts of one document, with tools for operations that they left out.

    What the client raises of what the user can mend; a lost endpoint leaves out what it was asked
    for."""
    values = Remembered(StructuralAuthor())
    with ThreadPoolExecutor(os.cpu_count() or 1, "checks") as pool:
        desks = [_Desk(draft, model, values, seed, effort, pool) for draft in drafts]

        async def one(number: int, operation: Operation) -> Written:
            found = await desks[number].write(wanted(doc, drafts[number], operation))
            tell(found)
            return found

        jobs = [
            (number, operation)
            for number, draft in enumerate(drafts)
            for operation in doc.operations
            if draft.tools and called(operation) in {each.operation for each in draft.left_out}
        ]
        found = await asyncio.gather(*(one(*job) for job in jobs))
    by_draft: list[dict[str, Written]] = [{} for _ in drafts]
    for (number, _), written in zip(jobs, found, strict=True):
        by_draft[number][written.operation] = written
    made = tuple(
        _with(draft, written, model.name) for draft, written in zip(drafts, by_draft, strict=True)
    )
    return Authored(made, tuple(found))


@dataclass(slots=True)
class _Desk:
    """Where the functions of one draft are written and tried. The checks run on threads."""

    draft: Draft
    model: Model
    values: Author
    seed: int
    effort: Effort
    pool: ThreadPoolExecutor
    _base: State | None = None

    async def write(self, job: Wanted) -> Written:
        """The first of the samples that passes; else the first repair that does."""
        if self._base is None:
            self._base = self.values.base(self.draft.state_schema, self.seed)
        effort, name, source, failure = self.effort, called(job.operation), "", ""
        asked = asked_for(job, self.draft, self._base)
        for number in range(effort.samples + effort.repairs):
            repairs = number >= effort.samples
            if repairs and source:
                asked = asked_for(job, self.draft, self._base, written=source, failure=failure)
            body: dict[str, Json] = {
                "messages": asked,
                "max_tokens": effort.longest,
                "temperature": 0.0 if repairs else effort.temperature,
                "seed": number,
            }
            try:
                answer = await self.model.complete(body, use=TOOLS, sample=number)
            except BudgetSpent as spent:
                return Written(name, None, number, f"the budget: {spent}")
            except ContextFull:
                return Written(name, None, number, "the model's context: the prompt does not fit")
            except EndpointLost as lost:
                return Written(name, None, number, f"the endpoint: {lost}")
            try:
                tool, source = function_in(answer.message.text, job.tool)
            except NoFunction as none:
                failure = f"no function: {none}"
                continue
            trial = await asyncio.get_running_loop().run_in_executor(
                self.pool, partial(tried, self.draft, tool, source, self.values, seed=self.seed)
            )
            if not trial.failure:
                return Written(name, trial, number + 1)
            failure = trial.failure
        return Written(name, None, effort.samples + effort.repairs, failure)


def _with(draft: Draft, written: dict[str, Written], model: str) -> Draft:
    gained = [each for each in written.values() if each.tried is not None]
    tools = [each.tried.tool for each in gained if each.tried is not None]
    left = tuple(
        _still_left(each, written.get(each.operation))
        for each in draft.left_out
        if each.operation not in {other.operation for other in gained}
    )
    if not gained:
        return replace(draft, left_out=left)
    sources = {each.tried.tool.name: each.tried.source for each in gained if each.tried}
    made = {
        each.tried.tool.name: Provenance(model=model, prompt=PROMPT, tries=each.tries)
        for each in gained
        if each.tried is not None
    }
    return replace(
        draft,
        tools=(*draft.tools, *tools),
        sources=draft.sources | sources,
        left_out=left,
        author="llm",
        made=made,
    )


def _still_left(left: LeftOut, written: Written | None) -> LeftOut:
    if written is None:
        return left
    told = (
        f"{left.reason}; the model wrote none that passes in {written.tries} tries: {written.why}"
    )
    return left.model_copy(update={"reason": told})
