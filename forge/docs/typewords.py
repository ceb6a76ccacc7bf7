"""The type of a field in the words of people: "optional string[]", "integer array, required",
"number (default: 100, max: 200)", "字符串, 必填", "'file'|'directory'".

They are put into the words of `fields`, whose grammar says what they mean.
"""

import json
import re
from dataclasses import dataclass

from forge.docs.fields import type_of
from forge.docs.schema import kinds_of
from forge.docs.values import misfit
from forge.types.data import Json, JsonSchema

QUOTED = r"""(?:"[^"\n]{0,60}"|'[^'\n]{0,60}'|`[^`\n]{1,60}`)"""
SERIES = rf"{QUOTED}(?:(?:\s*(?:,|\||/|\bor\b|\band\b))+\s*{QUOTED})+"
_BARE = r"\[\]|\{\}|[\w+-][\w.+:-]{0,80}"
_DEFAULTS = r"\bdefaults?(?:\s+value)?(?:\s+is|\s+to|:|=)?\s*:?\s*"
_DEFAULT = re.compile(rf"{_DEFAULTS}({QUOTED}|{_BARE})", re.I)
_SURE = re.compile(rf"{_DEFAULTS}({QUOTED}|-?\d+(?:\.\d+)?|true|false|null)(?![\w-])", re.I)
_WORDS = r"(?:string|integer|int|number|float|boolean|bool|object|date|uuid|id)"
_TYPES = r"(?:string|integer|number|boolean|object)"
_SAME = (
    (re.compile(r"\[\]([A-Za-z]+)"), r"\1[]"),
    (re.compile(rf"\b({_WORDS})s\b", re.I), r"\1"),
    (re.compile(rf"\b({_WORDS})\s+values?\b", re.I), r"\1"),
    (re.compile(rf"\b({_WORDS})\s+(?:array|list)\b", re.I), r"list of \1"),
    (
        re.compile(r"\b(?:an? )?(?:array|list)s?\s*(?:of|<|\[)\s*([\w-]+)[>\]]?", re.I),
        r"list of \1",
    ),
    (
        re.compile(
            rf"\b(?!(?:of|or|optional|required|one|a|an|list)\b)[a-z]{{3,20}}\s+({_TYPES})\b", re.I
        ),
        r"\1",
    ),
    (re.compile(rf"^{SERIES}$"), lambda one: f"one of {_coded(one[0])}"),
    (re.compile(r"(?:must be |range )?(?:>=|≥)\s*"), "at least "),
    (re.compile(r"(?:must be )?(?:<=|≤)\s*"), "at most "),
    (re.compile(r"\b(max|min)(?:imum)?\s*:\s*", re.I), r"\1 "),
    (re.compile(r"\b(?:examples?|e\.g\.)\s*:?\s.*$", re.I | re.S), ""),
    (re.compile(r"[;，、()（）]"), ","),
    (re.compile(r"\b(optional|required|nullable|read-?only|mandatory)\b", re.I), r", \1, "),
)
"""What only says the same in other words, in the order in which it is replaced."""
_LISTS = ("array", "list")
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


@dataclass(frozen=True, slots=True)
class Spec:
    schema: JsonSchema
    """Empty where the words say no type."""
    marks: frozenset[str]
    """"required", "optional" and others."""
    unknown: tuple[str, ...]
    """The parts that mean nothing to forge."""

    @property
    def says(self) -> bool:
        """Whether the words say anything that is understood."""
        return bool(self.schema or self.marks)

    @property
    def is_whole(self) -> bool:
        """Whether all of them do."""
        return self.says and not self.unknown


def spec_of(text: str) -> Spec:
    """What the words mean."""
    text = text.strip().strip("*").rstrip(". ")
    if not text or len(text) > 300:
        return Spec({}, frozenset(), (text,) if text else ())
    default = _DEFAULT.search(text)
    if default:
        text = text[: default.start()] + text[default.end() :]
        text = re.sub(r"\{\{[^{}]*\}\}", "", text)
    for pattern, instead in _SAME:
        text = pattern.sub(instead, text)
    parts = [text] if text.startswith("one of") else text.split(",")
    schema: JsonSchema = {}
    marks: set[str] = set()
    unknown: list[str] = []
    for part in parts:
        word = part.strip().strip("`*").strip() if len(parts) > 1 else part.strip()
        word = _ALIASES.get(word.lower(), word)
        if word.lower() in _LISTS:
            schema = {**schema, "type": "array", "items": {}}
        elif word:
            said, noted, lost = type_of(word, ())
            marks |= noted
            unknown += lost
            is_mark = bool(noted) and " or " not in word
            schema = schema if is_mark or lost else {**schema, **said}
    if default and not unknown:
        value = value_in(default[1], schema)
        if not misfit(value, schema):
            schema = {**(schema or kind_of(value)), "default": value}
    return Spec(schema, frozenset(marks), tuple(unknown))


def default_in(about: str) -> str:
    """The default that a description says, where it is surely a value; empty where it says none."""
    found = _SURE.search(about)
    return found[1] if found else ""


def value_in(text: str, schema: JsonSchema) -> Json:
    """A value in running text: in quotes or code, or bare."""
    bare = text[1:-1] if text[:1] in "\"'`" and len(text) > 1 else text.rstrip(".,")
    if text[:1] in "\"'" or kinds_of(schema) == {"string"}:
        return bare.strip("\"'") if text[:1] == "`" else bare
    try:
        return json.loads(bare, parse_constant=str)
    except ValueError:
        return bare


def kind_of(value: Json) -> JsonSchema:
    if isinstance(value, bool):
        return {"type": "boolean"}
    if isinstance(value, int):
        return {"type": "integer"}
    if isinstance(value, float):
        return {"type": "number"}
    return {"type": "string"}


def _coded(text: str) -> str:
    return ", ".join(f"`{one[1:-1]}`" for one in re.findall(QUOTED, text) if one[1:-1])
