"""A method and a path that stand apart, each after a word that says which it is, made one line.

**URL** : `/api/login/`          - Method: POST           请求地址：`/api/login`
**Method** : `POST`              - Path: /api/login       请求方式：POST
"""

import re
from collections.abc import Iterator, Sequence

from forge.docs.blocks import Block, Items, Paragraph

_URL = re.compile(
    r"^[*`]*(?:url|uri|path|endpoint|route|address|请求(?:url|地址|路径)|接口地址)[*`]*\s*[:：][*`\s]*"
    r"((?:https?://[^\s/`]+)?/[^\s`*]*)[`*]*$",
    re.I,
)
_METHOD = re.compile(
    r"^[*`]*(?:(?:http|request) )?(?:method|verb|type|请求方式|请求方法)[*`]*\s*[:：][*`\s]*"
    r"(get|post|put|patch|delete)[`*]*$",
    re.I,
)
_NEAR = 3


def joined(blocks: Sequence[Block]) -> list[Block]:
    """The blocks; where both stand near each other, one line stands for the first."""
    said = [_said(block) for block in blocks]
    found: dict[int, Block] = {}
    gone: set[int] = set()
    for place, (method, url) in enumerate(said):
        if place in gone or not (method or url):
            continue
        near = range(place, min(place + _NEAR, len(blocks)))
        missing = 1 if method else 0
        other = place if method and url else next((n for n in near if said[n][missing]), None)
        if other is not None:
            line = f"`{method or said[other][0]} {url or said[other][1]}`"
            found[place] = Paragraph(blocks[place].line, line)
            gone.add(other)
    return [found.get(n, one) for n, one in enumerate(blocks) if n not in gone or n in found]


def _said(block: Block) -> tuple[str, str]:
    """The method and the path that a block says after such a word; empty where it says none."""
    method = url = ""
    for text in _lines(block):
        if match := _METHOD.match(text):
            method = match[1].upper()
        elif match := _URL.match(text):
            url = match[1]
        else:
            return "", ""
    return method, url


def _lines(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph) and len(block.text) < 500:
        yield from block.text.split("\n")
    elif isinstance(block, Items) and len(block.items) <= 2:
        yield from (item.text for item in block.items)
