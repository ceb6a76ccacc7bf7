"""A policy that sees an environment under other names.

Always holds: it reads nothing in a true name, but for what people say; its calls are made in the
true names, so that trajectories, rewards and statistics know no others. Renamed twice, a policy
sees what is true: so those that hold a task to account, and play in true names, can be renamed.
"""

from dataclasses import dataclass, field

from forge.env.session import World
from forge.rollout.dialogue import Dialogue
from forge.rollout.policies.policy import Player, Policy
from forge.rollout.renaming.renaming import Renaming
from forge.types.environment import Environment
from forge.types.rollout import Step, Turn
from forge.types.task import Task


@dataclass(slots=True)
class Renamed:
    """`policy`, under the names that `seed` gives to each environment."""

    policy: Policy
    seed: int
    _known: dict[str, tuple[Environment, Renaming]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.policy.name

    def seat(self, world: World, task: Task, seed: int) -> "RenamedPlayer":
        return RenamedPlayer(self.policy.seat(world, task, seed), self._renaming(world.environment))

    def _renaming(self, environment: Environment) -> Renaming:
        known = self._known.get(environment.name)
        if known is None or known[0] is not environment:
            known = environment, Renaming(environment, self.seed)
            self._known[environment.name] = known
        return known[1]

    async def close(self) -> None:
        await self.policy.close()


@dataclass(slots=True)
class RenamedPlayer:
    player: Player
    renaming: Renaming
    _shown: Dialogue | None = None
    _last: Turn = field(default_factory=Turn)
    """As the player wrote it."""

    async def act(self, dialogue: Dialogue) -> Turn:
        renaming = self.renaming
        if self._shown is None:
            system = renaming.text(dialogue.system)
            self._shown = Dialogue(system, renaming.tools, dialogue.question)
        for step in dialogue.steps[len(self._shown.steps) :]:
            results = tuple(
                renaming.result(call.tool, result)
                for call, result in zip(step.turn.calls, step.results, strict=False)
            )
            self._shown.steps.append(Step(turn=self._last, results=results, user=step.user))
        self._last = turn = await self.player.act(self._shown)
        text = renaming.text(turn.text)
        return turn.model_copy(
            update={
                "text": text,
                "raw": turn.raw if text == turn.text else turn.raw or turn.text,
                "calls": tuple(map(renaming.call, turn.calls)),
            }
        )
