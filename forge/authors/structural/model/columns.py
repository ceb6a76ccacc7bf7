"""A property of a schema as a column: its type, limits, format, what makes it, what it refers to.

Always holds: a column that refers to a table has the type of that table's key; nothing nests
deeper than `_DEPTH`; a property that no column can hold faithfully is none (`None`), never "any";
an object of which the document says no more than that it is one is kept as it is given.
"""

import re
from collections.abc import Callable

from forge.authors.structural.limits import limits
from forge.authors.structural.model.hrefs import is_link, links_in
from forge.authors.structural.shapes import Shape
from forge.authors.structural.words import Words, is_id, split, without_id
from forge.types.data import Json, JsonSchema
from forge.types.state import Column, Generated

_DEPTH = 6

CONSTANT = frozenset({("resource", "type"), ("object", "type"), ("object",), ("type", "name")})
"""Names of properties that say what kind of thing a value is: the same for all of them."""
_CREATED = frozenset(
    {
        ("created", "at"),
        ("created", "on"),
        ("created",),
        ("create", "time"),
        ("creation", "time"),
        ("creation", "date"),
        ("created", "time"),
        ("created", "date"),
        ("date", "created"),
        ("inserted", "at"),
        ("create", "date"),
    }
)
_UPDATED = frozenset(
    {
        ("updated", "at"),
        ("updated", "on"),
        ("updated",),
        ("update", "time"),
        ("modified", "at"),
        ("modified",),
        ("last", "modified"),
        ("last", "modified", "at"),
        ("last", "updated"),
        ("last", "updated", "at"),
        ("date", "modified"),
        ("date", "updated"),
        ("modified", "on"),
    }
)
_TYPES = ("string", "integer", "number", "boolean", "object", "array")

Reference = Callable[[str, Shape], "tuple[str, str] | None"]
"""(property name, its shape) -> (table, type of its key), where it refers to a record; the table is
"" where no column can name it."""


def column_of(
    name: str, shape: Shape, reference: Reference, depth: int = 0, *, taken: bool = True
) -> Column | None:
    """The column for a property, without `required`, `unique` or what makes it; of one that is not
    `taken` by any argument, without the links in it."""
    found = reference(name, shape)
    if found is not None:
        if not found[0] or (shape.type == "object" and depth > 0):
            return None  # a record shown inside of another value has no place in a column
        return _reference(name, shape, found)
    kind = shape.type
    if shape.records():
        return None  # the key of records that are no table, or of several kinds
    if kind == "null" or depth > _DEPTH:
        return None
    about = _about(name, shape)
    if kind == "array":
        return _array(about, name, shape, reference, depth, taken)
    if kind == "object":
        return _object(about, shape, reference, depth, taken)
    if is_free_shape(shape):
        return Column.model_validate({**about, "type": "object"})
    if kind not in _TYPES:
        return None
    return Column.model_validate({**about, "type": kind, **limits(shape, name)})


def _reference(name: str, shape: Shape, found: tuple[str, str]) -> Column:
    about = _about(name, shape)
    if shape.type == "object":
        about["examples"] = ()
    return Column.model_validate(
        {**about, "type": found[1], "references": found[0], "on_delete": "clear"}
    )


def _about(name: str, shape: Shape) -> dict[str, Json]:
    return {
        "name": name,
        "nullable": shape.nullable,
        "description": shape.description,
        "examples": tuple(shape.examples),
    }


