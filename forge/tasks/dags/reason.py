"""Reasoning nodes: small computations over what tools gave back (the formulas are in `forms`)."""

import re

from forge.env.conditions import meets
from forge.tasks.intents import forms
from forge.tasks.intents.forms import FormError
from forge.types.dag import ComputeNode, ReasonNode
from forge.types.data import Json, Path


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


def mentions(value: Json, words: str) -> bool:
    """Whether some text in the value has the words, standing by themselves."""
    match value:
        case str():
            return (
                re.search(rf"(?<![A-Za-z0-9_-]){re.escape(words)}(?![A-Za-z0-9_-])", value)
                is not None
            )
        case list():
            return any(mentions(each, words) for each in value)
        case dict():
            return any(mentions(each, words) for each in value.values())
    return False


def left(node: ReasonNode, candidates: Json, wanted: list[Json]) -> list[Json]:
    """The candidates that pass all tests; `wanted` are the tests' values, in order."""
    if not isinstance(candidates, list):
        raise ReasonError("the result is not a list")
    return [
        c
        for c in candidates
        if all(
            meets(at_or_none(c, t.path), t.op, w) != t.negated
            for t, w in zip(node.tests, wanted, strict=True)
        )
    ]


def reason(node: ReasonNode, candidates: Json, wanted: list[Json], to: Json = None) -> Json:
    """The value of the node: a candidate, a list of them, or a number. `to` is the value of the
    node's `to`."""
    remaining = left(node, candidates, wanted)
    try:
        return _value(node, remaining, to)
    except FormError as error:
        raise ReasonError(str(error)) from None


def _value(node: ReasonNode, remaining: list[Json], to: Json) -> Json:
    by = [at_or_none(c, node.by) for c in remaining]
    match node.form:
        case "match":
            if len(remaining) != 1:
                raise ReasonError(f"{len(remaining)} candidates are left where one must be")
            return remaining[0]
        case "all":
            if not remaining:
                raise ReasonError("no candidate is left")
            return remaining
        case "none":
            if remaining:
                raise ReasonError(f"{len(remaining)} candidates are left where none may be")
            return remaining
        case "count":
            return len(remaining)
        case "argmin" | "argmax":
            return remaining[forms.nth(by, "min" if node.form == "argmin" else "max", node.nth)]
        case "nearest":
            return remaining[forms.nearest(by, to)]
        case "first" | "last":
            order = forms.first(by, "min" if node.form == "first" else "max", node.take)
            return [remaining[i] for i in order]
        case "values":
            return [value for value in by if value is not None]
        case "most":
            return forms.most(by)
        case "distinct":
            return forms.distinct(by)
        case "total":
            return forms.total(by, [at_or_none(c, node.times) for c in remaining])
        case _:
            return forms.number(node.form, by)


def compute(node: ComputeNode, one: Json, other: Json) -> Json:
    """The value of the node from its two values."""
    try:
        match node.form:
            case "difference":
                return forms.difference(one, other)
            case "later" | "earlier":
                return forms.moved(one, other, "days", less=node.form == "earlier")
            case "plus" | "minus":
                return forms.moved(one, other, "amount", less=node.form == "minus")
            case "raised" | "lowered":
                return forms.moved(one, other, "percent", less=node.form == "lowered")
            case "holds":
                return forms.holds(one, node.op, other)
    except FormError as error:
        raise ReasonError(str(error)) from None
