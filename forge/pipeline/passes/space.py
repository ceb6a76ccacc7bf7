"""The pass `space`: tables for operations that have no place in those that rules found.

Always holds: what rules found stays as it is, and so do the tools that they made; a proposal that
no bases can be made of, or that leaves an operation without a place, is not taken.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from forge.authors.author import Draft
from forge.authors.llm.space import PROMPT, Group, Proposed, asked_for, groups_of
from forge.authors.llm.tables import Space, Unfit, merged
from forge.llm.sizes import tokens_in
from forge.pipeline.passes.desk import Desk, Refused
from forge.synth.spaces import unsound
from forge.synth.trying import lost_by
from forge.types.data import Json
from forge.types.doc import ApiDoc
from forge.types.environment import Provenance

USE = "space"
LONGEST = 1200
"""Tokens of one answer."""


def sizes(doc: ApiDoc, draft: Draft) -> Sequence[int]:
    """Of what is asked, in tokens, one a group of operations."""
    return [tokens_in(str(asked_for(group, draft)[0])) for group in groups_of(doc, draft)]


async def add(doc: ApiDoc, draft: Draft, desk: Desk) -> Draft:
    """The draft with the tables that operations which it left out need, where they could be found;
    one group after the other, so that each knows the tables of those before."""
    for group in groups_of(doc, draft):
        draft = await _asked(group, draft, desk)
    return draft


async def _asked(group: Group, draft: Draft, desk: Desk) -> Draft:
    def ask(written: str, why: str) -> list[Json]:
        return asked_for(group, draft, written=written, failure=why)

    async def accept(proposed: Proposed) -> Space:
        try:
            space = merged(group, draft, proposed)
        except Unfit as unfit:
            raise Refused(str(unfit)) from None
        why = await desk.check(partial(_failure, draft, space, desk))
        if why:
            raise Refused(why)
        return space

    space, piece = await desk.gain_of(Proposed, USE, group.name, ask, accept, longest=LONGEST)
    if space is None:
        return draft
    made = Provenance(model=desk.model.name, prompt=PROMPT, tries=piece.tries)
    names = [f"tables/{name}" for name in space.tables]
    names += [f"columns/{name}" for name in space.columns]
    return replace(draft, state_schema=space.schema, made=draft.made | dict.fromkeys(names, made))


def _failure(draft: Draft, space: Space, desk: Desk) -> str:
    why = unsound(space.schema, space.tables, desk.values, seed=desk.seed)
    if why or not space.columns or not draft.tools:
        return why
    wider = replace(draft, state_schema=space.schema)
    for name, check in lost_by(wider, draft, desk.values, seed=desk.seed).items():
        return f"the tools: {name} fails {check!r} then"
    return ""
