"""`necessary`: leaving out any one golden write misses the golden state."""

from forge.env.session import World
from forge.gates.start import fresh, reaches_golden
from forge.types.task import Task


def necessary(world: World, task: Task) -> str | None:
    kinds = {t.name: t.kind for t in world.environment.tools}
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
