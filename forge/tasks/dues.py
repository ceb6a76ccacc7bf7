"""The answers that are due: their type, and what each could be taken for."""

from typing import Literal

from forge.env.store import Store
from forge.tasks.intents.inside import said_values
from forge.tasks.wishes.scene import Unfit
from forge.types.dag import Origin
from forge.types.data import Json
from forge.types.intent import Aggregate, Answer, Intent
from forge.types.task import Due

DueType = Literal["string", "integer", "number", "boolean", "date", "date-time"]

MAX_CANDIDATES = 20


def due_of(wish: int, origin: Origin, value: Json, intent: Intent, store: Store) -> Due:
    """What must be said, beside what it could be taken for: the values of other records.
    Raises Unfit where the user says the answer."""
    asked = intent.wishes[wish]
    if isinstance(value, str) and any(
        isinstance(said, str) and value.casefold() in said.casefold()
        for said in said_values(intent).values()
    ):
        raise Unfit("the user says the answer")
    candidates: tuple[Json, ...] = ()
    if isinstance(asked, Answer) and isinstance(asked.what, Aggregate):
        what = asked.what
        if what.op == "value" and what.column is not None and isinstance(value, str):
            candidates = _others(what.of.table, what.column, value, intent, store)
    return Due(wish=wish, origin=origin, type=_type_of(value), value=value, candidates=candidates)


def _others(table: str, column: str, value: str, intent: Intent, store: Store) -> tuple[Json, ...]:
    """Other values of the column that neither contain nor are in the right one or what the user
    says: to name one of them is to name another."""
    said = [str(fact).casefold() for fact in said_values(intent).values()]
    found: dict[str, None] = {}
    for record in store.rows(table):
        other = record.get(column)
        if isinstance(other, str) and other:
            folded = other.casefold()
            if not any(folded in s or s in folded for s in (value.casefold(), *said)):
                found[other] = None
    return tuple(found)[:MAX_CANDIDATES]


def _type_of(value: Json) -> DueType:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str() if len(value) == 10 and value[4:5] == "-" and value[7:8] == "-":
            return "date"
        case str() if "T" in value and value.endswith("Z"):
            return "date-time"
    return "string"
