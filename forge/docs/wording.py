"""A parameter as people describe it: its name, its type in their words, whether it must be there.

    - `q` - Filters results. Default is `100`        - **due**: Use YYYY-MM-DD (string, optional)
    - `head` (optional number): First N lines        tags
    - **tags** ([]string, optional)                  :   string, optional, default value: ""

A bullet may hold the fields of an object below it. What is said of no type is guessed from the
words, and `typed` is False.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from forge.docs.blocks import Block, Code, Definitions, Item, Items, Paragraph, Table
from forge.docs.drafts import Told
from forge.docs.examples import examples_in
from forge.docs.fields import Field, plain, type_of
from forge.docs.labels import is_required
from forge.docs.schema import fitted, kinds_of
from forge.docs.text import line
from forge.docs.typewords import QUOTED, SERIES, default_in, kind_of, spec_of, value_in
from forge.docs.values import misfit
from forge.types.data import Json, JsonSchema

_NAMED = re.compile(r"^(\*\*`?|`|\*)?([\w$@][\w.$@\[\]-]{0,80})(=[^\s*`]*)?(`?\*\*|`|\*)?(?=\W|$)")
_PARENS = re.compile(r"^\s*\*?[(（]([^()（）]{0,200}(?:\([^()]{0,80}\)[^()（）]{0,80})?)[)）]\*?")
_BEFORE = re.compile(r"^\s*([^:：–—\n-]{1,80}?)\s*(?=[:：–—-]\s)")
_TRAILING = re.compile(r"[(（]([^()（）]{1,100})[)）]\s*\.?$")
_STARTS = re.compile(r"^\s*(?:[:：–—|-]+\s*)+")
_COLUMNS = {
    "name": "name field parameter param argument property attribute key option variable 参数 参数名"
    " 名称 字段 パラメータ 名前",
    "type": "type schema format 类型 型",
    "required": "required mandatory optional? required? 必填 必选 是否必填 是否必须 必須",
    "default": "default 默认值 デフォルト",
    "place": "in location 位置",
    "about": "description meaning notes note details explanation 说明 描述 含义 説明",
}
_KNOWN = {word: column for column, words in _COLUMNS.items() for word in words.split()}
_YES = ("yes", "true", "required", "y", "✓", "✔", "x", "是", "必填", "必須", "○", "mandatory")
_CHOICE = re.compile(
    r"(?:\b(?:one of|values?|choices|options|either|by|direction)\b[^.:;'\"`]{0,60}[:(]?\s*"
    r"|\(\s*|^)"
    rf"({SERIES})",
    re.I,
)
_NOT_ALL = re.compile(r"\b(?:e\.?g|example|such as|like|for instance|accepts)\b|例如", re.I)
_BOUNDS = re.compile(r"\b(min|max)imum:\s*(-?\d{1,15})\b", re.I)
_NONE = re.compile(r"^[*`(]*(?:none|nothing|n/a|无|なし)[*`)]*\.?$", re.I)
_FREE = re.compile(r"optional\b|可选|任意", re.I)
_WORDS_OF = (
    ("integer", re.compile(r"^(limit|offset|page|per_?page|page_?size|count|size|max_results)$")),
    ("integer", re.compile(r"^(seconds|minutes|hours|days)$")),
    ("date-time", re.compile(r"(_at|_since|_after|_before|_until)$")),
    ("boolean", re.compile(r"^(is|has|include|with)_")),
)


def told_in(block: Block, label: str = "") -> tuple[list[Told], list[tuple[int, str]]]:
    """The fields that a list, a table or a definition list describes, and what in it was not
    understood. `label` is what it stands under: "Optional inputs"."""
    said: list[Told] = []
    lost: list[tuple[int, str]] = []
    if isinstance(block, Items | Definitions):
        for item in block.items:
            if _NONE.match(item.text) and not item.blocks:
                continue
            one = told_of(item, is_term=isinstance(block, Definitions))
            if one is None:
                lost.append((item.line, f'names no field: "{line(item.text, 60)}"'))
            else:
                said.append(one)
    elif isinstance(block, Table):
        said, lost = _in_table(block)
    required = is_required(label)
    if required is not None:
        said = [
            replace(one, field=replace(one.field, required=required), optional=not required)
            for one in said
        ]
    return said, lost


def told_of(item: Item, *, is_term: bool = False) -> Told | None:
    """The field that a bullet or a definition describes; None where it names none."""
    found = _NAMED.match(item.text)
    if found is None:
        return None
    name, rest = found[2].rstrip("."), item.text[found.end() :]
    marked = bool(found[1] and found[4])
    if not marked and not (not rest.strip() or _STARTS.match(rest) or _PARENS.match(rest)):
        return None
    if not marked and is_term and _STARTS.match(rest):
        return None
    kind, about = "", rest
    if (inside := _PARENS.match(rest)) and spec_of(inside[1]).says:
        kind, about = inside[1], rest[inside.end() :]
    elif (before := _BEFORE.match(rest)) and spec_of(before[1]).is_whole:
        kind, about = before[1], rest[before.end() :]
    about = _STARTS.sub("", about).strip()
    texts = [about] if about else []
    inner: list[Told] = []
    examples: list[Json] = []
    for block in item.blocks:
        if isinstance(block, Paragraph):
            texts.append(block.text)
        elif isinstance(block, Code):
            examples += examples_in(block.text)
        else:
            inner += nested_in(block)
    if not kind and texts and spec_of(texts[0]).is_whole:
        kind = texts.pop(0)
    about = "\n\n".join(texts)
    if not kind and (last := _TRAILING.search(about)) and spec_of(last[1]).says:
        kind, about = last[1], about[: last.start()].rstrip()
    return _told(name, kind, about, item.line, inner, examples)


def nested_in(block: Block) -> list[Told]:
    """The fields that stand below a field: at once, or below a line "Each object contains:"."""
    if isinstance(block, Items) and len(block.items) == 1:
        [only] = block.items
        if only.text.rstrip().endswith(":") and only.blocks:
            return [one for below in only.blocks for one in nested_in(below)]
    if isinstance(block, Items | Table | Definitions):
        return told_in(block)[0]
    return []


def _in_table(table: Table) -> tuple[list[Told], list[tuple[int, str]]]:
    head = [cell.lower().strip("*` ") for cell in table.rows[0].cells]
    columns = [next((_KNOWN[w] for w in (one, *one.split()) if w in _KNOWN), "") for one in head]
    if "name" not in columns:
        return [], [(table.line, "a table without a column for the name of a parameter")]
    said: list[Told] = []
    lost: list[tuple[int, str]] = []
    for row in table.rows[1:]:
        cells = {c: cell for c, cell in zip(columns, row.cells, strict=False) if c and cell}
        found = _NAMED.match(cells.get("name", ""))
        if found is None:
            lost.append((row.line, f'names no field: "{line(" ".join(row.cells), 60)}"'))
            continue
        kind = cells.get("type", "")
        marks = cells["name"][found.end() :].strip(" *()")
        if spec_of(marks).is_whole:
            kind = f"{kind}, {marks}"
        if cells.get("required", "").lower().strip("*` ") in _YES:
            kind += ", required"
        if (default := cells.get("default", "").strip("`")) not in ("", "-", "–", "—"):
            kind += f", default `{default}`"
        one = _told(found[2], kind, cells.get("about", ""), row.line, [], [])
        said.append(replace(one, place=cells.get("place", "").lower().strip("*` ")))
    return said, lost


# ------------------------------------------------------------------------- types


def _told(
    name: str, kind: str, about: str, at: int, inner: Sequence[Told], examples: Sequence[Json]
) -> Told:
    spec = spec_of(kind)
    schema, typed = spec.schema, "type" in spec.schema
    about = plain(" ".join((about, *(f"({each})" for each in spec.unknown))) if about else "")
    if name.endswith("[]"):
        name, schema, typed = name[:-2], {"type": "array", "items": schema or {}}, True
    if inner:
        schema, typed = _holding(schema, inner), True
    if not typed:
        schema = _guessed(name, about)
    is_text = schema.get("type") == "string" and "enum" not in schema
    if is_text and (values := _choices(about)):
        schema["enum"] = values
    for end, number in (
        _BOUNDS.findall(about) if schema.get("type") in ("integer", "number") else ()
    ):
        schema.setdefault("minimum" if end.lower() == "min" else "maximum", int(number))
    if "default" not in schema and (found := default_in(about)):
        value = value_in(found, schema)
        if not misfit(value, schema) and (typed or not isinstance(value, str)):
            schema = schema if typed else {**schema, **kind_of(value)}
            schema = {**schema, "default": fitted(value, schema)}
    if about:
        schema["description"] = about
    shown = [one[name] for one in examples if isinstance(one, dict) and name in one]
    if fit := [value for value in shown if not misfit(fitted(value, schema), schema)][:3]:
        schema["examples"] = [fitted(value, schema) for value in fit]
    optional = "optional" in spec.marks or bool(_FREE.match(about))
    return Told(Field(name, schema, "required" in spec.marks), "", at, typed, optional)


def _holding(schema: JsonSchema, inner: Sequence[Told]) -> JsonSchema:
    """An object with these fields, or a list of them."""
    held: JsonSchema = {
        "type": "object",
        "properties": {one.field.name: one.field.schema for one in inner},
    }
    if required := [one.field.name for one in inner if one.field.required]:
        held["required"] = required
    if "array" in kinds_of(schema):
        return {**schema, "items": held}
    return {**schema, **held}


def _choices(about: str) -> list[str]:
    """The values that a text says a field may have."""
    found = _CHOICE.search(about)
    if found is None or _NOT_ALL.search(about[: found.start(1)][-40:]):
        return []
    values = [one[1:-1] for one in re.findall(QUOTED, found[1])]
    if any(not value or re.search(r"[{}=<>]", value) for value in values):
        return []
    return list(dict.fromkeys(values))


def _guessed(name: str, about: str) -> JsonSchema:
    """The type of a field that none is said of, from its name and the words."""
    low = about.lower()
    if re.search(r"iso[ -]?8601|rfc[ -]?3339", low):
        return {"type": "string", "format": "date-time"}
    if re.search(r"\bunix (?:time)?stamp", low):
        return {"type": "integer"}
    for kind, form in _WORDS_OF:
        if form.search(name.lower()):
            return type_of(kind, ())[0]
    if re.match(r"(whether|if true|set to true|true if)\b", low):
        return {"type": "boolean"}
    return {"type": "string"}
