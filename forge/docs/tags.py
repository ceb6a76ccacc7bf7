"""HTML text to a tree of elements, as a browser would: tags left open or closed twice are mended.

Always holds: the time grows with the length of the text and the depth is bounded, whatever is
nested in what or never ends; the same text gives the same tree on every Python.
"""

import html
import re
from collections import Counter
from dataclasses import dataclass, field

MARK = "data-line"
"""The attribute that says on which line of its source an element begins."""
_DEPTH = 100
_VOID_TAGS = "area base br col embed hr img input link meta source track wbr"
_VOID = frozenset(_VOID_TAGS.split())
_UNSEEN_TAGS = (
    "audio button canvas datalist footer head iframe math nav noscript object script select style"
    " svg template textarea title video"
)
UNSEEN = frozenset(_UNSEEN_TAGS.split())
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCK_TAGS = (
    "address article aside blockquote body center dd details div dl dt fieldset figure footer form"
    " header hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
)
_BLOCKS = frozenset((*_BLOCK_TAGS.split(), *HEADINGS))
_INLINE_TAGS = (
    "abbr acronym b bdi bdo big cite data del dfn em font i ins label mark output q s small span"
    " strike strong sub sup time u var a caption colgroup code kbd legend optgroup option picture"
    " progress samp tt meter map menu rp rt ruby slot"
)
_KNOWN = frozenset((*_INLINE_TAGS.split(), *_VOID, *UNSEEN, *_BLOCKS))
"""Any other tag is none: it is text that was not escaped."""
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
_LONGEST = 5_000
_TAG = re.compile(
    r"<(/?)([a-zA-Z][a-zA-Z0-9_-]{0,60})"
    r"((?:[^<>\"']|\"[^\"]{0,2000}+\"|'[^']{0,2000}+'){0,5000}+)>"
)
_MARKED = re.compile(rf'{MARK}="(\d{{1,9}})"')
_RAW = ("script", "style")


@dataclass(slots=True)
class Node:
    """An element: what is in it, and the line it begins on."""

    tag: str
    line: int
    children: list["Node | str"] = field(default_factory=list)
    is_block: bool = False
    """It is a block or holds one."""


def tree_of(text: str) -> tuple[Node, Node | None]:
    """The root, whose tag is empty, and the element that is the title of the page."""
    tree = _Tree()
    at = line = 0
    while at < len(text):
        start = text.find("<", at)
        if start < 0:
            tree.text(text[at:])
            break
        tree.text(text[at:start])
        found = _TAG.match(text, start)
        if found is None:
            at = _after(text, start)
            if at == start + 1:
                tree.text("<")
        elif found[1]:
            tree.end(found[2].lower())
            at = found.end()
        else:
            tag = found[2].lower()
            line += text.count("\n", tree.counted, start)
            tree.counted = start
            tree.start(tag, found[3], found[0], line + 1)
            at = found.end()
            if tag in _RAW:
                at = _closing(text, tag, at)
    return tree.root, tree.title


def _after(text: str, start: int) -> int:
    """Where what begins with "<" and is no tag ends: a comment, a declaration, or the sign."""
    if text.startswith("<!--", start):
        end = text.find("-->", start + 4)
        return end + 3 if end >= 0 else len(text)
    if text[start + 1 : start + 2] in ("!", "?"):
        end = text.find(">", start, start + _LONGEST)
        return end + 1 if end >= 0 else start + 1
    return start + 1


def _closing(text: str, tag: str, at: int) -> int:
    """Where the text of a script ends."""
    found = re.compile(f"</{tag}", re.I).search(text, at)
    return found.start() if found else len(text)


class _Tree:
    def __init__(self) -> None:
        self.root = Node("", 1, is_block=True)
        self.title: Node | None = None
        self.stack = [self.root]
        self.open: Counter[str] = Counter()
        self.counted = 0
        """The place up to which lines were counted."""
        self.marked = 0
        """The last line that an element said; 0 where none does."""

    def text(self, said: str) -> None:
        if said:
            self.stack[-1].children.append(html.unescape(said))

    def start(self, tag: str, attributes: str, whole: str, line: int) -> None:
        if tag not in _KNOWN and not attributes.strip(" /"):
            self.stack[-1].children.append(whole)  # a placeholder: `/checks/<uuid>`
            return
        if marked := _MARKED.search(attributes):
            self.marked = int(marked[1])
        if tag in _BLOCKS and self.open["p"] and "p" in self._within():
            self._close("p")
        for name in self._ended_by(tag):
            self._close(name)
        node = Node(tag, self.marked or line)
        self.stack[-1].children.append(node)
        if tag == "title" and self.title is None:
            self.title = node
        if tag in _BLOCKS:
            for one in (node, *reversed(self.stack)):
                if one.is_block:
                    break
                one.is_block = True
        if tag not in _VOID and len(self.stack) < _DEPTH:
            self.stack.append(node)
            self.open[tag] += 1

    def end(self, tag: str) -> None:
        if self.open[tag]:
            self._close(tag)

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
