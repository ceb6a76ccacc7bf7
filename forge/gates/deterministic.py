"""`deterministic`: two replays, each in a session of its own, give byte-equal outputs and
byte-equal states."""

import marshal

from forge.gates.start import Trial
from forge.types.call import ToolResult


def deterministic(trial: Trial) -> str | None:
    first, second = trial.run(), trial.open()
    for number, call in enumerate(trial.task.golden_calls, 1):
        one, other = (run.call(call.tool, call.arguments) for run in (first, second))
        if one is not other and _dumped(one) != _dumped(other):
            return f"golden call {number}, {call.tool}, gives another result when run again"
    if repr(first.overlay()) != repr(second.overlay()):
        return "two replays end in different states"
    return None


def _dumped(result: ToolResult) -> bytes:
    """The same for results that are the same to the bit, members in the same order."""
    return marshal.dumps((result.value, result.failure, result.message, result.bug), 2)
