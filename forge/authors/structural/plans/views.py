"""What an answer shows of a record, and what else its envelope holds.

Always holds: a view only has columns of its table; what the document says is always in the answer
and no column can give makes the operation `Unclear`, never an answer that does not fit.
"""

from dataclasses import dataclass

from forge.authors.structural.model.columns import schema_of
from forge.authors.structural.model.entities import is_mixed
from forge.authors.structural.model.hrefs import is_link, may_be_left_out, tells_enough
from forge.authors.structural.model.model import Model
from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.reading.reading import plain
from forge.authors.structural.shapes import Shape
from forge.types.data import JsonSchema, Path


class Unclear(Exception):
    """The rules cannot see what an operation does; the message says what is missing."""


@dataclass(frozen=True)
class Embed:
    """A reference shown as an object: these columns of the record that it refers to. Where it may
    be of several tables, the table is "", and all that is shown is the value itself as `key`."""

    table: str
    key: str
    columns: tuple[str, ...]
    many: bool


@dataclass(frozen=True)
class View:
    """The columns shown, each under its own name."""

    table: str
    columns: tuple[str, ...]
    embeds: tuple[tuple[str, Embed], ...]
    nulls: frozenset[str]
    """Columns shown even where they are null."""
    whole: bool
    """The record as it is stored."""
    bare: bool = False
    """Of its one column, the value alone."""

    def shows(self) -> dict[str, Path] | None:
        """As `Effect.shows` has it."""
        if self.whole:
            return None
        if self.bare:
            return {self.columns[0]: ()}
        found: dict[str, Path] = {}
        embeds = dict(self.embeds)
        for name in self.columns:
            embed = embeds.get(name)
            if embed is None or embed.many:
                found[name] = (name,)
            else:
                found[name] = (name, embed.key)
        return {name: path for name, path in found.items() if not _many(embeds.get(name))}


def _many(embed: Embed | None) -> bool:
    return embed is not None and embed.many


def whole_view(sheet: Sheet) -> View:
    """All that may be seen of a record."""
    names = tuple(c.name for c in sheet.table.columns if c.name not in sheet.hidden)
    everything = len(names) == len(sheet.table.columns)
    nulls = frozenset(c.name for c in sheet.table.columns if c.nullable)
    return View(sheet.name, names, (), nulls, everything)


def view_of(model: Model, sheet: Sheet, shape: Shape) -> View:
    if is_mixed(shape, model.entities.names):
        raise Unclear("its answer may be a record of one of several kinds")
    needed = shape.required()
    columns: list[str] = []
    embeds: dict[str, Embed] = {}
    nulls: set[str] = set()
    lost: list[str] = []
    for name in shape.names():
        column = sheet.column(name)
        prop = shape.property(name)
        if prop.write_only:
            continue
        if column is None or name in sheet.hidden:
            if name in needed and not prop.deprecated:
                lost.append(name)
            continue
        embed = _embed(model, prop, column.references, False)
        inner = sheet.inside.get(name) if prop.type == "object" else None
        if inner is not None:
            embed = Embed("", inner, (inner,), False)
        if embed is None and column.items is not None:
            item = prop.items()
            embed = _embed(model, item, column.items.references, True) if item else None
        if embed is not None:
            embeds[name] = embed
        columns.append(name)
        if prop.nullable:
            nulls.add(name)
    if not columns:
        raise Unclear("its answer shows nothing of the record")
    _check_lost(sheet, shape, lost, set(columns))
    stored = {c.name: c for c in sheet.table.columns}
    whole = (
        set(columns) == set(stored)
        and not embeds
        and all(name in nulls for name, c in stored.items() if c.nullable)
    )
    return View(sheet.name, tuple(columns), tuple(embeds.items()), frozenset(nulls), whole)


def _check_lost(sheet: Sheet, shape: Shape, lost: list[str], shown: set[str]) -> None:
    """What an answer always holds and no column keeps may be missing only where the rest still
    tells which record it is, and most of what is said of it."""
    for name in lost:
        if not may_be_left_out(name, shape.property(name)):
            raise Unclear(f"its answer always holds {name}, which no column can keep")
    told = sheet.key is None or bool(shown & {*sheet.table.key[-1:], sheet.table.label})
    if lost and not (told and tells_enough(shape, shown)):
        raise Unclear(f"too little of its answer can be shown: not {', '.join(lost[:3])}")


