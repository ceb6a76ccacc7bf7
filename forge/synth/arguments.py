"""Arguments that a tool could be called with: from its parameters' schema and the base's records.

Where the tool declares what an argument is (a match, a field), the value fits that column; else
the argument's name is looked up among the columns; else its schema says what it may be.
"""

from collections.abc import Iterable, Iterator, Mapping
from random import Random

from forge.authors.structural.values.values import new_value
from forge.env.identity import same
from forge.errors import ToolError
from forge.synth.bench import Bench
from forge.synth.homes import (
    agreeing,
    is_sought,
    known_keys,
    named_column,
    picked_by,
    sought_table,
    still_named,
)
from forge.synth.model import column_of
from forge.synth.schemas import column_from
from forge.synth.together import held_by, kept_with, rows_with
from forge.types.data import Json
from forge.types.environment import Op, Paging
from forge.types.state import Column, Record, Table


def paging_names(paging: Paging) -> dict[str, str]:
    """Argument -> what it is: limit, offset, page, cursor, sort, after or before."""
    named = {
        paging.limit: "limit", paging.offset: "offset", paging.page: "page",
        paging.cursor: "cursor", paging.sort: "sort", paging.after: "after",
        paging.before: "before",
    }  # fmt: skip
    return {name: role for name, role in named.items() if name is not None}


