"""The policy that is a model behind chat completions.

Always holds: what the model wrote goes back to it as it wrote it, thinking included unless that is
dropped; what it thought is never in the text to the user; every call it made has one result. The
messages only grow, so that a server can keep what it has read of them.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from forge.env.session import World
from forge.llm.client import Client, Endpoint
from forge.llm.completion import Completion, Message
from forge.rollout.dialogue import Dialogue
from forge.rollout.policies.calls import Written, call_of, read_native, read_text
from forge.rollout.policies.loose import read_whole
from forge.rollout.policies.ways import SAY, Calling, Way, way_of
from forge.types.data import Json
from forge.types.rollout import Step, ToolCall, Turn
from forge.types.task import Task


@dataclass(frozen=True, slots=True)
class Sampling:
    """None: as the server has it. `max_tokens`: of one turn. `extra`: more of a request's body; a
    null takes out what would be in it."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    extra: Mapping[str, Json] = field(default_factory=dict)


class Chat:
    """A model at an endpoint, in as many rollouts at once as one likes."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        calling: Calling = "tools",
        sampling: Sampling = Sampling(),
        drop_thinking: bool = False,
    ) -> None:
        """UserError if the endpoint cannot be meant."""
        self.name = f"model:{endpoint.model}"
        self.client = Client(endpoint)
        self.calling = calling
        self.sampling = sampling
        self.drop_thinking = drop_thinking
        self._ways: dict[str, Way] = {}

    def seat(self, world: World, task: Task, seed: int) -> "ChatPlayer":
        name = world.environment.name
        way = self._ways.get(name)
        if way is None or way.tools is not world.tools:
            way = self._ways[name] = way_of(self.calling, world.tools)
        return ChatPlayer(self.client, way, self.sampling, seed, self.drop_thinking)

    async def close(self) -> None:
        await self.client.close()


@dataclass(slots=True)
class ChatPlayer:
    client: Client
    way: Way
    sampling: Sampling
    seed: int
    drop_thinking: bool
    _messages: list[Json] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)

    async def act(self, dialogue: Dialogue) -> Turn:
        if not self._messages:
            parts = (self.way.head, dialogue.system, self.way.tail)
            system = "\n\n".join(filter(None, parts))
            self._messages += [_message("system", system), _message("user", dialogue.question)]
        if dialogue.steps:
            native = "tool_calls" in self._messages[-1]
            self._messages += _came_back(dialogue.steps[-1], native)
        completion = await self.client.chat(self._body(len(dialogue.steps)))
        return self._turn(completion)

    def _body(self, turn: int) -> dict[str, Json]:
        sampling = self.sampling
        body = {
            "messages": self._messages,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "seed": _seed(self.seed, turn),
            **self.way.body,
            **sampling.extra,
        }
        return {name: value for name, value in body.items() if value is not None}

    def _turn(self, completion: Completion) -> Turn:
        message = completion.message
        native = [read_native(call, self.way.tools) for call in message.tool_calls or ()]
        if native:
            written = read_text(message.text, {})
            written = Written(written.thinking, written.kept, tuple(native), written.kept)
        elif self.way.calling == "schema":
            written = _read_action(message.text, self.way)
        else:
            written = read_text(message.text, self.way.tools)
        calls = self._identified(written.calls)
        self._messages.append(self._sent_back(message, written, calls if native else ()))
        thinking = message.reasoning_content or message.reasoning or ""
        return Turn(
            text=written.text,
            thinking="\n\n".join(filter(None, (thinking.strip(), written.thinking))),
            calls=calls,
            raw="" if message.text == written.text else message.text,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
        )

    def _identified(self, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
        """Each under an id that no other call of the rollout has."""
        made = []
        for call in calls:
            id, number = call.id, len(self._ids)
            while not id or id in self._ids:
                number += 1
                id = f"call_{number}"
            self._ids.add(id)
            made.append(call.model_copy(update={"id": id}))
        return tuple(made)

    def _sent_back(
        self, message: Message, written: Written, native: tuple[ToolCall, ...]
    ) -> dict[str, Json]:
        """What the model wrote, as a message to it."""
        text = written.kept if self.drop_thinking else message.text
        sent: dict[str, Json] = {"role": "assistant", "content": text}
        if native:
            sent["content"] = text or None
            sent["tool_calls"] = [_call(call) for call in native]
        if not self.drop_thinking:
            thought = {
                "reasoning_content": message.reasoning_content,
                "reasoning": message.reasoning,
            }
            sent.update({name: value for name, value in thought.items() if value})
        return sent


def _message(role: str, content: str) -> Json:
    return {"role": role, "content": content}


def _call(call: ToolCall) -> Json:
    """Arguments that could not be read go back empty: servers refuse what is no JSON, and the
    fault, which the model reads, quotes them."""
    arguments = json.dumps(call.arguments or {}, ensure_ascii=False)
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.tool or "unnamed", "arguments": arguments},
    }


def _came_back(step: Step, native: bool) -> list[Json]:
    """The messages that answer a turn. Calls that were read from text are answered in a text."""
    if not step.turn.calls:
        return [_message("user", step.user or "")]
    results = [result.text for result in step.results]
    if native:
        return [
            {"role": "tool", "tool_call_id": call.id, "content": text}
            for call, text in zip(step.turn.calls, results, strict=True)
        ]
    joined = "\n".join(f"<tool_response>\n{text}\n</tool_response>" for text in results)
    return [_message("user", joined)]


def _read_action(written: str, way: Way) -> Written:
    """What `action_schema` allows; as other text where the server does not hold to it."""
    read = read_text(written, way.tools)
    try:
        action = read_whole(read.kept)
    except ValueError:
        return read
    if isinstance(action, dict) and isinstance(action.get(SAY), str):
        return Written(read.thinking, action[SAY].strip(), (), read.kept)
    if isinstance(action, dict) and isinstance(action.get("name"), str):
        call = call_of(action["name"], action.get("arguments"), way.tools)
        return Written(read.thinking, "", (call,), read.kept)
    return read


def _seed(seed: int, turn: int) -> int:
    """Another for every turn of every rollout; 31 bits, which all servers take."""
    digest = hashlib.sha256(f"{seed}:{turn}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1
