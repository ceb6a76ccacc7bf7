"""`replay`: the golden calls run in a fresh session without an error and end in the golden state,
and the DAG, with its origins resolved anew, makes exactly these calls. What is to be refused is
tried through every tool that could do it, is refused, and leaves nothing."""

from forge.env.compare import compare, describe
from forge.gates.start import Trial
from forge.tasks.dags.play import PlayError
from forge.tasks.dags.refusing import loophole


def replay(trial: Trial) -> str | None:
    task, run = trial.task, trial.run()
    for number, call in enumerate(task.golden_calls, 1):
        result = run.call(call.tool, call.arguments)
        if result.failure is not None:
            said = result.bug or result.message
            return f"golden call {number}, {call.tool}, fails: {result.failure}: {said}"
    store = trial.store()
    found = compare(store.schema, store.initial, task.golden, run.overlay())
    if not found.equal:
        return f"the golden calls end elsewhere: {describe(found).splitlines()[0]}"
    try:
        first = trial.first()
    except PlayError as error:
        return f"the DAG cannot be played: {error}"
    if tuple(first.played.calls) != task.golden_calls:
        return "the DAG makes other calls than the golden ones"
    if not trial.is_golden(first.overlay):
        return "a call that is refused leaves something"
    granting = loophole(task.intent, trial.world.environment, trial.run, trial.facts)
    return f"{granting} may grant what is to be refused" if granting else None
