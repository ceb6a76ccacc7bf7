"""`deterministic`: two replays, each in a session of its own, give byte-equal outputs and
byte-equal states."""

from forge.gates.start import Trial


def deterministic(trial: Trial) -> str | None:
    first, second = trial.run(), trial.open()
    for number, call in enumerate(trial.task.golden_calls, 1):
        if repr(first.call(call.tool, call.arguments)) != repr(
            second.call(call.tool, call.arguments)
        ):
            return f"golden call {number}, {call.tool}, gives another result when run again"
    if repr(first.overlay()) != repr(second.overlay()):
        return "two replays end in different states"
    return None
