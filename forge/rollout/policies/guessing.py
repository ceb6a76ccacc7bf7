"""Calls at random, as good as guessing can be: values from the question, from enums, and from what
the tools have shown, preferably under the name of the argument.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from forge.rollout import sayings
from forge.types.data import Json, JsonSchema
from forge.types.environment import Tool

OPTIONAL_SHARE = 0.25
"""How often an argument that may be left out is passed."""
MOST_SHOWN = 400
"""Values of one result that are looked at."""
MOST_NESTED = 4
_PHRASE = re.compile(
    r'"([^"]+)"|((?:[A-Z][\w&\'-]*)(?: (?:[A-Z&][\w&\'-]*|of|the|and))+)|([\w.@+-]+)'
)

_BESIDE_HAN = re.compile(r"(?<=[一-鿿])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[一-鿿])")
"""Where a name stands in Chinese, without a space."""
_QUOTED = re.compile(r"[“「《]([^”」》]+)[”」》]")


@dataclass(frozen=True, slots=True)
class Shown:
    """The single values in a question or in a result, and under which names they stood."""

    texts: tuple[str, ...]
    numbers: tuple[int | float, ...]
    named: Mapping[str, tuple[Json, ...]]


@dataclass(slots=True)
class Pool:
    """What a guesser has to choose from; grows as it sees more."""

    shown: list[Shown] = field(default_factory=list)

    def texts(self, rng: random.Random) -> Sequence[str]:
        return _pick(rng, [each.texts for each in self.shown if each.texts])

    def numbers(self, rng: random.Random) -> Sequence[int | float]:
        return _pick(rng, [each.numbers for each in self.shown if each.numbers])

    def named(self, name: str, rng: random.Random) -> Sequence[Json]:
        names = (name, "id") if name.endswith(("id", "gid", "key")) else (name,)
        found = [each.named[n] for each in self.shown for n in names if n in each.named]
        return _pick(rng, found)


def _pick(rng: random.Random, lists: Sequence[Sequence[Json]]) -> Sequence[Json]:
    return rng.choice(lists) if lists else ()


def in_question(question: str, now: str) -> Shown:
    """The words, the phrases, the numbers and the dates of a question."""
    spaced = _BESIDE_HAN.sub(" ", question)
    texts = [text for match in _PHRASE.findall(spaced) for text in match if text]
    texts += _QUOTED.findall(question)
    year = int(now[:4])
    days = [day for days in sayings.dates(question) for day in days]
    texts += [f"{given or year:04}-{month:02}-{day:02}" for given, month, day in days]
    numbers = [int(n) if n == int(n) else n for n, _ in sayings.numbers(question)]
    return Shown(tuple(dict.fromkeys(texts)), tuple(dict.fromkeys(numbers)), {})


def in_result(value: Json) -> Shown:
    """The values of a tool's result."""
    texts: dict[str, None] = {}
    numbers: dict[int | float, None] = {}
    named: dict[str, dict[Json, None]] = {}
    left = MOST_SHOWN
    waiting: list[tuple[str, Json]] = [("", value)]
    while waiting and left:
        name, each = waiting.pop()
        if isinstance(each, dict):
            waiting.extend(reversed(each.items()))
            continue
        if isinstance(each, list):
            waiting.extend((name, item) for item in reversed(each))
            continue
        left -= 1
        if isinstance(each, str):
            texts[each] = None
        elif isinstance(each, int | float) and not isinstance(each, bool):
            numbers[each] = None
        else:
            continue
        named.setdefault(name, {})[each] = None
    return Shown(tuple(texts), tuple(numbers), {n: tuple(v) for n, v in named.items()})


def draw_call(rng: random.Random, tools: Sequence[Tool], pool: Pool) -> tuple[str, dict[str, Json]]:
    """A tool and arguments for it, which mostly fit its schema."""
    tool = rng.choice(tools)
    return tool.name, draw_arguments(rng, tool, pool)


def draw_arguments(rng: random.Random, tool: Tool, pool: Pool) -> dict[str, Json]:
    schema = tool.parameters
    required = schema.get("required", ())
    return {
        name: draw_value(rng, name, each, pool, schema.get("$defs", {}))
        for name, each in schema.get("properties", {}).items()
        if name in required or rng.random() < OPTIONAL_SHARE
    }


def draw_value(
    rng: random.Random, name: str, schema: Json, pool: Pool, definitions: JsonSchema, deep: int = 0
) -> Json:
    """A value that the schema might take."""
    if not isinstance(schema, dict) or deep > MOST_NESTED:
        return None
    if "$ref" in schema:
        schema = definitions.get(str(schema["$ref"]).removeprefix("#/$defs/"), {})
    for word in ("anyOf", "oneOf"):
        if schema.get(word):
            return draw_value(rng, name, rng.choice(schema[word]), pool, definitions, deep + 1)
    if schema.get("enum"):
        return rng.choice(schema["enum"])
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = rng.choice([each for each in kind if each != "null"] or ["null"])
    named = pool.named(name, rng)
    if named and kind in ("string", "integer", "number") and rng.random() < 0.5:
        return rng.choice(named)
    match kind:
        case "boolean":
            return rng.random() < 0.5
        case "integer" | "number":
            seen = pool.numbers(rng)
            return rng.choice(seen) if seen and rng.random() < 0.8 else rng.randint(0, 20)
        case "array":
            return [draw_value(rng, name, schema.get("items", {}), pool, definitions, deep + 1)]
        case "object":
            return {
                key: draw_value(rng, key, each, pool, definitions, deep + 1)
                for key, each in schema.get("properties", {}).items()
                if key in schema.get("required", ()) or rng.random() < OPTIONAL_SHARE
            }
    texts = pool.texts(rng)
    return rng.choice(texts) if texts else ""


def draw_answer(rng: random.Random, pool: Pool) -> Json:
    """Any single value that was seen, for an answer."""
    texts, numbers = pool.texts(rng), pool.numbers(rng)
    return rng.choice([*texts, *numbers] or [""])
