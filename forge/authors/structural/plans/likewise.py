"""Lists whose answers a document leaves open, told by the lists beside them.

An API has one way to answer lists in parts. A list of which the document says no more than that it
answers an object is answered like those that take the same arguments for their parts, if these
are shown and all alike.

Always holds: which records such a list answers is not told here; they are those its path names.
"""

from dataclasses import replace

from forge.authors.structural.plans.paging import paging_use
from forge.authors.structural.reading.examples import says_nothing
from forge.authors.structural.reading.reading import EXTRAS, Answer, Reading, plain
from forge.authors.structural.words import is_plural

Parts = frozenset[str]
"""The arguments that choose a part of a list, as the document calls them."""


def with_likewise(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """The readings, those of open lists with the answers of lists like them."""
    shown: dict[Parts, list[Answer]] = {}
    for reading in readings:
        if reading.answer.kind == "list" and reading.answer.path and (parts := _parts(reading)):
            shown.setdefault(parts, []).append(reading.answer)
    return tuple(
        _told(reading, shown[parts])
        if _is_open(reading) and (parts := _parts(reading)) in shown
        else reading
        for reading in readings
    )


def _parts(reading: Reading) -> Parts:
    return frozenset(a.field for a in reading.taken("query") if paging_use(a) is not None)


def _is_open(reading: Reading) -> bool:
    """Whether it lists what its path names, and nothing shows how."""
    if reading.operation.method != "GET" or not reading.steps or reading.on_item:
        return False
    last = reading.steps[-1].words
    return bool(last) and is_plural(last[-1]) and says_nothing(reading.operation.result)


def _told(reading: Reading, alike: list[Answer]) -> Reading:
    if len({_around(answer) for answer in alike}) > 1:
        return reading
    return replace(reading, answer=replace(alike[0], shape=None))


def _around(answer: Answer) -> tuple[object, ...]:
    """Where the records are, and what is told beside them."""
    names = answer.whole.names() if answer.whole is not None else []
    return (answer.path, *sorted(name for name in names if plain(name) in EXTRAS))
