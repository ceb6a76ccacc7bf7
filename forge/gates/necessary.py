"""`necessary`: leaving out any one golden write misses the golden state, and every read is there
for something that comes after it."""

from forge.env.session import World
from forge.gates.start import fresh, reaches_golden
from forge.tasks.dags.play import before
from forge.types.dag import CallNode, Output, Reasoned, ReasonNode
from forge.types.task import Task


def necessary(world: World, task: Task) -> str | None:
    kinds = {t.name: t.kind for t in world.environment.tools}
    used = set().union(*before(task.dag).values()) | {
        due.origin.node for due in task.dues if isinstance(due.origin, Output | Reasoned)
    }
    for node in task.dag.nodes:
        reads = not isinstance(node, CallNode) or kinds.get(node.tool) == "read"
        if isinstance(node, ReasonNode) and node.form == "none":
            continue  # that there is no such record is what is to be found out
        if reads and node.id not in used:
            return f"nothing comes of node {node.id}"
    for left_out, call in enumerate(task.golden_calls):
        if kinds.get(call.tool) != "write":
            continue
        session = fresh(world, task)
        for number, other in enumerate(task.golden_calls):
            if number != left_out:
                session.call(other.tool, other.arguments)
        if reaches_golden(task, session):
            return f"golden call {left_out + 1}, {call.tool}, makes no difference"
    return None
