"""A parameter as people describe it: its name, its type in their words, whether it must be there.

    - `q` - Filters results. Default is `100`        - **due**: Use YYYY-MM-DD (string, optional)
    - `head` (optional number): First N lines        tags
    - **tags** ([]string, optional)                  :   string, optional, default value: ""

A bullet may hold the fields of an object below it. What is said of no type is guessed from the
words, and `typed` is False.
"""

import json
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
from forge.docs.values import misfit
from forge.types.data import Json, JsonSchema

_NAMED = re.compile(r"^(\*\*`?|`|\*)?([\w$@][\w.$@\[\]-]{0,80})(=[^\s*`]*)?(`?\*\*|`|\*)?(?=\W|$)")
_PARENS = re.compile(r"^\s*[(（]([^()（）]{0,200}(?:\([^()]{0,80}\)[^()（）]{0,80})?)[)）]")
_BEFORE = re.compile(r"^\s*([^:：–—\n-]{1,80}?)\s*(?=[:：–—-]\s)")
_TRAILING = re.compile(r"[(（]([^()（）]{1,100})[)）]\s*\.?$")
_STARTS = re.compile(r"^\s*(?:[:：–—|-]+\s*)+")
_COLUMNS = {
    "name": "name field parameter param argument property attribute key option variable 参数 参数名"
    " 名称 字段 パラメータ 名前",
    "type": "type format 类型 型",
    "required": "required mandatory optional? required? 必填 必选 是否必填 是否必须 必須",
    "default": "default 默认值 デフォルト",
    "place": "in location 位置",
    "about": "description meaning notes note details explanation 说明 描述 含义 説明",
}
_KNOWN = {word: column for column, words in _COLUMNS.items() for word in words.split()}
_YES = ("yes", "true", "required", "y", "✓", "✔", "x", "是", "必填", "必須", "○", "mandatory")
_VALUE = r"""("[^"\n]{0,80}"|'[^'\n]{0,80}'|`[^`\n]{1,80}`|\[\]|\{\}|[\w+-][\w.+:-]{0,80})"""
_DEFAULT = re.compile(rf"\b(?:defaults?)(?:\s+value)?(?:\s+is|\s+to|:|=)?\s*:?\s*{_VALUE}", re.I)
_PLURALS = re.compile(r"\b(string|integer|number|object|boolean|date|id|uuid)s\b", re.I)
_VALUES = re.compile(r"\b(string|integer|number|boolean)\s+values?\b", re.I)
_LIST_OF = re.compile(r"\b(?:an? )?(?:arrays?|lists?)\s*(?:of|<|\[)\s*([\w-]+)[>\]]?", re.I)
_TOLD_APART = re.compile(r"\b(optional|required|nullable|read-?only|mandatory)\b", re.I)
_Q = r"""(?:"[^"\n]{0,60}"|'[^'\n]{0,60}'|`[^`\n]{1,60}`)"""
_SERIES = rf"{_Q}(?:\s*(?:,|\||/|\bor\b|\band\b)+\s*{_Q})+"
_CHOICE = re.compile(
    r"(?:\b(?:one of|values?|choices|options|either|by|direction)\b[^.:;'\"`]{0,60}[:(]?\s*"
    r"|\(\s*|^)"
    rf"({_SERIES})",
    re.I,
)
_NOT_ALL = re.compile(r"\b(?:e\.?g|example|such as|like|for instance|accepts)\b|例如", re.I)
_BREAKS = re.compile(r"[;，、()（）]")
_FREE = re.compile(r"optional\b|可选|任意", re.I)
_BARE = {"array": {"type": "array", "items": {}}, "list": {"type": "array", "items": {}}}
_ALIASES = {
    "dict": "object",
    "dictionary": "object",
    "map": "object",
    "hash": "object",
    "json": "object",
    "double": "number",
    "long": "integer",
    "char": "string",
    "timestamp": "date-time",
    "字符串": "string",
    "整数": "integer",
    "数字": "number",
    "布尔": "boolean",
    "布尔值": "boolean",
    "数组": "array",
    "对象": "object",
    "文字列": "string",
    "数値": "number",
    "真偽値": "boolean",
    "必填": "required",
    "可选": "optional",
    "必須": "required",
    "任意": "optional",
}
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
    if (inside := _PARENS.match(rest)) and _is_type(inside[1]):
        kind, about = inside[1], rest[inside.end() :]
    elif (before := _BEFORE.match(rest)) and _is_type(before[1]):
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
    if not kind and texts and _is_type(texts[0]):
        kind = texts.pop(0)
    about = "\n\n".join(texts)
    if not kind and (last := _TRAILING.search(about)) and _is_type(last[1]):
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
        if _is_type(marks) and marks:
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
    schema, marks, _ = spec_of(kind)
    typed = bool(schema)
    about = plain(about)
    if name.endswith("[]"):
        name, schema, typed = name[:-2], {"type": "array", "items": schema or {}}, True
    if inner:
        schema, typed = _holding(schema, inner), True
    if not typed:
        schema = _guessed(name, about)
    is_text = schema.get("type") == "string" and "enum" not in schema
    if is_text and (values := _choices(about)):
        schema["enum"] = values
    if "default" not in schema and (found := _DEFAULT.search(about)):
        value = _value(found[1], schema)
        if not misfit(value, schema) and (typed or not isinstance(value, str)):
            schema = {**_kind_of(value), **schema} if not typed else schema
            schema["default"] = fitted(value, schema)
    if about:
        schema["description"] = about
    shown = [one[name] for one in examples if isinstance(one, dict) and name in one]
    if fit := [value for value in shown if not misfit(fitted(value, schema), schema)][:3]:
        schema["examples"] = [fitted(value, schema) for value in fit]
    optional = "optional" in marks or bool(_FREE.match(about))
    return Told(Field(name, schema, "required" in marks), "", at, typed, optional)


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


