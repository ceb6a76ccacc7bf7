"""Schemas of tool lists, as loosely as they are written in the field, made JSON Schema.

Types have the names of this or that language (`dict`, `float`, `tuple`, `ArrayList`), are missing,
or are none; `required` stands among the properties or in one of them; a default is null where null
is no value; the choices stand in the description. What is only another word for the same is
translated in silence; what was guessed is reported. What comes out is for `normal`.
"""

import json
import re
from collections.abc import Callable

from forge.docs.refs import escape
from forge.docs.text import line
from forge.types.data import Json, JsonSchema

_WORDS = {
    "object": "object dict hashmap map record struct mapping",
    "array": "array list tuple set arraylist",
    "string": "string str text char",
    "number": "number float double decimal",
    "integer": "integer int long short byte",
    "boolean": "boolean bool",
    "null": "null none nil nonetype",
}
_TYPES = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_ANYTHING = ("any", "")
_NO_DEFAULT = (None, "None", "null")
"""How "there is no default" is written."""
_CHOICES = re.compile(r"\s*\[Enum\]\s*:\s*(\[[^\[\]]*\])", re.IGNORECASE)
_MARKS = re.compile(r"^\s*\[(?:optional|required)\]\s*", re.IGNORECASE)
_SCHEMAS = ("items", "additionalProperties", "not", "contains", "propertyNames")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_MAPS = ("properties", "$defs", "definitions", "patternProperties")


class Loose:
    """Mends the schemas of one tool; `tell(where, what)` reports what was guessed."""

    def __init__(self, tell: Callable[[str, str], None]) -> None:
        self.tell = tell

    def mended(self, raw: Json, where: str) -> JsonSchema:
        """One schema and all in it. What is no schema at all allows anything."""
        if isinstance(raw, bool):
            return {} if raw else {"not": {}}
        if not isinstance(raw, dict):
            self.tell(where, "is no schema; taken as anything")
            return {}
        out = dict(raw)
        self._type(out, where)
        self._described(out)
        for keyword in _MAPS:
            if isinstance(raw.get(keyword), dict):
                at = f"{where}/{keyword}"
                out[keyword] = {
                    name: self.mended(value, f"{at}/{escape(name)}")
                    for name, value in raw[keyword].items()
                    if not (keyword == "properties" and _is_misplaced(name, value))
                }
        self._required(out, raw, where)
        for keyword in _SCHEMAS:
            if isinstance(raw.get(keyword), dict):
                out[keyword] = self.mended(raw[keyword], f"{where}/{keyword}")
        for keyword in _LISTS:
            if isinstance(raw.get(keyword), list):
                out[keyword] = [
                    self.mended(part, f"{where}/{keyword}/{place}")
                    for place, part in enumerate(raw[keyword])
                ]
        if out.get("type") == "array" and "items" not in out and "prefixItems" not in out:
            self.tell(where, "has no `items`; taken as a list of anything")
            out["items"] = {}
        if out.get("default", "") in _NO_DEFAULT and "enum" not in out:
            del out["default"]
        return out

    def _type(self, out: JsonSchema, where: str) -> None:
        kind = out.pop("type", None)
        names = kind if isinstance(kind, list) else [] if kind is None else [kind]
        known = []
        for name in names:
            word = name.strip().lower() if isinstance(name, str) else ""
            if word in _TYPES:
                known.append(_TYPES[word])
            elif not (isinstance(name, str) and word in _ANYTHING):
                self.tell(where, f"has no known type ({line(json.dumps(name), 40)}); taken as any")
                known = []
                break
        known = list(dict.fromkeys(known))
        if known:
            out["type"] = known[0] if len(known) == 1 else known
        if known == ["null"] and "properties" in out:
            out["type"] = "object"

    def _described(self, out: JsonSchema) -> None:
        """The choices that a description ends in become an enum."""
        text = out.get("description")
        if not isinstance(text, str):
            return
        found = _CHOICES.search(text)
        if found and "enum" not in out and out.get("type") == "string":
            try:
                values = json.loads(found[1])
            except ValueError:
                return
            if values and all(isinstance(value, str) for value in values):
                out["enum"] = values
                text = (text[: found.start()] + text[found.end() :]).strip()
        out["description"] = _MARKS.sub("", text)

    def _required(self, out: JsonSchema, raw: JsonSchema, where: str) -> None:
        """The required properties, wherever that is written."""
        properties = raw.get("properties")
        if not isinstance(properties, dict):
            return
        own = raw.get("required")
        names = [name for name in own if isinstance(name, str)] if isinstance(own, list) else []
        if _is_misplaced("required", properties.get("required")):
            self.tell(where, "has `required` among its properties; taken as theirs")
            names += properties["required"]
        for name, value in properties.items():
            if isinstance(value, dict) and value.get("required") is True:
                names.append(name)
        names = list(dict.fromkeys(names))
        if names:
            out["required"] = names
        else:
            out.pop("required", None)


def _is_misplaced(name: str, value: Json) -> bool:
    """Whether a "property" is the list of those that are required."""
    return (
        name == "required"
        and isinstance(value, list)
        and all(isinstance(one, str) for one in value)
    )
