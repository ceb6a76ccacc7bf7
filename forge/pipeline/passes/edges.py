"""The pass `edges`: references that rules do not see, for a tool graph's edges follow from them.

Always holds: a reference is taken only if two samples that know nothing of each other name the
same table, every tool passes its checks on bases made anew with it, and the tool graph has an edge
that it had not. Tools stay as they were, so a draft that was trusted still is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from forge.authors.author import Draft
from forge.authors.llm.references import (
    PROMPT,
    Answer,
    Question,
    asked_for,
    held,
    questions_of,
    referring,
)
from forge.llm.sizes import tokens_in
from forge.pipeline.passes.desk import Desk, Effort, Refused
from forge.synth.spaces import unsound
from forge.synth.trying import lost_by
from forge.tasks.dags.graph import tool_graph
from forge.types.data import Json
from forge.types.doc import ApiDoc
from forge.types.environment import Edge, Environment, Provenance
from forge.types.state import Record

USE = "edges"
LONGEST = 300
"""Tokens of the answer for one table."""
ASKS = 4
"""The most requests for one table: two samples, each told once what is wrong with its form."""


def sizes(doc: ApiDoc, draft: Draft) -> Sequence[int]:
    """Of what is asked, in tokens, one a table."""
    return [tokens_in(str(asked_for(each, draft, {})[0])) for each in _questions(draft)]


def _questions(draft: Draft) -> list[Question]:
    return questions_of(draft) if draft.tools else []


def effort_of(effort: Effort) -> Effort:
    """One sample: that a column holds no key is an answer, too."""
    return Effort(1, 0, effort.temperature)


async def add(doc: ApiDoc, draft: Draft, desk: Desk) -> Draft:
    """The draft with the references that could be confirmed, table after table."""
    questions = _questions(draft)
    if not questions:
        return draft
    base = await desk.check(partial(desk.values.base, draft.state_schema, desk.seed))
    for question in questions:
        records = base.get(question.table.name, {})
        draft = await _asked(question, draft, records, desk)
    return draft


async def _asked(
    question: Question, draft: Draft, records: Mapping[str, Record], desk: Desk
) -> Draft:
    table = question.table.name

    def ask(written: str, why: str) -> list[Json]:
        return asked_for(question, draft, records)

    async def accept(answer: Answer) -> tuple[Draft, list[str]]:
        said = held(answer, question)
        if not said:
            raise Refused("no key: none of the columns holds one")
        again = asked_for(question, draft, records, turned=True)
        second = held(await desk.ask(Answer, USE, again, longest=LONGEST), question)
        agreed = {column: name for column, name in said.items() if second.get(column) == name}
        if not agreed:
            raise Refused("not confirmed: a second sample says something else")
        made, columns, why = draft, list[str](), ""
        for column, target in agreed.items():
            wider = replace(made, state_schema=referring(made.state_schema, table, column, target))
            failure = await desk.check(partial(_failure, wider, made, table, desk))
            why = failure or why
            if not failure:
                made, columns = wider, [*columns, column]
        if not columns:
            raise Refused(why)
        return made, columns

    found, piece = await desk.gain_of(
        Answer, USE, table, ask, accept, longest=LONGEST, effort=effort_of(desk.effort)
    )
    if found is None:
        return draft
    made, columns = found
    by = Provenance(model=desk.model.name, prompt=PROMPT, tries=piece.tries)
    names = [f"references/{table}.{column}" for column in columns]
    return replace(made, made=made.made | dict.fromkeys(names, by))


def _failure(wider: Draft, before: Draft, table: str, desk: Desk) -> str:
    """Why the reference is not to be taken; "" if it is."""
    if _edges(wider) <= _edges(before):
        return "no edge: the tool graph is the same with it"
    why = unsound(wider.state_schema, [table], desk.values, seed=desk.seed)
    if why:
        return why
    for name, check in lost_by(wider, before, desk.values, seed=desk.seed).items():
        return f"the tools: {name} fails {check!r} with it"
    return ""


def _edges(draft: Draft) -> set[Edge]:
    environment = Environment(
        name=draft.name,
        title=draft.title,
        state_schema=draft.state_schema,
        tools=draft.tools,
        source="",
        bases={},
        nows={},
    )
    return {edge.model_copy(update={"why": ""}) for edge in tool_graph(environment).edges}
