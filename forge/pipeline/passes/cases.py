"""Example cases for what a model writes, asked of it apart from the function: those that it says a
second time, when it is not told how they end.

Always holds: a case counts only if both agree; the function is not shown to either.
"""

from collections.abc import Sequence

from pydantic import BaseModel

from forge.authors.author import Draft
from forge.authors.llm.cases import (
    asked_for,
    asked_how_they_end,
    cases_in,
    confirmed_by,
    forms_of,
    subject_of,
)
from forge.authors.structural.author import called
from forge.llm.sizes import tokens_in
from forge.pipeline.passes.desk import Desk, Effort, Refused
from forge.types.case import Case
from forge.types.data import Json
from forge.types.doc import Operation
from forge.types.state import State

USE = "cases"
LONGEST = 500
"""Tokens of one answer."""
SAMPLES = 2
"""Of all the cases of an operation, until one is confirmed."""
ASKS = 2 * 2
"""The most requests of a sample: for the cases and for how they end, each told once what is wrong
with its form."""


def effort_of(effort: Effort) -> Effort:
    """Few samples, and none is told what is wrong with it."""
    return Effort(min(SAMPLES, effort.samples), 0, effort.temperature)


def sizes(operations: Sequence[Operation], draft: Draft) -> list[int]:
    """Of what is asked, in tokens, one an operation."""
    subjects = [subject_of(each, draft.state_schema, {}) for each in operations]
    return [
        tokens_in(str(asked_for(subject, draft.title)[0]))
        for subject in subjects
        if subject is not None
    ]


async def confirmed(
    operation: Operation, draft: Draft, base: State, desk: Desk
) -> tuple[Case, ...]:
    """None where no case can be told of the operation, or none is confirmed."""
    subject = subject_of(operation, draft.state_schema, base)
    if subject is None:
        return ()
    several, endings = forms_of(subject)

    def ask(written: str, why: str) -> list[Json]:
        return asked_for(subject, draft.title)

    async def accept(answer: BaseModel) -> tuple[Case, ...]:
        said = cases_in(answer, subject)
        if not said:
            raise Refused("no case: none says what changes, or they contradict each other")
        anew = asked_how_they_end(subject, draft.title, said)
        second = await desk.ask(endings, USE, anew, longest=LONGEST)
        found = confirmed_by(second, said, subject)
        if not found:
            raise Refused("not confirmed: of how they end, a second sample says something else")
        return tuple(found)

    effort = effort_of(desk.effort)
    found, _ = await desk.gain_of(
        several, USE, called(operation), ask, accept, longest=LONGEST, effort=effort
    )
    return found or ()
