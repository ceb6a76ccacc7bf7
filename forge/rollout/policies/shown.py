"""A scripted policy played as if it were a model: what it would have read is made, and what it does
is written and read again.

So contexts, formats and tokens can be looked at on the same tasks with an agent whose turns are
known; it earns what the policy earns by itself, since it never needs what it reads.
"""

from dataclasses import dataclass, field

from forge.env.session import World
from forge.llm.completion import Completion, Message
from forge.llm.sizes import head_of, tokens_in
from forge.rollout.dialogue import Dialogue
from forge.rollout.policies.chat import Chat, ChatPlayer
from forge.rollout.policies.context import SUM_UP, Context, size_of
from forge.rollout.policies.engine import Engine
from forge.rollout.policies.formats import Format, write
from forge.rollout.policies.policy import Player, Policy
from forge.rollout.tokens.dictated import Dictated
from forge.rollout.tokens.talk import TokenEngine
from forge.rollout.tokens.template import Template
from forge.types.data import Json
from forge.types.rollout import Turn
from forge.types.task import Task


@dataclass(frozen=True, slots=True)
class Shown:
    """`policy`, reading by `context` and writing in `format`; `template`: in whose tokens. None: in
    texts."""

    policy: Policy
    context: Context
    format: Format = "native"
    template: Template | None = None

    @property
    def name(self) -> str:
        return self.policy.name

    def seat(self, world: World, task: Task, seed: int) -> "ShownPlayer":
        script = Script(self.name, self.policy.seat(world, task, seed), self.format)
        engine: Engine = script
        if self.template is not None:
            dictated = Dictated(script, self.template, task.now)
            engine = TokenEngine(self.name, self.template, dictated)
        chat = Chat(engine, format=self.format, context=self.context)
        return ShownPlayer(script, chat.seat(world, task, seed))

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
    format: Format = "native"
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
            message = write(await self.player.act(self.dialogue), self.format)
        return Completion(
            message=message,
            finish_reason="stop",
            prompt_tokens=size_of([body]),
            completion_tokens=tokens_in(message.model_dump_json(exclude_none=True)),
        )

    async def close(self) -> None:
        pass


def summed_up(dialogue: Dialogue) -> str:
    """All that was done, a line a turn."""
    lines = []
    for step in dialogue.steps:
        made = ", ".join(call.tool for call in step.turn.calls)
        lines.append(f"I called {made}." if made else f"I was told: {step.user}")
    return "\n".join(lines)
