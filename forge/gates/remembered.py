"""`remembered`: of a task of a sequence, what it needs from earlier ones is told there and found in
the agent's notes alone, and what is noted in it is needed later.

Each task starts where the one before ends, in its own dialogue. Without the notes, the oracle is
not served by a later task; nor is it, in some later task, without any single note that the golden
calls save. That is what makes a note necessary, since how notes end is not compared.
"""

from collections.abc import Sequence

from forge.env.dates import started
from forge.env.notes import notes_of
from forge.env.session import World
from forge.gates.solvable import rolled_out
from forge.gates.start import Trial
from forge.rollout.policies.oracle import Oracle
from forge.tasks.dags.reason import mentions
from forge.tasks.intents.columns import column_named, label_of, table_named
from forge.tasks.intents.inside import place_of
from forge.tasks.sequences import end_of
from forge.types.intent import Change, Insert, Plain
from forge.types.state import Overlay, TableOverlay
from forge.types.task import Task

MIN_VALUES = 5
"""That a noted fact might have."""


def remembered(trials: Sequence[Trial], place: int) -> str | None:
    """`trials`: of the whole sequence, in order; `place`: of the task that is judged, from 0."""
    tasks = [trial.task for trial in trials]
    task, world = tasks[place], trials[place].world
    if len(tasks) < 2:
        return "it stands alone" if task.follows is None else f"{task.follows} is not before it"
    return (
        _out_of_place(world, tasks, place)
        or _other_notes(trials[place])
        or _not_told(tasks, place)
        or _few_values(trials[place])
        or _without_notes(trials[place])
        or _idle_notes(trials, place)
    )


def _out_of_place(world: World, tasks: Sequence[Task], place: int) -> str | None:
    """How the task does not begin where the one before ends."""
    task, before = tasks[place], tasks[place - 1] if place else None
    if before is None:
        return None if task.follows is None else f"{task.follows} is not before it"
    if task.follows != before.id:
        return f"it follows {task.follows}, and {before.id} is before it"
    for name in ("env", "base", "actor", "lang", "split"):
        one, other = before.model_dump()[name], task.model_dump()[name]
        if one != other:
            return f"its {name} is {other!r}, and {one!r} before"
    if started(task.now) <= started(before.now):
        return f"it is {task.now}, and was {before.now} before"
    if task.setup != end_of(world, before):
        return "it does not start where the task before ends"
    return None


def _other_notes(trial: Trial) -> str | None:
    """The comparison of end states does not look at what was noted; this does."""
    table, _, _ = notes_of(trial.world.environment)
    run = trial.run()
    for call in trial.task.golden_calls:
        run.call(call.tool, call.arguments)
    if run.overlay().get(table) != trial.task.golden.get(table):
        return "the golden calls leave other notes"
    return None


def _not_told(tasks: Sequence[Task], place: int) -> str | None:
    """A fact of an earlier dialogue that was not told there."""
    earlier = [fact for fact in tasks[place].facts if fact.noted]
    if bool(earlier) != bool(place):
        return "it needs nothing from before" if place else "nothing was told before it"
    for fact in earlier:
        if not any(mentions(task.question, fact.text) for task in tasks[:place]):
            return f"no earlier task tells {fact.text!r}"
    return None


def _few_values(trial: Trial) -> str | None:
    """A noted fact that could be guessed, since it is one of a few values."""
    task, store = trial.task, trial.store()
    for fact in task.facts:
        place = place_of(task.intent, fact.name) if fact.noted else None
        if place is None:
            continue
        table = table_named(store.schema, place.table)
        column = column_named(table, place.column)
        few = 2 if column.type == "boolean" else len(column.enum or ())
        if place.column == label_of(table) and not _is_new(task, fact.name):
            few = store.count(table.name)
        if 0 < few < MIN_VALUES:
            return f"{fact.name!r} is one of only {few} values"
    return None


def _is_new(task: Task, fact: str) -> bool:
    """Whether the value is written, and does not name a record that is there."""
    return any(
        isinstance(value, Plain) and value.fact == fact
        for wish in task.intent.wishes
        if isinstance(wish, Insert | Change)
        for value in (wish.values if isinstance(wish, Insert) else wish.change).values()
    )


def _without_notes(trial: Trial) -> str | None:
    task = trial.task
    if task.follows is None:
        return None
    table, _, _ = notes_of(trial.world.environment)
    setup = {name: rows for name, rows in task.setup.items() if name != table}
    return "it can be done without a note" if _is_served(trial, setup) else None


def _idle_notes(trials: Sequence[Trial], place: int) -> str | None:
    """A note of this task's golden calls that every later task can be done without."""
    table, save, _ = notes_of(trials[place].world.environment)
    for call in trials[place].task.golden_calls:
        if call.tool != save.name:
            continue
        text = call.arguments.get("text")
        if all(_is_served(t, _less(t.task.setup, table, text)) for t in trials[place + 1 :]):
            return f"no later task needs the note {text!r}"
    return None


def _less(setup: Overlay, table: str, text: object) -> Overlay:
    """The setup without the notes of that text."""
    notes = setup.get(table, TableOverlay())
    kept = {key: note for key, note in notes.made.items() if note.get("text") != text}
    return {**setup, table: notes.model_copy(update={"made": kept})}


def _is_served(trial: Trial, setup: Overlay) -> bool:
    """Whether the oracle, starting from there, earns the reward."""
    other = Trial(trial.world, trial.task.model_copy(update={"setup": setup}))
    return rolled_out(other, Oracle()).reward == 1
