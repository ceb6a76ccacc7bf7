"""`deterministic`: two replays give byte-equal outputs and byte-equal states."""

from forge.env.session import World
from forge.gates.start import fresh
from forge.types.task import Task


def deterministic(world: World, task: Task) -> str | None:
    first, second = fresh(world, task), fresh(world, task)
    for number, call in enumerate(task.golden_calls, 1):
        if repr(first.call(call.tool, call.arguments)) != repr(
            second.call(call.tool, call.arguments)
        ):
            return f"golden call {number}, {call.tool}, gives another result when run again"
    if repr(first.overlay()) != repr(second.overlay()):
        return "two replays end in different states"
    return None
