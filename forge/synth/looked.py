"""The effect of a read, told from what it shows: one record, or those that its arguments pick."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from forge.authors.structural.plans.paging import paging_use
from forge.authors.structural.reading.reading import Argument
from forge.authors.structural.shapes import shape_of
from forge.authors.structural.words import one, split
from forge.env.conditions import meets
from forge.env.identity import same
from forge.env.keys import key_text
from forge.synth.bench import Bench, Run
from forge.synth.model import fitting, text_key
from forge.synth.seen import Seen, inside, places, shared, shown
from forge.types.data import Json, Path
from forge.types.environment import Effect, Match, Op, Paging
from forge.types.state import Record, Table

_MOST = 64
"""Ways to explain the arguments that are tried."""
_TEXT: tuple[Op, ...] = ("eq", "icontains", "contains")
_ORDER: tuple[Op, ...] = ("eq", "ge", "le", "gt", "lt")


def read_seen(bench: Bench, worked: Sequence[Run]) -> Effect | None:
    """Of calls that worked."""
    for table in bench.schema.tables:
        found = _get(bench, table, worked) or _list(bench, table, worked)
        if found is not None:
            return found
    return None


def _get(bench: Bench, table: Table, worked: Sequence[Run]) -> Effect | None:
    known = _by_key(bench, table)
    for place in places(worked):
        records = [_of(table, known, inside(run.result.value, place)) for run in worked]
        seen = [
            Seen(run, record, record)
            for run, record in zip(worked, records, strict=True)
            if record is not None
        ]
        match = _picks(table, seen) if len(seen) == len(worked) else None
        if not match:
            continue
        result, shows = shown(table, seen)
        effect = Effect(verb="get", table=table.name, match=match, result=result, shows=shows)
        rows = bench.all_records(table.name)
        if all(len(fitting(effect, rows, run.arguments, run.actor)) == 1 for run in worked):
            return effect
    return None


def _by_key(bench: Bench, table: Table) -> dict[str, Record]:
    return {text_key(table, record): record for record in bench.all_records(table.name)}


def _of(table: Table, known: Mapping[str, Record], value: Json) -> Record | None:
    """The record whose key the value shows."""
    if not isinstance(value, dict):
        return None
    key = [value.get(name) for name in table.key]
    plain = [each for each in key if isinstance(each, str | int) and not isinstance(each, bool)]
    return known.get(key_text(tuple(plain))) if key and len(plain) == len(key) else None


def _picks(table: Table, seen: Sequence[Seen]) -> dict[str, Match] | None:
    """Each argument with the column that it always is of the record shown; None if one is none."""
    found: dict[str, Match] = {}
    for name in dict.fromkeys(name for each in seen for name in each.run.arguments):
        fits = [
            column.name
            for column in table.columns
            if all(
                same(each.before.get(column.name), each.run.arguments[name])
                for each in seen
                if name in each.run.arguments
            )
        ]
        fits.sort(key=lambda column: (column not in table.key, one(split(column)) != split(name)))
        if not fits:
            return None
        found[name] = Match(column=fits[0])
    return found


def _list(bench: Bench, table: Table, worked: Sequence[Run]) -> Effect | None:
    known, paging = _by_key(bench, table), _paging(bench)
    parts = {each for role, each in paging if role != "limit"}
    runs = [run for run in worked if parts.isdisjoint(run.arguments)]
    for place in places(runs):
        lists = [_records(table, known, inside(run.result.value, place)) for run in runs]
        rows = [each for each in lists if each is not None]
        if not any(rows) or len(rows) < len(runs):
            continue
        effect = Effect(
            verb="list",
            table=table.name,
            result=place,
            shows=_shows(table, runs, place, rows),
            paging=Paging.model_validate(dict(paging)),
        )
        names = {name for run in worked for name in run.arguments} - {n for _, n in paging}
        return _explained(bench, effect, runs, rows, sorted(names))
    return None


def _paging(bench: Bench) -> list[tuple[str, str]]:
    """(role, argument) of those that only choose a part."""
    found: list[tuple[str, str]] = []
    for name, schema in bench.properties.items():
        about = str(schema.get("description") or "")
        argument = Argument(name, name, "query", shape_of(schema), False, about)
        use = paging_use(argument)
        if use is not None:
            found.append((use.role, name))
    return found


def _records(table: Table, known: Mapping[str, Record], value: Json) -> list[Record] | None:
    if not isinstance(value, list):
        return None
    found = [record for item in value if (record := _of(table, known, item)) is not None]
    return found if len(found) == len(value) else None


def _shows(
    table: Table, runs: Sequence[Run], place: Path, rows: Sequence[Sequence[Record]]
) -> dict[str, Path] | None:
    items = [item for run in runs for item in inside(run.result.value, place)]
    columns = shared(table, items, [record for each in rows for record in each])
    return None if len(columns) == len(table.columns) else {name: (name,) for name in columns}


def _explained(
    bench: Bench,
    effect: Effect,
    runs: Sequence[Run],
    rows: Sequence[Sequence[Record]],
    names: Sequence[str],
) -> Effect | None:
    """With what the arguments compare, and what is fixed, so that it shows just what it does."""
    table = bench.tables[effect.table]
    ways = [list(_ways(table, name, runs, rows)) for name in names]
    for fixed in ({}, _always(table, runs, rows)):
        for chosen in islice(product(*ways), _MOST):
            match = dict(zip(names, chosen, strict=True))
            guess = effect.model_copy(update={"match": match, "fixed": fixed})
            if all(_is_all(bench, guess, run, r) for run, r in zip(runs, rows, strict=True)):
                return guess
    return None


def _ways(
    table: Table, name: str, runs: Sequence[Run], rows: Sequence[Sequence[Record]]
) -> Iterator[Match]:
    """What an argument may compare, what is named like it first."""
    passed = [(run.arguments[name], r) for run, r in zip(runs, rows, strict=True)
              if name in run.arguments]  # fmt: skip
    columns = sorted(table.columns, key=lambda column: one(split(column.name)) != one(split(name)))
    for column in columns:
        ops = _TEXT if column.type == "string" and column.format is None else _ORDER
        for op in ("has",) if column.type == "array" else ops:
            if all(meets(r.get(column.name), op, value) for value, few in passed for r in few):
                yield Match(column=column.name, op=op)


def _always(table: Table, runs: Sequence[Run], rows: Sequence[Sequence[Record]]) -> dict[str, Json]:
    """The columns that have the same few-valued constant, or the actor, in all that is shown."""
    pairs = [(run.actor, record) for run, few in zip(runs, rows, strict=True) for record in few]
    found: dict[str, Json] = {}
    for column in table.columns:
        values = [record.get(column.name) for _, record in pairs]
        if len({actor for actor, _ in pairs}) > 1 and all(
            same(record.get(column.name), actor) for actor, record in pairs
        ):
            found[column.name] = "$me"
        elif (column.enum or column.type == "boolean") and all(same(v, values[0]) for v in values):
            found[column.name] = values[0]
    return found


def _is_all(bench: Bench, effect: Effect, run: Run, rows: Sequence[Record]) -> bool:
    """Whether it shows just the records that fit, or as many of them as it was asked for."""
    table = bench.tables[effect.table]
    fits = fitting(effect, bench.all_records(table.name), run.arguments, run.actor)
    own, all_ = ({text_key(table, record) for record in each} for each in (rows, fits))
    limit = effect.paging.limit
    most = None
    if limit is not None:
        most = run.arguments.get(limit, bench.properties[limit].get("default"))
    return own == all_ or (own <= all_ and isinstance(most, int) and len(own) == most)
