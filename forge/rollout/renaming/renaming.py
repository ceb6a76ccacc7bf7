"""An environment as agents see it under other names, and their calls back in the true ones.

Everything here is its own inverse: what is renamed twice is as it was, so that nothing is lost.
Always holds: values stay, and so do names that are data: the keys of maps, choices, examples;
schemas take exactly the renamed arguments; of a text, only whole identifiers are renamed, no words.
"""

import json
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from forge.rollout.renaming.names import field_names, other_names, tool_names, value_texts
from forge.types.data import Json, JsonSchema
from forge.types.environment import Environment, Tool
from forge.types.rollout import Result, ToolCall
from forge.types.state import StateSchema

_HOPS = 16
"""`$ref`s and alternatives within each other."""

_IDENTIFIER = re.compile(r"(?<![\w$])[A-Za-z_]\w*")
_COMPOUND = re.compile(r"_|\d|[a-z][A-Z]")
"""In what is no word of a language."""
_CODE = re.compile(r"(`[^`\n]*`)")
_QUOTED = re.compile(r'("(?:[^"\\]|\\.)*")')
_PATH = r"[\w$.\[\]]+"
_SUBJECT = re.compile(
    rf"(?:^|(?<=: )|(?<=; ))(?P<paths>{_PATH}(?:(?:, | and ){_PATH})*)"
    r"(?= must |: there is no | (?:is|are) required| has no | is too | fits none | cannot be "
    r"| is nested | has the name | holds half | .{1,70} is already (?:used|there))"
)
"""What an error is about, where forge says so itself."""
_ABOUT_NAMES = re.compile(
    r'(?:no argument |has no |there is no tool |Expected is an object with )"'
)
_UNIQUE = re.compile(r"(?<=unique within )[\w, ]+")


