"""Groups that a person would name: by kind, by what records belong to, by a bound, by what refers
to them.

A group is drawn around a record that is there, so it is never empty; that it leaves something out
is for the caller to look at. Values that the user will say carry the empty fact name.
"""

from collections.abc import Iterator
from datetime import date, timedelta

from forge.env.conditions import is_number, meets
from forge.env.identity import same
from forge.tasks.intents.intent import select
from forge.tasks.speech.called import is_bookkeeping, sensible_totals, sorts_in_words
from forge.tasks.speech.words import role
from forge.tasks.wishes.describe import ordered_columns, owners
from forge.tasks.wishes.scene import Scene
from forge.types.data import Json
from forge.types.environment import Op
from forge.types.intent import Aggregate, Computed, Condition, Keys, Plain, Selection
from forge.types.state import Column, Record, Table

MIN_CANDIDATES = 3
_SPREAD = 4
"""A bound is drawn where a column has at least so many different values."""


def grouping_columns(table: Table, scene: Scene) -> list[Column]:
    """Columns that sort records into a few kinds: enums."""
    known = scene.known.grouping
    if table.name not in known:
        known[table.name] = [
            c
            for c in table.columns
            if c.name not in table.key
            and c.type != "boolean"
            and c.enum is not None
            and sorts_in_words(c, table)
        ]
    return known[table.name]


def kinds(table: Table, record: Record, scene: Scene) -> list[Condition]:
    """Of its kind: open, red, a novel."""
    return [_kind(table, c, record, scene) for c in _sorting(table, record, scene)]


def _sorting(table: Table, record: Record, scene: Scene) -> list[Column]:
    return [c for c in grouping_columns(table, scene) if record.get(c.name) is not None]


def _kind(table: Table, column: Column, record: Record, scene: Scene) -> Condition:
    """Made once for a value: there are few, and they are asked for often."""
    value = record[column.name]
    known, place = scene.known.kinds, (table.name, column.name, repr(value))
    if place not in known:
        known[place] = Condition(column=column.name, value=Plain(value=value, fact=""))
    return known[place]


def groups(table: Table, record: Record, scene: Scene) -> Iterator[list[Condition]]:
    """Conditions that this record shares with some others: its kind, what it belongs to, both."""
    own = _sorting(table, record, scene)
    belongs = owners(table, record, scene)
    options: list[tuple[list[Condition], Column | None]] = [
        *((o, k) for o in belongs for k in own),
        *((o, None) for o in belongs),
        *(([], k) for k in own),
    ]
    scene.rng.shuffle(options)
    for owner, kind in options:  # few are looked at: a condition is made when it is
        yield owner if kind is None else [*owner, _kind(table, kind, record, scene)]


def wider_groups(table: Table, record: Record, scene: Scene) -> Iterator[list[Condition]]:
    """Groups that take more thought: within bounds, by what is true of the record's owner, by what
    refers to the record; each alone, or with its kind or owner."""
    makers = [_bounded, _above_average, _joined, _owning]
    scene.rng.shuffle(makers)
    for maker in makers:
        found = maker(table, record, scene)
        if found is None or not _is_in_reach(found, scene):
            continue
        plain = next(groups(table, record, scene), None) if scene.rng.random() < 0.5 else None
        if plain is not None and found.column not in {c.column for c in plain}:
            yield [*plain, found]
        yield [found]


def _is_in_reach(condition: Condition, scene: Scene) -> bool:
    return not isinstance(condition.value, Keys) or scene.reaches(condition.value.of)


def _bounded(table: Table, record: Record, scene: Scene) -> Condition | None:
    """Before or after a date, above or below a number that a person would name."""
    columns = [c for c in ordered_columns(table, scene) if record.get(c.name) is not None]
    if not columns:
        return None
    column = scene.rng.choice(columns)
    value = record[column.name]
    values = [
        r[column.name] for r in scene.store.rows(table.name) if r.get(column.name) is not None
    ]
    if len({str(v) for v in values}) < _SPREAD:
        return None
    above = scene.rng.random() < 0.5
    bound = _bound(value, values, above, column)
    if bound is None:
        return None
    return Condition(
        column=column.name, op="gt" if above else "lt", value=Plain(value=bound, fact="")
    )


