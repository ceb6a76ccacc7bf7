"""The pass `rules`: what a document says in prose of when an operation is refused.

Always holds: a rule is a sentence of the document, confirmed by a second sample, which says no to
its contrary; the tool refuses by it, passed all its checks again, and works on some records. A
tool of which no rule is found stays as it was. Where users speak Chinese the agent reads it in
Chinese, if that is confirmed in the same way; else as the document has it.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from pydantic import BaseModel

from forge.authors.author import Draft
from forge.authors.llm.rules import (
    MOST,
    PROMPT,
    Ground,
    Rule,
    Said,
    Verdict,
    asked_for,
    asked_in_chinese,
    asked_whether,
    form_of,
    ground_of,
    in_chinese,
    rules_in,
    stated,
)
from forge.authors.llm.tools import wanted
from forge.authors.llm.words import about
from forge.errors import Filtered
from forge.llm.sizes import tokens_in
from forge.llm.structured import Unreadable
from forge.pipeline.passes.desk import Desk, Effort, Piece, Refused
from forge.pipeline.passes.tools import left
from forge.synth.ruled import can_be_ruled, ruled
from forge.types.data import Json
from forge.types.doc import ApiDoc
from forge.types.environment import Provenance

USE = "rules"
LONGEST = 300
"""Tokens of one answer."""
SAMPLES = 2
ASKS = 2 * (1 + 2 * MOST)
"""The most requests of a sample: for the rules, and for each and its contrary whether it is said,
each told once what is wrong with its form."""
TOLD = "rules in Chinese"
ASKS_TOLD = 2 * 3 * MOST
"""The most requests for the rules of a tool: each in Chinese, whether it is said so, and its
contrary, each told once what is wrong with its form."""

Found = tuple[Draft, tuple[str, ...]]
"""With the rules in the tool; as sentences."""


def effort_of(effort: Effort) -> Effort:
    """Few samples, and none is told what is wrong with it."""
    return Effort(min(SAMPLES, effort.samples), 0, effort.temperature)


def sizes(doc: ApiDoc, draft: Draft) -> list[int]:
    """Of what is asked, in tokens, one a tool; of tools too that are yet to be written."""
    grounds = [*_grounds(doc, draft), *_later(doc, draft)]
    return [tokens_in(str(asked_for(each, draft.title)[0])) for each in grounds]


def _grounds(doc: ApiDoc, draft: Draft) -> Iterator[Ground]:
    operations = {each.name: each for each in doc.operations}
    tables = {each.name: each for each in draft.state_schema.tables}
    for tool in draft.tools:
        operation, effect = operations.get(tool.name), tool.effect
        if operation is None or effect is None or not can_be_ruled(tool, tables[effect.table]):
            continue
        ground = ground_of(doc, operation, tool, tables[effect.table])
        if ground is not None:
            yield ground


def _later(doc: ApiDoc, draft: Draft) -> Iterator[Ground]:
    for operation in left(doc, draft):
        tool = wanted(doc, draft, operation).tool
        tables = about(operation, draft.state_schema.tables) if tool.kind == "write" else []
        ground = ground_of(doc, operation, tool, tables[0]) if tables else None
        if ground is not None:
            yield ground


async def add(doc: ApiDoc, draft: Draft, desk: Desk) -> Draft:
    """The draft with the rules that could be found."""

    async def one(ground: Ground) -> tuple[Ground, Found | None, Piece]:
        def ask(written: str, why: str) -> list[Json]:
            return asked_for(ground, draft.title)

        async def accept(answer: BaseModel) -> Found:
            said = rules_in(answer, ground)
            if not said:
                raise Refused("no rule: none is said of a column")
            good = await asyncio.gather(*(_is_confirmed(ground, rule, desk) for rule in said))
            rules = [rule for rule, is_good in zip(said, good, strict=True) if is_good]
            if not rules:
                raise Refused("not confirmed: a second sample does not find it in the text")
            ruled_by, kept = await _put(draft, ground, rules, desk)
            told = [await _told(ground, rule, draft.title, desk) for rule in kept]
            return ruled_by, tuple(dict.fromkeys(told))

        effort = effort_of(desk.effort)
        found, piece = await desk.gain_of(
            form_of(ground), USE, ground.tool.name, ask, accept, longest=LONGEST, effort=effort
        )
        return ground, found, piece

    for ground, found, piece in await asyncio.gather(*map(one, _grounds(doc, draft))):
        if found is not None:
            draft = _with(draft, ground.tool.name, found, piece, desk.model.name)
    return draft


async def _is_confirmed(ground: Ground, rule: Rule, desk: Desk, use: str = USE) -> bool:
    for turned, right in ((False, "yes"), (True, "no")):
        messages = asked_whether(ground, rule, turned=turned)
        verdict = await desk.ask(Verdict, use, messages, longest=LONGEST)
        if verdict.answer != right:
            return False
    return True


async def _told(ground: Ground, rule: Rule, title: str, desk: Desk) -> str:
    """As the agent reads it."""
    said = stated(ground, rule)
    if desk.lang != "zh":
        return said
    try:
        answer = await desk.ask(Said, TOLD, asked_in_chinese(said, title), longest=LONGEST)
        chinese = in_chinese(answer.text, said)
        same = chinese and await _is_confirmed(ground, replace(rule, sentence=chinese), desk, TOLD)
    except (Unreadable, Filtered):
        return said
    return chinese if chinese and same else said


async def _put(
    draft: Draft, ground: Ground, rules: list[Rule], desk: Desk
) -> tuple[Draft, list[Rule]]:
    """Each that the tool can keep beside those before it."""
    kept: list[Rule] = []
    why = ""
    for rule in rules:
        tool = next(each for each in draft.tools if each.name == ground.tool.name)
        changed, failure = await desk.check(
            partial(ruled, draft, tool, rule.requires, desk.values, seed=desk.seed)
        )
        if failure:
            why = failure
        else:
            draft = changed
            kept.append(rule)
    if not kept:
        raise Refused(why)
    return draft, kept


def _with(draft: Draft, name: str, found: Found, piece: Piece, model: str) -> Draft:
    """What was found of one tool, beside what was found of others."""
    other, sentences = found
    tool = next(each for each in other.tools if each.name == name)
    return replace(
        draft,
        tools=tuple(tool if each.name == name else each for each in draft.tools),
        sources=draft.sources | {name: other.sources[name]},
        rules=draft.rules | {name: sentences},
        author="llm",
        made=draft.made
        | {f"{USE}/{name}": Provenance(model=model, prompt=PROMPT, tries=piece.tries)},
    )
