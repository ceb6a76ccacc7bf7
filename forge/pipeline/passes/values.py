"""The pass `values`: what people of the domain write in the columns that rules know no words for.

Always holds: what is kept is words that fit the column and the document's language; a draft on
whose bases a tool fails that passed before keeps the values of rules, all of them.
"""

import asyncio
from dataclasses import replace
from functools import partial

from forge.authors.author import Draft
from forge.authors.llm.values import LEAST, PROMPT, Blank, Values, asked_for, sifted
from forge.authors.structural.values.bland import bland_columns
from forge.llm.sizes import tokens_in
from forge.pipeline.passes.desk import Desk, Piece, Refused
from forge.synth.trying import lost_by
from forge.types.data import Json
from forge.types.doc import ApiDoc
from forge.types.environment import Provenance
from forge.types.state import Column, StateSchema, Table

USE = "values"
LONGEST = 600
"""Tokens of the values of one column."""
MOST = 16
"""Columns of a draft that are asked for, those by which records are told apart first."""
Words = dict[tuple[str, str], tuple[str, ...]]
"""Table and column -> the values."""


def sizes(doc: ApiDoc, draft: Draft) -> list[int]:
    """Of what is asked, in tokens, one a column."""
    return [tokens_in(str(asked_for(blank))) for blank in _blanks(draft)]


def _blanks(draft: Draft) -> list[Blank]:
    if not draft.tools and not draft.left_out:
        return []
    found = [
        Blank(draft.title, table, column)
        for table in draft.state_schema.tables
        for column in bland_columns(table)
        if (table.name, column.name) not in _formed(draft)
    ]
    return sorted(found, key=lambda blank: not blank.is_label)[:MOST]


def _formed(draft: Draft) -> set[tuple[str, str]]:
    """Columns that a tool writes an argument to whose form the document gives by a pattern."""
    return {
        (tool.effect.table, column)
        for tool in draft.tools
        if tool.effect is not None
        for argument, column in tool.effect.fields.items()
        if "pattern" in tool.parameters["properties"].get(argument, {})
    }


def _names(draft: Draft) -> frozenset[str]:
    tables = draft.state_schema.tables
    names = [tool.name for tool in draft.tools]
    names += [name for table in tables for name in (table.name, table.noun)]
    names += [column.name for table in tables for column in table.columns]
    return frozenset(name.casefold() for name in names)


async def add(doc: ApiDoc, draft: Draft, desk: Desk) -> Draft:
    """The draft with words for each column that some were found for."""
    blanks = _blanks(draft)
    names = _names(draft)

    async def one(blank: Blank) -> tuple[tuple[str, ...] | None, Piece]:
        def ask(written: str, why: str) -> list[Json]:
            return asked_for(blank, written=written, failure=why)

        async def accept(answer: Values) -> tuple[str, ...]:
            kept, lost = sifted(blank, answer.values, names)
            if len(kept) < LEAST:
                told = ", ".join(f"{why} ({count})" for why, count in lost.most_common())
                raise Refused(f"too few: {len(kept)} of {len(answer.values)} are left; {told}")
            return kept

        return await desk.gain_of(Values, USE, blank.name, ask, accept, longest=LONGEST)

    found = await asyncio.gather(*map(one, blanks))
    gained = [
        (blank, words, piece)
        for blank, (words, piece) in zip(blanks, found, strict=True)
        if words is not None
    ]
    if not gained:
        return draft
    words = {(blank.table.name, blank.column.name): words for blank, words, _ in gained}
    with_words = replace(
        draft,
        state_schema=_with(draft.state_schema, words),
        made=draft.made
        | {
            f"{USE}/{blank.name}": Provenance(
                model=desk.model.name, prompt=PROMPT, tries=piece.tries
            )
            for blank, _, piece in gained
        },
    )
    lost = await desk.check(partial(lost_by, with_words, draft, desk.values, seed=desk.seed))
    if not lost:
        return with_words
    name, check = next(iter(lost.items()))
    desk.take_back([piece for *_, piece in gained], f"the tools: {name} fails {check!r} on them")
    return draft


def _with(schema: StateSchema, words: Words) -> StateSchema:
    def worded(table: Table, column: Column) -> Column:
        own = words.get((table.name, column.name))
        return column if own is None else column.model_copy(update={"words": own})

    tables = tuple(
        table.model_copy(update={"columns": tuple(worded(table, each) for each in table.columns)})
        for table in schema.tables
    )
    return schema.model_copy(update={"tables": tables})
