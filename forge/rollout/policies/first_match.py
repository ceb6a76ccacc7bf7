"""The policy that knows the way and does not think: the golden DAG, every choice taking the first
candidate. A task that rewards it asks for no thought."""

from forge.env.session import World
from forge.rollout.policies.oracle import DagPlayer
from forge.tasks.dags.reason import ReasonError, at_or_none
from forge.types.dag import ReasonNode
from forge.types.data import Json
from forge.types.task import Task


class FirstMatch:
    name = "first-match"

    def seat(self, world: World, task: Task, seed: int) -> DagPlayer:
        return DagPlayer(task, first_of)

    async def close(self) -> None:
        pass


def first_of(node: ReasonNode, candidates: Json) -> Json:
    """What the node gives if it looks at the first candidate only. ReasonError without any."""
    if not isinstance(candidates, list) or not candidates:
        raise ReasonError("there is no candidate")
    first = candidates[0]
    match node.form:
        case "match" | "argmin" | "argmax" | "nearest":
            return first
        case "all" | "first" | "last":
            return [first]
        case "none":
            return []
        case "values":
            return [at_or_none(first, node.by)]
        case "count" | "distinct":
            return 1
        case _:
            return at_or_none(first, node.by)
