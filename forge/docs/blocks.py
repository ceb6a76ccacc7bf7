"""A text as a tree of blocks, whatever it was written in: all that readers of prose look at.

Inline text has one spelling: `code`, **bold**, *stressed*, a link as its text, each line break a
new line, entities decoded. Every block knows the line it begins on, from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    line: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """A block of code; the text as it is."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """A bullet: the text it begins with and the blocks below it. Of a definition list: the term,
    and what is said of it."""

    line: int
    text: str
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    """A list, with bullets or with numbers."""

    line: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Definitions:
    line: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Row:
    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The first row is the head."""

    line: int
    rows: tuple[Row, ...]


Block = Heading | Paragraph | Code | Items | Definitions | Table


@dataclass(frozen=True, slots=True)
class Page:
    """One text: the title that stands outside its blocks (empty where there is none)."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the blocks below it, to the next heading of any level."""

    level: int
    title: str
    line: int
    blocks: tuple[Block, ...]


def sections_of(blocks: Iterable[Block]) -> Iterator[Section]:
    """The blocks cut at the headings; what stands before the first has level 0."""
    head = Heading(1, 0, "")
    below: list[Block] = []
    for block in blocks:
        if isinstance(block, Heading):
            yield Section(head.level, head.text, head.line, tuple(below))
            head, below = block, []
        else:
            below.append(block)
    yield Section(head.level, head.text, head.line, tuple(below))


def paragraphs(blocks: Iterable[Block]) -> list[str]:
    """The texts of the paragraphs among the blocks."""
    return [block.text for block in blocks if isinstance(block, Paragraph)]
