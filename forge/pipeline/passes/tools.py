"""The pass `tools`: a function for each operation that rules left out.

Always holds: nothing is in a draft that did not pass its checks when it was run; an operation that
the model cannot write stays left out, with the last reason.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from forge.authors.author import Draft
from forge.authors.llm.tools import PROMPT, NoFunction, asked_for, function_in, wanted
from forge.authors.structural.author import called
from forge.llm.sizes import tokens_in
from forge.pipeline.passes.desk import Desk, Piece, Refused
from forge.synth.trying import Tried, tried
from forge.types.data import Json
from forge.types.doc import ApiDoc, Operation
from forge.types.environment import LeftOut, Provenance

USE = "tools"
LONGEST = 700
"""Tokens of one function."""


def sizes(doc: ApiDoc, draft: Draft) -> list[int]:
    """Of what is asked, in tokens, one an operation."""
    return [
        tokens_in(str(asked_for(wanted(doc, draft, operation), draft, {})[0]))
        for operation in _left(doc, draft)
    ]


def _left(doc: ApiDoc, draft: Draft) -> Sequence[Operation]:
    names = {each.operation for each in draft.left_out} if draft.state_schema.tables else ()
    return [operation for operation in doc.operations if called(operation) in names]


async def add(doc: ApiDoc, draft: Draft, desk: Desk) -> Draft:
    """The draft with a tool for each operation that could be written."""
    left = _left(doc, draft)
    if not left:
        return draft
    base = await desk.check(partial(desk.values.base, draft.state_schema, desk.seed))

    async def one(operation: Operation) -> tuple[Tried | None, Piece]:
        job = wanted(doc, draft, operation)

        def ask(written: str, why: str) -> list[Json]:
            return asked_for(job, draft, base, written=written, failure=why)

        async def accept(text: str) -> Tried:
            try:
                tool, source = function_in(text, job.tool)
            except NoFunction as none:
                raise Refused(f"no function: {none}") from None
            trial = await desk.check(
                partial(tried, draft, tool, source, desk.values, seed=desk.seed)
            )
            if trial.failure:
                raise Refused(trial.failure)
            return trial

        return await desk.gain(USE, called(operation), ask, accept, longest=LONGEST)

    return _with(draft, await asyncio.gather(*map(one, left)), desk.model.name)


def _with(draft: Draft, found: Sequence[tuple[Tried | None, Piece]], model: str) -> Draft:
    gained = {piece.name: (trial, piece) for trial, piece in found if trial is not None}
    lost = {piece.name: piece for trial, piece in found if trial is None}
    trials = [trial for trial, _ in gained.values()]
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
            f"{USE}/{trial.tool.name}": Provenance(model=model, prompt=PROMPT, tries=piece.tries)
            for trial, piece in gained.values()
        },
    )


def _still_left(left: LeftOut, lost: Piece | None) -> LeftOut:
    if lost is None:
        return left
    told = f"{left.reason}; the model wrote none that passes in {lost.tries} tries: {lost.why}"
    return left.model_copy(update={"reason": told})
