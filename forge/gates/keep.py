"""Making tasks until enough have passed every gate, or until proposals stop bearing fruit."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from forge.dataset.hashes import sealed
from forge.env.session import World
from forge.gates.judge import GATES, first_refusal
from forge.gates.unique import Seen, unique
from forge.tasks.intents.inside import aggregates, deeds
from forge.tasks.make import Proposer
from forge.tasks.wishes.scene import Unfit
from forge.types.environment import ToolGraph
from forge.types.intent import Answer, Branch, Change, Delete, Insert, Refused, Wish
from forge.types.task import GateReport, Task

SAME_SHARE = 0.15
LEAST_SAME = 3
"""No more than this share of an environment's tasks (or this many) wish for the same thing of the
same table: a set of renamings teaches renaming."""
PATIENCE = 150
"""Proposals in a row that may come to nothing before an environment is said to hold no more."""


@dataclass(slots=True)
class Tally:
    """What became of the proposals."""

    walks: int = 0
    proposed: int = 0
    kept: int = 0
    unfit: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)


def kept_tasks(
    world: World, graph: ToolGraph, *, count: int, seed: int, tally: Tally
) -> Iterator[Task]:
    """At most `count` tasks that every gate passes, sealed, in the order they were found."""
    proposer = Proposer(world, graph, seed=seed)
    seen = Seen()
    shapes: Counter[str] = Counter()
    most = max(LEAST_SAME, int(SAME_SHARE * count))
    barren = 0
    number = 0
    while tally.kept < count and barren < PATIENCE:
        barren += 1
        tally.walks += 1
        try:
            task = proposer.propose(number)
        except Unfit as unfit:
            tally.unfit[str(unfit)] += 1
            continue
        finally:
            number += 1
        shape = shape_of(task)
        if shapes[shape] >= most:
            tally.unfit["enough of the kind"] += 1
            continue
        tally.proposed += 1
        refusal = first_refusal(world, task)
        if refusal is None:
            task = sealed(task)
            refusal = "unique" if unique(task, seen) is not None else None
        if refusal is not None:
            tally.refused[refusal] += 1
            continue
        barren = 0
        shapes[shape] += 1
        tally.kept += 1
        passed = {name: GateReport(passed=True) for name in [*GATES, "unique"]}
        yield task.model_copy(update={"gates": passed})


def shape_of(task: Task) -> str:
    """What a task wishes for, without which and which values: verbs, tables and columns."""
    return " ".join(sorted(_shape(wish) for wish in task.intent.wishes))


def _shape(wish: Wish) -> str:
    match wish:
        case Insert():
            return f"insert {wish.table}"
        case Change():
            return f"change {wish.of.table} {sorted(wish.change)}"
        case Delete():
            return f"delete {wish.of.table}"
        case Answer():
            parts = [f"{a.of.table} {a.op} {a.column}" for a in aggregates(wish.what)]
            return f"answer {' - '.join(parts)}"
        case Branch():
            return f"if {wish.test.measure.op} {[_shape(deed) for deed in deeds(wish)]}"
        case Refused():
            return f"{wish.why} {_shape(wish.deed)}"
