"""The judge that is a model: reads a dialogue and what its user wants, and flags the user's errors.

Beside the rules, never in their place. Always holds: it sees what was said and nothing of the
state or of the reward; what it flags is about a turn that there is; one request a rollout.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template
from pydantic import BaseModel

from forge.llm.client import Client
from forge.llm.structured import Structured
from forge.rollout.users.slips import exchanges, to_tell
from forge.tasks.speech.listing import wishes_of
from forge.types.rollout import Rule, Slip, Trajectory
from forge.types.state import StateSchema
from forge.types.task import Task

MOST_WRITTEN = 1000
LONGEST_REASON = 300


class Found(BaseModel):
    turn: int
    rule: Rule
    reason: str


class Findings(BaseModel):
    errors: list[Found]


@dataclass(slots=True)
class Judge:
    """`schema_of`: the nouns of an environment by its name."""

    client: Client
    schema_of: Callable[[str], StateSchema]
    _asking: Structured = field(init=False)

    def __post_init__(self) -> None:
        self._asking = Structured(self.client.name, self.client.complete)

    async def slips(self, task: Task, trajectory: Trajectory) -> tuple[Slip, ...]:
        """Unreadable, and what the client raises."""
        talk = exchanges(task, trajectory)
        if not talk:
            return ()
        prompt = _template().render(
            wishes=wishes_of(task, self.schema_of(task.env)),
            late=[fact for fact in task.facts if to_tell(fact)],
            talk=talk,
        )
        answer = await self._asking.ask(
            [{"role": "user", "content": prompt}],
            Findings,
            {"temperature": 0, "max_tokens": MOST_WRITTEN},
        )
        turns = {each.turn for each in talk}
        return tuple(
            Slip(turn=e.turn, rule=e.rule, reason=e.reason[:LONGEST_REASON], by="judge")
            for e in answer.value.errors
            if e.turn in turns
        )

    async def close(self) -> None:
        await self.client.close()


@cache
def _template() -> Template:
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    source = files("forge.rollout.users").joinpath("judge.md.j2").read_text("utf-8")
    return environment.from_string(source)