def _array(
    about: dict[str, Json],
    name: str,
    shape: Shape,
    reference: Reference,
    depth: int,
    taken: bool,
) -> Column | None:
    item = shape.items()
    if item is None:
        return None
    found = reference(name, item)
    if found is not None and not found[0]:
        return None
    if found is not None and (depth == 0 or item.type != "object"):
        inner: Column | None = _reference("", item, found)
    else:
        inner = column_of(name, item, reference, depth + 1, taken=taken)
    if inner is None:
        return None
    many = inner.references is not None
    inner = inner.model_copy(update={"name": "", "nullable": False, "examples": ()})
    if not many:
        inner = inner.model_copy(update={"description": ""})
    limits = {
        key: shape.schema[word]
        for word, key in (("minItems", "min_length"), ("maxItems", "max_length"))
        if isinstance(shape.schema.get(word), int)
    }
    unordered = many or shape.schema.get("uniqueItems") is True
    return Column.model_validate(
        {
            **about,
            "type": "array",
            "items": inner,
            "compare": "unordered" if unordered else "exact",
            **limits,
        }
    )


def _object(
    about: dict[str, Json], shape: Shape, reference: Reference, depth: int, taken: bool
) -> Column | None:
    if shape.several:
        return None
    values = shape.values()
    if not shape.names():
        if is_free_shape(shape):
            return Column.model_validate({**about, "type": "object"})
        if values is None:
            return None
        inner = column_of("", values, reference, depth + 1, taken=taken)
        if inner is None or inner.type in ("object", "array"):
            return None
        return Column.model_validate({**about, "type": "object", "values": inner})
    if _tallies(shape):
        return None
    properties = []
    needed = shape.required()
    if depth > 1 and _is_of_another_system(shape, reference):
        reference = _to_nothing
    links = frozenset() if taken else links_in(shape)
    for name in shape.names():
        inner_shape = shape.property(name)
        constant = split(name) in CONSTANT and not inner_shape.enum
        if name in links or inner_shape.deprecated or constant:
            continue
        prop = column_of(name, inner_shape, reference, depth + 1, taken=taken)
        if prop is not None and prop.type == "array" and prop.items and prop.items.references:
            shown = inner_shape.items()
            prop = None if shown is not None and shown.type == "object" else prop
        loose = is_id(name) and prop is not None and prop.references is None
        if prop is None or (loose and name not in needed):
            if name in needed:
                return None
            continue
        update: dict[str, Json] = {"required": name in needed}
        if prop.references and name in needed and not prop.nullable:
            update["on_delete"] = "restrict"
        properties.append(prop.model_copy(update=update))
    if not properties:
        return None
    return Column.model_validate({**about, "type": "object", "properties": tuple(properties)})


_SAYS_NOTHING = frozenset(
    ["type", "description", "examples", "title", "additionalProperties", "readOnly", "writeOnly"]
)


def is_free_shape(shape: Shape) -> bool:
    """Whether a value may be any object: the schema says "object" or shows objects as examples,
    and says no more."""
    if set(shape.schema) - _SAYS_NOTHING or shape.schema.get("additionalProperties", True) not in (
        True,
        {},
    ):
        return False
    shown = bool(shape.examples) and all(isinstance(e, dict) for e in shape.examples)
    return not shape.several and (shape.type == "object" or (shape.type == "any" and shown))


def is_free(column: Column) -> bool:
    """Whether a column holds objects of any properties."""
    return column.type == "object" and not column.properties and column.values is None


def _tallies(shape: Shape) -> bool:
    """Whether an object says how many there are of this and that: worked out from other records."""
    kinds = {n: shape.property(n).type for n in shape.names() if not is_link(n, shape.property(n))}
    totals = [name for name in kinds if split(name) in (("total", "count"), ("total",))]
    return len(kinds) > 2 and bool(totals) and set(kinds.values()) == {"integer"}


def _is_of_another_system(shape: Shape, reference: Reference) -> bool:
    """Whether an object, deep inside, has ids of what the document does not know: `jobId` beside
    such an `accountId` is of no job that it knows."""
    ids = [name for name in shape.names() if is_id(name) and without_id(name)]
    return any(reference(name, shape.property(name)) is None for name in ids)


def _to_nothing(name: str, shape: Shape) -> None:
    return None


_MADE = re.compile(r"^(the )?time (at which|when) the [\w ]{1,30} was created\b", re.IGNORECASE)


