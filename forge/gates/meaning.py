"""`meaning`: the intent, evaluated on the records with no tool and no sandbox, gives the golden
state and every answer. An answer must also be the same whether it is asked before the changes, in
their midst or after them: nobody says when to look."""

from forge.env.compare import compare, describe
from forge.env.identity import same
from forge.env.session import World
from forge.env.store import Store
from forge.errors import ToolError
from forge.gates.start import fresh
from forge.tasks.intents.intent import IntentError, carry_out
from forge.types.data import Json
from forge.types.intent import Answer, Intent
from forge.types.task import Task


def meaning(world: World, task: Task) -> str | None:
    store = fresh(world, task).store
    try:
        answers = carry_out(task.intent, store)
        found = compare(store.schema, store.initial, task.golden, store.overlay())
        if not found.equal:
            return f"the intent ends elsewhere: {describe(found).splitlines()[0]}"
        later = _asked_alone(task.intent, store)
    except IntentError as error:
        return f"the intent has no exact meaning: {error}"
    except ToolError as error:
        return f"the records refuse the intent: {error}"
    if len(answers) != len(task.dues):
        return f"{len(answers)} answers are wished for and {len(task.dues)} are due"
    for number, (value, due) in enumerate(zip(answers, task.dues, strict=True), 1):
        if not same(value, due.value):
            return f"answer {number} is {value!r} by the records and {due.value!r} by the tools"
    try:
        before = _asked_alone(task.intent, fresh(world, task).store)
    except (IntentError, ToolError):
        before = None
    if not (same(answers, later) and same(answers, before)):
        return "an answer depends on whether it is asked before or after the changes"
    return None


def _asked_alone(intent: Intent, store: Store) -> list[Json]:
    """The values of the answer wishes, with the other wishes left out."""
    asked = tuple(wish for wish in intent.wishes if isinstance(wish, Answer))
    return carry_out(Intent(wishes=asked), store)
