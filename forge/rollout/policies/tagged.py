"""Calls with their arguments in tags, as Qwen3-Coder writes them: `<function=name>`, and in it
`<parameter=name>` with the value as it is.

Always holds: a value is read by the parameter's type, and a text stays as it was written, but for
the line breaks between it and its tags; what ends too early is refused. Time is linear in the text.
"""

import re
from collections.abc import Mapping

from forge.llm.loose import read, read_whole
from forge.types.data import Json, JsonSchema
from forge.types.environment import Tool

FUNCTION = r"<function(?:=|\s+name=)[\"']?(?P<function>[^\s<>\"'/]{1,200})[\"']?\s*>"
_PARAMETER = re.compile(r"\s*<parameter(?:=|\s+name=)[\"']?([^<>\"']{1,200}?)[\"']?\s*>")
_VALUE_END = re.compile(
    r"</parameter>|(?=\s*<parameter(?:=|\s+name=)|\s*</function>|\s*</tool_call>)"
)
_END = re.compile(r"\s*</function>")
_HOPS = 8
"""`$ref`s and alternatives within each other."""


def read_function(
    written: str, at: int, name: str, tools: Mapping[str, Tool]
) -> tuple[dict[str, Json], int]:
    """The arguments of the function that was opened before `at`, and where it ends. ValueError:
    says where it goes wrong."""
    made: dict[str, Json] = {}
    schema = tools[name].parameters if name in tools else {}
    while parameter := _PARAMETER.match(written, at):
        end = _VALUE_END.search(written, parameter.end())
        if end is None:
            raise ValueError("it ends within a parameter")
        text = _bare(written[parameter.end() : end.start()])
        made[parameter[1]] = _typed(text, schema.get("properties", {}).get(parameter[1]), schema)
        at = end.end()
    if not made:  # as Llama writes it
        start = at + len(written[at:]) - len(written[at:].lstrip())
        if written.startswith("{", start):
            value, at = read(written, start)
            made = value if isinstance(value, dict) else {}
    closed = _END.match(written, at)
    return made, closed.end() if closed else at


def _bare(text: str) -> str:
    """Without the line break that the opening tag ends with, and the one before the closing."""
    return text.removeprefix("\n").removesuffix("\n")


def _typed(text: str, schema: Json, root: JsonSchema) -> Json:
    types = _types(schema, root.get("$defs", {}), _HOPS)
    if "null" in types and text.strip() in ("null", "None"):
        return None
    if not types or "string" in types:
        return text
    try:
        return read_whole(text)
    except ValueError:
        return text  # which the tool refuses, in words


def _types(schema: Json, definitions: JsonSchema, hops: int) -> set[str]:
    """The types that a value may have; none if the schema does not say."""
    if not isinstance(schema, dict) or not hops:
        return set()
    inner = [each for word in ("anyOf", "oneOf", "allOf") for each in schema.get(word, ())]
    if "$ref" in schema:
        inner.append(definitions.get(str(schema["$ref"]).removeprefix("#/$defs/")))
    types = {type for each in inner for type in _types(each, definitions, hops - 1)}
    named = schema.get("type", [])
    types |= {named} if isinstance(named, str) else set(named)
    if not types and any(isinstance(each, str) for each in schema.get("enum", ())):
        types = {"string"}
    return types
