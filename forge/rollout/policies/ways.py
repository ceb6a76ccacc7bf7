"""How a model is told of its tools, and how it calls them.

- `tools`: in the request, by the protocol of chat completions
- `text`: in the prompt, as Hermes and Qwen were trained to; calls are read from what it writes
- `schema`: in the prompt; the server holds the model to one JSON object a turn, a call or words to
  the user. For servers with structured output, and models that call tools no other way.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from forge.types.data import Json, JsonSchema
from forge.types.environment import Tool

Calling = Literal["tools", "text", "schema"]
SAY = "say"
"""The one property of an action that speaks to the user."""
UNGRAMMATICAL = frozenset({"minLength", "maxLength", "minItems", "maxItems", "pattern"})
"""Keywords that servers turn into grammars too large for them, or not at all. The tool refuses
what breaks them, and the agent reads them in the prompt."""
NAMED_SCHEMAS = frozenset({"properties", "$defs"})

_TEXT = """# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{tools}
</tools>

For each function call, return a json object with function name and arguments within \
<tool_call></tool_call> XML tags:
<tool_call>
{{"name": <function-name>, "arguments": <args-json-object>}}
</tool_call>"""

_LIST = """# Tools

{tools}"""

_SCHEMA = """Each of your turns is one JSON object. To call a tool, and then read its result:
{"name": <tool-name>, "arguments": <args-json-object>}
To speak to the user, and then read their answer:
{"say": <text>}
Only tools look things up and change them: call all that the request needs before you say that it \
is done."""


@dataclass(frozen=True, slots=True)
class Way:
    """`tools`: those it is for; `head`, `tail`: what the system's message begins and ends with;
    `body`: what the request says of them. The head comes before what differs between tasks, so
    that a server reads it once for all rollouts of an environment."""

    calling: Calling
    tools: Mapping[str, Tool]
    head: str = ""
    tail: str = ""
    body: Mapping[str, Json] = field(default_factory=dict)


def way_of(calling: Calling, tools: Mapping[str, Tool]) -> Way:
    functions = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in tools.values()
    ]
    wrapped = [{"type": "function", "function": function} for function in functions]
    if calling == "tools":
        return Way(calling, tools, body={"tools": wrapped})
    if calling == "text":
        return Way(calling, tools, tail=_TEXT.format(tools=_lines(wrapped)))
    action = {"name": "action", "schema": action_schema(tools), "strict": True}
    form = {"response_format": {"type": "json_schema", "json_schema": action}}
    return Way(calling, tools, _LIST.format(tools=_lines(functions)), _SCHEMA, form)


def _lines(values: list[dict[str, Json]]) -> str:
    return "\n".join(json.dumps(value, ensure_ascii=False) for value in values)


def action_schema(tools: Mapping[str, Tool]) -> JsonSchema:
    """Of one turn: a call of one of the tools, or words to the user."""
    actions = [_object({SAY: {"type": "string"}})]
    shared: dict[str, JsonSchema] = {}
    for tool in tools.values():
        parameters = _grammatical(tool.parameters, f"{tool.name}.")
        for name, schema in parameters.pop("$defs", {}).items():
            shared[f"{tool.name}.{name}"] = schema
        actions.append(_object({"name": {"const": tool.name}, "arguments": parameters}))
    return {"anyOf": actions, "$defs": shared} if shared else {"anyOf": actions}


def _object(properties: dict[str, JsonSchema]) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _grammatical(schema: Json, prefix: str) -> Json:
    """Without what servers choke on, and with names of `$defs` that no other tool has."""
    if isinstance(schema, list):
        return [_grammatical(item, prefix) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {}
    for keyword, value in schema.items():
        if keyword in UNGRAMMATICAL:
            continue
        if keyword == "$ref":
            made[keyword] = value.replace("#/$defs/", f"#/$defs/{prefix}", 1)
        elif keyword in NAMED_SCHEMAS:
            made[keyword] = {name: _grammatical(inner, prefix) for name, inner in value.items()}
        elif keyword in ("enum", "const", "default", "examples"):
            made[keyword] = value
        else:
            made[keyword] = _grammatical(value, prefix)
    return made
