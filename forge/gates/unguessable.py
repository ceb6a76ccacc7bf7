"""`unguessable`: an agent that does nothing, one that guesses, and one that goes the golden way but
takes the first of whatever it could choose from earn nothing."""

from collections.abc import Set

from forge.env.identity import same
from forge.gates.solvable import rolled_out
from forge.gates.start import Trial
from forge.rollout.policies.first_match import FirstMatch
from forge.rollout.policies.guessing import (
    Pool,
    Shown,
    draw_answer,
    draw_arguments,
    in_question,
    in_result,
)
from forge.rollout.policies.noop import Noop
from forge.rollout.policies.random import MORE_CALLS
from forge.tasks.dags.play import PlayError
from forge.tasks.dags.reason import ReasonError
from forge.types.dag import ReasonNode
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.state import Overlay

RUNS = 16
"""Of the guesser, scored after every call, as long as it can still end well: it has done no harm
that the golden way does not do, and where the state is not the golden one, it has drawn tools that
might lead there by what they declare to do to the records."""


def unguessable(trial: Trial) -> str | None:
    as_it_was = trial.run().overlay()  # elsewhere than it is to end, it earns nothing
    if trial.is_golden(as_it_was) and rolled_out(trial, Noop()).reward != 0:
        return "doing nothing earns the reward"
    if chooses(trial) and rolled_out(trial, FirstMatch()).reward != 0:
        return "taking the first of every list earns the reward"
    tools = list(trial.world.tools.values())
    question = in_question(trial.task.question, trial.task.now)
    apt = {tool.name for tool in tools if _might_lead(tool, trial.task.golden)}
    results: dict[int, tuple[Json, Shown]] = {}
    length = len(trial.task.golden_calls) + MORE_CALLS
    for number in range(RUNS):
        rng, run = trial.dice(f"unguessable {number}"), trial.run()
        pool = Pool([question])
        drawn = [rng.choice(tools) for _ in range(length)]
        left = sum(tool.name in apt for tool in drawn)
        for tool in drawn:
            if left == 0 and not trial.is_golden(run.overlay()):
                break
            before = run.place
            result = run.call(tool.name, draw_arguments(rng, tool, pool))
            left -= tool.name in apt
            if result.failure is None:
                if id(result.value) not in results:
                    results[id(result.value)] = (result.value, in_result(result.value))
                pool.shown.append(results[id(result.value)][1])
            if run.place is before:
                continue
            if not trial.task.dues and trial.is_golden(run.overlay()):
                return f"calls at random end in the golden state (run {number + 1} of {RUNS})"
            if _harms(run.overlay(), trial.task.golden, trial.idle_tables):
                break
        if trial.task.dues and trial.is_golden(run.overlay()):
            answers = [draw_answer(rng, pool) for _ in trial.task.dues]
            if all(same(a, due.value) for a, due in zip(answers, trial.task.dues, strict=True)):
                return f"answers at random are the right ones (run {number + 1} of {RUNS})"
    return None


def _might_lead(tool: Tool, golden: Overlay) -> bool:
    """Whether the tool can do a part of what the golden way does. What it can do is as declared,
    which the tool checks hold it to; of a write that declares nothing it is not known."""
    effect = tool.effect
    if tool.kind == "read" or effect is None:
        return tool.kind == "write"
    reached = [golden[name] for name in (effect.table, *effect.cascades) if name in golden]
    match effect.verb:
        case "create":
            return any(table.made for table in reached)
        case "delete":
            return any(table.deleted or table.changed for table in reached)
        case _:
            return any(table.made or table.changed for table in reached)


def _harms(reached: Overlay, golden: Overlay, idle: Set[str]) -> bool:
    """Whether something was changed, deleted or made that the golden way leaves alone, in tables
    that are not `idle`."""
    for name, table in reached.items():
        if name in idle:
            continue
        meant = golden.get(name)
        if meant is None or len(table.made) > len(meant.made):
            return True
        if not table.changed.keys() <= meant.changed.keys():
            return True
        if not set(table.deleted) <= set(meant.deleted):
            return True
    return False


def chooses(trial: Trial) -> bool:
    """Whether some node of the DAG has more than one candidate to take."""
    try:
        values = trial.played().values
    except (PlayError, ReasonError):
        return False
    for node in trial.task.dag.nodes:
        if isinstance(node, ReasonNode):
            found: Json = values.get(node.over.node)
            for step in node.over.path:
                found = found[step]
            if isinstance(found, list) and len(found) > 1:
                return True
    return False
