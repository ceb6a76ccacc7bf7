"""Something to be told: a value, a number over a group, which one comes first, a difference.

What is asked for is a measure that an agent cannot guess: a value known to people and not one of a
handful, or a number over at least 3 records.
"""

from collections.abc import Callable
from datetime import date

from forge.env.conditions import is_number
from forge.env.identity import same
from forge.tasks.intents.columns import column_named, is_internal, label_of, target_of
from forge.tasks.intents.intent import IntentError, measure, select
from forge.tasks.speech.called import (
    bare,
    is_asked_for,
    is_bookkeeping,
    is_recorded,
    is_unsayable,
    lies_ahead,
    sensible_totals,
    sorts_in_words,
)
from forge.tasks.wishes.describe import is_said_easily, ordered_columns
from forge.tasks.wishes.groups import MIN_CANDIDATES, groups, wider_groups
from forge.tasks.wishes.ranks import busiest, by_rank
from forge.tasks.wishes.scene import Scene, Unfit, Wished
from forge.tasks.wishes.ways import deepened, descriptions
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.intent import Aggregate, Answer, Condition, Difference, Measure, Plain, Selection
from forge.types.state import Column, Record, Table

MIN_VALUES = 5
MOST_ALIKE = 20
"""One in so many records, at most, has the value that is asked for."""
WIDER_SHARE = 0.4
DEEPER_SHARE = 0.55

Maker = Callable[[Table, Record, Scene], Measure | None]


def answer_about(tool: Tool, scene: Scene) -> Wished:
    """Something to be told, that this read tool shows."""
    effect = tool.effect
    if effect is None:
        raise Unfit("the tool's effect is not declared")
    table = scene.table(effect.table)
    if is_bookkeeping(table):
        raise Unfit("nobody asks for bookkeeping")
    records = scene.store.rows(table.name)
    if len(records) < MIN_VALUES:
        raise Unfit(f"{table.name} has too few records to ask about")
    record = scene.rng.choice(records)
    makers = list(MAKERS)
    scene.rng.shuffle(makers)
    for maker in makers:
        what = maker(table, record, scene)
        if what is not None and _is_exact(what, scene):
            return Wished(Answer(what=what), None)
    raise Unfit(f"nothing about {table.name} is worth asking")


def _is_exact(what: Measure, scene: Scene) -> bool:
    """Whether it has one value, which is not nothing."""
    try:
        value = measure(what, scene.store, {})
    except IntentError:
        return False
    return value not in (None, "", 0)


# ------------------------------------------------------------------- one record


def _telling(table: Table, scene: Scene) -> list[Column]:
    """Columns whose value is worth asking for: known to people and not one of a handful. What is
    called like the name by which a record is told is not asked for beside it."""
    label = label_of(table)
    name = bare(column_named(table, label), table) if label is not None else ""
    return [
        c
        for c in table.columns
        if c.type in ("string", "integer", "number")
        and (c.name == label or bare(c, table).split()[-1:] != name.split()[-1:])
        and c.enum is None
        and c.references is None
        and c.generated in (None, "counter")
        and not is_internal(scene.store.schema, table.name, c.name)
        and is_asked_for(c, table)
        and c.compare != "ignore"
        and len({r.get(c.name) for r in scene.store.rows(table.name)}) >= MIN_VALUES
    ]


def _stands_out(table: Table, record: Record, column: str, scene: Scene) -> bool:
    """Whether so few others have the value that one learns it of this record and no other."""
    rows = scene.store.rows(table.name)
    alike = [row for row in rows if row.get(column) == record[column]]
    return len(alike) == 1 or len(alike) * MOST_ALIKE <= len(rows)


