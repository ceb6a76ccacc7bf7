"""Other wishes that are like a wish: the newest for the oldest, more for less, another verb or
value. Who reads a question and knows the wish from these has understood it.

Written from the wish and the schema alone, the likest first; none is the wish itself, and none is
promised to be possible.
"""

from collections.abc import Iterator
from typing import cast

from forge.env.identity import same
from forge.tasks.intents.columns import column_named, is_internal, label_of, table_named
from forge.types.data import Json
from forge.types.environment import Op
from forge.types.intent import (
    Aggregate,
    Answer,
    Branch,
    Change,
    Condition,
    Deed,
    Delete,
    Difference,
    Insert,
    Keys,
    Measure,
    Moved,
    Plain,
    RecordKey,
    Refused,
    Selection,
    Test,
    Value,
    Wish,
)
from forge.types.state import Column, StateSchema

_OTHER_OPS: dict[Op, Op] = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "ne", "ne": "eq"}
_OTHER_MEASURES = {
    "min": "max", "max": "min", "sum": "average", "average": "sum", "median": "max",
    "range": "max", "total": "count", "distinct": "count",
}  # fmt: skip


def twists(wish: Wish, schema: StateSchema) -> Iterator[Wish]:
    """The same with the opposite somewhere, then with another verb, then with other values."""
    match wish:
        case Answer():
            for what in _measures(wish.what, schema):
                yield wish.model_copy(update={"what": what})
        case Branch():
            yield from _branches(wish, schema)
        case Refused():
            for deed in _deeds(wish.deed, schema):
                yield (
                    wish.model_copy(update={"deed": deed})
                    if isinstance(deed, Change | Insert | Delete)
                    else deed
                )
        case _:
            yield from _deeds(wish, schema)


def _deeds(deed: Deed, schema: StateSchema) -> Iterator[Change | Insert | Delete | Answer]:
    match deed:
        case Change():
            for of in _opposites(deed.of, schema):
                yield deed.model_copy(update={"of": of})
            yield from _moved(deed)
            yield Delete(of=deed.of, each=deed.each)
            for values in _others(deed.change, deed.of.table, schema):
                yield deed.model_copy(update={"change": values})
            for of in _elsewhere(deed.of, schema):
                yield deed.model_copy(update={"of": of})
            yield from _asked_of(deed.of, schema, several=deed.each)
        case Delete():
            for of in _opposites(deed.of, schema):
                yield deed.model_copy(update={"of": of})
            yield from _asked_of(deed.of, schema, several=deed.each)
            for of in _elsewhere(deed.of, schema):
                yield deed.model_copy(update={"of": of})
        case Insert():
            label = label_of(table_named(schema, deed.table))
            named = deed.values.get(label or "")
            if isinstance(named, Plain) and label is not None:
                of = Selection(table=deed.table, where=(Condition(column=label, value=named),))
                yield Delete(of=of)
                yield from _asked_of(of, schema, several=False)
            for values in _others(deed.values, deed.table, schema):
                yield deed.model_copy(update={"values": values})
            yield Answer(what=Aggregate(of=Selection(table=deed.table), op="count"))


def _branches(wish: Branch, schema: StateSchema) -> Iterator[Wish]:
    test = wish.test
    op = _OTHER_OPS[cast(Op, test.op)]
    yield wish.model_copy(update={"test": test.model_copy(update={"op": op})})
    if wish.otherwise is not None:
        yield wish.model_copy(update={"then": wish.otherwise, "otherwise": wish.then})
        yield wish.model_copy(update={"otherwise": None})
    yield wish.then
    for measure in _measures(test.measure, schema):
        changed = Test(measure=measure, op=test.op, value=test.value)
        if isinstance(measure, Aggregate) and measure.op == _op(test.measure):
            yield wish.model_copy(update={"test": changed})
    for then in _deeds(wish.then, schema):
        if not isinstance(then, Answer):
            yield wish.model_copy(update={"then": then})


def _op(measure: Measure) -> str:
    return measure.op


def _moved(deed: Change) -> Iterator[Change]:
    for column, value in deed.change.items():
        if isinstance(value, Moved):
            back = value.model_copy(update={"less": not value.less})
            yield deed.model_copy(update={"change": {**deed.change, column: back}})


# ------------------------------------------------------------------- selections


def _opposites(of: Selection, schema: StateSchema) -> Iterator[Selection]:
    """With another choice, or with a condition turned around."""
    pick = of.pick
    if pick is not None:
        if pick.near is None:
            which = "max" if pick.which == "min" else "min"
            yield of.model_copy(update={"pick": pick.model_copy(update={"which": which})})
        if pick.take == 1 and pick.near is None:
            nth = 2 if pick.nth == 1 else 1
            yield of.model_copy(update={"pick": pick.model_copy(update={"nth": nth})})
    for number, condition in enumerate(of.where):
        for other in _conditions(condition, of.table, schema):
            yield _with(of, number, other)


