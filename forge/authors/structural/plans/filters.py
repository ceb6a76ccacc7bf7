"""The arguments of a list: filters on columns, and which arguments are none.

Always holds: an argument becomes a filter only where its name or description names one column and
its type can be compared with it; a comparison other than equality is one the words say.
"""

import re

from forge.authors.structural.model.columns import schema_of
from forge.authors.structural.model.model import Model
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.model.states import chosen_unasked, without_every
from forge.authors.structural.plans.conditions import is_likeness, is_several
from forge.authors.structural.plans.paging import ORDERS, described, paging_use, sorting_uses
from forge.authors.structural.plans.plans import Use
from forge.authors.structural.plans.views import Unclear
from forge.authors.structural.reading.reading import Argument, plain
from forge.authors.structural.shapes import Shape, shape_of
from forge.authors.structural.words import ID_WORDS, Words, is_id, many, one, split, word_set
from forge.env.conditions import BOUNDS
from forge.types.data import JsonSchema
from forge.types.environment import Op
from forge.types.state import Column

LOOKS = word_set(
    "optfields optpretty fields include expand pretty format embed view locale lang language "
    "includes expands exclude select prettyprint alt callback"
)
"""Arguments that only choose how an answer looks."""
_SEARCHES = frozenset(["q", "query", "search", "text", "keyword", "keywords", "term", "contains"])
_BEFORE: dict[str, Op] = {
    "before": "lt",
    "until": "le",
    "to": "le",
    "till": "le",
    "lt": "lt",
    "lte": "le",
    "max": "le",
    "maximum": "le",
    "le": "le",
}
_AFTER: dict[str, Op] = {
    "after": "gt",
    "since": "ge",
    "from": "ge",
    "gt": "gt",
    "gte": "ge",
    "min": "ge",
    "minimum": "ge",
    "ge": "ge",
}
BOUND_WORDS = _BEFORE | _AFTER
_TIMELY = ("date", "at", "on", "time", "day")
_PARTS = re.compile(
    r"\b(contain|contains|containing|partial|substring|part of|search|includes?|fuzzy)\b", re.I
)
_HOLDING = re.compile(r"\b(text|string|list|array|value)s? (containing|that contains?)\b", re.I)
"""What says of a value what it is, and nothing of how it is compared."""
_WILD = re.compile(r"\bwild ?cards?\b|\bregular expression\b", re.I)
_INCLUSIVE = re.compile(
    r"\b(on or (before|after)|inclusive|at (least|most)|or (later|earlier)|up to)\b", re.I
)
_EXCLUSIVE = re.compile(
    r"\b(strictly|exclusive|more than|less than|earlier than|later than)\b", re.I
)


def is_look(argument: Argument) -> bool:
    """Whether an argument only says how an answer is written, or is no business of the agent."""
    return plain(argument.field) in LOOKS or is_service(argument)


def is_service(argument: Argument) -> bool:
    """Whether an argument is between the client program and the server."""
    outside = argument.where in ("header", "cookie")
    return outside or plain(argument.field) in ("apiversion", "apikey")


def list_uses(model: Model, sheet: Sheet, arguments: tuple[Argument, ...]) -> list[Use]:
    """What the arguments of a list are for; those without a meaning are not there. `Unclear` where
    one of them is required."""
    uses: list[Use] = []
    for argument in arguments:
        if is_look(argument):
            if argument.required and not is_service(argument):
                raise Unclear(f"its required argument {argument.field} only shapes the answer")
            continue
        use = paging_use(argument) or _filter(model, sheet, argument)
        if use is not None:
            uses.append(use)
        elif _selects_unasked(argument):
            raise Unclear(f"nothing shows what it lists where {argument.field} is not given")
        elif argument.required and plain(argument.field) not in ORDERS:
            raise Unclear(f"nothing shows what its required argument {argument.field} selects by")
    uses = sorting_uses(sheet, tuple(a for a in arguments if not is_look(a)), uses)
    taken: set[tuple[str, Op]] = set()
    kept: list[Use] = []
    for use in _current(uses):
        if use.role == "match":
            if (use.column, use.op) in taken:
                continue
            taken.add((use.column, use.op))
        kept.append(use)
    return kept


