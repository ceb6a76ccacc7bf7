"""What an effect means, worked out on the records themselves, with no tool and no store.

The tool checks hold what a tool did against this; it shares no code with what tools call.
"""

from collections.abc import Callable, Iterable, Mapping

from forge.env.conditions import meets
from forge.env.identity import frozen, same
from forge.env.keys import key_of, key_text
from forge.env.values import ABSENT, checked, default_of
from forge.types.data import Json, Path
from forge.types.environment import Effect
from forge.types.state import Column, Record, Table


def column_of(table: Table, name: str) -> Column:
    return next(column for column in table.columns if column.name == name)


def text_key(table: Table, record: Record) -> str:
    return key_text(key_of(table, record))


def is_within(effect: Effect, record: Record, actor: Json) -> bool:
    """Whether the record has what the effect fixes: "mine", "open"."""
    return all(
        same(record.get(column), actor if value == "$me" else value)
        for column, value in effect.fixed.items()
    )


def is_allowed(effect: Effect, record: Record) -> bool:
    return all(meets(record.get(r.column), r.op, r.value) for r in effect.requires)


def fitting(
    effect: Effect, records: Iterable[Record], arguments: Mapping[str, Json], actor: Json
) -> list[Record]:
    """The records that the arguments (only those passed) and what is fixed pick out."""
    tests = [
        (match.column, match.op, arguments[name])
        for name, match in effect.match.items()
        if name in arguments
    ]
    return [
        record
        for record in records
        if is_within(effect, record, actor)
        and all(meets(record.get(column), op, wanted) for column, op, wanted in tests)
    ]


Stamp = Callable[[Json], bool]
"""Whether a value is the clock's of the call."""


def wrong_columns(
    table: Table,
    effect: Effect,
    arguments: Mapping[str, Json],
    before: Record | None,
    after: Record,
    *,
    actor: Json,
    is_now: Stamp,
) -> list[str]:
    """The columns that are not what the effect says, after a create (`before` is None) or an
    update; what the store makes itself is left aside."""
    passed = {
        column: arguments[name] for name, column in effect.fields.items() if name in arguments
    }
    merged = {
        effect.fields[name]: _laid_over((before or {}).get(effect.fields[name]), arguments[name])
        for name in effect.merges
        if name in arguments
    }
    wrong = []
    for column in table.columns:
        name = column.name
        there = after.get(name)
        if name in merged:
            good = same(there, merged[name])
        elif name in passed and column.generated in (None, "id", "counter"):
            good = same(there, checked(column, passed[name], name))
        elif name in effect.sets:
            good = _is_set(column, effect.sets[name], there, actor, is_now)
        elif column.generated is not None:
            good = there is not None or column.nullable or before is not None
        elif before is not None and not (effect.replaces and is_writable(table, effect, name)):
            good = same(there, before.get(name))
        else:
            default = default_of(column.model_copy(update={"required": False}), name)
            good = same(there, None if default is ABSENT else default)
        if not good:
            wrong.append(name)
    return wrong


def _laid_over(there: Json, given: Json) -> Json:
    """A map with another one laid over it, and without the keys whose text is empty."""
    assert isinstance(given, dict)
    both = {**(there if isinstance(there, dict) else {}), **given}
    return {name: value for name, value in both.items() if value != ""}


def items_of(column: Column, argument: Json) -> list[Json]:
    """What an add or remove adds or takes out: its argument, or each of a list of them."""
    nested = column.items is not None and column.items.type in ("array", "any")
    return argument if isinstance(argument, list) and not nested else [argument]


def is_writable(table: Table, effect: Effect, name: str) -> bool:
    """Whether a replacing update may set the column back: not those that say which record it is."""
    parent = table.parent.columns if table.parent is not None else ()
    matched = {match.column for match in effect.match.values()}
    return name in effect.fields.values() and name not in (*table.key, *parent, *matched)


def _is_set(column: Column, constant: Json, there: Json, actor: Json, is_now: Stamp) -> bool:
    if constant == "$now":
        return is_now(there)
    if constant == "$me":
        return same(there, actor)
    return same(there, None if constant is None else checked(column, constant, column.name))


def at(value: Json, path: Path) -> Json:
    """The value at a path, or None where there is none."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def shown_columns(table: Table, effect: Effect) -> Mapping[str, Path]:
    if effect.shows is not None:
        return effect.shows
    return {column.name: (column.name,) for column in table.columns}


def misshown(table: Table, effect: Effect, record: Record, item: Json) -> list[str]:
    """The columns of the record that a result does not show as it says."""
    return [
        column
        for column, path in shown_columns(table, effect).items()
        if not same(at(item, path), record.get(column))
    ]


def projection(table: Table, effect: Effect, item: Json, *, raw: bool) -> str:
    """A record (`raw`) or what a result shows of one, as text that is equal if they are."""
    columns = shown_columns(table, effect)
    values = [(c, item.get(c) if raw else at(item, path)) for c, path in columns.items()]
    return repr([(name, frozen(value)) for name, value in sorted(values)])
