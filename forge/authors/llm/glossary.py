"""What a model is asked for the words of an environment in Chinese, and which of its answers are
words: short, Chinese, and no names of a program."""

import re
from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from forge.authors.llm.prompts import prompt, version
from forge.types.data import Json

PROMPT = version("glossary")
MOST = 10
"""Words in a request."""
_CHINESE = re.compile(r"(?=.*[一-鿿])[一-鿿A-Z0-9]{1,16}")


class Term(BaseModel):
    english: str
    chinese: str


class Terms(BaseModel):
    terms: list[Term]


def asked_for(title: str, words: Sequence[str]) -> list[Json]:
    return [{"role": "user", "content": prompt("glossary", title=title, words=words)}]


def words_in(terms: Terms, wanted: Sequence[str]) -> Mapping[str, str]:
    """Of the wanted words, those that are answered with a Chinese word."""
    there = {word.casefold(): word for word in wanted}
    found: dict[str, str] = {}
    for term in terms.terms:
        word, chinese = there.get(term.english.strip().casefold()), term.chinese.strip()
        if word is not None and _CHINESE.fullmatch(chinese):
            found.setdefault(word, chinese)
    return found
