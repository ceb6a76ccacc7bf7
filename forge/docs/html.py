"""HTML to blocks: what a reader of the page sees, without scripts, menus, forms and pictures."""

import re
from collections.abc import Iterable, Iterator

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
from forge.docs.tags import HEADINGS, UNSEEN, Node, tree_of

_CODE = ("code", "tt", "kbd", "samp")
_PERMALINK = re.compile("\\s*[¶#§🔗]+\\s*$")
_EDGES = re.compile(r"^(\s*)(.*?)(\s*)$", re.S)


def page_of(text: str) -> Page:
    """The blocks of an HTML text, a whole page or a part of one."""
    root, title = tree_of(text)
    blocks: list[Block] = []
    for block in _blocks(root.children):
        if isinstance(block, Paragraph) and not block.line:  # bare text is where the last block is
            blocks.append(Paragraph(blocks[-1].line if blocks else 1, block.text))
        else:
            blocks.append(block)
    return Page(_inline(title.children) if title else "", tuple(blocks))


# --------------------------------------------------------------------------- blocks


def _blocks(children: Iterable[Node | str]) -> Iterator[Block]:
    run: list[Node | str] = []
    for child in children:
        if isinstance(child, Node) and child.is_block:
            yield from _paragraph(run)
            run = []
            yield from _block(child)
        else:
            run.append(child)
    yield from _paragraph(run)


def _paragraph(run: list[Node | str]) -> Iterator[Block]:
    if text := _inline(run):
        yield Paragraph(next((one.line for one in run if isinstance(one, Node)), 0), text)


def _block(node: Node) -> Iterator[Block]:
    if node.tag in UNSEEN:
        return
    if node.tag in HEADINGS:
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


def _placed(node: Node) -> Iterator[Block]:
    """The blocks inside; the first paragraph begins where the node does, and so does one whose
    text has no element of its own to say its line."""
    for place, block in enumerate(_blocks(node.children)):
        if isinstance(block, Paragraph) and (not place or not block.line):
            yield Paragraph(node.line, block.text)
        else:
            yield block


def _item(node: Node) -> Item:
    inner = list(_placed(node))
    if inner and isinstance(inner[0], Paragraph):
        return Item(node.line, inner[0].text, tuple(inner[1:]))
    return Item(node.line, "", tuple(inner))


def _terms(node: Node) -> Iterator[Item]:
    """The terms of a definition list, each with what follows it; terms in a row share that."""
    waiting: list[Node] = []
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


def _nodes(node: Node, *tags: str) -> Iterator[Node]:
    """The nodes of these tags, however wrapped, none inside another or inside a list of its own."""
    for child in node.children:
        if isinstance(child, Node):
            if child.tag in tags:
                yield child
            elif child.tag not in ("ul", "ol", "dl", "table", "pre"):
                yield from _nodes(child, *tags)


def _rows(node: Node) -> Iterator[Row]:
    for row in _nodes(node, "tr"):
        cells = tuple(" ".join(_texts(cell)) for cell in _nodes(row, "td", "th"))
        if any(cells):
            yield Row(row.line, cells)


def _texts(node: Node) -> Iterator[str]:
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


def _raw(node: Node) -> str:
    """The text inside as it is, `<br>` a line break."""
    parts = []
    for child in node.children:
        if isinstance(child, str):
            parts.append(child)
        else:
            parts.append("\n" if child.tag == "br" else _raw(child))
    return "".join(parts)


def _inline(children: Iterable[Node | str]) -> str:
    """The one spelling of inline text: lines without blanks at their ends, none empty."""
    text = "".join(_spelled(child) for child in children)
    lines = (" ".join(one.split()) for one in text.split("\n"))
    return "\n".join(one for one in lines if one)


def _spelled(node: Node | str) -> str:
    if isinstance(node, str):
        return node
    if node.tag == "br":
        return "\n"
    if node.tag in UNSEEN:
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
