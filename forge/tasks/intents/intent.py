"""Carrying out an intent on the records themselves: no tool, no sandbox, no question.

This is the other, independent way to a task's end: the `meaning` gate compares it with what the
golden calls did. Whatever is not exact is an `IntentError`: a selection that must be one record
and is none or several, a tie, an empty minimum.
"""

from collections import Counter

from forge.env.conditions import meets
from forge.env.identity import frozen, same
from forge.env.store import Store
from forge.errors import ToolError
from forge.tasks.intents import forms
from forge.tasks.intents.columns import table_named
from forge.tasks.intents.forms import FormError
from forge.types.data import Json
from forge.types.intent import (
    Actor,
    AddItem,
    Aggregate,
    Answer,
    Branch,
    Change,
    Computed,
    Deed,
    Delete,
    Difference,
    Insert,
    Intent,
    Keys,
    MadeKey,
    Measure,
    Moved,
    Pick,
    Refused,
    RemoveItem,
    Selection,
    Value,
)
from forge.types.state import Record


class IntentError(Exception):
    """Why the intent has no exact meaning here."""


Made = dict[int, Record]
"""Insert wish -> the record it made."""


def select(of: Selection, store: Store, made: Made) -> list[Record]:
    """The records that the selection finds, in key order; after `pick`, those it picks."""
    found: list[Record] | None = None
    for condition in of.where:
        wanted = evaluate(condition.value, store, made)
        column = condition.column
        if condition.op == "eq" and not condition.negated and isinstance(wanted, str):
            if found is None:  # the common case, at speed
                found = list(store.rows_with(of.table, column, wanted))
            else:
                found = [r for r in found if r.get(column) == wanted]
            continue
        rows = store.rows(of.table) if found is None else found
        op, negated = condition.op, condition.negated
        found = [r for r in rows if meets(r.get(column), op, wanted) != negated]
    if found is None:
        found = list(store.rows(of.table))
    if of.pick is None or not found:
        return found
    try:
        return [found[i] for i in picked(of.pick, found, store, made)]
    except FormError as error:
        raise IntentError(f"of {of.table}, {error} by {of.pick.column}") from None


def picked(pick: Pick, found: list[Record], store: Store, made: Made) -> list[int]:
    """The positions of those that the pick takes. Raises FormError."""
    values = [r.get(pick.column) for r in found]
    if pick.counted is not None:
        referring = select(pick.counted.of, store, made)
        counts = Counter(frozen(r.get(pick.counted.column)) for r in referring)
        values = [counts[frozen(value)] for value in values]
    if all(value is None for value in values):
        return []
    if pick.near is not None:
        return [forms.nearest(values, pick.near.value)]
    if pick.take > 1:
        return forms.first(values, pick.which, pick.take)
    return [forms.nth(values, pick.which, pick.nth)]


def select_one(of: Selection, store: Store, made: Made) -> Record:
    found = select(of, store, made)
    if len(found) != 1:
        raise IntentError(f"{len(found)} records of {of.table} fit where one must")
    return found[0]


def key_column(store: Store, table: str, column: str | None) -> str:
    return column or table_named(store.schema, table).key[0]


def evaluate(value: Value, store: Store, made: Made) -> Json:
    if value.kind == "plain":  # at speed: these two are asked for more often than anything else
        return value.value
    if value.kind == "record":
        record = select_one(value.of, store, made)
        return record[key_column(store, value.of.table, value.column)]
    match value:
        case Actor():
            try:
                return store.me()
            except ToolError as error:
                raise IntentError(error.message) from None
        case MadeKey():
            if value.wish not in made:
                raise IntentError(f"wish {value.wish} makes no record")
            record = made[value.wish]
            return record[value.column] if value.column else record["\0key"]
        case Keys():
            column = key_column(store, value.of.table, value.column)
            return [r.get(column) for r in select(value.of, store, made)]
        case Computed():
            return measure(value.of, store, made)
        case Moved() | AddItem() | RemoveItem():
            raise IntentError("a value can be moved, an item added or removed, in a change only")


