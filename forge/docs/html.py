"""HTML to blocks, as a browser would show it: tags that are left open or closed twice are mended.

What is no text of the document is left out: scripts, menus, forms, pictures. The work and the depth
are bounded whatever is nested in what.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from forge.docs.blocks import (
    Block,
    Code,
    Definitions,
    Heading,
    Item,
    Items,
    Page,
    Paragraph,
    Row,
    Table,
)

MARK = "data-line"
"""The attribute that says on which line of its source an element begins."""
_DEPTH = 100
_VOID_TAGS = "area base br col embed hr img input link meta source track wbr"
_VOID = frozenset(_VOID_TAGS.split())
_UNSEEN_TAGS = (
    "audio button canvas datalist footer head iframe math nav noscript object script select style"
    " svg template textarea title video"
)
_UNSEEN = frozenset(_UNSEEN_TAGS.split())
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCK_TAGS = (
    "address article aside blockquote body center dd details div dl dt fieldset figure footer form"
    " header hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
)
_BLOCKS = frozenset((*_BLOCK_TAGS.split(), *_HEADINGS))
_INLINE_TAGS = (
    "abbr acronym b bdi bdo big cite data del dfn em font i ins label mark output q s small span"
    " strike strong sub sup time u var a caption colgroup code kbd legend optgroup option picture"
    " progress samp tt meter map menu rp rt ruby slot"
)
_KNOWN = frozenset((*_INLINE_TAGS.split(), *_VOID, *_UNSEEN, *_BLOCKS))
"""Any other tag is none: it is text that was not escaped."""
_CODE = ("code", "tt", "kbd", "samp")
_CLOSES = {
    "li": (("li",), ("ul", "ol")),
    "dt": (("dt", "dd"), ("dl",)),
    "dd": (("dt", "dd"), ("dl",)),
    "tr": (("tr", "td", "th"), ("table",)),
    "td": (("td", "th"), ("tr", "table")),
    "th": (("td", "th"), ("tr", "table")),
    "tbody": (("thead", "tbody", "tr", "td", "th"), ("table",)),
    "thead": (("thead", "tbody", "tr", "td", "th"), ("table",)),
    "tfoot": (("thead", "tbody", "tr", "td", "th"), ("table",)),
    "option": (("option",), ("select",)),
}
"""What an opening tag closes, looking outwards, and where that ends."""
_PERMALINK = re.compile("\\s*[¶#§🔗]+\\s*$")
_EDGES = re.compile(r"^(\s*)(.*?)(\s*)$", re.S)


@dataclass(slots=True)
class _Node:
    tag: str
    line: int
    children: list["_Node | str"] = field(default_factory=list)
    is_block: bool = False
    """It is a block or holds one."""


def page_of(text: str) -> Page:
    """The blocks of an HTML text, a whole page or a part of one."""
    parser = _Parser()
    parser.feed(text)
    parser.close()
    root = parser.root
    title = next((_inline(node.children) for node in _all(root) if node.tag == "title"), "")
    return Page(title, tuple(_blocks(root.children)))


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = _Node("", 1, is_block=True)
        self.stack = [self.root]
        self.open: Counter[str] = Counter()
        self.marked = 0
        """The last line that an element said; 0 where none does."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _KNOWN and not attrs:
            self.handle_data(self.get_starttag_text() or "")  # a placeholder: `/checks/<uuid>`
            return
        said = next((value for name, value in attrs if name == MARK and value), "")
        if said.isdecimal() and len(said) < 10:
            self.marked = int(said)
        if tag in _BLOCKS and self.open["p"] and "p" in self._within():
            self._close("p")
        for name in self._ended_by(tag):
            self._close(name)
        node = _Node(tag, self.marked or self.getpos()[0])
        self.stack[-1].children.append(node)
        if tag in _BLOCKS:
            for one in (node, *reversed(self.stack)):
                if one.is_block:
                    break
                one.is_block = True
        if tag not in _VOID and len(self.stack) < _DEPTH:
            self.stack.append(node)
            self.open[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        if self.open[tag]:
            self._close(tag)

    def handle_data(self, data: str) -> None:
        self.stack[-1].children.append(data)

    def _within(self) -> list[str]:
        """The open tags, the innermost first, up to the cell, bullet or box they stand in."""
        tags = []
        for node in reversed(self.stack):
            if node.tag in ("td", "th", "li", "dd", "table"):
                break
            tags.append(node.tag)
        return tags

    def _ended_by(self, tag: str) -> list[str]:
        closed, ends = _CLOSES.get(tag, ((), ()))
        found = []
        for node in reversed(self.stack):
            if node.tag in ends:
                break
            if node.tag in closed:
                found.append(node.tag)
        return found

    def _close(self, tag: str) -> None:
        while len(self.stack) > 1:
            node = self.stack.pop()
            self.open[node.tag] -= 1
            if node.tag == tag:
                return


def _all(node: _Node) -> Iterator[_Node]:
    for child in node.children:
        if isinstance(child, _Node):
            yield child
            yield from _all(child)


# --------------------------------------------------------------------------- blocks


def _blocks(children: Iterable[_Node | str]) -> Iterator[Block]:
    run: list[_Node | str] = []
    for child in children:
        if isinstance(child, _Node) and child.is_block:
            yield from _paragraph(run)
            run = []
            yield from _block(child)
        else:
            run.append(child)
    yield from _paragraph(run)


def _paragraph(run: list[_Node | str]) -> Iterator[Block]:
    if text := _inline(run):
        yield Paragraph(next((one.line for one in run if isinstance(one, _Node)), 0), text)


def _block(node: _Node) -> Iterator[Block]:
    if node.tag in _UNSEEN:
        return
    if node.tag in _HEADINGS:
        if text := _PERMALINK.sub("", _inline(node.children)):
            yield Heading(node.line, int(node.tag[1]), text)
    elif node.tag == "pre":
        if text := _raw(node).strip("\n").rstrip():
            yield Code(node.line, text)
    elif node.tag == "table":
        if rows := list(_rows(node)):
            yield Table(node.line, tuple(rows))
    elif node.tag in ("ul", "ol"):
        if items := [_item(one) for one in _nodes(node, "li")]:
            yield Items(node.line, tuple(items))
    elif node.tag == "dl":
        if items := list(_terms(node)):
            yield Definitions(node.line, tuple(items))
    else:
        yield from _placed(node)


def _placed(node: _Node) -> Iterator[Block]:
    """The blocks inside; the first paragraph begins where the node does, and so does one whose
    text has no element of its own to say its line."""
    for place, block in enumerate(_blocks(node.children)):
        if isinstance(block, Paragraph) and (not place or not block.line):
            yield Paragraph(node.line, block.text)
        else:
            yield block


def _item(node: _Node) -> Item:
    inner = list(_placed(node))
    if inner and isinstance(inner[0], Paragraph):
        return Item(node.line, inner[0].text, tuple(inner[1:]))
    return Item(node.line, "", tuple(inner))


def _terms(node: _Node) -> Iterator[Item]:
    """The terms of a definition list, each with what follows it; terms in a row share that."""
    waiting: list[_Node] = []
    said: list[Block] = []
    for one in (*_nodes(node, "dt", "dd"), None):
        if (one is None or one.tag == "dt") and said:
            for term in waiting:
                yield Item(term.line, _inline(term.children), tuple(said))
            waiting, said = [], []
        if one is None:
            break
        if one.tag == "dt":
            waiting.append(one)
        else:
            inner = _item(one)
            said += [Paragraph(one.line, inner.text)] if inner.text else []
            said += inner.blocks
    for term in waiting:
        yield Item(term.line, _inline(term.children))


def _nodes(node: _Node, *tags: str) -> Iterator[_Node]:
    """The nodes of these tags, however wrapped, none inside another or inside a list of its own."""
    for child in node.children:
        if isinstance(child, _Node):
            if child.tag in tags:
                yield child
            elif child.tag not in ("ul", "ol", "dl", "table", "pre"):
                yield from _nodes(child, *tags)


def _rows(node: _Node) -> Iterator[Row]:
    for row in _nodes(node, "tr"):
        cells = tuple(" ".join(_texts(cell)) for cell in _nodes(row, "td", "th"))
        if any(cells):
            yield Row(row.line, cells)


def _texts(node: _Node) -> Iterator[str]:
    for block in _blocks(node.children):
        if isinstance(block, Items | Definitions):
            yield from (item.text for item in block.items)
        elif isinstance(block, Table):
            yield from (" ".join(row.cells) for row in block.rows)
        elif isinstance(block, Code):
            yield f"`{block.text}`"
        else:
            yield block.text


# --------------------------------------------------------------------------- inline


def _raw(node: _Node) -> str:
    """The text inside as it is, `<br>` a line break."""
    parts = []
    for child in node.children:
        if isinstance(child, str):
            parts.append(child)
        else:
            parts.append("\n" if child.tag == "br" else _raw(child))
    return "".join(parts)


def _inline(children: Iterable[_Node | str]) -> str:
    """The one spelling of inline text: lines without blanks at their ends, none empty."""
    text = "".join(_spelled(child) for child in children)
    lines = (" ".join(one.split()) for one in text.split("\n"))
    return "\n".join(one for one in lines if one)


def _spelled(node: _Node | str) -> str:
    if isinstance(node, str):
        return node
    if node.tag == "br":
        return "\n"
    if node.tag in _UNSEEN:
        return ""
    if node.tag in _CODE:
        text = " ".join(_raw(node).split())
        return f"`{text}`" if text else ""
    inner = "".join(_spelled(child) for child in node.children)
    if node.tag in ("strong", "b"):
        return _EDGES.sub(r"\1**\2**\3", inner, count=1) if inner.strip() else inner
    if node.tag in ("em", "i"):
        return _EDGES.sub(r"\1*\2*\3", inner, count=1) if inner.strip() else inner
    return inner
