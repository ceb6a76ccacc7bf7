"""`replay`: the golden calls run in a fresh session without an error and end in the golden state,
and the DAG, with its origins resolved anew, makes exactly these calls."""

from forge.env.compare import compare, describe
from forge.env.session import World
from forge.gates.start import fresh
from forge.tasks.dags.play import PlayError, facts_of, play
from forge.types.task import Task


def replay(world: World, task: Task) -> str | None:
    session = fresh(world, task)
    for number, call in enumerate(task.golden_calls, 1):
        result = session.call(call.tool, call.arguments)
        if result.failure is not None:
            said = result.bug or result.message
            return f"golden call {number}, {call.tool}, fails: {result.failure}: {said}"
    store = session.store
    found = compare(store.schema, store.initial, task.golden, session.overlay())
    if not found.equal:
        return f"the golden calls end elsewhere: {describe(found).splitlines()[0]}"
    try:
        played = play(fresh(world, task), task.dag, facts_of(task.facts), task.dues)
    except PlayError as error:
        return f"the DAG cannot be played: {error}"
    if tuple(played.calls) != task.golden_calls:
        return "the DAG makes other calls than the golden ones"
    return None
