"""API documents in prose as they are found: every form that `outline` finds operations in.

What each takes and answers is read by `bodies`; what follows from the others by `filled`. Always
holds: the same document written as Markdown and as HTML is understood alike.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from forge.docs.blocks import Block, Definitions, Heading, Items, Page, Paragraph, Table
from forge.docs.bodies import Body, choose
from forge.docs.drafts import Draft, Told, Understood
from forge.docs.fields import plain
from forge.docs.filled import filled
from forge.docs.hints import NAMES
from forge.docs.labels import label_of
from forge.docs.outline import Found, found_in
from forge.docs.text import line
from forge.types.doc import Hints

_COMMON = re.compile(r"^(?:api|apis|rest|public|v\d+(?:\.\d+)*)$", re.I)
_HINTS = {name: hint.lower() for name, hint in NAMES.items()}


def is_free(page: Page) -> bool:
    """Whether operations are written more freely than the project's own form has them."""
    found = found_in(page.blocks)
    return any(one.style != "heading" or _is_free(one.blocks) for one in found)


def _is_free(blocks: Iterable[Block]) -> bool:
    for block in blocks:
        if isinstance(block, Heading | Definitions):
            return True
        if isinstance(block, Items) and any(label_of(item.text) for item in block.items):
            return True
        if isinstance(block, Paragraph) and (label := label_of(block.text)):
            bold = block.text.endswith("**") and ":" not in block.text
            if bold or label[0] in ("request example", "response example"):
                return True
    return False


def understood(pages: Sequence[Page]) -> list[Understood]:
    """What each page of one document says; what one says holds for all. Where a page describes no
    operation it has no drafts."""
    found = [found_in(page.blocks) for page in pages]
    lost: list[list[tuple[int, str]]] = [[] for _ in pages]
    bodies = [[Body(one, told) for one in ours] for ours, told in zip(found, lost, strict=True)]
    every = [body for ours in bodies for body in ours]
    for body in every:
        body.read()
    numbers = _numbers(told for body in every for told in body.fields)
    drafts = [[draft for body in ours for draft in body.drafts(numbers)] for ours in bodies]
    together = [draft for ours in drafts for draft in ours]
    for name, values in (each for body in every for each in body.choices().items()):
        for draft in together:
            choose(draft.result or {}, name, values)
    blocks = [block for page in pages for block in page.blocks]
    rest = iter(filled(_hinted(_without_prefix(together), blocks)))
    return [
        Understood(
            title=_title(page),
            description=_opening(page.blocks),
            drafts=tuple(islice(rest, len(ours))),
            objects={},
            skipped=tuple(told),
            base=_base(each),
        )
        for page, ours, told, each in zip(pages, drafts, lost, found, strict=True)
    ]


def _title(page: Page) -> str:
    heads = (one for one in page.blocks if isinstance(one, Heading) and one.level == 1)
    first = next(heads, None)
    return line(plain(first.text)) if first else line(page.title)


def _base(found: Iterable[Found]) -> str:
    bases = {endpoint.base for one in found for endpoint in one.endpoints}
    return bases.pop() if len(bases) == 1 else ""


def _numbers(fields: Iterable[Told]) -> set[str]:
    """The names of fields that are said to be whole numbers; where ids are, so is `id`."""
    names = {told.field.name for told in fields if told.field.schema.get("type") == "integer"}
    return names | {"id"} if any(name.lower().endswith("_id") for name in names) else names


def _opening(blocks: Sequence[Block]) -> str:
    """The first paragraph that is a sentence, before any operation."""
    for block in blocks[:20]:
        if isinstance(block, Paragraph) and len(block.text) > 40 and not label_of(block.text):
            return plain(block.text)
    return ""


def _without_prefix(drafts: list[Draft]) -> list[Draft]:
    """The paths without what all begin with and says nothing: `/api/v3`."""
    paths = [one.path.split("/")[1:] for one in drafts if one.path]
    size = 0
    while paths and all(len(one) > size + 1 for one in paths):
        heads = {one[size] for one in paths}
        if len(heads) > 1 or not _COMMON.match(next(iter(heads))):
            break
        size += 1
    if not size:
        return drafts
    return [replace(one, path="/" + "/".join(one.path.split("/")[size + 1 :])) for one in drafts]


def _hinted(drafts: list[Draft], blocks: Sequence[Block]) -> list[Draft]:
    """With the hints that a table of MCP's annotations gives tools."""
    said: dict[str, Hints] = {}
    for block in blocks:
        if not isinstance(block, Table):
            continue
        head = [cell.strip("*` ").lower() for cell in block.rows[0].cells]
        places = {key: head.index(hint) for key, hint in _HINTS.items() if hint in head}
        for row in block.rows[1:] if places else ():
            cells = [cell.strip("*` ").lower() for cell in (*row.cells, *[""] * len(head))]
            values = {
                key: cells[n] == "true"
                for key, n in places.items()
                if cells[n] in ("true", "false")
            }
            if values:
                said[row.cells[0].strip("*` ")] = Hints(**values)
    return [replace(one, hints=said.get(one.name, one.hints)) for one in drafts]
