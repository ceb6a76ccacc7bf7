"""Who speaks in the orchestrator of τ²-bench: its agent, its user and its judge, asked by forge.

Always holds: what is asked and said is in the benchmark's own messages; each thread asks for the
episode that it holds.
"""

import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

from forge.bench.benchmark import Asks
from forge.bench.voice import spoken
from forge.errors import EndpointLost
from forge.llm.completion import NativeCall
from forge.types.data import Json


class Silent(Exception):
    """The agent wrote nothing."""


class Voices:
    """`kinds`: the module of its messages; `written`: them as a request has them."""

    def __init__(self, kinds: Any, written: Callable[[Sequence[Any]], list[Json]]) -> None:
        self._kinds, self._written = kinds, written
        self._now = threading.local()

    def ask(self, asks: Asks | None) -> None:
        """Who is asked on this thread from now on; None: a judge who finds all that it is asked."""
        self._now.asks = asks

    def agent(self, message: Any, state: Any) -> Any:
        """Its agent's next message; `state` is the agent's own, and not looked at."""
        kinds = self._kinds
        heard: str | list[str]
        if isinstance(message, kinds.MultiToolMessage):
            heard = [each.content or "" for each in message.tool_messages]
        elif isinstance(message, kinds.ToolMessage):
            heard = [message.content or ""]
        else:
            heard = message.content or ""
        turn = self._now.asks.agent(heard)
        if not turn.text.strip() and not turn.calls:
            raise Silent
        calls = [
            kinds.ToolCall(id=call.id, name=call.tool, arguments=call.arguments)
            for call in turn.calls
        ]
        return kinds.AssistantMessage(
            role="assistant", content=turn.text or None, tool_calls=calls or None
        )

    def user(self, *, messages: Sequence[Any], tools: Sequence[Any] | None, **given: Json) -> Any:
        schemas = [tool.openai_schema for tool in tools or ()]
        found = self._now.asks.user(self._written(messages), schemas)
        calls = [self._called(call) for call in found.tool_calls or ()]
        text = spoken(found)
        if not text and not calls:
            raise EndpointLost("the user's model wrote nothing")
        return self._kinds.AssistantMessage(
            role="assistant", content=text or None, tool_calls=calls or None
        )

    def _called(self, call: NativeCall) -> Any:
        given = call.function.arguments
        try:
            arguments = json.loads(given or "{}") if isinstance(given, str | None) else given
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            raise EndpointLost("the user's model called a tool with what is no JSON object")
        return self._kinds.ToolCall(
            id=call.id or "", name=call.function.name or "", arguments=arguments
        )

    def judge(self, *, messages: Sequence[Any], **given: Json) -> Any:
        written = self._written(messages)
        if self._now.asks is None:
            return self._kinds.AssistantMessage(role="assistant", content='{"results": []}')
        text = self._now.asks.judge(written)
        inner = text[text.find("{") : text.rfind("}") + 1]
        return self._kinds.AssistantMessage(role="assistant", content=inner or text)