def _current(uses: list[Use]) -> list[Use]:
    """Without arguments that are told to be deprecated where another one does the same."""
    old = [
        u
        for u in uses
        if u.role in ("limit", "page") and _DEPRECATED.search(u.argument.description)
    ]
    return [u for u in uses if u not in old or all(o is u or o.role != u.role for o in uses)]


_DEPRECATED = re.compile(r"\bdeprecated\b", re.IGNORECASE)

# ------------------------------------------------------------------- filters


def _filter(model: Model, sheet: Sheet, argument: Argument) -> Use | None:
    words = argument.words
    if not words or is_several(argument):
        return None
    if re.search(r"\beither\b", argument.description) and words[-1] in BOUND_WORDS:
        return None
    plain_word = plain(argument.field)
    if plain_word in _SEARCHES or (len(words) == 1 and words[0] in _SEARCHES):
        column = _told_column(sheet, argument.description)
        return _compared(argument, column, "icontains") if column else None
    column = find_column(sheet, words)
    if column is not None:
        partial = column.type == "string" and not column.enum and not column.references
        loose = _WILD.search(argument.description) or is_likeness(argument.description)
        if loose or _is_otherwise(sheet, column, argument):
            return None
        if partial and _says_part(argument.description) and argument.shape.type == "string":
            return _compared(argument, column, "icontains")
        return _compared(argument, column, "eq")
    bound = _bound(sheet, words)
    if bound is not None:
        column, op = bound
        if op in ("lt", "gt") and _INCLUSIVE.search(argument.description):
            op = "le" if op == "lt" else "ge"
        if op in ("le", "ge") and _EXCLUSIVE.search(argument.description):
            op = "lt" if op == "le" else "gt"
        return _compared(argument, column, op)
    if words[-1] in ("contains", "like") or words[0] in ("search",):
        rest = words[:-1] if words[-1] in ("contains", "like") else words[1:]
        column = find_column(sheet, rest)
        return _compared(argument, column, "icontains") if column else None
    column = _by_column(sheet, argument.description)
    return _compared(argument, column, "eq") if column else None


EVERY = ("all", "any", "both", "everything", "*")
"""Choices that leave nothing out."""
_ALL = re.compile(r"\b(?:values|one of|either)\b[^.]*\b(all)\b")
_SELECTS = re.compile(r"\b(filter|only|which|types?|period|limit results)\b", re.IGNORECASE)


def _selects_unasked(argument: Argument) -> bool:
    """Whether an argument without a meaning here leaves records out even if it is not passed."""
    default, plain_word = argument.shape.schema.get("default"), plain(argument.field)
    chosen = default in argument.shape.enum and str(default).lower() not in EVERY
    ordering = plain_word in ORDERS or any(str(v) in ("asc", "desc") for v in argument.shape.enum)
    state = argument.words[-1:] in (("state",), ("status",))
    selects = state or _SELECTS.search(f"{' '.join(argument.words)} {argument.description}")
    return chosen and isinstance(default, str) and not ordering and bool(selects)


_PREFIX = re.compile(r"\b(or|by|with|a) (a |its |the )?prefix\b", re.IGNORECASE)
_WHETHER = re.compile(r"\bwhether (or not )?to filter\b", re.IGNORECASE)
_BASED = re.compile(r"\bbased on (?:the )?`?(\w+)`?", re.IGNORECASE)
_EITHER = re.compile(r"\b`?(\w+)`? or `?(\w+)`?\b")


def _is_otherwise(sheet: Sheet, column: Column, argument: Argument) -> bool:
    """Whether a filter that is named like a column compares by more than that it is equal: by how
    a text begins, by another column, too or instead, or not at all where it is no."""
    told = argument.description
    if column.type == "string" and _PREFIX.search(told):
        return True
    if column.type == "boolean" and _WHETHER.search(told):
        return True
    for match in _BASED.finditer(told):
        if split(match[1]) != split(column.name) and sheet.worded(split(match[1])):
            return True
    pairs = [{split(m[1]), split(m[2])} for m in _EITHER.finditer(told)]
    mine = split(column.name)
    others = {split(c.name) for c in sheet.table.columns if c.type == column.type} - {mine}
    return any(mine in pair and pair & others for pair in pairs)


