"""What limits the values of a property: its format, bounds and choices, where the schema has them,
and where only its description, its name or its examples say so.
"""

import re

from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import split
from forge.types.data import Json

_FORMATS = ("date", "date-time", "time", "email", "uri", "uuid")
_DATE = re.compile(r"^\d{4}-\d\d-\d\d$")
_EPOCH = re.compile(r"\bunix timestamp\b|\bseconds since the (unix )?epoch\b", re.IGNORECASE)
_MOMENT = re.compile(r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d")


def limits(shape: Shape, name: str) -> dict[str, Json]:
    """The fields of a `Column` that limit a scalar."""
    schema = shape.schema
    found: dict[str, Json] = {}
    kind = shape.type
    if kind == "string":
        form = schema.get("format")
        found["format"] = form if form in _FORMATS else _seen_format(shape, name)
        if found["format"] in ("date", "date-time"):
            found["format"] = _day_or_moment(found["format"], shape, name)
        words = (("minLength", "min_length"), ("maxLength", "max_length"))
    else:
        words = (("minimum", "minimum"), ("maximum", "maximum"))
    for word, key in words:
        value = schema.get(word)
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[key] = value
    if kind in ("integer", "number"):
        for key, bound in bounds_in(shape.description).items():
            found.setdefault(key, bound)
    if kind == "integer":
        if schema.get("format") == "unix-time" or _EPOCH.search(shape.description):
            found["format"] = "unix-time"
        if isinstance(schema.get("exclusiveMinimum"), int):
            found["minimum"] = schema["exclusiveMinimum"] + 1
        if isinstance(schema.get("exclusiveMaximum"), int):
            found["maximum"] = schema["exclusiveMaximum"] - 1
    values = [v for v in shape.enum if _is(v, kind)]
    either = _EITHER.search(shape.description) if kind in ("integer", "number") else None
    if either is not None and not values:
        values = [int(part) for part in either.groups() if float(part).is_integer()]
    if values:
        found["enum"] = tuple(values)
        found["format"] = None
    return found


def _seen_format(shape: Shape, name: str) -> str | None:
    """A format that the document shows and does not say."""
    texts = [e for e in shape.examples if isinstance(e, str)]
    if texts and all(_DATE.match(t) for t in texts):
        return "date"
    if re.search(r"\bYYYY-MM-DD(?!T|[ -]?HH)\b", shape.description):
        return "date"
    if texts and all(_MOMENT.match(t) for t in texts):
        return "date-time"
    if re.search(r"\b(ISO[- ]?8601|RFC[- ]?3339)\b", shape.description):
        words = split(name)
        if words and (words[-1] in ("at", "time", "timestamp") or "time" in shape.description):
            return "date-time"
    words = split(name)
    return "email" if words and words[-1] == "email" else None


def _day_or_moment(form: str, shape: Shape, name: str) -> str:
    """Documents mix the two up: unless more is said, `due_on` is a day, `due_at` a moment."""
    last = split(name)[-1:]
    told = shape.description
    if last == ("on",) and not re.search(r"\btime\b", told):
        return "date"
    timed = re.search(r"\b(date and time|date-time|timestamp)\b", told, re.IGNORECASE)
    if last == ("at",) and (timed or any(_MOMENT.match(str(e)) for e in shape.examples)):
        return "date-time"
    return form


_NUMBER = r"(-?\d+(?:\.\d+)?)"
_BETWEEN = re.compile(
    rf"\b(?:between|from|range(?: of)?)\s+{_NUMBER}\s*(?:and|to|through|-|–)\s*{_NUMBER}\b(?!:)",
    re.IGNORECASE,
)
_EITHER = re.compile(rf"\b(?:only be|must be|either)\s+{_NUMBER} or {_NUMBER}\b", re.IGNORECASE)
_SPAN = re.compile(rf"[(\[]{_NUMBER}\s*(?:-|–|to|\.\.)\s*{_NUMBER}[)\]]")
_LEAST = re.compile(rf"\b(?:at least|minimum(?: of)?|no less than)\s+{_NUMBER}\b", re.IGNORECASE)
_MOST = re.compile(
    rf"\b(?:at most|maximum(?: of)?|no more than|up to)\s+{_NUMBER}\b", re.IGNORECASE
)


def bounds_in(description: str) -> dict[str, float]:
    """`minimum` and `maximum` of a number as its description says them: "between 1 and 5",
    "can only be 0 or 1", "(0-100)", "at most 20"; what is counted in cents is not below 0."""
    for pattern in (_BETWEEN, _EITHER, _SPAN):
        both = pattern.search(description)
        if both is not None and float(both[1]) < float(both[2]):
            return {"minimum": float(both[1]), "maximum": float(both[2])}
    found: dict[str, float] = {}
    for pattern, key in ((_LEAST, "minimum"), (_MOST, "maximum")):
        one_end = pattern.search(description)
        if one_end is not None:
            found[key] = float(one_end[1])
    if found.get("minimum", 0) > found.get("maximum", float("inf")):
        return {}
    if re.search(r"\bin cents\b", description, re.IGNORECASE):
        found.setdefault("minimum", 0)
    return found


def _is(value: Json, kind: str) -> bool:
    if kind == "string":
        return isinstance(value, str)
    if kind == "boolean":
        return isinstance(value, bool)
    return isinstance(value, int | float) and not isinstance(value, bool)
