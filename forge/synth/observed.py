"""The effect of a tool, told from what it does: for tools that come with none.

What is found is a guess from some calls on one base, and worth nothing before the checks that are
meant for such an effect have held the tool to it.
"""

from collections.abc import Iterator, Sequence

from forge.env.identity import same
from forge.env.values import ABSENT, default_of
from forge.synth.arguments import argument_sets
from forge.synth.bench import Bench, Run
from forge.synth.looked import read_seen
from forge.synth.model import text_key
from forge.synth.seen import Seen, shown
from forge.types.data import Json
from forge.types.environment import Effect, Match, Requirement
from forge.types.state import Column, Record, Table

TRIES = 160
FEWEST = 3
"""Calls that did something."""


def effect_seen(bench: Bench) -> Effect | None:
    """The effect, if all that the tool does is to show records that its arguments pick, or to
    make, change or delete one."""
    dice = bench.dice("observed")
    runs = [bench.run(a, actor=actor) for a, actor in argument_sets(bench, dice, TRIES)]
    if bench.tool.kind == "read":
        worked = [run for run in runs if run.ok]
        return read_seen(bench, worked) if len(worked) >= FEWEST else None
    worked = [run for run in runs if run.ok and run.overlay]
    if len(worked) < FEWEST:
        return None
    refused = [run for run in runs if run.result.failure == "conflict"]
    return (
        _update(bench, worked, refused) or _create(bench, worked) or _delete(bench, worked, refused)
    )


def _update(bench: Bench, worked: Sequence[Run], refused: Sequence[Run]) -> Effect | None:
    table = _changed_table(bench, worked)
    if table is None:
        return None
    changes = [_change(bench, table, run) for run in worked]
    seen = [each for each in changes if each is not None]
    match = _match(table, seen)
    if len(seen) < len(changes) or match is None:
        return None
    fields = _fields(table, seen, set(match))
    if fields is None:
        return None
    sets = _sets(bench, table, seen, set(fields.values()))
    if sets is None:
        return None
    requires = _requires(bench, table, match, seen, refused, sets)
    result, shows = shown(table, seen)
    return Effect(
        verb="update",
        table=table.name,
        match={name: Match(column=column) for name, column in match.items()},
        fields=fields,
        sets=sets,
        requires=requires,
        result=result,
        shows=shows,
    )


def _create(bench: Bench, worked: Sequence[Run]) -> Effect | None:
    names = {name for run in worked for name in run.overlay}
    alone = all(
        len(each.made) == 1 and not each.changed and not each.deleted
        for run in worked
        for each in run.overlay.values()
    )
    if len(names) != 1 or not alone:
        return None
    table = bench.tables[names.pop()]
    seen = [Seen(run, {}, next(iter(run.overlay[table.name].made.values()))) for run in worked]
    fields = _fields(table, seen, set())
    if fields is None:
        return None
    given = set(fields.values())
    rest = [c for c in table.columns if c.generated is None and c.name not in given]
    fresh = [c for c in rest if not all(_is_default(c, each.after) for each in seen)]
    sets = _sets(bench, table.model_copy(update={"columns": tuple(fresh)}), seen, given)
    if sets is None:
        return None
    result, shows = shown(table, seen)
    return Effect(
        verb="create", table=table.name, fields=fields, sets=sets, result=result, shows=shows
    )


def _is_default(column: Column, record: Record) -> bool:
    default = default_of(column.model_copy(update={"required": False}), column.name)
    return same(record.get(column.name), None if default is ABSENT else default)


def _delete(bench: Bench, worked: Sequence[Run], refused: Sequence[Run]) -> Effect | None:
    names = sorted({name for run in worked for name in run.overlay})
    for table in (bench.tables[name] for name in names):
        seen = [each for run in worked if (each := _deleted(bench, table, run)) is not None]
        match = _match(table, seen) if len(seen) == len(worked) else None
        if match is None or any(set(run.arguments) - set(match) for run in worked):
            continue
        return Effect(
            verb="delete",
            table=table.name,
            match={name: Match(column=column) for name, column in match.items()},
            requires=_requires(bench, table, match, seen, refused, {}),
            cascades=tuple(name for name in names if name != table.name),
            result=None,
        )
    return None