def _says_part(description: str) -> bool:
    return bool(_PARTS.search(_HOLDING.sub("", description)))


def find_column(sheet: Sheet, words: Words) -> Column | None:
    """The column that a name means: the same, with or without an id at its end, or the singular
    of a list."""
    seen = [c for c in sheet.table.columns if c.name not in sheet.hidden or c.references]
    by_words = {split(c.name): c for c in seen}
    noun = sheet.entity.noun
    bare = words[:-1] if words[-1] in ID_WORDS and len(words) > 1 else words
    tries = [words, bare, (*bare, "id"), (*bare, "gid"), many(bare), (*bare, "ids"), one(words)]
    tries += [(*noun, *words), (*noun[-1:], *words)]
    if words[: len(noun)] == noun and len(words) > len(noun):
        tries.append(words[len(noun) :])
    if words[0] in ("is", "has", "only", "with", "filter", "by"):
        tries.append(words[1:])
    tries.append(("is", *words))
    for words_tried in tries:
        column = by_words.get(words_tried)
        if column is None:
            continue
        points = column.references or (column.items and column.items.references)
        same_kind = words_tried == words or is_id(column.name) == is_id("_".join(words))
        if same_kind or points:
            return column
    return None


def _bound(sheet: Sheet, words: Words) -> tuple[Column, Op] | None:
    """`due_before`, `min_price`, `price_max`: the column and the comparison."""
    for rest, word in ((words[:-1], words[-1]), (words[1:], words[0])):
        if word not in BOUND_WORDS or not rest:
            continue
        if word in ("min", "max", "minimum", "maximum") or rest[-1:] != ("by",):
            column = _ordered_column(sheet, rest, word)
            if column is not None:
                return column, BOUND_WORDS[word]
    return None


def _ordered_column(sheet: Sheet, words: Words, word: str) -> Column | None:
    seen = [c for c in sheet.table.columns if c.name not in sheet.hidden]
    timely = [c for c in seen if c.format in ("date", "date-time")]
    numbers = [c for c in seen if c.type in ("integer", "number")]
    stem = words[:-1] if words[-1] in _TIMELY and len(words) > 1 else words
    for column in timely:
        name = split(column.name)
        if name == words or (name[-1] in _TIMELY and name[:-1] == stem):
            return column
    if word in ("min", "max", "minimum", "maximum", "gt", "gte", "lt", "lte", "from", "to"):
        return next((c for c in numbers if split(c.name) == words), None)
    return None


def _told_column(sheet: Sheet, description: str) -> Column | None:
    """The one text column that a search says it looks in; None where it is none or several."""
    text = " ".join(split(description))
    found = []
    for column in sheet.table.columns:
        plain_text = column.type == "string" and not column.enum and not column.references
        if plain_text and column.format is None and column.name not in sheet.hidden:
            name = " ".join(split(column.name))
            names = {name, " ".join(many(split(column.name)))}
            if not is_id(column.name) and any(
                re.search(rf"\b{re.escape(n)}\b", text) for n in names
            ):
                found.append(column)
    return found[0] if len(found) == 1 else None


def _by_column(sheet: Sheet, description: str) -> Column | None:
    """The column that a description says it selects by: "only firings by this potter"."""
    found = []
    for match in re.finditer(
        r"\b(?:by|with|of|for) (?:this |the |a |an |their )?([\w -]{1,40})", description
    ):
        words = split(match[1])
        for column in sheet.table.columns:
            name = split(column.name)
            if column.name not in sheet.hidden and name and words[: len(name)] == name:
                found.append(column)
    return found[0] if len(found) == 1 else None


