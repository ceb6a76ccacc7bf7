"""Other ways to the records of a collection: `/releases/tags/{tag}` beside `/releases/{id}`.

Such a path is read as if the argument stood where all others pick. Always holds: both ways answer
the same named record, which shows what the argument is as a property of its own.
"""

from collections.abc import Iterable
from dataclasses import replace

from forge.authors.structural.reading.reading import Reading, Step
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import Words, one, split

_Way = tuple[str, ...]
"""The texts of the steps."""


def with_ways(readings: Iterable[Reading]) -> tuple[Reading, ...]:
    found = tuple(readings)
    usable = [r for r in found if r.steps and not r.odd]
    picked = {_way(r): shape for r in usable if (shape := _answered(r)) is not None}
    fields = {way: _field(way, shape, picked) for way, shape in picked.items()}
    return tuple(_led(r, fields) if r.steps and not r.odd else r for r in found)


def _way(reading: Reading) -> _Way:
    return tuple(step.text for step in reading.steps)


def _answered(reading: Reading) -> Shape | None:
    """The record that a GET of one answers."""
    shape = reading.answer.shape
    one_record = reading.operation.method == "GET" and reading.answer.kind == "record"
    fits = one_record and reading.on_item and shape is not None and shape.name is not None
    return shape if fits else None


def _field(way: _Way, shape: Shape, picked: dict[_Way, Shape]) -> str | None:
    """The property that the last word of a way is the name of, where what is before it picks the
    same records."""
    other = picked.get(way[:-1])
    if other is None or other.name != shape.name:
        return None
    word = one(split(way[-1]))
    wanted: tuple[Words, ...] = (word, (*word, "name"), (*word, "id"))
    found = [n for n in shape.names() if split(n) in wanted]
    return found[0] if len(found) == 1 else None


def _led(reading: Reading, fields: dict[_Way, str | None]) -> Reading:
    steps, field = reading.steps, fields.get(_way(reading))
    if field is None or len(steps[-1].arguments) != 1 or steps[-2].arguments:
        return reading
    step = Step(steps[-2].text, (replace(steps[-1].arguments[0], field=field),))
    return replace(reading, steps=(*steps[:-2], step))
