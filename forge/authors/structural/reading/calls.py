"""Operations whose path names a call, no resource: `POST /v1/sources/create`, `/users.list`.

Such an operation is read like one that has only a name: `create sources`, with no steps. Always
holds: paths are read so only where the document has several plain calls (`create`, `get`, `list`),
and an operation that picks by an argument in its path is never one.
"""

from collections.abc import Iterable
from dataclasses import replace

from forge.authors.structural.reading.reading import Reading
from forge.authors.structural.reading.routes import CREATE, DELETE, GET, LIST, PREPOSITIONS, UPDATE
from forge.authors.structural.words import Words, one, split

_CALLS = CREATE | GET | LIST | UPDATE | DELETE


def with_calls(readings: Iterable[Reading]) -> tuple[Reading, ...]:
    """The readings, those of calls with their words in place of their steps."""
    found = tuple(readings)
    parted = {r.operation.name: parts for r in found if (parts := _parted(r)) is not None}
    plain: dict[Words, set[str]] = {}
    for place, call in parted.values():
        if len(call) == 1 and call[0] in _CALLS:
            plain.setdefault(place, set()).add(call[0])
    places = {place for place, verbs in plain.items() if len(verbs) > 1}
    if not places:
        return found
    known = sum(place in places or call[0] in _CALLS for place, call in parted.values())
    mostly = 2 * known > len(parted)  # then `/attempt/save_stats` names no records either
    made = []
    for reading in found:
        parts = parted.get(reading.operation.name)
        if parts is not None and (mostly or parts[0] in places or parts[1][0] in _CALLS):
            made.append(replace(reading, steps=(), called=called(*parts)))
        else:
            made.append(reading)
    return tuple(made)


def _parted(reading: Reading) -> tuple[Words, Words] | None:
    """What a path without arguments is about, and the words of its last part."""
    steps = reading.steps
    if not steps or reading.odd or any(step.arguments for step in steps):
        return None
    before, dot, call = steps[-1].text.rpartition(".")
    if dot:
        place = split(before.rpartition(".")[2])
        method = reading.operation.method in ("GET", "POST")
    else:
        place = steps[-2].words if len(steps) > 1 else ()
        method = reading.operation.method == "POST"
    words = split(call)
    return (place, words) if method and place and words else None


def called(place: Words, call: Words) -> Words:
    """The call's words as a name has them: ("sources",) and ("get", "by", "slug") are
    ("get", "sources", "by", "slug")."""
    verb, rest = call[0], call[1:]
    cut = next((n for n, word in enumerate(rest) if word in PREPOSITIONS), len(rest))
    middle, tail = rest[:cut], rest[cut:]
    noun = one(place)
    if middle and noun[-len(middle) :] == one(middle):
        middle = ()  # `/users/get_user`
    elif one(middle)[-len(noun) :] == noun:
        place = ()
    return (verb, *middle, *place, *tail)