def _bound(value: Json, values: list[Json], above: bool, column: Column) -> Json:
    """A round value on the near side of `value` that no record has, so that no one asks whether
    the bound itself counts, and with records on both sides, so that it says something."""
    options: list[Json] = []
    if column.format == "date" and isinstance(value, str):
        day = date.fromisoformat(value)
        step = -1 if above else 1
        options = [(day + timedelta(days=step * n)).isoformat() for n in range(1, 11)]
        options.sort(key=lambda d: not d.endswith(("-01", "-15")))
    elif is_number(value):
        for size in (1000, 500, 100, 50, 20, 10, 5, 1):
            lower = (value // size) * size
            bound = lower if above else lower + size
            if bound > 0 and bound != value and abs(bound - value) <= max(abs(value) / 2, 2):
                options.append(int(bound))
    beyond: Op = "lt" if above else "gt"
    for option in options:
        if any(same(option, v) for v in values):
            continue
        if any(meets(v, beyond, option) for v in values):  # 3000 is no bound of years up to 2026
            return option
    return None


def _above_average(table: Table, record: Record, scene: Scene) -> Condition | None:
    """Whose price is above the average."""
    columns = [
        c
        for c in ordered_columns(table, scene)
        if c.type in ("integer", "number")
        and "average" in sensible_totals(c, table)
        and record.get(c.name) is not None
    ]
    if not columns or scene.rng.random() < 0.5:
        return None
    column = scene.rng.choice(columns).name
    values = [r[column] for r in scene.store.rows(table.name) if r.get(column) is not None]
    above = record[column] > sum(values) / len(values)
    average = Aggregate(of=Selection(table=table.name), op="average", column=column)
    return Condition(column=column, op="gt" if above else "lt", value=Computed(of=average))


def _joined(table: Table, record: Record, scene: Scene) -> Condition | None:
    """Whose owner is of a kind: tasks on archived projects, orders of customers in a group."""
    options = []
    for name, target in scene.ties(table):
        if target == table.name or record.get(name) is None:
            continue
        owner = scene.table(target)
        if len(owner.key) != 1 or is_bookkeeping(owner):
            continue
        if role(name, table.noun).split()[-1:] != owner.noun.split()[-1:]:
            continue  # "report runs with files of a kind as the result" is too much
        for kind in kinds(owner, scene.store.row(target, record[name]), scene):
            options.append((name, target, kind))
    if not options:
        return None
    column_name, target, kind = scene.rng.choice(options)
    of = Selection(table=target, where=(kind,))
    return Condition(column=column_name, op="in", value=Keys(of=of))


def _owning(table: Table, record: Record, scene: Scene) -> Condition | None:
    """That others refer to the record, or that none do: projects with no open tasks."""
    if len(table.key) != 1:
        return None
    key = record[table.key[0]]
    options = referrers(table, scene)
    scene.rng.shuffle(options)
    for child, column, where in options:
        of = Selection(table=child.name, where=where)
        referred = [r.get(column) for r in select(of, scene.store, {})]
        if referred:
            negated = not any(same(key, r) for r in referred)
            value = Keys(of=of, column=column)
            return Condition(column=table.key[0], op="in", value=value, negated=negated)
    return None


def referrers(table: Table, scene: Scene) -> list[tuple[Table, str, tuple[Condition, ...]]]:
    """What refers to the table's records, by which column: all of it, or that of one kind."""
    options: list[tuple[Table, str, tuple[Condition, ...]]] = []
    for child, column in referring(table, scene):
        rows = scene.store.rows(child.name)
        narrower = kinds(child, scene.rng.choice(rows), scene) if rows else []
        options += [(child, column, where) for where in [(), *((kind,) for kind in narrower)]]
    return options


def referring(table: Table, scene: Scene) -> list[tuple[Table, str]]:
    """(child table, column) for every column that refers to the table's records."""
    known = scene.known.referring
    if table.name not in known:
        known[table.name] = [
            (child, column)
            for child in scene.store.schema.tables
            if child.name != table.name and not is_bookkeeping(child)
            for column, target in scene.ties(child)
            if target == table.name
        ]
    return known[table.name]
