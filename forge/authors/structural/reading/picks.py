"""Operations that pick their record by an id in the query: `GET /kite?uid=k1`.

Such an operation is read as if the id stood in the path. Always holds: the id is required, it is
the only one, and it is an id of what the path ends with; a list stays a list with a filter.
"""

from collections.abc import Iterable
from dataclasses import replace

from forge.authors.structural.reading.reading import Reading, Step
from forge.authors.structural.reading.routes import NO_NOUNS
from forge.authors.structural.words import is_id, without_id


def with_picks(readings: Iterable[Reading]) -> tuple[Reading, ...]:
    return tuple(_picked(reading) for reading in readings)


def _picked(reading: Reading) -> Reading:
    last = reading.steps[-1] if reading.steps else None
    if last is None or last.arguments or reading.operation.method not in _METHODS:
        return reading
    if not last.words or last.words[0] in NO_NOUNS or reading.answer.kind in ("list", "values"):
        return reading
    needed = [a for a in reading.taken("query") if a.required]
    ids = [a for a in needed if is_id(a.field) and without_id(a.field) in ((), last.noun)]
    if len(needed) != 1 or len(ids) != 1 or ids[0].shape.type not in ("string", "integer"):
        return reading
    return replace(reading, steps=(*reading.steps[:-1], Step(last.text, (ids[0],))))


_METHODS = ("GET", "DELETE", "PUT", "PATCH")
