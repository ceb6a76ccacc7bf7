"""A scripted policy played as if it were a model: what it would have read is made, and what it does
is written and read again.

So contexts, formats and tokens can be looked at on the same tasks with an agent whose turns are
known; it earns what the policy earns by itself, since it never needs what it reads.
"""

from dataclasses import dataclass, field

from forge.env.session import World
from forge.llm.completion import Completion, Function, Message, NativeCall
from forge.llm.sizes import head_of, tokens_in
from forge.rollout.dialogue import Dialogue
from forge.rollout.policies.chat import Chat, ChatPlayer
from forge.rollout.policies.context import SUM_UP, Context, size_of
from forge.rollout.policies.policy import Player, Policy
from forge.types.data import Json
from forge.types.rollout import Turn
from forge.types.task import Task


@dataclass(frozen=True, slots=True)
class Shown:
    """`policy`, reading by `context`."""

    policy: Policy
    context: Context

    @property
    def name(self) -> str:
        return self.policy.name

    def seat(self, world: World, task: Task, seed: int) -> "ShownPlayer":
        script = Script(self.name, self.policy.seat(world, task, seed))
        return ShownPlayer(script, Chat(script, context=self.context).seat(world, task, seed))

    async def close(self) -> None:
        await self.policy.close()


@dataclass(frozen=True, slots=True)
class ShownPlayer:
    script: "Script"
    chat: ChatPlayer

    async def act(self, dialogue: Dialogue) -> Turn:
        self.script.dialogue = dialogue
        return await self.chat.act(dialogue)


@dataclass(slots=True)
class Script:
    """Writes what the player does, in one rollout. `asked`: the requests so far."""

    name: str
    player: Player
    dialogue: Dialogue | None = None
    asked: list[dict[str, Json]] = field(default_factory=list)

    def talk(self, now: str) -> "Script":
        return self

    def head(self, text: str, tokens: int) -> str:
        return head_of(text, tokens)

    async def complete(self, body: dict[str, Json]) -> Completion:
        self.asked.append(body)
        assert self.dialogue is not None
        if body["messages"][-1]["content"] == SUM_UP:
            message = Message(content=summed_up(self.dialogue))
        else:
            message = message_of(await self.player.act(self.dialogue))
        return Completion(
            message=message,
            finish_reason="stop",
            prompt_tokens=size_of([body]),
            completion_tokens=tokens_in(message.model_dump_json(exclude_none=True)),
        )

    async def close(self) -> None:
        pass


def message_of(turn: Turn) -> Message:
    """The turn as a model writes it that calls by the API's tools."""
    calls = [
        NativeCall(id=call.id, function=Function(name=call.tool, arguments=call.arguments))
        for call in turn.calls
    ]
    return Message(content=turn.text or None, tool_calls=calls or None)


def summed_up(dialogue: Dialogue) -> str:
    """All that was done, a line a turn."""
    lines = []
    for step in dialogue.steps:
        made = ", ".join(call.tool for call in step.turn.calls)
        lines.append(f"I called {made}." if made else f"I was told: {step.user}")
    return "\n".join(lines)
