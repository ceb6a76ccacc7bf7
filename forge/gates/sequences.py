"""Making sequences until enough tasks in them have passed every gate, all of a sequence or none."""

from collections.abc import Iterator

from forge.dataset.hashes import sealed_sequence
from forge.dataset.sequences import hardest
from forge.env.session import World
from forge.gates.judge import GATES, first_refusal_among
from forge.gates.keep import Stand, Tally, Wanted, most_alike, shape_of
from forge.gates.unique import Seen, repeated, unique
from forge.tasks.make import Proposer
from forge.tasks.sequences import MOST, propose_sequence
from forge.tasks.wishes.scene import Unfit
from forge.types.environment import ToolGraph
from forge.types.task import GateReport, Task


def more_sequences(
    world: World, graph: ToolGraph, wanted: Wanted, stand: Stand, tally: Tally
) -> Iterator[tuple[Task, ...]]:
    """Sequences beside the tasks that are there, until there are `wanted.count` tasks in them (or
    one more, for none has fewer than two). `stand` and `tally` are up to date whenever one
    comes."""
    proposer = Proposer(world, graph, seed=wanted.seed)
    writes = [t.name for t in proposer.tools.values() if t.kind == "write"]
    hopeful = sorted(name for name in writes if name not in proposer.hopeless)
    most = most_alike(stand.shapes.total() - tally.kept + wanted.count)
    barren = 0
    while tally.kept < wanted.count and barren < wanted.patience:
        barren += 1
        tally.walks += 1
        stand.number += 1
        number = stand.number - 1
        first = hopeful[number % len(hopeful)] if hopeful else None
        try:
            tasks = propose_sequence(
                proposer, number, first, most=min(MOST, max(2, wanted.count - tally.kept))
            )
            if any(stand.shapes[shape_of(task.intent)] >= most for task in tasks):
                raise Unfit("enough of the kind")
            tasks = sealed_sequence(tasks)
            if wanted.band not in (None, hardest(task.band for task in tasks)):
                raise Unfit("another difficulty than asked for")
        except Unfit as unfit:
            tally.unfit[str(unfit)] += 1
            continue
        tally.proposed += 1
        refusal = _refusal(world, tasks, stand.seen)
        if refusal is not None:
            tally.refused[refusal] += 1
            continue
        barren = 0
        passed = {name: GateReport(passed=True) for name in [*GATES, "remembered", "unique"]}
        for task in tasks:
            stand.add(task)
            tally.kept += 1
        yield tuple(task.model_copy(update={"gates": passed}) for task in tasks)


def _refusal(world: World, tasks: tuple[Task, ...], seen: Seen) -> str | None:
    """The first gate that refuses one of the tasks."""
    own = Seen()
    if any(repeated(task, seen) or unique(task, own) for task in tasks):
        return "unique"
    return first_refusal_among(world, tasks)
