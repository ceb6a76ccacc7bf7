"""Something to be told, computed by an expression that somebody else wrote over one table.

Always holds: what comes of it is a measure as rules make them, in the same closed form: over at
least 3 records and not over all, by columns that people know, worth asking and exact. All else is
refused, with the reason.
"""

from collections.abc import Iterator

from forge.env.identity import same
from forge.env.values import checked
from forge.errors import ToolError
from forge.tasks.intents.columns import label_of
from forge.tasks.intents.intent import IntentError, measure, select
from forge.tasks.speech.called import is_bookkeeping, is_recorded, is_unsayable, sensible_totals
from forge.tasks.wishes.describe import ordered_columns
from forge.tasks.wishes.groups import MIN_CANDIDATES, grouping_columns
from forge.tasks.wishes.scene import Scene, Unfit, Wished
from forge.types.expression import Bound, Expression
from forge.types.intent import Aggregate, Answer, Condition, Measure, Pick, Plain, Selection
from forge.types.state import Column, StateSchema, Table


def sorting(
    schema: StateSchema, scene: Scene
) -> Iterator[tuple[Table, list[Column], list[Column]]]:
    """The tables that something is asked of, with the columns that sort their records into kinds,
    and those that order them."""
    for table in schema.tables:
        if is_bookkeeping(table) or table.singleton or not table.compared:
            continue
        if scene.reaches(Selection(table=table.name)):
            ordered = [c for c in ordered_columns(table, scene) if _is_asked(c, table)]
            yield table, grouping_columns(table, scene), ordered


def _is_asked(column: Column, table: Table) -> bool:
    return not is_unsayable(column) and not is_recorded(column, table)


def reasoned(expression: Expression, scene: Scene) -> Wished:
    """The wish to be told what the expression comes to. Raises Unfit."""
    schema = scene.store.schema
    found = next(
        (each for each in sorting(schema, scene) if each[0].name == expression.table), None
    )
    if found is None:
        raise Unfit(f"there is no table to ask about called {expression.table!r}")
    table, kinds, ordered = found
    if len({bound.column for bound in expression.where}) < len(expression.where):
        raise Unfit("two conditions on one column")
    where = tuple(_condition(bound, table, kinds, ordered, scene) for bound in expression.where)
    group = Selection(table=table.name, where=where)
    members = select(group, scene.store, {})
    if len(members) < MIN_CANDIDATES:
        raise Unfit(f"fewer than {MIN_CANDIDATES} records fit the conditions")
    if expression.op == "count" and len(members) == scene.store.count(table.name):
        raise Unfit("all records fit the conditions")
    what = _measure(expression, group, table, ordered)
    try:
        value = measure(what, scene.store, {})
    except IntentError:
        raise Unfit("what it comes to is not exact") from None
    if value in (None, "", 0):
        raise Unfit("it comes to nothing")
    if isinstance(what, Aggregate) and what.of.pick is not None:
        (picked,) = select(what.of, scene.store, {})
        if picked in (members[0], members[-1]):
            raise Unfit("who takes the first or the last of the list would be right")
    return Wished(Answer(what=what), None)


def _condition(
    bound: Bound, table: Table, kinds: list[Column], ordered: list[Column], scene: Scene
) -> Condition:
    columns = kinds if bound.op == "eq" else ordered
    column = next((each for each in columns if each.name == bound.column), None)
    if column is None:
        raise Unfit(f"no condition by {bound.op} on the column {bound.column!r}")
    try:
        value = checked(column, bound.value, column.name)
    except ToolError:
        raise Unfit(f"the column {column.name!r} has no such value") from None
    there = [record.get(column.name) for record in scene.store.rows(table.name)]
    if value is None or (bound.op != "eq" and any(same(value, each) for each in there)):
        raise Unfit("a bound that a record has itself")
    return Condition(column=column.name, op=bound.op, value=Plain(value=value, fact=""))


def _measure(
    expression: Expression, group: Selection, table: Table, ordered: list[Column]
) -> Measure:
    if expression.op == "count":
        return Aggregate(of=group, op="count")
    column = next((each for each in ordered if each.name == expression.column), None)
    if column is None or column.name in {condition.column for condition in group.where}:
        raise Unfit(f"nothing is computed over the column {expression.column!r}")
    if expression.op in ("least", "most"):
        label = label_of(table)
        if label is None:
            raise Unfit("its records have no name to be told")
        pick = Pick(column=column.name, which="min" if expression.op == "least" else "max")
        return Aggregate(of=group.model_copy(update={"pick": pick}), op="value", column=label)
    dated = column.format in ("date", "date-time")
    sensible = ("min", "max") if dated else (*sensible_totals(column, table), "min", "max")
    if expression.op not in sensible:
        raise Unfit(f"nobody computes the {expression.op} of the column {column.name!r}")
    return Aggregate(of=group, op=expression.op, column=column.name)
