"""Reasoning nodes: small computations over a list that a tool gave back."""

from forge.env.conditions import is_number, meets
from forge.env.identity import same
from forge.tasks.intent import tidy
from forge.types.data import Json, Path
from forge.types.task import ReasonNode


class ReasonError(Exception):
    """The candidates do not allow the computation."""


def at(value: Json, path: Path) -> Json:
    """The value at a path; ReasonError if there is nothing there."""
    for step in path:
        if isinstance(step, int) and isinstance(value, list):
            if not 0 <= step < len(value):
                raise ReasonError(f"there is no item {step}")
            value = value[step]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            raise ReasonError(f"there is nothing at {step!r}")
    return value


def at_or_none(value: Json, path: Path) -> Json:
    try:
        return at(value, path)
    except ReasonError:
        return None


def left(node: ReasonNode, candidates: Json, wanted: list[Json]) -> list[Json]:
    """The candidates that pass all tests; `wanted` are the tests' values, in order."""
    if not isinstance(candidates, list):
        raise ReasonError("the result is not a list")
    return [
        c
        for c in candidates
        if all(
            meets(at_or_none(c, t.path), t.op, w) for t, w in zip(node.tests, wanted, strict=True)
        )
    ]


def reason(node: ReasonNode, candidates: Json, wanted: list[Json]) -> Json:
    """The value of the node: a candidate, a list of them, or a number."""
    remaining = left(node, candidates, wanted)
    match node.form:
        case "match":
            if len(remaining) != 1:
                raise ReasonError(f"{len(remaining)} candidates are left where one must be")
            return remaining[0]
        case "all":
            if not remaining:
                raise ReasonError("no candidate is left")
            return remaining
        case "count":
            return len(remaining)
    ranked = [(v, c) for c in remaining for v in [at_or_none(c, node.by)] if v is not None]
    if not ranked:
        raise ReasonError("no candidate has a value to compare")
    texts = node.form in ("argmin", "argmax") and all(isinstance(v, str) for v, _ in ranked)
    if not texts and not all(is_number(v) for v, _ in ranked):
        raise ReasonError("the candidates' values cannot be compared")
    if node.form in ("argmin", "argmax"):
        choose = min if node.form == "argmin" else max
        best = choose(v for v, _ in ranked)
        winners = [c for v, c in ranked if same(v, best)]
        if len(winners) != 1:
            raise ReasonError(f"{len(winners)} candidates tie")
        return winners[0]
    total = sum(v for v, _ in ranked)
    return tidy(total if node.form == "sum" else total / len(ranked))
