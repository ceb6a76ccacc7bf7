"""`unambiguous`: what the user says picks exactly one record wherever it must pick one, also when
upper and lower case are not told apart. Where nothing is to be found, nothing is there that could
be meant: by case, misspelt, or in short."""

from forge.env.conditions import meets
from forge.env.identity import same
from forge.env.store import Store
from forge.errors import ToolError
from forge.gates.start import Trial
from forge.tasks.intents.columns import label_of, table_named
from forge.tasks.intents.forms import FormError
from forge.tasks.intents.inside import single_selections
from forge.tasks.intents.intent import IntentError, evaluate, picked
from forge.tasks.intents.likeness import mistakable
from forge.types.intent import Insert, Plain, Refused, Selection
from forge.types.state import Record


def unambiguous(trial: Trial) -> str | None:
    task, store = trial.task, trial.store()
    try:
        trial.meant()
    except IntentError as error:
        return str(error)
    except ToolError as error:
        return f"the records refuse it: {error.message}"
    for selection in single_selections(task.intent):
        reason = _other_readings(selection, store)
        if reason is not None:
            return reason
    for wish in task.intent.wishes:
        if (
            isinstance(wish, Refused)
            and wish.why == "missing"
            and not isinstance(wish.deed, Insert)
        ):
            near = _meant(wish.deed.of, store)
            if near is not None:
                return f"{near!r} could be meant, and nothing should be"
    return None


def _meant(missing: Selection, store: Store) -> str | None:
    """The name of a record that who names a missing one could have in mind."""
    label = label_of(table_named(store.schema, missing.table))
    for condition in missing.where:
        if condition.column != label or not isinstance(condition.value, Plain):
            continue
        wanted = condition.value.value
        for record in store.rows(missing.table):
            name = record.get(label)
            if same(name, wanted) or (isinstance(wanted, str) and mistakable(wanted, str(name))):
                return str(name)
    return None


def _other_readings(selection: Selection, store: Store) -> str | None:
    """Whether another record could be meant when text is compared without case."""
    try:
        found = _fitting(selection, store, loose=True)
        if selection.pick is None:
            meant = len(found)
            return f"{meant} records of {selection.table} could be meant" if meant > 1 else None
        exact = _fitting(selection, store, loose=False)
        if len(found) == len(exact):
            return None
        strict, loose = (
            [records[i] for i in picked(selection.pick, records, store, {})]
            for records in (exact, found)
        )
    except (IntentError, FormError):
        return None  # it is about what an earlier wish makes or changes
    return None if strict == loose else f"another record of {selection.table} could be meant"


def _fitting(selection: Selection, store: Store, *, loose: bool) -> list[Record]:
    """The records that fit; `loose`: whatever their case."""
    found = list(store.rows(selection.table))
    for condition in selection.where:
        wanted, op = evaluate(condition.value, store, {}), condition.op
        folded = wanted.casefold() if loose and isinstance(wanted, str) else None
        found = [
            record
            for record in found
            for value in [record.get(condition.column)]
            for met in [
                meets(value, op, wanted)
                if folded is None or op not in ("eq", "ne")
                else (str(value or "").casefold() == folded) == (op == "eq")
            ]
            if met != condition.negated
        ]
    return found