def _is_type(text: str) -> bool:
    _, _, known = spec_of(text)
    return known and bool(text.strip())


def spec_of(text: str) -> tuple[JsonSchema, set[str], bool]:
    """What the words of a type mean: a schema (empty where they say none), the marks ("required",
    "optional" and others), and whether each word was understood."""
    text = text.strip().strip("*").rstrip(". ")
    if len(text) > 300:
        return {}, set(), False
    default = _DEFAULT.search(text)
    if default:
        text = text[: default.start()] + text[default.end() :]
        text = re.sub(r"\{\{[^{}]*\}\}", "", text)
    text = re.sub(r"\[\]([A-Za-z]+)", r"\1[]", text)
    text = _LIST_OF.sub(r"list of \1", _VALUES.sub(r"\1", _PLURALS.sub(r"\1", text)))
    text = re.sub(rf"^{_SERIES}$", lambda one: f"one of {_coded(one[0])}", text)
    text = re.sub(r"(?:must be |range )?>=\s*", "at least ", text)
    text = re.sub(r"(?:must be )?<=\s*", "at most ", text)
    text = re.sub(r"\b(max|min)(?:imum)?\s*:\s*", r"\1 ", text, flags=re.I)
    text = _TOLD_APART.sub(r", \1, ", _BREAKS.sub(",", text))
    parts = [one.strip().strip("`*").strip() for one in text.split(",")]
    bare = next((one.lower() for one in parts if _ALIASES.get(one, one).lower() in _BARE), "")
    parts = [_ALIASES.get(one.lower(), one) for one in parts if one.lower() != bare or not bare]
    rest = ", ".join(parts) if "one of" not in text else text
    schema, marks, unknown = type_of(rest, ())
    said = bool(re.search(r"\w", rest.replace("optional", "").replace("required", "")))
    if bare:
        schema = {**schema, "type": "array", "items": {}}
    elif not said or (unknown and schema == {"type": "string"}):
        schema = {}
    if default and not unknown:
        value = _value(default[1], schema)
        if not misfit(value, schema):
            schema = {**(schema or _kind_of(value)), "default": value}
    return schema, marks, not unknown


def _coded(text: str) -> str:
    return ", ".join(f"`{one[1:-1]}`" for one in re.findall(_Q, text) if one[1:-1])


def _value(text: str, schema: JsonSchema) -> Json:
    """A value in running text: in quotes or code, or bare."""
    bare = text[1:-1] if text[:1] in "\"'`" and len(text) > 1 else text.rstrip(".,")
    if text[:1] in "\"'" or kinds_of(schema) == {"string"}:
        return bare.strip("\"'") if text[:1] == "`" else bare
    try:
        return json.loads(bare, parse_constant=str)
    except ValueError:
        return bare


def _kind_of(value: Json) -> JsonSchema:
    if isinstance(value, bool):
        return {"type": "boolean"}
    if isinstance(value, int):
        return {"type": "integer"}
    if isinstance(value, float):
        return {"type": "number"}
    return {"type": "string"}


def _choices(about: str) -> list[str]:
    """The values that a text says a field may have."""
    found = _CHOICE.search(about)
    if found is None or _NOT_ALL.search(about[: found.start(1)][-40:]):
        return []
    values = [one[1:-1] for one in re.findall(_Q, found[1])]
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
