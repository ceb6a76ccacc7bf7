"""Records that a careless reader takes for those that are meant: nearly the same name, all
conditions but one, first in rank but for the filter."""

from forge.env.conditions import meets
from forge.env.identity import same
from forge.env.store import Store
from forge.tasks.intents import forms
from forge.tasks.intents.columns import label_of, table_named
from forge.tasks.intents.forms import FormError
from forge.tasks.intents.inside import selections
from forge.tasks.intents.intent import IntentError, evaluate, select
from forge.tasks.intents.likeness import akin
from forge.types.data import Json
from forge.types.intent import Condition, Intent, Pick, Plain, Selection
from forge.types.state import Record

MOST_COUNTED = 20


def count_rivals(intent: Intent, store: Store) -> int:
    """How many records could be taken for those that the intent's selections mean; at most 20."""
    found: list[tuple[str, tuple[Json, ...]]] = []
    seen: list[Selection] = []
    for of, _ in selections(intent):
        if of in seen:
            continue
        seen.append(of)
        key = table_named(store.schema, of.table).key
        for record in rivals(of, store):
            place = (of.table, tuple(record[part] for part in key))
            if place not in found:
                found.append(place)
        if len(found) >= MOST_COUNTED:
            return MOST_COUNTED
    return len(found)


def rivals(of: Selection, store: Store) -> list[Record]:
    """Records that the selection does not mean and a careless reader might."""
    try:
        meant = select(of, store, {})
        wanted = [(c, evaluate(c.value, store, {})) for c in of.where]
    except IntentError:
        return []  # it is about what an earlier wish makes
    label = label_of(table_named(store.schema, of.table))
    near = []
    for record in store.rows(of.table):
        unmet = [(c, w) for c, w in wanted if meets(record.get(c.column), c.op, w) == c.negated]
        if len(unmet) != 1 or record in meant:
            continue
        ((condition, value),) = unmet
        if is_name(condition, label):
            if akin(str(record.get(label or "")), str(value)):
                near.append(record)
        elif of.pick is None:
            if len(of.where) > 1:
                near.append(record)
        elif meant and comes_before(record, meant[-1], of.pick):
            near.append(record)
    return near


def is_name(condition: Condition, label: str | None) -> bool:
    """Whether the condition says what the record is called."""
    return condition.column == label and condition.op == "eq" and isinstance(condition.value, Plain)


def comes_before(record: Record, picked: Record, pick: Pick) -> bool:
    """Whether the record would be picked rather than the one that is."""
    if pick.counted is not None:
        return False
    values = [record.get(pick.column), picked.get(pick.column)]
    if None in values or same(*values):
        return False
    try:
        if pick.near is not None:
            return forms.nearest(values, pick.near.value) == 0
        return forms.ranked(values, pick.which)[0] == 0
    except FormError:
        return False