def measure(what: Measure, store: Store, made: Made) -> Json:
    """The number or value asked for. Sums, averages and differences are rounded to 2 decimals, as
    people say them; null values are left out."""
    try:
        if isinstance(what, Difference):
            right = store.today() if what.right is None else measure(what.right, store, made)
            return forms.difference(measure(what.left, store, made), right)
        return _aggregate(what, store, made)
    except FormError as error:
        raise IntentError(str(error)) from None


def _aggregate(what: Aggregate, store: Store, made: Made) -> Json:
    if what.op == "value":
        assert what.column is not None
        return select_one(what.of, store, made).get(what.column)
    records = select(what.of, store, made)
    if what.op == "count":
        return len(records)
    assert what.column is not None
    values = [r.get(what.column) for r in records]
    match what.op:
        case "distinct":
            return forms.distinct(values)
        case "total":
            assert what.times is not None
            return forms.total(values, [r.get(what.times) for r in records])
    return forms.number(what.op, values)


def _changed(record: Record, change: dict[str, Value], store: Store, made: Made) -> Record:
    values: Record = {}
    for column, value in change.items():
        match value:
            case Moved():
                try:
                    values[column] = forms.moved(
                        record.get(column), value.by.value, value.unit, less=value.less
                    )
                except FormError as error:
                    raise IntentError(str(error)) from None
            case AddItem():
                item = evaluate(value.item, store, made)
                values[column] = [*(record.get(column) or []), item]
            case RemoveItem():
                item = evaluate(value.item, store, made)
                before = record.get(column) or []
                if not any(same(b, item) for b in before):
                    raise IntentError(f"{column} has no item {item!r} to remove")
                values[column] = [b for b in before if not same(b, item)]
            case _:
                values[column] = evaluate(value, store, made)
    return values


def carry_out(intent: Intent, store: Store) -> list[Json]:
    """Does the wishes in order on `store`; returns the values of its answer wishes, in order.

    Raises IntentError, and ToolError where the store itself refuses.
    """
    made: Made = {}
    answers: list[Json] = []
    for number, wish in enumerate(intent.wishes):
        match wish:
            case Answer():
                answers.append(measure(wish.what, store, made))
            case Branch():
                taken = branch_taken(wish, store, made)
                if taken is not None:
                    _do(taken, number, store, made)
            case Refused():
                reason = granted(wish, store, made)
                if reason is not None:
                    raise IntentError(f"what is to be refused {reason}")
            case _:
                _do(wish, number, store, made)
    return answers


def branch_taken(wish: Branch, store: Store, made: Made) -> Deed | None:
    """The deed that the test leads to."""
    test = wish.test
    try:
        value = measure(test.measure, store, made)
        return wish.then if forms.holds(value, test.op, test.value.value) else wish.otherwise
    except FormError as error:
        raise IntentError(str(error)) from None


def granted(wish: Refused, store: Store, made: Made) -> str | None:
    """Why the deed could be done after all on the records, or None. What the tools add (`state`)
    is not seen here."""
    if wish.why == "missing":
        assert not isinstance(wish.deed, Insert)
        return "is there" if select(wish.deed.of, store, made) else None
    if wish.why == "state":
        return None
    trial = store.fork()
    try:
        _do(wish.deed, 0, trial, dict(made))
    except ToolError as error:
        return None if error.kind == "conflict" else f"fails otherwise: {error.message}"
    return "is allowed by the records"


def _do(wish: Deed, number: int, store: Store, made: Made) -> None:
    match wish:
        case Insert():
            values = {c: evaluate(v, store, made) for c, v in wish.values.items()}
            record = store.insert(wish.table, **values)
            key = table_named(store.schema, wish.table).key
            made[number] = {**record, "\0key": record[key[0]]}
        case Change():
            for record in _targets(wish, store, made):
                key = table_named(store.schema, wish.of.table).key
                values = _changed(record, wish.change, store, made)
                store.update(wish.of.table, *(record[k] for k in key), **values)
        case Delete():
            for record in _targets(wish, store, made):
                key = table_named(store.schema, wish.of.table).key
                store.delete(wish.of.table, *(record[k] for k in key))


def _targets(wish: Change | Delete, store: Store, made: Made) -> list[Record]:
    if not wish.each:
        return [select_one(wish.of, store, made)]
    found = select(wish.of, store, made)
    if not found:
        raise IntentError(f"no record of {wish.of.table} fits")
    return found
