"""Where the operations of a freely written document stand: what each is called and what it owns.

An operation is known by a METHOD and a path, wherever that is written: a heading, a code block, a
line of its own, a bullet, a table; or by a name: a heading that is a function's, a bullet in a list
of tools. What stands below it is its own up to the next one, or to a heading that is not below
its own.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from forge.docs.blocks import Block, Code, Heading, Item, Items, Paragraph, Table
from forge.docs.joined import joined
from forge.docs.labels import kind_of, label_of
from forge.docs.ownform import headed
from forge.docs.text import line

_METHODS = r"(?:GET|POST|PUT|PATCH|DELETE)"
_ENDPOINT = re.compile(
    rf"({_METHODS}(?:\s?[|/,]\s?{_METHODS})*)[*`]*(?:\s*:)?\s+[*`]*"
    r"((?:https?://[^\s/`]+|\$?[A-Z][A-Z0-9_]*|\{{1,2}\s?\w+\s?\}{1,2})?/[^\s`*,;]*)"
)
_HOST = re.compile(r"^(?:https?://[^/]*|\$?[A-Z][A-Z0-9_]*|\{{1,2}\s?\w+\s?\}{1,2})(?=/)")
_LINE = re.compile(r"^(?:\d+[.)]\s+)?[*`]*" + _ENDPOINT.pattern + r"[*`]*(?:\s+HTTP/[\d.]+)?$")
_HOLES = (
    (re.compile(r"<([^<>/]{1,60})>"), r"{\1}"),
    (re.compile(r"(?<=/)[:$]([A-Za-z_]\w*)"), r"{\1}"),
    (re.compile(r"(?<=/)\[([A-Za-z_]\w*)\]"), r"{\1}"),
)
_TOOLS = re.compile(
    r"\b(?:tools?|functions?|methods?|commands?|procedures?|operations?|api calls)\b"
    r"|工具|函数|方法|接口|ツール|関数|メソッド",
    re.I,
)
_NAME = re.compile(
    r"^(\*\*|`|\*\*`)([A-Za-z_][\w.-]{0,80})(?:\([^()]*\))?(\*\*|`|`\*\*)(.*)$", re.S
)
_MARKED = re.compile(r"^(?:`|\*\*)+" + _ENDPOINT.pattern + r"(?:`|\*\*)")
_LABELLED = re.compile(
    r"^[*`]*([^\s:：*`][^:：*`\n]{0,30})[*`]*\s*[:：][*`\s]*" + _ENDPOINT.pattern + r"[*`]*$"
)
_RUN_IN = re.compile(r"^\*\*([^\n*]{1,100}?)\*\*[:：]?$")


@dataclass(frozen=True, slots=True)
class Endpoint:
    method: str
    path: str
    """With the query where one is written: `/checks/{id}?tag=x`."""
    base: str = field(default="", compare=False)
    """The URL that was written before it."""


@dataclass(frozen=True, slots=True)
class Found:
    """An operation of the document: the endpoints it is known by (PUT and PATCH share a text), or
    its name."""

    line: int
    endpoints: tuple[Endpoint, ...]
    name: str
    title: str
    tag: str
    blocks: tuple[Block, ...] = field(repr=False)
    style: str
    """How it is written: heading, code, text, bullet, tool, table."""


@dataclass(frozen=True, slots=True)
class _Start:
    at: int
    """The place of the block that says it."""
    begins: int
    """The place of the first block that is its own: its title, where one stands before it."""
    found: Found
    level: int
    """Of the heading that it stands below, or is."""


def endpoints_in(text: str) -> list[Endpoint]:
    """All that a text names."""
    found = []
    for methods, url in _ENDPOINT.findall(text):
        host = _HOST.match(url)
        base = host[0] if host else ""
        path = _spelled(url[len(base) :].rstrip(".)"))
        found += [Endpoint(method, path, base) for method in re.findall(_METHODS, methods)]
    return found


def _spelled(path: str) -> str:
    """With each placeholder in braces."""
    for hole, spelled in _HOLES:
        path = hole.sub(spelled, path)
    return path


def found_in(blocks: Sequence[Block]) -> list[Found]:
    """The operations in their order; one that is told of in a table and in a text of its own is
    that of the text."""
    blocks = joined(blocks)
    starts = _of_one_kind(list(_starts(blocks)))
    listed = [one for block in blocks if isinstance(block, Table) for one in _listed(block)]
    tags = {endpoint: one.tag for one in listed for endpoint in one.endpoints}
    found: list[Found] = []
    for place, start in enumerate(starts):
        ends = _end(blocks, start, starts[place + 1].begins if place + 1 < len(starts) else None)
        before = blocks[start.begins : start.at]
        if before and isinstance(before[0], Paragraph) and _RUN_IN.match(before[0].text):
            before = before[1:]  # the title
        own = [*before, *blocks[start.at + 1 : ends]]
        one = start.found
        tag = one.tag or next((tags[e] for e in one.endpoints if e in tags), "")
        told = one.blocks if one.style in ("bullet", "tool") else tuple(own)
        found.append(Found(one.line, one.endpoints, one.name, one.title, tag, told, one.style))
    known = {endpoint for one in found for endpoint in one.endpoints}
    names = {one.name for one in found}
    for one in listed:
        endpoints = tuple(e for e in one.endpoints if e not in known)
        if endpoints or (one.name and one.name not in names and not starts):
            found.append(Found(one.line, endpoints, one.name, one.title, one.tag, (), "table"))
            known |= set(endpoints)
    return found


def _of_one_kind(starts: list[_Start]) -> list[_Start]:
    """Those of the surest kind there is: endpoints, then tools in a list, then headings that are
    names."""
    for kind in (
        [one for one in starts if one.found.endpoints],
        [one for one in starts if one.found.style == "tool"],
    ):
        if kind:
            return kind
    return starts


def _starts(blocks: Sequence[Block]) -> Iterator[_Start]:
    """The operations that have a text of their own."""
    above: list[Heading] = []
    head = -1
    last = -1
    known = _Known()
    example = False
    for place, block in enumerate(blocks):
        if isinstance(block, Heading):
            above = [one for one in above if one.level < block.level] + [block]
            head = place
            example = (kind_of(block.text) or "").endswith("example")
        elif isinstance(block, Paragraph):
            label = label_of(block.text)
            if label or _RUN_IN.match(block.text):
                example = label is not None and label[0].endswith("example")
        if isinstance(block, Items):
            following = blocks[place + 1] if place + 1 < len(blocks) else None
            for found in _in_list(block, following, above, known):
                yield _Start(place, place, found, above[-1].level if above else 0)
                last = place
            continue
        found_here = () if example else tuple(e for e in _said(block) if not known.holds(e))
        example = example and not isinstance(block, Code)
        name = headed(block.text)[2] if isinstance(block, Heading) else ""
        if not found_here and not name:
            continue
        known.add(found_here)
        begins, title, tag = _title(blocks, place, last, head, above, found_here)
        style = "heading" if isinstance(block, Heading) else "code"
        if isinstance(block, Paragraph):
            style = "text"
        found = Found(block.line, found_here, name, title, tag, (), style)
        yield _Start(place, begins, found, above[-1].level if above else 0)
        last = place


def _said(block: Block) -> list[Endpoint]:
    """The endpoints that a block is there to say."""
    if isinstance(block, Heading):
        return endpoints_in(block.text)
    if isinstance(block, Code | Paragraph):
        lines = [one.strip() for one in block.text.split("\n") if one.strip()]
        first = next((n for n, one in enumerate(lines) if not _LINE.match(one)), len(lines))
        if first and (isinstance(block, Code) or first == len(lines)):
            return [one for said in lines[:first] for one in endpoints_in(said)]
        if isinstance(block, Paragraph) and _MARKED.match(block.text):
            return endpoints_in(lines[0])
        if isinstance(block, Paragraph) and (found := _LABELLED.match(block.text)):
            kind = kind_of(found[1]) or ""
            return [] if kind.endswith("example") else endpoints_in(block.text)
    return []


class _Known:
    """The endpoints so far; a call with real values is one of a pattern that is there."""

    def __init__(self) -> None:
        self.shapes: set[tuple[str, ...]] = set()
        self.exact: set[tuple[str, str]] = set()

    def add(self, endpoints: Iterable[Endpoint]) -> None:
        for one in endpoints:
            parts = ("{}" if part[:1] == "{" else part for part in _parts(one))
            self.shapes.add((one.method, *parts))
            self.exact.add((one.method, "/".join(_parts(one))))

    def holds(self, endpoint: Endpoint) -> bool:
        parts = _parts(endpoint)
        if (endpoint.method, "/".join(parts)) in self.exact:
            return True
        values = [place for place, part in enumerate(parts) if _is_value(part)][:6]
        for size in range(1, len(values) + 1):
            for chosen in combinations(values, size):
                shape = ("{}" if place in chosen else part for place, part in enumerate(parts))
                if (endpoint.method, *shape) in self.shapes:
                    return True
        return False


def _parts(endpoint: Endpoint) -> list[str]:
    return endpoint.path.partition("?")[0].rstrip("/").split("/")


def _is_value(part: str) -> bool:
    return part[:1] != "{" and any(char.isdigit() for char in part)


def _title(
    blocks: Sequence[Block],
    place: int,
    last: int,
    at: int,
    above: list[Heading],
    said: Sequence[Endpoint],
) -> tuple[int, str, str]:
    """Where an operation begins, its title, and the title of what it belongs to; `last` is the
    place of the operation before it and `at` that of the heading above it."""
    block = blocks[place]
    if isinstance(block, Heading):
        title = line(_ENDPOINT.sub("", block.text).strip(" `*-–—:|()[]")) if said else ""
        return place, title, _group(above[:-1])
    before = blocks[place - 1] if place else None
    run = _RUN_IN.match(before.text) if isinstance(before, Paragraph) else None
    if run and place - 1 > last and not label_of(run[0]):
        return place - 1, line(run[1]), _group(above)
    head = above[-1] if above else None
    if head is not None and at > last and head.level > 1:
        return at + 1, line(head.text.strip("`*")), _group(above[:-1])
    return place, "", _group(above)


def _group(above: Sequence[Heading]) -> str:
    return next((line(one.text.strip("`*")) for one in reversed(above) if one.level > 1), "")


def _end(blocks: Sequence[Block], start: _Start, following: int | None) -> int:
    """Where what belongs to an operation ends."""
    end = len(blocks) if following is None else max(following, start.at + 1)
    for place in range(start.at + 1, end):
        one = blocks[place]
        if isinstance(one, Heading) and one.level <= start.level:
            return place
    return end


# ------------------------------------------------------------------- lists and tables


def _in_list(
    block: Items, following: Block | None, above: Sequence[Heading], known: _Known
) -> Iterator[Found]:
    """The bullets that are operations: an endpoint, or a name below a heading "Tools". A list that
    was meant to stand below the last bullet may stand after it: "10." is wide."""
    tools = any(_TOOLS.search(one.text) for one in above) and not headed(above[-1].text)[2]
    items = list(block.items)
    last = items[-1]
    below = following.items if isinstance(following, Items) and not last.blocks else ()
    if isinstance(following, Items) and any(label_of(one.text) for one in below):
        items[-1] = Item(last.line, last.text, (following,))
    for item in items:
        shown = item.text.lstrip("*` ")
        match = _ENDPOINT.match(shown)
        said = tuple(endpoints_in(match[0])) if match else ()
        if match and not all(known.holds(one) for one in said):
            known.add(said)
            told = _about(item, shown[match.end() :])
            yield Found(item.line, said, "", "", _group(above), told, "bullet")
        elif tools and (named := _NAME.match(item.text)) and _is_name(named[2], named[4], item):
            told = _about(item, named[4])
            yield Found(item.line, (), named[2], "", "", told, "tool")


def _is_name(name: str, after: str, item: Item) -> bool:
    """Whether a bullet names a tool and is not a sentence that begins with a word in bold."""
    after = after.lstrip()
    ends = not after or after[0] in ":-–—\n(：" or after.startswith("->")
    return ends and (bool(re.search(r"[_.-]|[a-z][A-Z]", name)) or bool(item.blocks) or bool(after))


def _about(item: Item, text: str) -> tuple[Block, ...]:
    text = text.lstrip("`*:-–—： \n").rstrip()
    head: tuple[Block, ...] = (Paragraph(item.line, text),) if text else ()
    return (*head, *item.blocks)


def _listed(table: Table) -> Iterator[Found]:
    """The operations that a table lists: a cell with endpoints, or a method and a path in two."""
    head = [cell.lower().strip("*` ") for cell in table.rows[0].cells]
    method = next((n for n, cell in enumerate(head) if cell in ("method", "verb", "方法")), None)
    tool = head and _TOOLS.fullmatch(head[0])
    tag = ""
    for row in table.rows[1:]:
        cells = [cell.strip() for cell in row.cells]
        full = [cell for cell in cells if cell]
        if len(full) == 1 and cells[0] and not endpoints_in(cells[0]):
            tag = line(cells[0].strip("*` "))
            continue
        said: list[Endpoint] = []
        rest = []
        for place, cell in enumerate(cells):
            here = endpoints_in(cell)
            if not here and method is not None and place == method + 1:
                here = endpoints_in(f"{cells[method].strip('*` ')} {cell}")
            said += here
            if not here and place != method and cell:
                rest.append(cell)
        named = re.fullmatch(r"[*`]*([A-Za-z_][\w.-]{0,80})[*`]*", cells[0]) if tool else None
        if said:
            yield Found(row.line, tuple(said), "", line(" ".join(rest[:1])), tag, (), "table")
        elif named and not method:
            yield Found(row.line, (), named[1], line(" ".join(rest[:1])), tag, (), "table")
