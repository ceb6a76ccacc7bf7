"""The user that is a model, which knows what the task's user knows and answers in a form.

Always holds: it hears the agent's words and nothing of the state; the agent gets its message and
never its count of wishes or its mark that it stops; its messages only grow, so that a server keeps
what it read of them; one request a turn, with a seed of its own; who it is follows from the seed.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from random import Random
from typing import Literal

from jinja2 import Environment, StrictUndefined, Template
from pydantic import BaseModel, model_validator

from forge.llm.client import Client
from forge.llm.structured import Structured
from forge.rollout.policies.chat import Sampling
from forge.rollout.users.user import Reply
from forge.tasks.speech.listing import wishes_of
from forge.types.data import Json
from forge.types.state import StateSchema
from forge.types.task import Lang, Task

LANGUAGES: dict[Lang, str] = {"en": "English", "zh": "Chinese (中文)"}

MOST_WRITTEN = 400
"""Tokens of a turn, unless it is said otherwise."""

TONES = (
    "You are friendly and write in full sentences.",
    "You are in a hurry and write as little as you can.",
    "You are polite and formal.",
    "You are chatty.",
    "You write plainly, in short sentences.",
)
PATIENCE = (
    "You are patient.",
    "When the agent asks for the same thing a third time, you give up and stop.",
    "When the agent gets nowhere for four turns, you give up and stop.",
)


AS_IT_HAS_IT = Sampling()


class Said(BaseModel):
    """What the model writes in a turn."""

    served: list[int]
    message: str
    stop: bool

    @model_validator(mode="after")
    def _speaks(self) -> "Said":
        if not self.stop and not self.message.strip():
            raise ValueError("the message is empty")
        return self


class ModelUser:
    """A model at an endpoint, as the user of as many rollouts at once as one likes. `schema_of`:
    the nouns of an environment by its name; `lang`: what it speaks, where that is not the task's
    language."""

    errs = True

    def __init__(
        self,
        client: Client,
        schema_of: Callable[[str], StateSchema],
        *,
        lang: Lang | None = None,
        sampling: Sampling = AS_IT_HAS_IT,
    ) -> None:
        self.name = client.name
        self._client = client
        self._asking = Structured(client.name, client.complete)
        self._schema_of = cache(schema_of)
        self._lang = lang
        self._sampling = sampling

    def speaker(self, task: Task, seed: int) -> "ModelSpeaker":
        lang = self._lang or task.lang
        prompt = prompt_for(task, self._schema_of(task.env), lang, seed)
        opening = task.question if lang == task.lang else None
        wishes = len(task.intent.wishes)
        return ModelSpeaker(self._asking, self._sampling, prompt, seed, wishes, lang, opening)

    async def close(self) -> None:
        await self._client.close()


@dataclass(slots=True)
class ModelSpeaker:
    """`known`: what it says first, where it does not write that itself."""

    asking: Structured
    sampling: Sampling
    prompt: str
    seed: int
    wishes: int
    lang: Lang
    known: str | None
    _messages: list[Json] = field(default_factory=list)

    async def opening(self) -> str:
        self._messages = [_message("system", self.prompt), _message("user", GREETINGS[self.lang])]
        if self.known is None:
            return (await self._say()).message.strip()
        first = {"served": [], "message": self.known, "stop": False}
        self._messages.append(_message("assistant", json.dumps(first, ensure_ascii=False)))
        return self.known

    async def reply(self, heard: str) -> Reply:
        self._messages.append(_message("user", f"Agent: {heard}"))
        said = await self._say()
        served = tuple(n for n in range(1, self.wishes + 1) if n in said.served)
        end: Literal["done", "gave_up"] = "done" if len(served) == self.wishes else "gave_up"
        return Reply(said.message.strip(), end if said.stop else None, served)

    async def _say(self) -> Said:
        sampling = self.sampling
        body = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens or MOST_WRITTEN,
            "seed": _seed(self.seed, len(self._messages)),
            **sampling.extra,
        }
        given = {name: value for name, value in body.items() if value is not None}
        answer = await self.asking.ask(self._messages, Said, given)
        text = answer.text
        if answer.repaired:
            text = answer.value.model_dump_json()
        self._messages.append(_message("assistant", text))
        return answer.value


GREETINGS: dict[Lang, str] = {
    "en": "Agent: Hello! What can I do for you?",
    "zh": "Agent: 您好！请问需要什么帮助？",
}


def prompt_for(task: Task, schema: StateSchema, lang: Lang, seed: int) -> str:
    """What the model is told before the dialogue."""
    draw = Random(seed)
    return _template().render(
        manner=f"{draw.choice(TONES)} {draw.choice(PATIENCE)}",
        language=LANGUAGES[lang],
        now=task.now,
        wishes=wishes_of(task, schema),
        late=[fact for fact in task.facts if fact.told],
        noted=[fact for fact in task.facts if fact.noted],
    )


def _source() -> str:
    return files("forge.rollout.users").joinpath("model.md.j2").read_text("utf-8")


@cache
def _template() -> Template:
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_source())


def _message(role: str, content: str) -> Json:
    return {"role": role, "content": content}


def _seed(seed: int, turn: int) -> int:
    """Another for every turn of every rollout; 31 bits, which all servers take."""
    digest = hashlib.sha256(f"user:{seed}:{turn}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1
