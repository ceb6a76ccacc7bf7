"""`replay`: the golden calls run in a fresh session without an error and end in the golden state,
and the DAG, with its origins resolved anew, makes exactly these calls. What is to be refused is
tried through every tool that could do it, is refused, and leaves nothing."""

from forge.env.compare import compare, describe
from forge.env.session import World
from forge.gates.start import fresh, reaches_golden
from forge.tasks.dags.play import PlayError, facts_of, play
from forge.tasks.dags.refusing import loophole
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
        session = fresh(world, task)
        played = play(session, task.dag, facts_of(task.facts), task.dues)
    except PlayError as error:
        return f"the DAG cannot be played: {error}"
    if tuple(played.calls) != task.golden_calls:
        return "the DAG makes other calls than the golden ones"
    if not reaches_golden(task, session):
        return "a call that is refused leaves something"
    granting = loophole(task.intent, fresh(world, task), facts_of(task.facts))
    return f"{granting} may grant what is to be refused" if granting else None
