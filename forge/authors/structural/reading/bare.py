"""Bodies that are no object with names: a list of new records, or one new value of a property.

Always holds: a bare value is taken for the property that the path names after the record
(`PUT /tags/{id}/name`); a list is taken for new records one by one only to see what a record holds.
"""

from dataclasses import replace

from forge.authors.structural.reading.reading import BARE, MANY, Argument, Reading
from forge.authors.structural.reading.routes import CREATE

_BULK = CREATE | {"bulk", "batch", "many"}
_SCALARS = ("string", "integer", "number", "boolean")


def with_bare_values(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """The readings, a bare value of a record's property under that property's name."""
    return tuple(_named(reading) for reading in readings)


def _named(reading: Reading) -> Reading:
    body = reading.taken("body")
    if reading.odd != BARE or len(body) != 1 or body[0].shape.type not in _SCALARS:
        return reading
    if reading.operation.method not in ("PUT", "PATCH") or len(reading.steps) < 2:
        return reading
    if reading.steps[-1].arguments or not reading.steps[-2].arguments:
        return reading
    value = replace(body[0], field=reading.steps[-1].text)
    rest = tuple(a for a in reading.arguments if a is not body[0])
    return replace(reading, arguments=(*rest, value), odd="")


def of_one(reading: Reading) -> Reading | None:
    """What making one of a list of new records would be; None where it is no such list."""
    body = reading.taken("body")
    item = body[0].shape.items() if len(body) == 1 else None
    if reading.odd != MANY or reading.operation.method != "POST" or item is None:
        return None
    steps = reading.steps
    if len(steps) > 1 and not steps[-1].arguments and steps[-1].words[:1] != ():
        steps = steps[:-1] if steps[-1].words[0] in _BULK else steps
    needed = item.required()
    fields = tuple(
        Argument(name, name, "body", shape, name in needed, shape.description)
        for name in item.names()
        if not (shape := item.property(name)).read_only
    )
    rest = tuple(a for a in reading.arguments if a is not body[0])
    answer = replace(reading.answer, kind="record") if reading.answer.kind == "list" else None
    return replace(
        reading,
        steps=steps,
        arguments=(*rest, *fields),
        answer=answer or reading.answer,
        odd="",
    )
