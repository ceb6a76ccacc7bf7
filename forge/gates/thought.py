"""Whether the thinking that a task asks for is needed: `sensitive` asks this of every reasoning
node, condition and branch.

A choice is from at least 3 candidates and takes neither the first nor the last; a careless reading
(no filter, all of them, the plain sum) gives something else; the other way of a branch ends
elsewhere.
"""

from collections.abc import Iterator, Mapping, Sequence

from forge.env.identity import same
from forge.env.store import Store
from forge.errors import ToolError
from forge.gates.start import Trial
from forge.tasks.dags.play import Played, value_of
from forge.tasks.dags.reason import ReasonError, at_or_none, left
from forge.tasks.intents import forms
from forge.tasks.intents.columns import table_named
from forge.tasks.intents.forms import OPPOSITE, FormError
from forge.tasks.intents.inside import selections
from forge.tasks.intents.intent import IntentError, carry_out, select
from forge.types.dag import ReasonNode
from forge.types.data import Json
from forge.types.intent import Answer, Branch, Selection
from forge.types.task import Task

MIN_CANDIDATES = 3
MIN_TERMS = 2
"""That a number is computed of; one alone needs no computing."""


def needless(trial: Trial, played: Played) -> str | None:
    """The first piece of reasoning that a careless agent could do without."""
    return (
        next(_easy_nodes(trial.task, played, trial.facts), None)
        or _counts_nothing(trial.task)
        or next(_idle_conditions(trial.task, trial.store()), None)
        or next(_idle_branches(trial), None)
    )


def _easy_nodes(task: Task, played: Played, facts: Mapping[str, Json]) -> Iterator[str]:
    for node in task.dag.nodes:
        if not isinstance(node, ReasonNode):
            continue
        try:
            candidates = value_of(node.over, played.values, facts)
            wanted = [value_of(test.value, played.values, facts) for test in node.tests]
            fault = _easy(node, candidates, left(node, candidates, wanted), played.values[node.id])
        except (ReasonError, FormError) as error:
            fault = str(error)
        if fault is not None:
            yield f"{node.form} {fault}"


def _easy(node: ReasonNode, candidates: Json, remaining: list[Json], chosen: Json) -> str | None:
    """How the node's value can be had without its reasoning. `candidates` are those of the list,
    `remaining` those that pass the tests."""
    values = [at_or_none(candidate, node.by) for candidate in remaining]
    there = [value for value in values if value is not None]
    match node.form:
        case "argmin" | "argmax" | "nearest":
            ends = (remaining[0], remaining[-1])
            if len(there) >= MIN_CANDIDATES and any(same(chosen, end) for end in ends):
                return "chooses the first or last of the list"
            return _few(there)
        case "first" | "last":
            ends = (remaining[: node.take], remaining[-node.take :])
            if any(_alike(chosen, end) for end in ends):
                return "chooses the first or last of the list"
            return _few(there)
        case "median" | "min" | "max" | "most":
            if len(there) >= MIN_CANDIDATES and any(same(chosen, values[i]) for i in (0, -1)):
                return "gives what the first or last of the list has"
            return _few(there)
        case "count":
            return _few(candidates)
        case "sum" | "average" | "range" | "total" | "distinct":
            if len(there) < MIN_TERMS:
                return f"is computed of only {len(there)}"
            if node.form == "total" and same(chosen, forms.number("sum", values)):
                return "is the plain sum"
            if node.form == "distinct" and same(chosen, len(there)):
                return "counts what is all different"
            return _few(candidates)
    return None


def _counts_nothing(task: Task) -> str | None:
    """A search that fails counts nothing too."""
    for due in task.dues:
        wish = task.intent.wishes[due.wish]
        counts = isinstance(wish, Answer) and wish.what.op in ("count", "distinct")
        if counts and same(due.value, 0):
            return "what is to be counted is not there"
    return None


def _few(candidates: Sequence[Json]) -> str | None:
    if len(candidates) >= MIN_CANDIDATES:
        return None
    return f"has only {len(candidates)} candidates"


def _alike(chosen: Json, others: list[Json]) -> bool:
    """Whether these are the same items, in whatever order."""
    return len(chosen) == len(others) and all(any(same(c, o) for o in others) for c in chosen)


def _idle_conditions(task: Task, store: Store) -> Iterator[str]:
    """Conditions of a choice, a group or a number that leave nothing out. What only names a record
    may say more than is needed, and so may what says whose records they are."""
    for of, single in selections(task.intent):
        if single and of.pick is None:
            continue
        parent = table_named(store.schema, of.table).parent
        whose = parent.columns if parent is not None else ()
        try:
            found = len(_unpicked(of, store))
            for number, condition in enumerate(of.where):
                rest = (*of.where[:number], *of.where[number + 1 :])
                wider = of.model_copy(update={"where": rest})
                asked = found and condition.column not in whose
                if asked and len(_unpicked(wider, store)) == found:
                    yield f"that {condition.column} must fit leaves out none of {of.table}"
        except IntentError:
            continue  # it is about what an earlier wish makes


def _unpicked(of: Selection, store: Store) -> list[dict[str, Json]]:
    return select(of.model_copy(update={"pick": None}), store, {})


def _idle_branches(trial: Trial) -> Iterator[str]:
    """Branches whose other way ends in the same state."""
    task = trial.task
    wishes = task.intent.wishes
    for number, wish in enumerate(wishes):
        if not isinstance(wish, Branch):
            continue
        turned = wish.test.model_copy(update={"op": OPPOSITE[wish.test.op]})
        other = wish.model_copy(update={"test": turned})
        intent = task.intent.model_copy(
            update={"wishes": (*wishes[:number], other, *wishes[number + 1 :])}
        )
        store = trial.store()
        try:
            carry_out(intent, store)
        except (IntentError, ToolError):
            continue
        if trial.is_golden(store.overlay()):
            yield "the branch ends the same either way"