def _compared(argument: Argument, column: Column | None, op: Op) -> Use | None:
    """The use of an argument as a filter; None where the types cannot be compared."""
    if column is None:
        return None
    shape = argument.shape
    if op == "eq" and (bounds := _bounds(shape, column)) is not None:
        schema = {**bounds, **described(argument)}
        return Use(argument, "match", schema, argument.required, column.name, "within")
    kind, form = shape.type, column.type
    item = shape.items() if kind == "array" else None
    if form == "array" and column.items is not None:
        if op == "eq" and column.items.type == "object" and kind == "array":
            return _inside(argument, column, column.items, item)
        if op != "eq" or kind != column.items.type:
            return None
        op = "has"
        schema = schema_of(column.items, nullable=False)
    elif kind == "array" and item is not None:
        if op != "eq" or item.type not in (form, "any"):
            return None
        op = "in"
        bare = column.model_copy(update={"description": ""})
        schema = {"type": "array", "items": schema_of(bare, nullable=False)}
    else:
        same = (kind == form and kind != "object") or (kind == "integer" and form == "number")
        same = same or (kind == "number" and form == "integer")
        if not same:
            return None
        if op == "icontains":
            schema = {"type": "string"}
        else:
            schema = schema_of(column, nullable=False)
            known = column.enum if column.enum is not None else without_every(shape.enum)
            values = [v for v in shape.enum if v in known]
            if values:
                schema["enum"] = values
            usual = shape.schema.get("default")
            if op == "eq" and isinstance(usual, str) and usual in values:
                return _by_default(argument, column, schema, usual)
            usual = chosen_unasked(argument.description)
            if op == "eq" and not shape.enum and column.enum and usual in column.enum:
                return _by_default(argument, column, schema, usual)
        for word in ("minimum", "maximum", "minLength", "maxLength"):
            if op != "eq":
                schema.pop(word, None)
    schema.pop("description", None)
    told = argument.description or column.description
    if told:
        schema["description"] = told
    return Use(argument, "match", schema, argument.required, column.name, op)


def _by_default(argument: Argument, column: Column, schema: JsonSchema, usual: str) -> Use | None:
    """The use of a filter that selects where nothing is passed, too."""
    choices = argument.shape.enum or _ALL.findall(argument.description)
    every = [v for v in choices if isinstance(v, str) and v.lower() in EVERY]
    known = [v for v in schema["enum"] if v not in every]
    if usual in every:
        schema = {**schema, "enum": known}
        return Use(argument, "match", {**schema, **described(argument)}, False, column.name)
    schema = {**schema, "enum": [*known, *every[:1]], "default": usual, **described(argument)}
    return Use(argument, "match", schema, False, column.name, every="".join(every[:1]))


def _inside(argument: Argument, column: Column, items: Column, item: Shape | None) -> Use | None:
    """`?tags=red,blue` of records whose tags have names: the use of names as a filter."""
    named = [p for p in items.properties if split(p.name) in (("name",), ("title",), ("label",))]
    if len(named) != 1 or item is None or item.type != named[0].type or item.enum:
        return None
    schema: JsonSchema = {"type": "array", "items": {"type": item.type}, **described(argument)}
    return Use(argument, "inside", schema, argument.required, column.name, part=named[0].name)


def _bounds(shape: Shape, column: Column) -> JsonSchema | None:
    """The schema of an argument that is an object of bounds, or that or a single value."""
    if column.type not in ("integer", "number"):
        return None
    ways = [shape_of(choice, shape.defs) for choice in shape.choices] or [shape]
    ranges = [w for w in ways if w.type == "object" and w.names() and set(w.names()) <= set(BOUNDS)]
    single = [w for w in ways if w.type in ("integer", "number")]
    if len(ranges) != 1 or len(single) + 1 != len(ways):
        return None
    bare: JsonSchema = {"type": column.type}
    made: JsonSchema = {
        "type": "object",
        "properties": dict.fromkeys(ranges[0].names(), bare),
        "additionalProperties": False,
    }
    return {"anyOf": [made, bare]} if single else made
