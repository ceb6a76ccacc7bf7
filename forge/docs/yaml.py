"""Text to JSON values: YAML 1.2 as API documents use it, and JSON.

PyYAML's own schema turns dates into date objects and `no` into false; here a plain scalar is null,
true, false, a decimal number, or the string that was written. A key is always the text of its
scalar (200 is "200"). No tag makes an object of any kind. Aliases are shared, not copied, and what
they would expand to is bounded. A broken text is a `UserError` with line and column.
"""

import json
import math
import re
from typing import Any

import yaml

from forge.docs.text import legible
from forge.errors import UserError
from forge.types.data import Json
from forge.types.doc import Skipped

GROWTH = 1_000_000
"""How many values aliases may add to what is written."""
DEPTH = 300

_PLAIN = "?"
"""The tag of a scalar that was written without quotes and without a tag."""


class _Resolver(yaml.resolver.BaseResolver):
    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        return _PLAIN if kind is yaml.ScalarNode and implicit[0] else ""


_Loader: Any
try:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    class _FastLoader(CParser, _Resolver):
        def __init__(self, stream: str) -> None:
            CParser.__init__(self, stream)
            _Resolver.__init__(self)

    _Loader = _FastLoader
except ImportError:  # PyYAML built without libyaml: slower, the same values

    class _PlainLoader(
        yaml.reader.Reader,
        yaml.scanner.Scanner,
        yaml.parser.Parser,
        yaml.composer.Composer,
        _Resolver,
    ):
        def __init__(self, stream: str) -> None:
            yaml.reader.Reader.__init__(self, stream)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)
            yaml.composer.Composer.__init__(self)
            _Resolver.__init__(self)

    _Loader = _PlainLoader

_NULL = re.compile(r"^(?:~|null|Null|NULL|)$")
_BOOL = re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$")
_INT = re.compile(r"^[-+]?(?:0|[1-9][0-9]{0,400})$")
_FLOAT = re.compile(r"^[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$")


def load(text: str, where: str, *, is_json: bool = False) -> tuple[Json, list[Skipped]]:
    """The value, and what was written twice. `where` is the file's name, for messages."""
    deep = UserError("is nested too deeply to read", where=where, mend="flatten it")
    try:
        value, twice = _load_json(text, where) if is_json else _load_yaml(text, where)
    except RecursionError:
        raise deep from None
    if _is_deeper(value, DEPTH):
        raise deep
    return value, twice


def _is_deeper(value: Json, limit: int) -> bool:
    """Whether lists and objects stand in each other more than `limit` deep. Aliases of YAML share
    what they name, so each is looked at once a level."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(limit + 1):
        inner = (
            part
            for each in level
            for part in (each.values() if isinstance(each, dict) else each)
            if isinstance(part, dict | list)
        )
        level = list({id(part): part for part in inner}.values())
        if not level:
            return False
    return True


def _load_json(text: str, where: str) -> tuple[Json, list[Skipped]]:
    twice: list[Skipped] = []

    def record(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        made = dict(pairs)
        if len(made) < len(pairs):
            keys = [key for key, _ in pairs]
            again = sorted({key for key in keys if keys.count(key) > 1})
            twice.extend(
                Skipped(where, f'key "{key}" is there twice; the last counts') for key in again
            )
        return made

    try:
        value = json.loads(
            text, object_pairs_hook=record, parse_float=_number, parse_constant=lambda name: name
        )
    except json.JSONDecodeError as error:
        place = f"{where}:{error.lineno}:{error.colno}"
        raise UserError(
            f"is not valid JSON: {error.msg}", where=place, mend="mend that line"
        ) from None
    except ValueError:
        raise UserError(
            "holds a number of too many digits", where=where, mend="shorten it"
        ) from None
    return (_legible(value) if "\\ud" in text.lower() else value), twice


def _number(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text


def _legible(value: Json) -> Json:
    if isinstance(value, str):
        return legible(value)
    if isinstance(value, list):
        return [_legible(item) for item in value]
    if isinstance(value, dict):
        return {legible(key): _legible(item) for key, item in value.items()}
    return value


def _load_yaml(text: str, where: str) -> tuple[Json, list[Skipped]]:
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{where}:{mark.line + 1}:{mark.column + 1}" if mark else where
        what = " ".join(part for part in (error.context, error.problem) if part)
        raise UserError(f"is not valid YAML: {what}", where=place, mend="mend that line") from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        place = f"{where}:{before.count(chr(10)) + 1}:{error.position - before.rfind(chr(10))}"
        raise UserError(
            "is not valid YAML: a character that may not be there", where=place, mend="remove it"
        ) from None
    if node is None:
        return None, []
    reader = _Reader(where)
    value = reader.value(node, 0)
    return value, reader.skipped


class _Reader:
    """Turns one document's nodes into values; a node that is aliased is turned once."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.skipped: list[Skipped] = []
        self.made: dict[int, tuple[Json, int]] = {}
        self.open: set[int] = set()
        self.growth = 0

    def at(self, node: yaml.Node) -> str:
        return f"{self.where}:{node.start_mark.line + 1}:{node.start_mark.column + 1}"

    def value(self, node: yaml.Node, depth: int) -> Json:
        return self.sized(node, depth)[0]

    def sized(self, node: yaml.Node, depth: int) -> tuple[Json, int]:
        """The value, and how many values it is when aliases are written out."""
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node), 1
        identity = id(node)
        if identity in self.made:
            self.growth += self.made[identity][1]
            if self.growth > GROWTH:
                raise UserError(
                    f"its aliases expand to more than {GROWTH:,} values",
                    where=self.at(node),
                    mend="write out what they stand for",
                )
            return self.made[identity]
        if identity in self.open:
            raise UserError(
                "an alias stands inside what it names", where=self.at(node), mend="use $ref"
            )
        if depth > DEPTH:
            raise UserError("is nested too deeply", where=self.at(node), mend="flatten it")
        self.open.add(identity)
        if isinstance(node, yaml.SequenceNode):
            items = [self.sized(item, depth + 1) for item in node.value]
            made: tuple[Json, int] = ([item for item, _ in items], 1 + sum(n for _, n in items))
        else:
            made = self.mapping(node, depth)  # there is no fourth kind
        self.open.discard(identity)
        self.made[identity] = made
        return made

    def mapping(self, node: yaml.Node, depth: int) -> tuple[dict[str, Json], int]:
        result: dict[str, Json] = {}
        merged: dict[str, Json] = {}
        size = 1
        for key_node, value_node in node.value:
            value, count = self.sized(value_node, depth + 1)
            size += count
            if not isinstance(key_node, yaml.ScalarNode):
                self.skipped.append(Skipped(self.at(key_node), "a key that is no text"))
                continue
            key = legible(key_node.value)
            if key == "<<" and key_node.tag == _PLAIN:
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, dict):
                        merged = part | merged
                continue
            if key in result:
                reason = f'key "{key}" is there twice; the last counts'
                self.skipped.append(Skipped(self.at(key_node), reason))
            result[key] = value
        return (merged | result if merged else result), size

    def scalar(self, node: yaml.ScalarNode) -> Json:
        text: str = node.value
        if node.tag != _PLAIN:
            return legible(text)
        if _NULL.match(text):
            return None
        if _BOOL.match(text):
            return text.lower() == "true"
        if _INT.match(text):
            return int(text)
        if _FLOAT.match(text):
            return _number(text)
        return legible(text)