class Renaming:
    """Of one environment by one seed. `tools`: as the agent sees them."""

    def __init__(self, environment: Environment, seed: int) -> None:
        self.values = frozenset(value_texts(environment))
        self.names: Mapping[str, str] = MappingProxyType(
            other_names(tool_names(environment), field_names(environment), self.values, seed)
        )
        self._true = {tool.name: tool for tool in environment.tools}
        renamed = [self.tool(tool) for tool in environment.tools]
        self.tools: Mapping[str, Tool] = MappingProxyType({tool.name: tool for tool in renamed})

    def name(self, name: str) -> str:
        return self.names.get(name, name)

    def tool(self, tool: Tool) -> Tool:
        """As an agent sees it, who does not see its effect."""
        returns = tool.returns
        return Tool(
            name=self.name(tool.name),
            description=self.text(tool.description),
            parameters=self.schema(tool.parameters),
            kind=tool.kind,
            returns=None if returns is None else self.schema(returns),
        )

    def call(self, call: ToolCall) -> ToolCall:
        update: dict[str, Json] = {"tool": self.name(call.tool), "fault": self.message(call.fault)}
        if call.arguments is not None:
            update["arguments"] = self.arguments(call.tool, call.arguments)
        return call.model_copy(update=update)

    def arguments(self, tool: str, arguments: dict[str, Json]) -> dict[str, Json]:
        """Those of a call of `tool`, on whichever side it is."""
        known = self._known(tool)
        if known is None:
            return {self.name(name): value for name, value in arguments.items()}
        schema = known.parameters
        made: dict[str, Json] = self._value([schema], schema, arguments, strict=True)
        return made

    def result(self, tool: str, result: Result) -> Result:
        """What a call of `tool`, on whichever side it is, gave. Text that is no JSON, as tools of
        others give it, is told like an error."""
        try:
            value = json.loads(result.text)
        except ValueError:
            return result.model_copy(update={"text": self.message(result.text)})
        if result.failure is not None:
            value["message"] = self.message(value["message"])
            return result.model_copy(update={"text": json.dumps(value, ensure_ascii=False)})
        known = self._known(tool)
        if known is None or known.returns is None:
            made = self._unguided(value)
        else:
            made = self._value([known.returns], known.returns, value)
        return result.model_copy(update={"text": json.dumps(made, ensure_ascii=False)})

    def schema(self, schema: JsonSchema) -> JsonSchema:
        made: JsonSchema = self._schema(schema, schema)
        return made

    def text(self, text: str) -> str:
        """A text in which code stands in backticks; elsewhere only what can be no word is one."""
        parts = _CODE.split(text)
        return "".join(
            _IDENTIFIER.sub(self._always if number % 2 else self._compound, part)
            for number, part in enumerate(parts)
        )

    def message(self, text: str) -> str:
        """An error: what it is about is a name, texts in quotes are values, but where it tells
        which names there are."""
        about = _ABOUT_NAMES.search(text)
        told = about.start() if about else len(text)
        names = [match.span("paths") for match in _SUBJECT.finditer(text)]
        names += [match.span() for match in _UNIQUE.finditer(text)]
        quoted = [match.span() for match in _QUOTED.finditer(text, 0, told)]

        def swap(match: re.Match[str]) -> str:
            at = match.start()
            if at >= told or any(start <= at < end for start, end in names):
                return self.name(match[0])
            if any(start <= at < end for start, end in quoted):
                return match[0]
            return self._compound(match)

        return _IDENTIFIER.sub(swap, text)

    def _known(self, tool: str) -> Tool | None:
        return self._true.get(tool) or self._true.get(self.name(tool))

    def _always(self, match: re.Match[str]) -> str:
        return match[0] if match[0] in self.values else self.name(match[0])

    def _compound(self, match: re.Match[str]) -> str:
        return self._always(match) if _COMPOUND.search(match[0]) else match[0]

    def _schema(self, schema: Json, root: JsonSchema) -> Json:
        if isinstance(schema, list):
            return [self._schema(each, root) for each in schema]
        if not isinstance(schema, dict):
            return schema
        made: dict[str, Json] = {}
        for word, value in schema.items():
            match word, value:
                case "properties", dict():
                    made[word] = {
                        self.name(name): self._schema(each, root) for name, each in value.items()
                    }
                case (("$defs" | "patternProperties"), dict()):
                    made[word] = {name: self._schema(each, root) for name, each in value.items()}
                case "required", list():
                    made[word] = [self.name(name) for name in value]
                case (("description" | "title"), str()):
                    made[word] = self.text(value)
                case (("enum" | "examples"), list()):
                    made[word] = [self._value([schema], root, each) for each in value]
                case (("const" | "default"), _):
                    made[word] = self._value([schema], root, value)
                case _:
                    made[word] = self._schema(value, root)
        return made

    def _value(
        self, schemas: list[Json], root: JsonSchema, value: Json, strict: bool = False
    ) -> Json:
        """`strict`: nothing but what the schema names is meant."""
        if not isinstance(value, dict | list):
            return value
        flat = [each for schema in schemas for each in _alternatives(schema, root, _HOPS)]
        if isinstance(value, list):
            items = [each["items"] for each in flat if "items" in each]
            return [self._value(items, root, each) for each in value]
        inner: dict[str, list[Json]] = {}
        for each in flat:
            for name, schema in (each.get("properties") or {}).items():
                inner.setdefault(name, []).append(schema)
        others = [each["additionalProperties"] for each in flat if "additionalProperties" in each]
        closed = strict or (bool(inner) and not any(others))
        made: dict[str, Json] = {}
        for key, each in value.items():
            own = inner.get(key, inner.get(self.name(key)))
            renamed = self.name(key) if own is not None or closed else key
            made[renamed] = self._value(others if own is None else own, root, each)
        return made

    def _unguided(self, value: Json) -> Json:
        """Where no schema tells what is a name."""
        if isinstance(value, list):
            return [self._unguided(each) for each in value]
        if isinstance(value, dict):
            return {self.name(key): self._unguided(each) for key, each in value.items()}
        return value


def tool_renaming(tools: tuple[Tool, ...], seed: int) -> Renaming:
    """Of tools alone, whose environment is not forge's."""
    environment = Environment(
        name="tools",
        title="",
        state_schema=StateSchema(tables=()),
        tools=tools,
        source="",
        bases={},
        nows={},
    )
    return Renaming(environment, seed)


def _alternatives(schema: Json, root: JsonSchema, hops: int) -> Iterator[JsonSchema]:
    """All that may describe a value: the schema, what it refers to, what it chooses from."""
    if not isinstance(schema, dict) or not hops:
        return
    yield schema
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix("#/$defs/")
        yield from _alternatives(root.get("$defs", {}).get(name), root, hops - 1)
    for word in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(word) or ():
            yield from _alternatives(each, root, hops - 1)
