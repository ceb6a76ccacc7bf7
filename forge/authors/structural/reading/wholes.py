"""Numbers that are whole, in tool lists that know only "number": servers written in JavaScript say
so of a priority from 0 to 4 too.

Always holds: where a document has integers anywhere, its numbers stay what it says they are.
"""

import re
from dataclasses import replace

from forge.authors.structural.reading.reading import Reading, read_operation
from forge.authors.structural.words import split, word_set
from forge.types.doc import Parameter

_COUNTED = word_set(
    "priority number count level milestone point estimate quantity position rank day hour minute "
    "second year month week version size page limit"
)
_RANGE = re.compile(r"\b\d+\s*(?:-|–|to)\s*\d+\b")


def with_wholes(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """The readings, what counts or ranks taken as integers."""
    parameters = [p for r in readings for p in r.operation.parameters]
    if any(p.schema.get("type") == "integer" for p in parameters):
        return readings
    if not any(_is_whole(p) for p in parameters):
        return readings
    return tuple(_with_wholes(reading) for reading in readings)


def _with_wholes(reading: Reading) -> Reading:
    operation = reading.operation
    made = tuple(
        replace(p, schema={**p.schema, "type": "integer"}) if _is_whole(p) else p
        for p in operation.parameters
    )
    read = read_operation(replace(operation, parameters=made))
    return replace(read, called=reading.called)


def _is_whole(parameter: Parameter) -> bool:
    if parameter.schema.get("type") != "number":
        return False
    words = split(parameter.field)
    counted = bool(words) and words[-1].removesuffix("s") in _COUNTED
    return counted or bool(_RANGE.search(parameter.description))
