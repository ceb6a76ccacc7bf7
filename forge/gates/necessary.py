"""`necessary`: leaving out any one golden write misses the golden state, and every read is there
for something that comes after it, or to see that something cannot be done. What is noted for a
later task makes no difference to this one: `remembered` leaves it out."""

from forge.gates.start import Trial
from forge.tasks.dags.play import before
from forge.types.dag import CallNode, Node, Output, Reasoned, ReasonNode
from forge.types.intent import Refused


def necessary(trial: Trial) -> str | None:
    world, task = trial.world, trial.task
    kinds = {t.name: t.kind for t in world.environment.tools}
    idle = trial.idle_tables
    notes = {t.name for t in world.environment.tools if t.effect and t.effect.table in idle}
    used = set().union(*before(task.dag).values()) | {
        due.origin.node for due in task.dues if isinstance(due.origin, Output | Reasoned)
    }
    for node in task.dag.nodes:
        reads = not isinstance(node, CallNode) or kinds.get(node.tool) == "read"
        if reads and node.id not in used and not _finds_out(node):
            return f"nothing comes of node {node.id}"
    tried = sum(_finds_out(node) for node in task.dag.nodes)
    if tried < sum(isinstance(wish, Refused) for wish in task.intent.wishes):
        return "nothing shows that what is to be refused cannot be done"
    for left_out, call in enumerate(task.golden_calls):
        if kinds.get(call.tool) != "write" or call.tool in notes:
            continue
        run = trial.run()
        for number, other in enumerate(task.golden_calls):
            if number != left_out:
                run.call(other.tool, other.arguments)
        if trial.is_golden(run.overlay()):
            return f"golden call {left_out + 1}, {call.tool}, makes no difference"
    return None


def _finds_out(node: Node) -> bool:
    """Whether the node shows that something cannot be done."""
    if isinstance(node, ReasonNode):
        return node.form == "none"
    return isinstance(node, CallNode) and node.refused
