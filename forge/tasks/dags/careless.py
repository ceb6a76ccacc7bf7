"""The golden way as one goes it who does not think: every choice takes the first candidate."""

from collections.abc import Mapping

from forge.env.identity import same
from forge.tasks.dags.play import Played, value_of
from forge.tasks.dags.reason import ReasonError, at_or_none
from forge.types.dag import ReasonNode, TaskDag
from forge.types.data import Json


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


def takes_first(dag: TaskDag, played: Played, facts: Mapping[str, Json]) -> bool:
    """Whether there is a choice, and each is the first candidate: then no thought is asked for."""
    chooses = False
    for node in dag.nodes:
        if isinstance(node, ReasonNode):
            try:
                candidates = value_of(node.over, played.values, facts)
                if not same(first_of(node, candidates), played.values[node.id]):
                    return False
            except ReasonError:
                return False
            chooses = chooses or len(candidates) > 1
    return chooses