def _conditions(condition: Condition, table: str, schema: StateSchema) -> Iterator[Condition]:
    value = condition.value
    match value:
        case Plain() if condition.op in ("lt", "gt", "le", "ge"):
            yield condition.model_copy(update={"op": _OTHER_OPS[condition.op]})
        case Plain():
            for other in _enumerated(
                value, column_named(table_named(schema, table), condition.column)
            ):
                yield condition.model_copy(update={"value": other})
        case Keys():
            yield condition.model_copy(update={"negated": not condition.negated})
            for of in _opposites(value.of, schema):
                yield condition.model_copy(update={"value": value.model_copy(update={"of": of})})
        case RecordKey():
            for of in _opposites(value.of, schema):
                yield condition.model_copy(update={"value": value.model_copy(update={"of": of})})


def _elsewhere(of: Selection, schema: StateSchema) -> Iterator[Selection]:
    """With a number that is another."""
    for number, condition in enumerate(of.where):
        value = condition.value
        if isinstance(value, Plain) and _is_number(value.value):
            more = value.model_copy(update={"value": value.value + 1})
            yield _with(of, number, condition.model_copy(update={"value": more}))


def _with(of: Selection, number: int, condition: Condition) -> Selection:
    where = (*of.where[:number], condition, *of.where[number + 1 :])
    return of.model_copy(update={"where": where})


# --------------------------------------------------------------------- measures


def _measures(what: Measure, schema: StateSchema) -> Iterator[Measure]:
    if isinstance(what, Difference):
        if what.right is not None:
            yield what.model_copy(update={"left": what.right, "right": what.left})
        for left in _aggregates(what.left, schema):
            if left.op == what.left.op and left.column == what.left.column:
                yield what.model_copy(update={"left": left})
        if what.right is not None:
            yield what.left
        return
    yield from _aggregates(what, schema)


def _aggregates(what: Aggregate, schema: StateSchema) -> Iterator[Aggregate]:
    table = table_named(schema, what.of.table)
    for of in _opposites(what.of, schema):
        yield what.model_copy(update={"of": of})
    if what.op in _OTHER_MEASURES:
        op = _OTHER_MEASURES[what.op]
        plain = {"column": None, "times": None} if op == "count" else {}
        if op not in ("sum", "average") or _adds(what, schema):
            yield what.model_copy(update={"op": op, **plain})
    if what.op == "value":
        for column in table.columns:
            if column.name != what.column and _is_shown(column, what, schema):
                yield what.model_copy(update={"column": column.name})
    if what.op == "count":
        for other in schema.tables:
            if other.name != table.name and other.compared and not other.singleton:
                yield Aggregate(of=Selection(table=other.name), op="count")
    else:
        yield Aggregate(of=Selection(table=what.of.table), op="count")


def _adds(what: Aggregate, schema: StateSchema) -> bool:
    if what.column is None:
        return False
    column = column_named(table_named(schema, what.of.table), what.column)
    return column.type in ("integer", "number")


def _is_shown(column: Column, what: Aggregate, schema: StateSchema) -> bool:
    """Whether one might ask for the column of one record."""
    plain = column.type in ("string", "integer", "number") and not column.references
    known = any(condition.column == column.name for condition in what.of.where)
    return plain and not known and not is_internal(schema, what.of.table, column.name)


def _asked_of(of: Selection, schema: StateSchema, *, several: bool) -> Iterator[Answer]:
    """To be told something of what is selected, instead of a deed."""
    if several:
        yield Answer(what=Aggregate(of=of, op="count"))
        return
    asked = Aggregate(of=of, op="value")
    for column in table_named(schema, of.table).columns:
        if _is_shown(column, asked, schema):
            yield Answer(what=asked.model_copy(update={"column": column.name}))


# ----------------------------------------------------------------------- values


def _others(
    values: dict[str, Value], table: str, schema: StateSchema
) -> Iterator[dict[str, Value]]:
    """The values with one that is another of its kind."""
    for name, value in values.items():
        if not isinstance(value, Plain):
            continue
        column = column_named(table_named(schema, table), name)
        for other in _enumerated(value, column):
            yield {**values, name: other}
        if _is_number(value.value) and value.fact:
            yield {**values, name: value.model_copy(update={"value": value.value + 1})}


def _enumerated(value: Plain, column: Column) -> Iterator[Plain]:
    if isinstance(value.value, bool) and value.fact:
        yield value.model_copy(update={"value": not value.value})
    for other in column.enum or ():
        if isinstance(value.value, str) and not same(other, value.value):
            yield value.model_copy(update={"value": other})


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
