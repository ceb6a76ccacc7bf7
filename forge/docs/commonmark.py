"""Markdown to blocks, by way of HTML, so that a document is the same tree written either way.

What people add to CommonMark is known: tables, definition lists, `{: #id }` behind a heading, HTML
inside, and a title in front matter.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin

from forge.docs import html
from forge.docs.blocks import Page
from forge.docs.tags import MARK

_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_TITLE = re.compile(r"^title:[ \t]*(\S.*?)[ \t]*$", re.M)
_ATTRIBUTES = re.compile(r"^(#{1,6}[ \t].*?)[ \t]*\{:[^{}\n]*\}[ \t]*$", re.M)


def page_of(text: str) -> Page:
    """The blocks of a Markdown text; lines are those of the text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    title, front = "", _FRONT.match(text)
    if front:
        said = _TITLE.search(front[1])
        title = said[1].strip("'\"") if said else ""
        text = "\n" * front[0].count("\n") + text[front.end() :]
    reader = MarkdownIt("commonmark").enable("table").use(deflist_plugin)
    tokens = reader.parse(_ATTRIBUTES.sub(r"\1", text))
    page = html.page_of(reader.renderer.render(_marked(tokens), reader.options, {}))
    return Page(title or page.title, page.blocks)


def _marked(tokens: list[Token]) -> list[Token]:
    """The tokens, each block with its line for `html` to find."""
    marked = []
    for token in tokens:
        if token.map and token.nesting >= 0 and token.type != "inline":
            line = str(token.map[0] + 1)
            if token.nesting == 0:
                marked.append(Token("html_block", "", 0, content=f'<wbr {MARK}="{line}">'))
            else:
                token.attrSet(MARK, line)
        marked.append(token)
    return marked