def clock_of(name: str, column: Column) -> tuple[Generated, bool] | None:
    """("time", set again at every update) for the usual columns that a server stamps."""
    words = split(name)
    if column.format == "unix-time":
        made = words in _CREATED or bool(_MADE.search(column.description))
        return ("time", words in _UPDATED) if made or words in _UPDATED else None
    timely = column.format in ("date-time", "date") or (
        column.type == "string" and column.format is None and words[-1:] == ("at",)
    )
    if column.type != "string" or not timely or column.enum is not None:
        return None
    if words in _CREATED:
        return "time", False
    return ("time", True) if words in _UPDATED else None


LABELS = [
    "name",
    "title",
    "display_name",
    "displayname",
    "full_name",
    "fullname",
    "subject",
    "label",
    "headline",
    "summary",
    "username",
    "login",
    "text",
    "description",
    "email",
]


def label_of(noun: Words, columns: list[Column]) -> str | None:
    """The column by which people tell the records apart."""
    texts = {
        c.name: c
        for c in columns
        if c.type == "string"
        and c.enum is None
        and c.references is None
        and c.generated is None
        and c.format in (None, "email")
    }
    plain = {"_".join(split(name)): name for name in texts}
    for wanted in ("name", "title"):
        for own in ("_".join((*noun, wanted)), f"{noun[-1]}_{wanted}", wanted):
            if own in plain:
                return plain[own]
    for wanted in LABELS:
        if wanted in plain:
            return plain[wanted]
    return None


def prefix_of(noun: Words, shape: Shape | None) -> str:
    """The prefix of made ids: as the examples have it, else short for the noun: "prj_"."""
    if shape is not None:
        for example in shape.examples:
            if isinstance(example, str):
                match = re.match(r"^([a-zA-Z]{1,12}[_-])[A-Za-z0-9_-]+$", example)
                return match[1] if match and not re.search(r"\d", match[1]) else ""
    word = noun[-1] if noun else "rec"
    if not word.isascii():
        return ""
    rest = [c for c in word[1:] if c not in "aeiou"]
    return "".join([word[:1], *rest[:2]]) + "_"


def schema_of(column: Column, *, nullable: bool = True) -> JsonSchema:
    """The JSON Schema of a column's values."""
    made: JsonSchema = {}
    if column.type != "any":
        may_be_null = nullable and column.nullable
        made["type"] = [column.type, "null"] if may_be_null else column.type
    if column.format is not None:
        made["format"] = column.format
    if column.enum is not None:
        values = list(column.enum)
        made["enum"] = [*values, None] if isinstance(made.get("type"), list) else values
    text = column.type == "string"
    for word, value in (
        ("minimum", column.minimum),
        ("maximum", column.maximum),
        ("minLength" if text else "minItems", column.min_length),
        ("maxLength" if text else "maxItems", column.max_length),
    ):
        if value is not None:
            made[word] = int(value) if float(value).is_integer() else value
    if column.items is not None:
        made["items"] = schema_of(column.items)
    if column.properties:
        made["properties"] = {p.name: schema_of(p) for p in column.properties}
        needed = [p.name for p in column.properties if p.required]
        if needed:
            made["required"] = needed
        made["additionalProperties"] = False
    elif column.values is not None:
        made["additionalProperties"] = schema_of(column.values)
    if column.description:
        made["description"] = column.description
    return made


_SEALS = re.compile(r"\bused to (encrypt|sign)\b", re.IGNORECASE)


def is_seal(description: str) -> bool:
    """Whether an id is only given with a value, for the server to read it: it names no record."""
    return bool(_SEALS.search(description))


def said_unique(column: Column) -> bool:
    """Whether the document says that no two records share it."""
    if column.type not in ("string", "integer") or column.references or column.enum:
        return False
    text = column.description.lower()
    if re.search(r"\bunique(ly)? (id|identif|key|across)", text) or "not unique" in text:
        return False
    return bool(re.search(r"\b(must|has to|should) be unique\b|\bunique\b", text))