def _embed(model: Model, shape: Shape, table: str | None, many: bool) -> Embed | None:
    """How a reference is shown, if as an object; None where as the key alone."""
    if table is None or shape.type != "object":
        return None
    target = model.of_table(table)
    key = target.table.key[0]
    columns = []
    for name in shape.names():
        column = target.column(name)
        if column is None or name in target.hidden:
            continue
        inner = shape.property(name).type
        deep = column.references is not None or (column.items and column.items.references)
        if not (deep and inner in ("object", "array")):
            columns.append(name)
    lost = shape.required() - set(columns)
    if key not in columns or not all(may_be_left_out(n, shape.property(n)) for n in lost):
        return None
    return Embed(table, key, tuple(columns), many)


def returns_of(model: Model, view: View) -> JsonSchema:
    """The JSON Schema of what a view shows."""
    sheet = model.of_table(view.table)
    if view.bare:
        alone = sheet.column(view.columns[0])
        assert alone is not None
        return schema_of(alone, nullable=False)
    embeds = dict(view.embeds)
    properties: JsonSchema = {}
    needed = []
    for name in view.columns:
        column = sheet.column(name)
        assert column is not None
        embed = embeds.get(name)
        if embed is None:
            properties[name] = schema_of(column, nullable=name in view.nulls)
        else:
            inner = _inner_schemas(model, embed)
            shown: JsonSchema = {"type": "object", "properties": inner, "required": [embed.key]}
            if embed.many:
                shown = {"type": "array", "items": shown}
            elif name in view.nulls:
                shown = {"anyOf": [shown, {"type": "null"}]}
            if column.description:
                shown = {**shown, "description": column.description}
            properties[name] = shown
        if column.required or column.generated in ("id", "time", "counter"):
            needed.append(name)
    made: JsonSchema = {"type": "object", "properties": properties}
    if needed:
        made["required"] = needed
    return made


def _inner_schemas(model: Model, embed: Embed) -> JsonSchema:
    if not embed.table:
        return {embed.key: {"type": "string"}}
    target = model.of_table(embed.table)
    return {
        n: schema_of(c, nullable=True) for n in embed.columns if (c := target.column(n)) is not None
    }


# ----------------------------------------------------------------- envelopes

Envelope = tuple[tuple[str, "str | Envelope"], ...]
"""Property -> what it is: "record", one of the counts and cursors below, a constant written as
"=list", or an inner envelope."""

_TOTALS = frozenset(
    ["total", "count", "totalcount", "itemcount", "totalitems", "totalresults", "totalelements"]
)
_PAGES = frozenset(["pages", "totalpages", "pagecount", "numpages", "lastpage"])
_EXTRAS = {
    "page": "page",
    "currentpage": "page",
    "pagenumber": "page",
    "perpage": "limit",
    "limit": "limit",
    "pagesize": "limit",
    "size": "limit",
    "offset": "offset",
    "nextcursor": "next",
    "cursor": "next",
    "next": "next",
    "nextpagetoken": "next",
    "hasmore": "more",
    "hasnext": "more",
    "hasnextpage": "more",
    "success": "true",
    "ok": "true",
}


def envelope_of(whole: Shape | None, path: Path, kinds: frozenset[str]) -> Envelope:
    """What surrounds the records of an answer; `kinds` are the extras that can be told."""
    if whole is None or not path:
        return ()
    needed = whole.required()
    found: list[tuple[str, str | Envelope]] = []
    for name in whole.names():
        if name == path[0]:
            inner = envelope_of(whole.property(name), path[1:], kinds)
            found.append((name, inner or "record"))
            continue
        prop = whole.property(name)
        extra = _extra(prop, name, kinds)
        if extra is None and prop.type == "string" and len(prop.enum) == 1:
            extra = f"={prop.enum[0]}"
        if extra is not None:
            found.append((name, extra))
        elif name in needed and not is_link(name, prop):
            raise Unclear(f"its answer always holds {name}, and nothing shows what that is")
    return tuple(found)


def _extra(shape: Shape, name: str, kinds: frozenset[str]) -> "str | Envelope | None":
    word = plain(name)
    kind: str | None = None
    if shape.type in ("integer", "number"):
        if word in _TOTALS:
            kind = "total"
        elif word in _PAGES:
            kind = "pages"
        elif _EXTRAS.get(word) in ("page", "limit", "offset"):
            kind = _EXTRAS[word]
    elif shape.type == "boolean":
        kind = _EXTRAS.get(word) if _EXTRAS.get(word) in ("more", "true") else None
    elif shape.type in ("string", "null", "any") and _EXTRAS.get(word) == "next":
        kind = "next"
    elif shape.type == "object" and word in ("pagination", "paging", "meta", "page"):
        inner = tuple(
            (n, extra)
            for n in shape.names()
            if (extra := _extra(shape.property(n), n, kinds)) is not None
        )
        return inner if inner and not shape.required() - {n for n, _ in inner} else None
    if kind == "true" or kind in kinds:
        return kind
    return None
