"""The pass `tools`: a function for each operation that rules left out.

Always holds: nothing is in a draft that did not pass its checks when it was run, and did not fulfil
the example cases that were confirmed for it; an operation that the model cannot write stays left
out, with the last reason. Where no case is confirmed, the checks alone decide: a tool whose effect
is not seen then is in no task, so that what it does wrong spoils none.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from forge.authors.author import Draft
from forge.authors.llm.cases import told
from forge.authors.llm.tools import PROMPT, NoFunction, asked_for, function_in, wanted
from forge.authors.structural.author import called
from forge.llm.sizes import tokens_in
from forge.pipeline.passes import cases
from forge.pipeline.passes.desk import Desk, Piece, Refused
from forge.synth.cases import held_to
from forge.synth.spaces import settled
from forge.synth.trying import Tried, tried
from forge.types.case import Case
from forge.types.data import Json
from forge.types.doc import ApiDoc, Operation
from forge.types.environment import LeftOut, Provenance, Tool

USE = "tools"
LONGEST = 700
"""Tokens of one function."""
_BY_FIELDS = ("PUT", "PATCH")
"""Methods by which a record gets what is passed, and nothing else."""


def sizes(doc: ApiDoc, draft: Draft) -> list[int]:
    """Of what is asked, in tokens, one an operation."""
    return [
        tokens_in(str(asked_for(wanted(doc, draft, operation), draft, {})[0]))
        for operation in left(doc, draft)
    ]


def case_sizes(doc: ApiDoc, draft: Draft) -> list[int]:
    """The same of what is asked for cases, one a write."""
    writes = [each for each in left(doc, draft) if wanted(doc, draft, each).tool.kind == "write"]
    return cases.sizes(writes, draft)


def left(doc: ApiDoc, draft: Draft) -> Sequence[Operation]:
    names = {each.operation for each in draft.left_out}
    return [operation for operation in doc.operations if called(operation) in names]


async def add(doc: ApiDoc, draft: Draft, desk: Desk) -> Draft:
    """The draft with a tool for each operation that could be written."""
    operations = left(doc, draft)
    if not operations or not draft.state_schema.tables:
        return draft
    base = await desk.check(partial(desk.values.base, draft.state_schema, desk.seed))

    async def one(operation: Operation) -> tuple["Written | None", Piece]:
        job = wanted(doc, draft, operation)
        known: list[tuple[Case, ...]] = []

        async def confirmed() -> tuple[Case, ...]:
            """Asked for when a function first passes all else."""
            if not known:
                known.append(await cases.confirmed(operation, draft, base, desk))
            return known[0]

        def ask(written: str, why: str) -> list[Json]:
            return asked_for(job, draft, base, written=written, failure=why)

        async def accept(text: str) -> Written:
            try:
                tool, source = function_in(text, job.tool)
            except NoFunction as none:
                raise Refused(f"no function: {none}") from None
            trial = await desk.check(
                partial(tried, draft, tool, source, desk.values, seed=desk.seed)
            )
            if trial.failure or trial.environment is None:
                raise Refused(trial.failure)
            if operation.method not in _BY_FIELDS and does_nothing_alone(trial.tool):
                raise Refused("called with no more than it asks for, it changes nothing")
            examples = await confirmed() if tool.kind == "write" else ()
            if not examples:
                return Written(trial)
            held = await desk.check(partial(held_to, trial.environment, trial.tool, examples))
            if held.broken is not None:
                raise Refused(f"an example case: {told(held.broken)}; but {held.did}")
            return Written(trial, held.judged)

        return await desk.gain(USE, called(operation), ask, accept, longest=LONGEST)

    found = await asyncio.gather(*map(one, operations))
    return settled(_with(draft, found, desk.model.name))


@dataclass(frozen=True, slots=True)
class Written:
    """A function that passed. `cases`: confirmed ones that it fulfils."""

    trial: Tried
    cases: int = 0


def does_nothing_alone(tool: Tool) -> bool:
    """Whether all that it is seen to change is what may be left out of a call."""
    effect = tool.effect
    if effect is None or effect.verb != "update" or effect.sets:
        return False
    return effect.fields.keys().isdisjoint(tool.parameters.get("required", ()))


def _with(draft: Draft, found: Sequence[tuple[Written | None, Piece]], model: str) -> Draft:
    gained = {piece.name: (written, piece) for written, piece in found if written is not None}
    lost = {piece.name: piece for written, piece in found if written is None}
    trials = [written.trial for written, _ in gained.values()]
    return replace(
        draft,
        tools=(*draft.tools, *(trial.tool for trial in trials)),
        sources=draft.sources | {trial.tool.name: trial.source for trial in trials},
        left_out=tuple(
            _still_left(each, lost.get(each.operation))
            for each in draft.left_out
            if each.operation not in gained
        ),
        author="llm" if gained else draft.author,
        made=draft.made
        | {
            f"{USE}/{written.trial.tool.name}": Provenance(
                model=model, prompt=PROMPT, tries=piece.tries, cases=written.cases
            )
            for written, piece in gained.values()
        },
    )


def _still_left(left: LeftOut, lost: Piece | None) -> LeftOut:
    if lost is None:
        return left
    told = f"{left.reason}; the model wrote none that passes in {lost.tries} tries: {lost.why}"
    return left.model_copy(update={"reason": told})
