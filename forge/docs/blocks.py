"""A Markdown text as sections, and a section as blocks: paragraphs, tables, bullets, each with its
line. Text is as it was written, marks and all.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the blocks below it, to the next heading of any level."""

    level: int
    title: str
    line: int
    blocks: tuple[Token, ...]


def line_of(token: Token) -> int:
    """The line a block begins on, from 1."""
    return token.map[0] + 1 if token.map else 1


def sections_of(text: str) -> Iterator[Section]:
    """The document cut at its headings; what stands before the first has level 0."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    level, title, at = 0, "", 1
    blocks: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.type == "heading_open" and token.level == 0:
            yield Section(level, title, at, tuple(blocks))
            level, title, at, blocks = (
                int(token.tag[1]),
                tokens[index + 1].content,
                line_of(token),
                [],
            )
            index += 3
        else:
            blocks.append(token)
            index += 1
    yield Section(level, title, at, tuple(blocks))


def blocks(tokens: tuple[Token, ...]) -> Iterator[list[Token]]:
    """The top-level blocks of a section, each with its tokens."""
    block: list[Token] = []
    for token in tokens:
        block.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield block
            block = []


def paragraphs(tokens: tuple[Token, ...]) -> list[str]:
    """The text of the paragraphs of a section, as it is written."""
    return [block[1].content for block in blocks(tokens) if block[0].type == "paragraph_open"]


def items(block: list[Token]) -> Iterator[tuple[str, int]]:
    """The text of each top-level bullet of a list, and its line."""
    at, texts = 1, list[str]()
    for token in block:
        if token.type == "list_item_open" and token.level == 1:
            at, texts = line_of(token), []
        elif token.type == "inline":
            texts.append(token.content)
        elif token.type == "list_item_close" and token.level == 1 and texts:
            yield " ".join(texts), at


def table_rows(block: list[Token]) -> Iterator[tuple[list[str], int]]:
    """The rows of a table, the head first: the text of the cells, and the line."""
    cells: list[str] = []
    at = line_of(block[0])
    for token in block:
        if token.type == "tr_open":
            cells, at = [], line_of(token)
        elif token.type == "inline":
            cells.append(token.content)
        elif token.type == "tr_close":
            yield cells, at
