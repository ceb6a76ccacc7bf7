"""The policy that knows the way and does not think: the golden DAG, every choice taking the first
candidate. A task that rewards it asks for no thought."""

from forge.env.session import World
from forge.rollout.policies.oracle import DagPlayer
from forge.tasks.dags.careless import first_of
from forge.types.task import Task


class FirstMatch:
    name = "first-match"

    def seat(self, world: World, task: Task, seed: int) -> DagPlayer:
        return DagPlayer(task, first_of)

    async def close(self) -> None:
        pass
