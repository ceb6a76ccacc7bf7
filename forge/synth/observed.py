"""The effect of a tool, told from what it does: for tools that come with none.

What is found is a guess from some calls on one base, and worth nothing before the checks that are
meant for such an effect have held the tool to it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from forge.env.identity import same
from forge.synth.arguments import argument_sets
from forge.synth.bench import Bench, Run
from forge.synth.model import text_key
from forge.types.data import Json
from forge.types.environment import Effect, Match, Requirement
from forge.types.state import Record, Table

TRIES = 160
FEWEST = 3
"""Calls that changed something."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A call that worked, on one record."""

    run: Run
    before: Record
    after: Record


def update_seen(bench: Bench) -> Effect | None:
    """The effect, if all that the tool does is to change one record that its arguments pick."""
    dice = bench.dice("observed")
    runs = [bench.run(a, actor=actor) for a, actor in argument_sets(bench, dice, TRIES)]
    worked = [run for run in runs if run.ok and run.overlay]
    table = _changed_table(bench, worked)
    if table is None or len(worked) < FEWEST:
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
    refused = [run for run in runs if run.result.failure == "conflict"]
    requires = _requires(bench, table, match, seen, refused, sets)
    result, shows = _shown(table, seen)
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


def _changed_table(bench: Bench, worked: Sequence[Run]) -> Table | None:
    """The one in which each call changed one record, and nothing besides."""
    names = {name for run in worked for name in run.overlay}
    alone = all(
        len(each.changed) == 1 and not each.made and not each.deleted
        for run in worked
        for each in run.overlay.values()
    )
    return bench.tables[names.pop()] if len(names) == 1 and alone else None


def _change(bench: Bench, table: Table, run: Run) -> _Seen | None:
    ((key, after),) = run.overlay[table.name].changed.items()
    known = {text_key(table, record): record for record in bench.all_records(table.name)}
    before = known.get(key)
    return None if before is None else _Seen(run, before, after)


def _match(table: Table, seen: Sequence[_Seen]) -> dict[str, str] | None:
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


def _fields(table: Table, seen: Sequence[_Seen], taken: set[str]) -> dict[str, str] | None:
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
    bench: Bench, table: Table, seen: Sequence[_Seen], written: set[str]
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
    seen: Sequence[_Seen],
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


def _shown(
    table: Table, seen: Sequence[_Seen]
) -> tuple[tuple[str | int, ...] | None, dict[str, tuple[str | int, ...]] | None]:
    """Where the result has the record, and which columns of it."""
    values = [each.run.result.value for each in seen]
    shown: dict[str, tuple[str | int, ...]] = {}
    for column in table.columns:
        name = column.name
        if all(
            isinstance(value, dict) and same(value.get(name), each.after.get(name))
            for value, each in zip(values, seen, strict=True)
        ):
            shown[name] = (name,)
    if not set(table.key) <= set(shown):
        return None, None
    return (), None if len(shown) == len(table.columns) else shown
