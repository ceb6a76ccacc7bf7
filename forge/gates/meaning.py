"""`meaning`: the intent, evaluated on the records with no tool and no sandbox, gives the golden
state and every answer. An answer must also be the same whether it is asked before the changes, in
their midst or after them, for nobody says when to look. What is asked of how it is after them must
have been otherwise before, so that who looks too early is wrong."""

from forge.env.compare import compare, describe
from forge.env.identity import same
from forge.env.store import Store
from forge.errors import ToolError
from forge.gates.start import Trial
from forge.tasks.dags.play import PlayError, value_of
from forge.tasks.dags.reason import ReasonError
from forge.tasks.intents.forms import OPPOSITE
from forge.tasks.intents.intent import IntentError, carry_out, measure
from forge.types.dag import ComputeNode
from forge.types.data import Json
from forge.types.intent import Answer, Branch, Intent


def meaning(trial: Trial) -> str | None:
    task = trial.task
    try:
        answers, store = trial.meant()
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
        before = _asked_alone(task.intent, trial.store())
    except (IntentError, ToolError):
        before = None
    asked = [wish for wish in task.intent.wishes if isinstance(wish, Answer)]
    for number, wish in enumerate(asked):
        as_before = before is not None and same(answers[number], before[number])
        as_later = same(answers[number], later[number])
        if not wish.after and not (as_before and as_later):
            return "an answer depends on whether it is asked before or after the changes"
        if wish.after and not as_later:
            return "what is asked after the changes is otherwise in their midst"
        if wish.after and as_before:
            return "what is asked after the changes was the same before"
    return _decided_otherwise(trial)


def _decided_otherwise(trial: Trial) -> str | None:
    """Whether the DAG decides a branch by something else than the intent does, though it may come
    to the same here."""
    task = trial.task
    branches = [wish.test for wish in task.intent.wishes if isinstance(wish, Branch)]
    deciding = [n for n in task.dag.nodes if isinstance(n, ComputeNode) and n.form == "holds"]
    if not branches and not deciding:
        return None
    if len(deciding) > len(branches):
        return "the DAG decides something that the intent does not ask"
    store, facts = trial.store(), trial.facts
    try:
        values = trial.played().values
        meant = [
            (measure(test.measure, store, {}), test.value.value, OPPOSITE[test.op], test.op)
            for test in branches
        ]
        for node in deciding:
            one, other = (value_of(origin, values, facts) for origin in node.values)
            if not any(
                same([one, other], [value, limit]) and node.op in ops
                for value, limit, *ops in meant
            ):
                return f"node {node.id} decides by something else than the intent"
    except (PlayError, ReasonError, IntentError) as error:
        return f"what decides the branch cannot be told: {error}"
    if len(deciding) < len(branches):
        return "the intent asks for something to be decided that the DAG does not"
    return None


def _asked_alone(intent: Intent, store: Store) -> list[Json]:
    """The values of the answer wishes, with the other wishes left out."""
    asked = tuple(wish for wish in intent.wishes if isinstance(wish, Answer))
    return carry_out(Intent(wishes=asked), store)
