"""The tag of each operation: the document's own, else the first telling part of its path."""

import re
from collections import Counter
from collections.abc import Sequence

from forge.docs.names import segments
from forge.types.doc import Operation

_SAYS_NOTHING = frozenset(("", "default", "api", "general", "other", "untagged"))
_VERSION = re.compile(r"^v?\d+([._]\d+)*((alpha|beta)\d*)?$", re.IGNORECASE)


def tags_of(operations: Sequence[Operation]) -> dict[str, str]:
    """Name of the operation -> its tag; empty where neither tags nor paths tell it apart."""
    parts = {one.name: _fixed(one.path) for one in operations}
    shared = _shared(list(parts.values()))
    found = {}
    for one in operations:
        tag = one.tags[0].strip() if one.tags else ""
        if tag.lower() in _SAYS_NOTHING:
            path = parts[one.name]
            rest = path[len(shared) :] if path[: len(shared)] == shared else path
            tag = rest[0] if rest else ""
        found[one.name] = tag
    return found


def _fixed(path: str) -> tuple[str, ...]:
    """The parts of a path that are no placeholders and no versions."""
    return tuple(
        part for part, placeholder in segments(path) if not placeholder and not _VERSION.match(part)
    )


def _shared(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """How most of the paths begin: `/api/rest/…`."""
    shared: tuple[str, ...] = ()
    while True:
        length = len(shared) + 1
        heads = Counter(path[:length] for path in paths if len(path) >= length)
        often = heads.most_common(1)
        if not often or often[0][1] * 3 < 2 * len(paths) or often[0][0][:-1] != shared:
            return shared
        shared = often[0][0]
