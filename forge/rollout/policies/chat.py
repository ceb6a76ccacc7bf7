"""The policy that is a model, which reads messages and writes the next one.

Always holds: what the model wrote goes back to it as it wrote it, thinking included unless that is
dropped; what it thought is never in the text to the user; every call it made has one result. Under
the context `append` the messages only grow, so that what was read of them can be kept.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from forge.env.session import World
from forge.llm.completion import Completion, Message
from forge.rollout.dialogue import Dialogue
from forge.rollout.policies import formats
from forge.rollout.policies.calls import Written, read_native, read_text
from forge.rollout.policies.context import (
    LEFT_OUT,
    SUM_UP,
    WHOLE,
    Context,
    Exchange,
    cut,
    is_full,
    seen,
    size_of,
)
from forge.rollout.policies.engine import Engine, Talk
from forge.rollout.policies.formats import Format, Way, way_of
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.rollout import Step, Summary, ToolCall, Turn, View
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
    """A model behind an engine, in as many rollouts at once as one likes."""

    def __init__(
        self,
        engine: Engine,
        *,
        format: Format = "native",
        sampling: Sampling = Sampling(),
        context: Context = WHOLE,
        drop_thinking: bool = False,
    ) -> None:
        self.name = engine.name
        self.engine = engine
        self.format = format
        self.sampling = sampling
        self.context = context
        self.drop_thinking = drop_thinking
        self._ways: dict[int, Way] = {}

    def seat(self, world: World, task: Task, seed: int) -> "ChatPlayer":
        return ChatPlayer(self, self.engine.talk(task.now), seed)

    def way(self, tools: Mapping[str, Tool]) -> Way:
        """How it is told of the tools of a dialogue, which many rollouts share."""
        way = self._ways.get(id(tools))
        if way is None:  # it holds the tools, so that nothing else gets their id
            way = self._ways[id(tools)] = way_of(self.format, tools)
        return way

    async def close(self) -> None:
        await self.engine.close()


@dataclass(slots=True)
class ChatPlayer:
    policy: Chat
    talk: Talk
    seed: int
    _way: Way | None = None
    _system: Json = None
    _exchanges: list[Exchange] = field(default_factory=list)
    _sent: Json = None
    """What the model wrote last, and has had no answer to."""
    _by_tools: bool = False
    """Whether the calls in it are answered by messages of tools."""
    _summary: Summary | None = None
    _summaries: int = 0
    _read: int = 0
    """Tokens of the last prompt and of what was written to it; 0: not counted."""
    _ids: set[str] = field(default_factory=set)

    async def act(self, dialogue: Dialogue) -> Turn:
        context, number = self.policy.context, len(dialogue.steps)
        if self._way is None or self._way.tools is not dialogue.tools:
            self._way = self.policy.way(dialogue.tools)
            parts = (self.way.head, dialogue.system, self.way.tail)
            self._system = _message("system", "\n\n".join(filter(None, parts)))
        if dialogue.steps:
            self._exchanges.append(self._exchange(dialogue.steps[-1]))
        now = seen(context, self._system, dialogue.question, self._exchanges, self._summary)
        summary = None
        if self._summaries < context.summaries and is_full(
            context, self._size(now.messages), number, self._summary
        ):
            summary = await self._sum_up(now.messages, number)
            now = seen(context, self._system, dialogue.question, self._exchanges, self._summary)
        completion = await self.talk.complete(self._body(now.messages, f"{number}"))
        self._read = completion.prompt_tokens + completion.completion_tokens
        view = now.view
        if summary is not None and view is not None:
            view = view.model_copy(update={"summary": summary})
        return self._turn(completion, view)

    @property
    def way(self) -> Way:
        assert self._way is not None  # it has seen the dialogue
        return self._way

    def _size(self, messages: list[Json]) -> int:
        """Tokens of a prompt: those that were counted, and the new messages roughly."""
        if not self._read:
            return size_of(messages) + size_of([dict(self.way.body)])
        return self._read + size_of(self._exchanges[-1].back)

    async def _sum_up(self, messages: list[Json], number: int) -> Summary | None:
        """What the model writes in place of all turns but the last. None if it writes nothing:
        then it goes on reading what it read."""
        self._summaries += 1
        asked = [*messages, _message("user", SUM_UP)]
        completion = await self.talk.complete(self._body(asked, f"{number}:summary"))
        written = self._written(completion.message)
        if not written.text:
            return None
        self._summary = Summary(
            text=written.text,
            upto=number - self.policy.context.kept,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            tokens=completion.tokens,
        )
        return self._summary

    def _body(self, messages: list[Json], place: str) -> dict[str, Json]:
        sampling = self.policy.sampling
        body = {
            "messages": messages if messages[0]["content"] else messages[1:],  # nothing is told
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "seed": _seed(self.seed, place),
            **self.way.body,
            **sampling.extra,
        }
        return {name: value for name, value in body.items() if value is not None}

    def _written(self, message: Message) -> Written:
        native = [read_native(call, self.way.tools) for call in message.tool_calls or ()]
        if native:
            written = read_text(message.text, {})
            return Written(written.thinking, written.kept, tuple(native), written.kept)
        return formats.read(message.text, self.way)

    def _turn(self, completion: Completion, view: View | None) -> Turn:
        message = completion.message
        written = self._written(message)
        calls = self._identified(written.calls)
        native = bool(message.tool_calls)
        self._by_tools = native or (completion.spelled and self.way.format == "native")
        self._sent = self._sent_back(message, written, calls if native else ())
        thinking = message.reasoning_content or message.reasoning or ""
        return Turn(
            text=written.text,
            thinking="\n\n".join(filter(None, (thinking.strip(), written.thinking))),
            calls=calls,
            raw="" if message.text == written.text else message.text,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            tokens=completion.tokens,
            view=view,
        )

    def _exchange(self, step: Step) -> Exchange:
        """The last turn and what came of it."""
        if not step.turn.calls:
            return Exchange(self._sent, (_message("user", step.user or ""),))
        whole = [result.text for result in step.results]
        shown = [self._shortened(text) for text in whole]
        return Exchange(
            self._sent,
            self._answers(step.turn.calls, shown, self._by_tools),
            self._answers(step.turn.calls, [LEFT_OUT] * len(whole), self._by_tools),
            sum(text != other for text, other in zip(whole, shown, strict=True)),
        )

    def _answers(
        self, calls: Sequence[ToolCall], texts: Sequence[str], by_tools: bool
    ) -> tuple[Json, ...]:
        """The messages that answer calls: of tools, or a text where the calls were in one."""
        if not by_tools:
            return (_message("user", formats.results(texts, self.way.format)),)
        return tuple(
            {"role": "tool", "tool_call_id": call.id, "content": text}
            for call, text in zip(calls, texts, strict=True)
        )

    def _shortened(self, text: str) -> str:
        most = self.policy.context.result
        if most is None:
            return text
        head = self.policy.engine.head(text, most)
        return text if head == text else cut(text, head)

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
        text = written.kept if self.policy.drop_thinking else message.text[: written.end]
        sent: dict[str, Json] = {"role": "assistant", "content": text}
        if native:
            sent["content"] = text or None
            sent["tool_calls"] = [_call(call) for call in native]
        if not self.policy.drop_thinking:
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


def _seed(seed: int, place: str) -> int:
    """Another for every sampling of every rollout; 31 bits, which all servers take."""
    digest = hashlib.sha256(f"{seed}:{place}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1
