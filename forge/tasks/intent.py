"""Carrying out an intent on the records themselves: no tool, no sandbox, no question.

This is the other, independent way to a task's end: the `meaning` gate compares it with what the
golden calls did. Whatever is not exact is an `IntentError`: a selection that must be one record
and is none or several, a tie, an empty minimum.
"""

from forge.env.conditions import meets
from forge.env.identity import same
from forge.env.store import Store
from forge.tasks.columns import table_named
from forge.types.data import Json
from forge.types.state import Record
from forge.types.task import (
    Actor,
    AddItem,
    Aggregate,
    Answer,
    Change,
    Computed,
    Delete,
    Insert,
    Intent,
    MadeKey,
    Plain,
    RecordKey,
    RemoveItem,
    Selection,
    Value,
)


class IntentError(Exception):
    """Why the intent has no exact meaning here."""


def select(of: Selection, store: Store, made: dict[int, Record]) -> list[Record]:
    """The records that the selection finds, in key order; after `pick`, at most one."""
    found = store.find(of.table)
    for condition in of.where:
        wanted = evaluate(condition.value, store, made)
        found = [r for r in found if meets(r.get(condition.column), condition.op, wanted)]
    if of.pick is None:
        return found
    column = of.pick.column
    ranked = [r for r in found if r.get(column) is not None]
    if not ranked:
        return []
    choose = min if of.pick.which == "min" else max
    best = choose(r[column] for r in ranked)
    winners = [r for r in ranked if same(r[column], best)]
    if len(winners) > 1:
        raise IntentError(f"{len(winners)} records of {of.table} tie at {column} {best!r}")
    return winners


def select_one(of: Selection, store: Store, made: dict[int, Record]) -> Record:
    found = select(of, store, made)
    if len(found) != 1:
        raise IntentError(f"{len(found)} records of {of.table} fit where one must")
    return found[0]


def key_column(store: Store, table: str, column: str | None) -> str:
    return column or table_named(store.schema, table).key[0]


def evaluate(value: Value, store: Store, made: dict[int, Record]) -> Json:
    match value:
        case Plain():
            return value.value
        case Actor():
            return store.me()
        case RecordKey():
            record = select_one(value.of, store, made)
            return record[key_column(store, value.of.table, value.column)]
        case MadeKey():
            if value.wish not in made:
                raise IntentError(f"wish {value.wish} makes no record")
            record = made[value.wish]
            return record[value.column] if value.column else record["\0key"]
        case Computed():
            return aggregate(value.of, store, made)
        case AddItem() | RemoveItem():
            raise IntentError("an item can be added or removed in a change only")


def aggregate(what: Aggregate, store: Store, made: dict[int, Record]) -> Json:
    """The number or value asked for. Sums and averages are rounded to 2 decimals, as people say
    them; null values are left out."""
    if what.op == "value":
        assert what.column is not None
        return select_one(what.of, store, made).get(what.column)
    records = select(what.of, store, made)
    if what.op == "count":
        return len(records)
    assert what.column is not None
    numbers = [r[what.column] for r in records if r.get(what.column) is not None]
    if not numbers:
        raise IntentError(f"nothing to compute the {what.op} of {what.column} from")
    if what.op in ("min", "max"):
        return min(numbers) if what.op == "min" else max(numbers)
    total = sum(numbers)
    return tidy(total if what.op == "sum" else total / len(numbers))


def tidy(number: float) -> float | int:
    """Two decimals, and an int where it is whole: 12.0 and 12 are the same answer."""
    rounded = round(number, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def _changed(
    record: Record, change: dict[str, Value], store: Store, made: dict[int, Record]
) -> Record:
    values: Record = {}
    for column, value in change.items():
        match value:
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
    made: dict[int, Record] = {}
    answers: list[Json] = []
    for number, wish in enumerate(intent.wishes):
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
            case Answer():
                answers.append(aggregate(wish.what, store, made))
    return answers


def _targets(wish: Change | Delete, store: Store, made: dict[int, Record]) -> list[Record]:
    if not wish.each:
        return [select_one(wish.of, store, made)]
    found = select(wish.of, store, made)
    if not found:
        raise IntentError(f"no record of {wish.of.table} fits")
    return found
