"""Names of tools that begin with what they all belong to: `slack_list_users`, `core_memory_add`.

Always holds: what comes out begins with a verb where the tool's name has one after such a
beginning; no name loses a word, but the beginning that all tools of a document share.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from forge.authors.structural.reading.reading import Reading
from forge.authors.structural.reading.routes import CREATE, DELETE, GET, LIST, SET, UPDATE
from forge.authors.structural.words import Words

VERBS = CREATE | GET | LIST | UPDATE | DELETE | SET | {"find", "patch", "replace", "clear"}
_FEWEST = 3
"""Tools that must begin alike."""


def with_leads(readings: Iterable[Reading]) -> tuple[Reading, ...]:
    """The readings, the words of those without a path put in the usual order."""
    found = tuple(readings)
    if len(found) < _FEWEST or any(r.steps or r.operation.path for r in found):
        return found
    words = [r.words for r in found]
    shared = _shared(words)
    if sum(len(each) > shared + 1 for each in words) * 2 < len(words):
        shared = 0  # what is left would be verbs alone: the beginning is what they are about
    bare = [each[shared:] for each in words]
    leads = _leads(bare)
    return tuple(
        replace(reading, called=_turned(each, leads)) if shared or leads else reading
        for reading, each in zip(found, bare, strict=True)
    )


def _shared(names: list[Words]) -> int:
    """How many words all names begin with; none of them a verb, and some word is left of each."""
    size = 0
    while (
        all(len(words) > size + 1 for words in names)
        and len({words[size] for words in names}) == 1
        and names[0][size] not in VERBS
    ):
        size += 1
    return size


def _leads(names: list[Words]) -> set[Words]:
    """What stands before the verb in several names."""
    counts: Counter[Words] = Counter()
    for words in names:
        place = next((n for n, word in enumerate(words) if word in VERBS), 0)
        if place:
            counts[words[:place]] += 1
    return {lead for lead, count in counts.items() if count >= _FEWEST}


def _turned(words: Words, leads: set[Words]) -> Words:
    """("core", "memory", "add") -> ("add", "core", "memory")."""
    for size in range(len(words) - 1, 0, -1):
        if words[:size] in leads and words[size] in VERBS:
            rest = words[size + 1 :]
            if rest == ("all",):
                return (words[size], *rest, *words[:size])
            return (words[size], *words[:size], *rest)
    return words
