"""How a model is told of its tools, how it calls them, and how it reads what they gave.

- `native`: in the request, by the protocol of chat completions
- `hermes`: in the prompt, as Hermes and Qwen were trained to; calls are read from what it writes
- `react`: in the prompt; a turn is a thought and an action, its result an observation
- `json`: in the prompt; the server holds the model to one JSON object a turn, a call or words to
  the user. For servers with structured output, and models that call tools no other way.

Always holds: what `write` makes of a turn, `read` reads as the same calls.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from forge.llm.completion import Function, Message, NativeCall
from forge.rollout.policies import actions, react
from forge.rollout.policies.calls import Written, read_text
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.rollout import Turn

Format = Literal["native", "hermes", "react", "json"]

_HERMES = """# Tools

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


@dataclass(frozen=True, slots=True)
class Way:
    """`tools`: those it is for; `head`, `tail`: what the system's message begins and ends with;
    `body`: what the request says of them. The head comes before what differs between tasks, so
    that a server reads it once for all rollouts of an environment."""

    format: Format
    tools: Mapping[str, Tool]
    head: str = ""
    tail: str = ""
    body: Mapping[str, Json] = field(default_factory=dict)


def way_of(format: Format, tools: Mapping[str, Tool]) -> Way:
    functions = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in tools.values()
    ]
    wrapped = [{"type": "function", "function": function} for function in functions]
    listed = _LIST.format(tools=_lines(functions))
    match format:
        case "native":
            return Way(format, tools, body={"tools": wrapped} if wrapped else {})
        case "hermes":
            return Way(format, tools, tail=_HERMES.format(tools=_lines(wrapped)))
        case "react":
            body: dict[str, Json] = {"stop": list(react.STOP)}
            return Way(format, tools, listed, react.PROMPT.format(names=", ".join(tools)), body)
        case "json":
            action = {"name": "action", "schema": actions.action_schema(tools), "strict": True}
            form = {"response_format": {"type": "json_schema", "json_schema": action}}
            return Way(format, tools, listed, actions.PROMPT, form)


def _lines(values: list[dict[str, Json]]) -> str:
    return "\n".join(json.dumps(value, ensure_ascii=False) for value in values)


def read(written: str, way: Way) -> Written:
    """A text that a model wrote who was told of its tools in this way."""
    match way.format:
        case "react":
            return react.read_react(written, way.tools)
        case "json":
            return actions.read_action(written, way.tools)
        case _:
            return read_text(written, way.tools)


def results(texts: Sequence[str], format: Format) -> str:
    """What the calls in a text gave, in the order of the calls, for the model to read."""
    if format == "react":
        return "\n".join(f"{react.OBSERVATION} {text}" for text in texts)
    return "\n".join(f"<tool_response>\n{text}\n</tool_response>" for text in texts)


def write(turn: Turn, format: Format) -> Message:
    """The turn as a model writes it. What was thought is in it only where the format has a place
    for it."""
    match format:
        case "native":
            calls = [
                NativeCall(id=call.id, function=Function(name=call.tool, arguments=call.arguments))
                for call in turn.calls
            ]
            return Message(content=turn.text or None, tool_calls=calls or None)
        case "hermes":
            tagged = [
                f"<tool_call>\n{_call(call.tool, call.arguments)}\n</tool_call>"
                for call in turn.calls
            ]
            return Message(content="\n".join([turn.text, *tagged] if turn.text else tagged))
        case "react":
            return Message(content=react.react_of(turn))
        case "json":
            return Message(content=actions.action_of(turn))


def _call(name: str, arguments: Json) -> str:
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
