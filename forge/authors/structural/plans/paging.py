"""The arguments of a list that choose a part of the answer or its order.

Always holds: parts follow one another in the order of the list; an order is by a column that the
answer shows.
"""

import re

from forge.authors.structural.limits import bounds_in
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.plans import Use
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.reading.reading import Argument, plain
from forge.authors.structural.words import split, word_set
from forge.types.data import JsonSchema

_LIMITS = word_set(
    "limit perpage pagesize size maxresults top pagelimit resultsperpage maxitems take"
)
_OFFSETS = frozenset(["offset", "skip", "start", "startindex"])
_PAGES = frozenset(["page", "pagenumber", "pageno", "pagenum", "pageindex"])
_CURSORS = frozenset(
    ["cursor", "startcursor", "pagetoken", "nexttoken", "nextcursor", "after", "continuationtoken"]
)
_AFTER_KEY = frozenset(["startingafter", "startafter", "afterid", "after"])
_BEFORE_KEY = frozenset(["endingbefore", "endbefore", "beforeid", "before"])
_KEYED = re.compile(r"\b(object|record|item)?('s)? ?ids?\b", re.I)
"""What a cursor says that is the id of a record of the list."""
_SORTS = frozenset(["sort", "sortby", "orderby", "order", "ordering", "sortfield"])
_DIRECTIONS = frozenset(
    ["sortdirection", "sortorder", "direction", "order", "orderdirection", "dir"]
)
ORDERS = _SORTS | _DIRECTIONS
"""Names of arguments that say by what, or which way, a list is sorted."""


def paging_use(argument: Argument) -> Use | None:
    word, kind = plain(argument.field), argument.shape.type
    whole = kind == "integer" or (kind == "number" and word in _LIMITS | _OFFSETS | _PAGES)
    if word in _LIMITS and whole:
        return Use(argument, "limit", _bounded(argument, 1), False)
    if word in _OFFSETS and whole:
        return Use(argument, "offset", _bounded(argument, 0), False)
    if word in _PAGES and whole:
        return Use(argument, "page", _bounded(argument, _first_page(argument)), False)
    if (
        word in _AFTER_KEY | _BEFORE_KEY
        and kind == "string"
        and _KEYED.search(argument.description)
    ):
        return Use(argument, "after" if word in _AFTER_KEY else "before", _text(argument), False)
    token = word in _CURSORS or (word in _OFFSETS and "token" in argument.description)
    if token and kind == "string" and not argument.shape.schema.get("format"):
        return Use(argument, "cursor", _text(argument), False)
    return None


_FROM_ZERO = re.compile(r"\b(zero|0)[- ](based|indexed)\b|\bstart(s|ing)? (at|from|with) 0\b", re.I)


def _first_page(argument: Argument) -> int:
    schema = argument.shape.schema
    zero = 0 in (schema.get("minimum"), schema.get("default"))
    return 0 if zero or _FROM_ZERO.search(argument.description) else 1


def _text(argument: Argument) -> JsonSchema:
    return {"type": "string", **described(argument)}


def _bounded(argument: Argument, least: int) -> JsonSchema:
    made: JsonSchema = {"type": "integer", "minimum": least}
    schema = argument.shape.schema
    if isinstance(schema.get("minimum"), int) and schema["minimum"] > least:
        made["minimum"] = schema["minimum"]
    said = bounds_in(argument.description)
    if isinstance(schema.get("maximum"), int):
        made["maximum"] = schema["maximum"]
    elif said.get("maximum", 0) > said.get("minimum", 0) == least:
        made["maximum"] = int(said["maximum"])
    default = default_size(argument) if least else schema.get("default")
    if isinstance(default, int) and not isinstance(default, bool) and default >= made["minimum"]:
        made["default"] = default
    return {**made, **described(argument)}


def described(argument: Argument) -> JsonSchema:
    return {"description": argument.description} if argument.description else {}


def default_size(argument: Argument | None) -> int | None:
    """The size of a page that the document says is usual."""
    if argument is None:
        return None
    default = argument.shape.schema.get("default")
    if isinstance(default, int) and not isinstance(default, bool):
        return default
    said = re.search(r"\bdefaults?\b[^.\d]{0,60}(\d{1,4})\b", argument.description, re.I)
    return int(said[1]) if said else None


