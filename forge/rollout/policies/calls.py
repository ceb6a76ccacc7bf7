"""What a model wrote, taken apart: what it thought, what it says, the tools it calls.

Always holds: any text can be read; a call that is only thought about is not made; a call that
cannot be made is kept with its fault, in words that the agent can act on; what is no call stays
text, and JSON is a call only by what it names. Time is linear in the text.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from forge.llm.completion import NativeCall, clip
from forge.llm.loose import checked, read, read_whole
from forge.rollout.policies.tagged import FUNCTION, read_function
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.rollout import ToolCall

NAMES = ("name", "tool", "function", "tool_name")
ARGUMENTS = ("arguments", "parameters", "args")
WRAPPERS = ("tool_calls", "tool_call", "function_call", "calls")
MOST_TRIES = 100
"""Brackets in a text that are looked at and turn out to begin no JSON."""
ENCODED = 3
"""Times that arguments may be JSON in a text of JSON."""

_MARK = re.compile(
    r"<(?P<open>think|thinking)>|</(?P<close>think|thinking)>"
    r"|<(?P<tag>tool_call|tool_calls|function_call|tools)>|" + FUNCTION + r"|[{\[]"
)
_FUNCTION = re.compile(FUNCTION)
_CLOSED = re.compile(r"\s*</tool_call>")
_BETWEEN = re.compile(r"(?:[\s;,}]|\{(?=\{)|```(?:json)?)*")
"""What separates the calls in a tag. Braces that are doubled are those of the prompts that some
models were trained with."""
_FENCE_BEFORE = re.compile(r"```[a-z_]{0,20}\s*$")
_FENCE_AFTER = re.compile(r"\s*```")
_NAMED = re.compile(r"""["'](?:name|tool|function|tool_name)["']\s*:\s*["']([^"'\s]{1,200})["']""")


@dataclass(frozen=True, slots=True)
class Written:
    """`kept`: all that is not thinking, as it was written. `end`: where in all that was written
    the turn ends, if more follows."""

    thinking: str
    text: str
    calls: tuple[ToolCall, ...]
    kept: str
    end: int | None = None


def read_text(written: str, tools: Mapping[str, Tool]) -> Written:
    """A text with hermes tags, functions in tags, fenced or bare JSON, and `<think>`, in any
    order."""
    thoughts: list[str] = []
    said: list[str] = []
    kept: list[str] = []
    calls: list[ToolCall] = []
    at = since = begun = tries = 0  # since: of what is not yet said; begun: after the last thought
    while mark := _MARK.search(written, at):
        start, at = mark.span()
        if mark["open"] or mark["close"]:
            if mark["open"]:
                said.append(written[since:start])
                kept.append(written[begun:start])
                closing = f"</{mark['open']}>"
                end = written.find(closing, at)
                end = len(written) if end < 0 else end
                thoughts.append(written[at:end])
                at = min(end + len(closing), len(written))
            else:  # it was opened by the prompt: all before was thought
                thoughts.append(written[begun:start])
                said, kept, calls = [], [], []
            since = begun = at
        elif mark["tag"]:
            said.append(written[since:start])
            made, at = _read_tag(written, at, f"</{mark['tag']}>", tools)
            calls += made
            since = at
        elif mark["function"]:
            if mark["function"] not in tools and not written[at:].lstrip().startswith("<parameter"):
                continue
            said.append(written[since:start])
            call, at = _read_function(written, at, mark["function"], tools)
            calls.append(call)
            closed = _CLOSED.match(written, at)
            at = since = closed.end() if closed else at
        elif tries < MOST_TRIES:
            try:
                value, end = read(written, start)
            except ValueError as error:
                tries += 1
                found = _NAMED.match(written, _BETWEEN.match(written, at).end())  # type: ignore[union-attr]
                if not found or found[1] not in tools:
                    continue
                calls.append(_spoilt(found[1], error))
                fence = written.find("```", at)
                end = len(written) if fence < 0 else fence
            else:
                bare = calls_in(value, tools)
                if not bare:
                    at = end
                    continue
                calls += [call_of(name, given, tools) for name, given in bare]
            before = _FENCE_BEFORE.search(written, max(since, start - 40), start)
            after = _FENCE_AFTER.match(written, end) if before else None
            said.append(written[since : before.start() if before else start])
            at = since = after.end() if after else end
    said.append(written[since:])
    kept.append(written[begun:])
    text = "".join(said).strip()
    if calls and not any(each.isalnum() for each in text):
        text = ""  # what stood between the calls
    thinking = "\n\n".join(each.strip() for each in thoughts if each.strip())
    return Written(thinking, text, tuple(calls), "".join(kept).strip())


def read_native(native: NativeCall, tools: Mapping[str, Tool]) -> ToolCall:
    """A call as chat completions have it."""
    name = native.function.name or ""
    return call_of(name, native.function.arguments, tools).model_copy(
        update={"id": native.id or ""}
    )


def call_of(name: str, given: Json, tools: Mapping[str, Tool]) -> ToolCall:
    """A call of `name` with what was given as its arguments: an object, or JSON of one in a text;
    null and nothing are no arguments."""
    if not name:
        return ToolCall(tool="", arguments=None, fault="the call does not name a tool")
    value = given
    try:
        for _ in range(ENCODED):
            if not isinstance(value, str):
                break
            value = read_whole(value) if value.strip() else None
        value = checked({} if value is None else value)
    except ValueError as error:
        wrong = f"the arguments are not JSON ({error}): {clip(str(given))}"
        return ToolCall(tool=name, arguments=None, fault=f"{wrong}{_expected(name, tools)}")
    if not isinstance(value, dict):
        wrong = f"the arguments must be a JSON object, not {clip(json.dumps(value))}"
        return ToolCall(tool=name, arguments=None, fault=f"{wrong}{_expected(name, tools)}")
    return ToolCall(tool=name, arguments=value)


def _read_tag(
    written: str, at: int, closing: str, tools: Mapping[str, Tool]
) -> tuple[list[ToolCall], int]:
    """The calls in a tag that was opened before `at`, and where it ends. A tag that nothing closes
    ends with its last call."""
    made: list[ToolCall] = []
    while True:
        at = _BETWEEN.match(written, at).end()  # type: ignore[union-attr]
        if written.startswith(closing, at):
            return made, at + len(closing)
        if function := _FUNCTION.match(written, at):
            call, at = _read_function(written, function.end(), function["function"], tools)
            made.append(call)
            continue
        if made and written[at : at + 1] not in ("{", "["):
            return made, at
        try:
            value, end = read(written, at)
        except ValueError as error:
            end = written.find(closing, at)
            whole = len(written) if end < 0 else end
            named = _NAMED.search(written, at, whole)
            made.append(_spoilt(named[1] if named else "", error))
            return made, whole if end < 0 else end + len(closing)
        found = calls_in(value, None)
        if found:
            made += [call_of(name, given, tools) for name, given in found]
        else:
            made.append(_spoilt("", ValueError("it does not name a tool")))
        at = end


def _read_function(
    written: str, at: int, name: str, tools: Mapping[str, Tool]
) -> tuple[ToolCall, int]:
    """A call in tags, opened before `at`, and where it ends; one that cannot be read ends with its
    tag, or with the text."""
    try:
        given, end = read_function(written, at, name, tools)
    except ValueError as error:
        return _spoilt(name, error), len(written)
    return call_of(name, given, tools), end


def calls_in(value: Json, known: Mapping[str, Tool] | None) -> list[tuple[str, Json]]:
    """Names with arguments, of a call, a list of calls, or an object around them; empty if it is
    anything else. `known`: JSON that stands alone is a call if it names one of these, or has
    nothing but a name and arguments."""
    if isinstance(value, list):
        each = [calls_in(item, known) for item in value]
        return [call for calls in each for call in calls] if all(each) else []
    if not isinstance(value, dict):
        return []
    for wrapper in WRAPPERS:
        if isinstance(value.get(wrapper), dict | list):
            return calls_in(value[wrapper], known)
    inner = value.get("function", value.get("tool"))
    if isinstance(inner, dict):
        return calls_in(inner, known)
    if "description" in value and "parameters" in value:
        return []  # a tool's definition, said again
    name = next((value[key] for key in NAMES if isinstance(value.get(key), str)), "")
    if not name:
        return []
    given = next((value[key] for key in ARGUMENTS if key in value), None)
    if known is not None and name not in known:
        plain = set(value) == {"name", "arguments"} and isinstance(given, dict)
        return [(name, given)] if plain else []
    return [(name, given)]


def _spoilt(name: str, error: ValueError) -> ToolCall:
    fault = (
        f"the call cannot be read: {error}. "
        'A call is a JSON object: {"name": "a_tool", "arguments": {}}'
    )
    return ToolCall(tool=name, arguments=None, fault=fault)


def _expected(name: str, tools: Mapping[str, Tool]) -> str:
    """What the tool takes, for a fault."""
    if name not in tools:
        return ""
    schema = tools[name].parameters
    due = schema.get("required", ())
    shown = [
        f'"{each}"{"" if each in due else " (may be left out)"}'
        for each in schema.get("properties", {})
    ]
    return f". Expected is an object with {', '.join(shown[:20])}" if shown else ". Expected is {}"
