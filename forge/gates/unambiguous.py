"""`unambiguous`: what the user says picks exactly one record wherever it must pick one, also when
upper and lower case are not told apart."""

from forge.env.conditions import meets
from forge.env.session import World
from forge.env.store import Store
from forge.errors import ToolError
from forge.gates.start import fresh
from forge.tasks.intents.inside import single_selections
from forge.tasks.intents.intent import IntentError, carry_out, evaluate
from forge.types.intent import MadeKey, Selection
from forge.types.task import Task


def unambiguous(world: World, task: Task) -> str | None:
    store = fresh(world, task).store
    try:
        carry_out(task.intent, store.fork())
    except IntentError as error:
        return str(error)
    except ToolError as error:
        return f"the records refuse it: {error.message}"
    for selection in single_selections(task.intent):
        count = _loosely(selection, store)
        if count > 1:
            return f"{count} records of {selection.table} could be meant"
    return None


def _loosely(selection: Selection, store: Store) -> int:
    """How many records fit when text is compared without case."""
    if selection.pick is not None:
        return 1
    found = store.find(selection.table)
    for condition in selection.where:
        if isinstance(condition.value, MadeKey):
            return 1
        try:
            wanted = evaluate(condition.value, store, {})
        except IntentError:
            return 1
        if condition.op == "eq" and isinstance(wanted, str):
            found = [
                r
                for r in found
                if str(r.get(condition.column) or "").casefold() == wanted.casefold()
            ]
        else:
            found = [r for r in found if meets(r.get(condition.column), condition.op, wanted)]
    return len(found)
