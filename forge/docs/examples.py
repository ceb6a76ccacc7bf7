"""Examples as people write them, read as JSON, and the schema that examples have in common.

People leave things out with `...`, comment with `//`, `#` and `/* */`, end lists in a comma and
leave keys unquoted. What is no JSON even so is no example.
"""

import json
import re
from collections.abc import Sequence

from forge.types.data import Json, JsonSchema

_TOKEN = re.compile(
    r"""
      (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<aside>//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|(?<!\S)\#[^\n]*|\.{3,}|…|\s+)
    | (?P<mark>[{}\[\],:])
    | (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.-]))
    | (?P<word>[A-Za-z_$][\w$-]*)
    | (?P<hole><[\w .-]{1,60}>)
    """,
    re.X,
)
_ESCAPE = re.compile(r"\\(.)", re.S)
_DEEPEST = 50
_LONGEST = 200_000
_DATA = re.compile(r"""(?:^|\s)(?:-d|--data(?:-raw|-binary|-ascii)?|--json)[ =]+'([^']*)'""")
_FORMATS = (
    ("date-time", re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?")),
    ("date", re.compile(r"\d{4}-\d\d-\d\d")),
    ("uuid", re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)),
    ("email", re.compile(r"[^@\s]{1,64}@[\w-]{1,64}(\.[\w-]{1,64}){1,4}")),
    ("uri", re.compile(r"https?://\S{1,2000}")),
)
_KEYS = re.compile(r"-?\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)


def examples_in(text: str) -> list[Json]:
    """The examples that a block of code shows: JSON, or what a command line sends."""
    if len(text) > _LONGEST:
        return []
    if text.lstrip()[:1] in ("{", "["):
        found = [loose(text)]
    else:
        found = [loose(one) for one in _DATA.findall(text)]
    return [one[0] for one in found if one]


def loose(text: str) -> tuple[Json] | None:
    """The value that loosely written JSON means; None where it means none."""
    parts: list[str] = []
    place = depth = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            return None
        place = found.end()
        kind, said = found.lastgroup, found[0]
        if kind == "aside":
            continue
        depth += (said in ("{", "[")) - (said in ("}", "]"))
        if depth > _DEEPEST:
            return None
        if kind == "string":
            said = _ESCAPE.sub(lambda one: one[0] if one[1] in '"\\/bfnrtu' else one[1], said)
        elif kind == "hole" or (kind == "word" and said not in ("true", "false", "null")):
            said = _word(said)
        if said in ("}", "]", ",") and parts and parts[-1] == ",":
            parts.pop()
        if said == "," and (not parts or parts[-1] in ("{", "[")):
            continue
        parts.append(said)
    try:
        return (json.loads("".join(parts)),)
    except ValueError:
        return None


def _word(said: str) -> str:
    return {"True": "true", "False": "false", "None": "null"}.get(said) or json.dumps(said)


def inferred(values: Sequence[Json]) -> JsonSchema:
    """The schema of which all the values are examples; null says nothing but that it may be.
    That a property is in all of them does not say that it always is there."""
    seen = [value for value in values if value is not None]
    kinds = list(dict.fromkeys(_kind(value) for value in seen))
    if kinds in (["integer", "number"], ["number", "integer"]):
        kinds = ["number"]
    schema: JsonSchema = {}
    if len(kinds) == 1:
        schema["type"] = kinds[0]
        if kinds[0] == "string":
            schema |= _format([str(value) for value in seen])
        elif kinds[0] == "array":
            inner = [item for value in seen if isinstance(value, list) for item in value]
            schema["items"] = inferred(inner) if inner else {}
        elif kinds[0] == "object":
            schema |= _object([value for value in seen if isinstance(value, dict)])
    elif kinds:
        schema["type"] = kinds
    if len(seen) < len(values) and kinds:
        schema["nullable"] = True
    return schema


def _object(values: list[dict[str, Json]]) -> JsonSchema:
    names = list(dict.fromkeys(name for value in values for name in value))
    if names and all(_KEYS.fullmatch(name) for name in names):
        inner = [one for value in values for one in value.values()]
        return {"additionalProperties": inferred(inner)}
    properties = {}
    for name in names:
        of_it = [value[name] for value in values if name in value]
        properties[name] = inferred(of_it)
        said = next(
            (one for one in of_it if isinstance(one, str | int | float) and one != ""), None
        )
        if said is not None:
            properties[name]["examples"] = [said]
    return {"properties": properties}


def _format(values: list[str]) -> JsonSchema:
    told = [value for value in values if value]
    for name, form in _FORMATS:
        if told and all(form.fullmatch(value[:3000]) for value in told):
            return {"format": name}
    return {}


def _kind(value: Json) -> str:
    for kind, types in (
        ("boolean", bool),
        ("integer", int),
        ("number", float),
        ("string", str),
        ("array", list),
    ):
        if isinstance(value, types):
            return kind
    return "object"
