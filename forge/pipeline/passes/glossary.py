"""The pass `words`: what tables, columns and values are called in Chinese, for a data set in it.

Always holds: a word that is kept is Chinese and, among those that it could be taken for, the only
one; what has none stays without, and a task that would have to say it is left out.
"""

import asyncio
from dataclasses import replace

from forge.authors.author import Draft
from forge.authors.llm.glossary import MOST, PROMPT, Terms, asked_for, words_in
from forge.llm.sizes import tokens_in
from forge.pipeline.passes.desk import Desk, Piece, Refused
from forge.tasks.speech.chinese import distinct, vocabulary
from forge.types.data import Json
from forge.types.doc import ApiDoc
from forge.types.environment import Provenance

USE = "words"
LONGEST = 400
"""Tokens of an answer."""


def sizes(doc: ApiDoc, draft: Draft) -> list[int]:
    """Of what is asked, in tokens, one for every few words."""
    return [tokens_in(str(asked_for(draft.title, words))) for words in _lots(draft)]


def _lots(draft: Draft) -> list[list[str]]:
    if not draft.tools:
        return []
    groups = vocabulary(draft.state_schema)
    words = list(dict.fromkeys(word for group in groups for word in group))
    return [words[at : at + MOST] for at in range(0, len(words), MOST)]


async def add(doc: ApiDoc, draft: Draft, desk: Desk) -> Draft:
    """The draft with the words that were found."""

    async def one(number: int, wanted: list[str]) -> tuple[dict[str, str], Piece]:
        found: dict[str, str] = {}

        def missing() -> list[str]:
            return [word for word in wanted if word not in found]

        def ask(written: str, why: str) -> list[Json]:
            return asked_for(draft.title, missing())

        async def accept(terms: Terms) -> None:
            for english, chinese in words_in(terms, missing()).items():
                found[english] = chinese
            if left := missing():
                raise Refused(f"words: no Chinese for {', '.join(left)}")

        name = f"{draft.name} {number}"
        _, piece = await desk.gain_of(Terms, USE, name, ask, accept, longest=LONGEST)
        return found, piece

    lots = await asyncio.gather(*(one(n, words) for n, words in enumerate(_lots(draft), 1)))
    found = {english: chinese for words, _ in lots for english, chinese in words.items()}
    made = Provenance(
        model=desk.model.name, prompt=PROMPT, tries=max((p.tries for _, p in lots), default=0)
    )
    words = dict(distinct(vocabulary(draft.state_schema), found))
    return replace(draft, words=words, made=draft.made | ({USE: made} if words else {}))