# ------------------------------------------------------------------- sorting


def sorting_uses(sheet: Sheet, arguments: tuple[Argument, ...], uses: list[Use]) -> list[Use]:
    used = {u.name for u in uses}
    left = [a for a in arguments if a.name not in used]
    sort = next((a for a in left if plain(a.field) in _SORTS and _choices(sheet, a)), None)
    if sort is None:
        if any(a.required and plain(a.field) in ORDERS for a in left):
            raise Unclear("nothing shows what its required order sorts by")
        return uses
    choices = _choices(sheet, sort)
    schema: JsonSchema = {"type": "string", "enum": [c for c, _ in choices], **described(sort)}
    default = sort.shape.schema.get("default")
    if default in schema["enum"]:
        schema["default"] = default
    uses = [*uses, Use(sort, "sort", schema, sort.required, choices=choices)]
    for argument in left:
        values = [v for v in argument.shape.enum if isinstance(v, str)]
        ways = [v for v in values if v.lower() in ("asc", "desc", "ascending", "descending")]
        fits = plain(argument.field) in _DIRECTIONS and ways and len(ways) == len(values)
        if argument is not sort and fits and not any(c.startswith("-") for _, c in choices):
            schema = {"type": "string", "enum": ways, **described(argument)}
            if argument.shape.schema.get("default") in ways:
                schema["default"] = argument.shape.schema["default"]
            uses.append(Use(argument, "direction", schema, argument.required))
            break
    return uses


def _choices(sheet: Sheet, argument: Argument) -> tuple[tuple[str, str], ...]:
    """Each value of a sort argument that names a column, and the column; several ways to write
    the other direction are known."""
    found: list[tuple[str, str]] = []
    turned = bool(_TURNED.search(argument.description))
    for value in argument.shape.enum:
        if not isinstance(value, str):
            continue
        down = value.startswith("-") or bool(re.search(r"[_:. ](desc|descending)$", value, re.I))
        bare = re.sub(r"^[+-]|[_:. ](asc|desc|ascending|descending)$", "", value, flags=re.I)
        column = sheet.worded(split(bare)) or sheet.worded((*split(bare), "at"))
        if column is None or column.name in sheet.hidden:
            continue
        if column.type in ("string", "integer", "number", "boolean") and not column.references:
            found.append((value, f"-{column.name}" if down or turned else column.name))
    return tuple(found)


_NEWEST = re.compile(
    r"\b(most recent(ly)?\b[^.]{0,60}\bfirst|newest\b[^.]{0,30}\bfirst"
    r"|(descending|reverse)( chronological)? order (of|by) (creation|created))",
    re.IGNORECASE,
)
_TURNED = re.compile(r"\b(reverse chronological|descending) order\b", re.IGNORECASE)


def says_newest_first(told: str) -> bool:
    return bool(_NEWEST.search(told))


def usual_order(sheet: Sheet, told: str, uses: list[Use]) -> tuple[str, ...]:
    """The order of a list where nothing is asked for: by name or by when they were made, if it is
    said; the newest first, if it is said, or if parts are counted from a record."""
    stamps = [c for c in sheet.table.columns if c.generated == "time" and not c.on_update]
    if len(stamps) != 1:
        stamps = [c for c in sheet.table.columns if split(c.name) == ("created", "at")]
    keyed = any(use.role in ("after", "before") for use in uses)
    if len(stamps) == 1 and (keyed or says_newest_first(told)):
        return (f"-{stamps[0].name}",)
    if len(stamps) == 1 and _OLDEST.search(told):
        return (stamps[0].name,)
    if sheet.table.label is not None and _ALPHABETICAL.search(told):
        return (sheet.table.label,)
    return ()


_OLDEST = re.compile(
    r"\b(sorted|ordered) by (creation (time|date)|created_at|date of creation)"
    r"( in)? asc(ending)?\b|\boldest first\b",
    re.IGNORECASE,
)
_ALPHABETICAL = re.compile(
    r"\b(sorted|ordered|listed) (alphabetically|in alphabetical order)\b", re.I
)