def argument_sets(
    bench: Bench, dice: Random, count: int
) -> Iterator[tuple[dict[str, Json], str | int | None]]:
    """Plausible sets: with every optional argument, with none, with one, with some; and who calls
    with them: another one each time, where no effect says what is theirs."""
    actors = bench.actors if bench.tool.effect is None else bench.actors[:1]
    optional = [name for name in bench.properties if name not in bench.required]
    if bench.tool.effect is not None:
        optional = [n for n in optional if n not in paging_names(bench.tool.effect.paging)]
    for turn in range(count):
        match turn % 4:
            case 0:
                chosen = optional
            case 1:
                chosen = []
            case 2:
                chosen = [optional[turn // 4 % len(optional)]] if optional else []
            case _:
                chosen = [name for name in optional if dice.random() < 0.5]
        record = _record(bench, turn)
        actor = actors[turn % len(actors)] if actors else None
        made = arguments_for(
            bench, record, _in_order(bench, [*bench.required, *chosen]), dice, actor
        )
        if made is not None:
            yield made, actor


def _in_order(bench: Bench, names: list[str]) -> list[str]:
    """First what the tool looks for records by, so that the rest can go with these."""
    sought = sought_table(bench) if bench.tool.effect is None else None
    return sorted(names, key=lambda name: sought is not None and name not in sought[1])


def _record(bench: Bench, turn: int) -> Record:
    """The record that is meant; where no effect says of which table, every other four times one
    that the tool could look for."""
    if bench.tool.effect is not None:
        return bench.records[turn % len(bench.records)] if bench.records else {}
    sought = sought_table(bench) if turn // 4 % 2 == 0 else None
    rows = bench.all_records(sought[0].name) if sought is not None else []
    return rows[turn % len(rows)] if rows else {}


def arguments_for(
    bench: Bench,
    record: Record,
    names: Iterable[str],
    dice: Random,
    actor: str | int | None = None,
) -> dict[str, Json] | None:
    """Values for the named arguments: those that pick `record`, and new ones for its columns.
    None if the record cannot be picked, because it lacks what it is picked by."""
    made: dict[str, Json] = {}
    for name in names:
        value = value_for(bench, name, record, dice, made, actor)
        if value is None and name in bench.required:
            return None
        if value is not None:
            made[name] = value
    return made


def value_for(
    bench: Bench,
    name: str,
    record: Record,
    dice: Random,
    others: Mapping[str, Json],
    actor: str | int | None = None,
) -> Json:
    """One value of an argument, or None where the record gives none."""
    effect = bench.tool.effect
    if effect is not None and name in effect.match:
        match = effect.match[name]
        column = column_of(bench.table, match.column)
        value = matching(column, match.op, record, dice)
        sound = _is_of(bench, name, column, value) and _fits(bench, name, value)
        return value if sound else None
    if effect is not None and name in effect.fields:
        column = column_of(bench.table, effect.fields[name])
        value = _field(bench, name, column, record, dice)
        if _fits(bench, name, value):
            return value
        if effect.verb in ("add", "remove"):
            return None
    else:
        value = _by_sight(bench, name, record) if effect is None and record else None
        value = _by_name(bench, name, dice, others, actor) if value is None else value
        if value is not None and _fits(bench, name, value):
            return value
        if effect is None and (first := _first(bench, name)) is not None:
            return first + (dice.random() < 0.25)
    return from_schema(bench, name, dice)


def _first(bench: Bench, name: str) -> int | None:
    """From where a number counts that says so by its default: a page; far on, there is nothing."""
    usual = bench.properties[name].get("default")
    return (
        usual
        if isinstance(usual, int) and not isinstance(usual, bool) and usual in (0, 1)
        else None
    )


def matching(column: Column, op: Op, record: Record, dice: Random) -> Json:
    """A value that `record` fits by; for an order, its very own value, the boundary."""
    value = record.get(column.name)
    if value is None:
        return None
    match op:
        case "has":
            return dice.choice(value) if isinstance(value, list) and value else None
        case "in":
            return [value]
        case "contains" | "icontains":
            if not isinstance(value, str) or not value:
                return None
            word = max(value.split(), key=len, default=value)
            return word.swapcase() if op == "icontains" else word
        case "within" if isinstance(value, int | float):
            ways: list[Json] = [value, {"gte": value}, {"lte": value}, {"gt": value - 1}]
            return dice.choice([*ways, {"lt": value + 1}])
        case "ne":
            return None
    return value


def _field(bench: Bench, name: str, column: Column, record: Record, dice: Random) -> Json:
    """A new value for a column. References: mostly those of a record that exists, so that they
    agree with each other."""
    if bench.effect.verb in ("add", "remove"):
        return _item(bench, name, column, record, dice)
    own = record.get(column.name)
    parent = bench.table.parent
    homes = parent.columns if parent is not None else ()
    home = column.name in homes
    changes = bench.effect.verb == "update"
    refers = column.references is not None or bool(_among(bench, column))
    if refers and not _is_of(bench, name, column, own):
        return _refer(bench, column, known_keys(bench)[name][0].name, dice)
    if (refers or home) and own is not None and not changes:
        alone = column.name in bench.table.key and len(homes if home else ()) < 2
        alone = alone and not column.among
        if alone and dice.random() < 0.5:
            return _refer(bench, column, parent.table if home and parent else None, dice) or own
        return own
    if column.references is not None:
        siblings = _siblings(bench, record, column.name) if dice.random() < 0.6 else []
        return dice.choice(siblings) if siblings else _refer(bench, column, None, dice)
    return new_value(
        bench.table,
        column,
        dice,
        near=record if changes else {},
        taken=[own, *(_all(bench, column.name) if column.unique or _keyed(bench, column) else [])],
        now=bench.now,
        refer=lambda each: _refer(bench, each, None, dice),
    )


def _is_of(bench: Bench, name: str, column: Column, value: Json) -> bool:
    """Whether the value of a column of several tables' keys is of the one that the tool takes it
    for: an organization's repositories are found by no user."""
    known = known_keys(bench).get(name)
    if known is None or known[0].name not in _among(bench, column):
        return True
    return any(same(value, row.get(known[1].name)) for row in bench.all_records(known[0].name))


def _among(bench: Bench, column: Column) -> tuple[str, ...]:
    """The tables whose keys the column holds, as it or what it belongs to says."""
    table = bench.table
    while not column.among and table.parent is not None and column.name in table.parent.columns:
        place = table.parent.columns.index(column.name)
        table = bench.tables[table.parent.table]
        column = column_of(table, table.key[place])
    return column.among


def _keyed(bench: Bench, column: Column) -> bool:
    return column.name in bench.table.key and column.references is None


def _all(bench: Bench, name: str) -> list[Json]:
    return [record[name] for record in bench.records if name in record]


def _siblings(bench: Bench, record: Record, name: str) -> list[Json]:
    """What records of the same parent have in a column, other than this one has."""
    parent = bench.table.parent
    within = parent.columns if parent is not None else ()
    found = [
        other[name]
        for other in bench.records
        if other.get(name) is not None and all(other.get(c) == record.get(c) for c in within)
    ]
    return [value for value in found if not same(value, record.get(name))]


def _refer(bench: Bench, column: Column, table: str | None, dice: Random) -> Json:
    target = table or column.references
    if target is None:
        return None
    rows = bench.all_records(target)
    return dice.choice(rows)[bench.tables[target].key[0]] if rows else None


def _item(bench: Bench, name: str, column: Column, record: Record, dice: Random) -> Json:
    """An item to add that is not there, or one to remove that is; in a list, where the argument
    takes one."""
    held = record.get(column.name) or []
    items = column.items or Column()
    named = items if items.name else items.model_copy(update={"name": column.name})
    if bench.effect.verb == "remove":
        item = dice.choice(held) if held else None
    elif items.references is not None:
        rows = bench.all_records(items.references)
        key = bench.tables[items.references].key[0]
        free = [row[key] for row in rows if row[key] not in held]
        item = dice.choice(free) if free else None
    else:
        item = new_value(bench.table, named, dice, taken=held, now=bench.now)
    many = bench.properties[name].get("type") == "array" and items.type != "array"
    return [item] if many and item is not None else item


def _by_sight(bench: Bench, name: str, record: Record) -> Json:
    """What a record has in the column that the tool compares with the argument."""
    sought = sought_table(bench)
    value = record.get(sought[1].get(name, "")) if sought is not None else None
    return value if _fits(bench, name, value) else None


def _by_name(
    bench: Bench,
    name: str,
    dice: Random,
    others: Mapping[str, Json],
    actor: str | int | None,
) -> Json:
    """For an argument that no effect declares: a value of the column that is named like it;
    arguments that one record has together come from one record, and what is in a set goes with
    the set as often as not."""
    found = named_column(bench, name)
    if found is None:
        return None
    table, column = found
    is_key = column.name in table.key or column.references is not None
    is_key = is_key or name in known_keys(bench) or is_sought(bench, name)
    rows = agreeing(bench, table, others, actor)
    if table.key == (column.name,) and dice.random() < 0.5:
        known = [row.get(column.name) for row in rows]
        kept = kept_with(bench, table, picked_by(bench, others, actor))
        kept = [key for key in kept if key in known] or [
            key for key in held_by(bench, table, still_named(bench, others)) if key in known
        ]
        if kept:
            return dice.choice(kept)
    if column.name in table.key and len(table.key) > 1:
        near = [r for r in rows_with(bench, table, picked_by(bench, others, actor)) if r in rows]
        if near and dice.random() < 0.5:
            return dice.choice(near).get(column.name)
    if is_key and rows:
        return dice.choice(rows).get(column.name)
    if bench.tool.kind == "read" and rows:
        return dice.choice(rows).get(column.name)
    held = next((row[column.name] for row in rows if row.get(column.name)), None)
    if isinstance(held, list) and dice.random() < 0.5:
        return held[:1]
    return new_value(
        table,
        column,
        dice,
        taken=[row.get(column.name) for row in rows],
        now=bench.now,
        refer=lambda each: _refer(bench, each, None, dice),
    )


_NO_TABLE = Table(name="", noun="", key=(), columns=())


def from_schema(bench: Bench, name: str, dice: Random) -> Json:
    """A value by the parameter's schema alone."""
    defs = bench.tool.parameters.get("$defs", {})
    column = column_from(name, bench.properties[name], defs)
    value = new_value(
        _NO_TABLE if bench.tool.effect is None else bench.table, column, dice, now=bench.now
    )
    return value if _fits(bench, name, value) else None


def _fits(bench: Bench, name: str, value: Json) -> bool:
    """Whether the agent could pass the value."""
    if value is None:
        return False
    try:
        return same(bench.passable.read({name: value}).get(name), value)
    except ToolError:
        return False


def unknown_key(values: Iterable[Json]) -> Json:
    """A key of the same kind as these that is none of them; where one is null, it says no kind."""
    known = [each for each in values if each is not None]
    if known and all(isinstance(each, int) and not isinstance(each, bool) for each in known):
        return max(known) + 1
    text = next((each for each in known if isinstance(each, str)), "id")
    for step in range(10_000):
        made = f"{text[: max(0, len(text) - 4)]}{step:04d}"[-max(len(text), 4) :]
        if made not in known:
            return made
    return "unknown"
