"""Turns that are one JSON object each: a call of a tool, or words to the user.

For servers with structured output, which hold a model to the schema; what is written where nothing
holds it is read as any other text.
"""

import json
from collections.abc import Mapping

from forge.llm.loose import read_whole
from forge.rollout.policies.calls import Written, call_of, read_text
from forge.types.data import Json, JsonSchema
from forge.types.environment import Tool
from forge.types.rollout import Turn

SAY = "say"
"""The one property of an action that speaks to the user."""
UNGRAMMATICAL = frozenset({"minLength", "maxLength", "minItems", "maxItems", "pattern"})
"""Keywords that servers turn into grammars too large for them, or not at all. The tool refuses
what breaks them, and the agent reads them in the prompt."""
NAMED_SCHEMAS = frozenset({"properties", "$defs"})

PROMPT = """Each of your turns is one JSON object. To call a tool, and then read its result within \
<tool_response></tool_response> XML tags:
{"name": <tool-name>, "arguments": <args-json-object>}
To speak to the user, and then read their answer:
{"say": <text>}
Only tools look things up and change them: call all that the request needs before you say that it \
is done."""


def read_action(written: str, tools: Mapping[str, Tool]) -> Written:
    """What `action_schema` allows; as other text where the server does not hold to it."""
    read = read_text(written, tools)
    try:
        action = read_whole(read.kept)
    except ValueError:
        return read
    if isinstance(action, dict) and isinstance(action.get(SAY), str):
        return Written(read.thinking, action[SAY].strip(), (), read.kept)
    if isinstance(action, dict) and isinstance(action.get("name"), str):
        call = call_of(action["name"], action.get("arguments"), tools)
        return Written(read.thinking, "", (call,), read.kept)
    return read


def action_of(turn: Turn) -> str:
    """The turn as a model writes it. What the format cannot carry, words beside a call or several
    calls, stands one after the other."""
    calls = [
        json.dumps({"name": call.tool, "arguments": call.arguments}, ensure_ascii=False)
        for call in turn.calls
    ]
    if not calls:
        return json.dumps({SAY: turn.text}, ensure_ascii=False)
    return "\n".join([turn.text, *calls] if turn.text else calls)


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