def _value(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    columns = [
        c
        for c in _telling(table, scene)
        if is_said_easily(record.get(c.name)) and _stands_out(table, record, c.name, scene)
    ]
    if not columns:
        return None
    column = scene.rng.choice(columns)
    for selection in descriptions(table, record, scene, rank_share=0.5):
        used = {c.column for c in selection.where} | (
            {selection.pick.column} if selection.pick else set()
        )
        if column.name not in used and scene.reaches(selection):
            of = deepened(selection, scene) if scene.rng.random() < DEEPER_SHARE else selection
            return Aggregate(of=of, op="value", column=column.name)
    return None


def _name(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    """Which one is the earliest, cheapest …: the answer is its name."""
    label = label_of(table)
    if label is None:
        return None
    of = next(by_rank(table, record, scene), None)
    return Aggregate(of=of, op="value", column=label) if of is not None else None


def _busiest(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    """Which project has the most open tasks."""
    label = label_of(table)
    if label is None or scene.rng.random() < 0.3:
        return None
    of = next(busiest(table, scene), None)
    return Aggregate(of=of, op="value", column=label) if of is not None else None


# ------------------------------------------------------------------ over a group


def _group(
    table: Table, record: Record, scene: Scene, wider: float = WIDER_SHARE
) -> Selection | None:
    """At least 3 of the table's records, but not all."""
    everything = scene.store.count(table.name)
    ways = [groups, wider_groups]
    if scene.rng.random() < wider:
        ways.reverse()
    for way in ways:
        for where in way(table, record, scene):
            selection = Selection(table=table.name, where=tuple(where))
            if not scene.reaches(selection):
                continue
            if MIN_CANDIDATES <= len(select(selection, scene.store, {})) < everything:
                deeper = scene.rng.random() < DEEPER_SHARE
                return deepened(selection, scene) if deeper else selection
    return None


def _count(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    group = _group(table, record, scene, wider=0.6)
    return Aggregate(of=group, op="count") if group else None


def _distinct(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    """How many different customers there are among the open orders."""
    columns = [
        c.name
        for c in table.columns
        if c.name not in table.key
        and not is_unsayable(c)
        and (target_of(scene.store.schema, table.name, c.name) or bare(c, table) in _PLACES)
        and c.type != "array"
    ]
    group = _group(table, record, scene) if columns else None
    if group is None:
        return None
    fixed = {c.column for c in group.where}
    columns = [c for c in columns if c not in fixed]
    if not columns:
        return None
    return Aggregate(of=group, op="distinct", column=scene.rng.choice(columns))


_PLACES = {"city", "country", "category", "department", "brand", "author", "publisher", "language"}


def _statistic(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    """A sum, average or median; the least, the greatest, or how far these are apart."""
    options: list[tuple[str, str]] = []
    for column in ordered_columns(table, scene):
        if is_unsayable(column) or is_recorded(column, table):
            continue
        if column.format in ("date", "date-time"):
            options += [(column.name, op) for op in ("min", "max")]
        else:
            totals = sensible_totals(column, table)
            options += [(column.name, op) for op in totals]
            if "average" in totals:
                options += [(column.name, op) for op in ("median", "min", "max", "range")]
    group = _group(table, record, scene) if options else None
    if group is None:
        return None
    name, op = scene.rng.choice(options)
    values = [r[name] for r in select(group, scene.store, {}) if r.get(name) is not None]
    if len(values) < MIN_CANDIDATES or name in {c.column for c in group.where}:
        return None
    if op in ("average", "median") and _is_half(sum(values) / len(values)):
        return None
    return Aggregate.model_validate({"of": group, "op": op, "column": name})


def _total(table: Table, record: Record, scene: Scene) -> Aggregate | None:
    """Unit prices times quantities."""
    ordered = ordered_columns(table, scene)
    prices = [c.name for c in ordered if set(bare(c, table).split()) & _UNIT_PRICES]
    counts = [c.name for c in ordered if bare(c, table) in _QUANTITIES]
    group = _group(table, record, scene) if prices and counts else None
    if group is None:
        return None
    price, count = scene.rng.choice(prices), scene.rng.choice(counts)
    if price == count:
        return None
    return Aggregate(of=group, op="total", column=price, times=count)


_QUANTITIES = {"quantity", "copies", "units", "stock", "seats", "pieces", "tickets", "bottles"}
_UNIT_PRICES = {"price", "cost", "rate", "fare"}
"""Prices of one; a total or an amount is of all already."""


def _is_half(number: float) -> bool:
    """Whether people would round it to cents in two ways."""
    return abs(number * 100 % 1 - 0.5) < 0.01


# ------------------------------------------------------------------- differences


def _between(table: Table, record: Record, scene: Scene) -> Difference | None:
    """How much dearer one is than another; how many days lie between the two."""
    columns = [
        c
        for c in ordered_columns(table, scene)
        if (sensible_totals(c, table) or c.format in ("date", "date-time"))
        and not is_unsayable(c)
        and not is_recorded(c, table)
        and record.get(c.name) is not None
    ]
    if not columns:
        return None
    column = scene.rng.choice(columns)
    others = [
        r
        for r in scene.store.rows(table.name)
        if r.get(column.name) is not None and _order(r[column.name]) < _order(record[column.name])
    ]
    if not others:
        return None
    other = scene.rng.choice(others)
    if not all(_stands_out(table, each, column.name, scene) for each in (record, other)):
        return None
    left = _said(table, record, scene)
    right = _said(table, other, scene, deeper=0.0)
    if left is None or right is None:
        return None
    return Difference(
        left=Aggregate(of=left, op="value", column=column.name),
        right=Aggregate(of=right, op="value", column=column.name),
    )


def _said(
    table: Table, record: Record, scene: Scene, deeper: float = DEEPER_SHARE
) -> Selection | None:
    """How the record is named, so that a tool can follow it."""
    ways = descriptions(table, record, scene, rank_share=0.3)
    of = next((of for of in ways if scene.reaches(of)), None)
    return deepened(of, scene) if of and scene.rng.random() < deeper else of


def _order(value: Json) -> tuple[str, float]:
    return ("", value) if is_number(value) else (str(value)[:10], 0)


def _until(table: Table, record: Record, scene: Scene) -> Difference | None:
    """How many days are left until it is due."""
    today = date.fromisoformat(scene.store.today())
    columns = [
        c
        for c in ordered_columns(table, scene)
        if c.format == "date"
        and lies_ahead(c, table)
        and not is_unsayable(c)
        and isinstance(record.get(c.name), str)
        and date.fromisoformat(record[c.name]) > today
    ]
    of = _said(table, record, scene) if columns else None
    if of is None:
        return None
    column = scene.rng.choice(columns)
    return Difference(left=Aggregate(of=of, op="value", column=column.name))


def _more(table: Table, record: Record, scene: Scene) -> Difference | None:
    """How many more open tasks than closed ones there are."""
    enums = [c for c in table.columns if c.enum is not None and sorts_in_words(c, table)]
    if not enums:
        return None
    column = scene.rng.choice(enums).name
    owner = next(
        (g for g in groups(table, record, scene) if all(c.column != column for c in g)), []
    )
    owner = owner if scene.rng.random() < 0.5 else []
    sizes: list[tuple[int, Selection]] = []
    for value in _values_of(column, table, scene):
        where = (*owner, Condition(column=column, value=Plain(value=value, fact="")))
        of = Selection(table=table.name, where=where)
        sizes.append((len(select(of, scene.store, {})), of))
    sizes = [(n, of) for n, of in sizes if n >= 2]
    if len(sizes) < 2:
        return None
    (n, fewer), (m, more) = sorted(scene.rng.sample(sizes, 2), key=lambda s: s[0])
    if n == m:
        return None
    return Difference(left=Aggregate(of=more, op="count"), right=Aggregate(of=fewer, op="count"))


def _values_of(column: str, table: Table, scene: Scene) -> list[Json]:
    """The different values that records have, in the order in which they are met."""
    found: list[Json] = []
    for record in scene.store.rows(table.name):
        value = record.get(column)
        if value is not None and not any(same(value, f) for f in found):
            found.append(value)
    return found


MAKERS: tuple[Maker, ...] = (
    _value, _value, _name, _name, _busiest, _busiest, _count, _statistic, _statistic, _distinct,
    _total, _between, _until, _more,
)  # fmt: skip
"""Each as often as people ask for it."""
OVER_GROUPS: tuple[Maker, ...] = (_count, _count, _name, _statistic, _total, _busiest)
"""What one asks when a record of the group has changed."""