def _deleted(bench: Bench, table: Table, run: Run) -> Seen | None:
    rows = run.overlay.get(table.name)
    if rows is None or len(rows.deleted) != 1 or rows.made or rows.changed:
        return None
    known = {text_key(table, record): record for record in bench.all_records(table.name)}
    before = known.get(rows.deleted[0])
    return None if before is None else Seen(run, before, {})


def _changed_table(bench: Bench, worked: Sequence[Run]) -> Table | None:
    """The one in which each call changed one record, and nothing besides."""
    names = {name for run in worked for name in run.overlay}
    alone = all(
        len(each.changed) == 1 and not each.made and not each.deleted
        for run in worked
        for each in run.overlay.values()
    )
    return bench.tables[names.pop()] if len(names) == 1 and alone else None


def _change(bench: Bench, table: Table, run: Run) -> Seen | None:
    ((key, after),) = run.overlay[table.name].changed.items()
    known = {text_key(table, record): record for record in bench.all_records(table.name)}
    before = known.get(key)
    return None if before is None else Seen(run, before, after)


def _match(table: Table, seen: Sequence[Seen]) -> dict[str, str] | None:
    """Argument -> the key column that it always is of the record changed; None if these are not
    the whole key."""
    names = set.intersection(*(set(each.run.arguments) for each in seen))
    found: dict[str, str] = {}
    for column in table.key:
        fits = [
            name
            for name in sorted(names)
            if all(same(each.run.arguments[name], each.before.get(column)) for each in seen)
        ]
        if not fits:
            return None
        found[fits[0]] = column
    return found


def _fields(table: Table, seen: Sequence[Seen], taken: set[str]) -> dict[str, str] | None:
    """Argument -> the column that holds it afterwards; None if one goes nowhere."""
    found: dict[str, str] = {}
    names = sorted({name for each in seen for name in each.run.arguments} - taken)
    for name in names:
        passed = [each for each in seen if name in each.run.arguments]
        columns = [
            column.name
            for column in table.columns
            if all(same(each.after.get(column.name), each.run.arguments[name]) for each in passed)
        ]
        named = [column for column in columns if column == name] or columns
        if not named:
            return None
        found[name] = named[0]
    return found


def _sets(
    bench: Bench, table: Table, seen: Sequence[Seen], written: set[str]
) -> dict[str, Json] | None:
    """Column -> the constant that it always has afterwards; None if one has no constant."""
    found: dict[str, Json] = {}
    for column in table.columns:
        name = column.name
        made = column.generated == "derived" or column.on_update
        changed = [s for s in seen if not same(s.before.get(name), s.after.get(name))]
        if name in written or made or not changed:
            continue
        values = [each.after.get(name) for each in seen]
        if column.format == "date-time" and all(_is_now(bench, value) for value in values):
            found[name] = "$now"
        elif len({each.run.actor for each in seen}) > 1 and all(
            same(each.after.get(name), each.run.actor) for each in seen
        ):
            found[name] = "$me"
        elif all(same(value, values[0]) for value in values):
            found[name] = values[0]
        else:
            return None
    return found


def _is_now(bench: Bench, value: Json) -> bool:
    """Within the minute in which the base's clock starts."""
    return isinstance(value, str) and value[:16] == bench.now[:16]


def _requires(
    bench: Bench,
    table: Table,
    match: dict[str, str],
    seen: Sequence[Seen],
    refused: Sequence[Run],
    sets: dict[str, Json],
) -> tuple[Requirement, ...]:
    """What tells the records that it worked on from those it refused, where one column does."""
    lost = [record for run in refused for record in _picked(bench, table, match, run)]
    if not lost:
        return ()
    kept = [each.before for each in seen]
    columns = sorted(table.columns, key=lambda column: column.name not in sets)
    for column in columns:
        if column.name in table.key:
            continue
        here, there = ([r.get(column.name) for r in rows] for rows in (kept, lost))
        if _alike(there) and not any(same(value, there[0]) for value in here):
            return (Requirement(column=column.name, op="ne", value=there[0]),)
        if _alike(here) and not any(same(value, here[0]) for value in there):
            return (Requirement(column=column.name, op="eq", value=here[0]),)
    return ()


def _alike(values: Sequence[Json]) -> bool:
    return all(same(value, values[0]) for value in values)


def _picked(bench: Bench, table: Table, match: dict[str, str], run: Run) -> Iterator[Record]:
    for record in bench.all_records(table.name):
        if all(same(run.arguments.get(name), record.get(c)) for name, c in match.items()):
            yield record
