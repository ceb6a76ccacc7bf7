"""Checks of tools that declare no effect, by what can be seen of any call: what a write changes has
to do with what it was called with, something changes, and what is not there is refused.
"""

from collections.abc import Iterator

from forge.env.identity import same
from forge.env.keys import parse_key
from forge.synth.arguments import unknown_key
from forge.synth.bench import Bench, Run
from forge.synth.generic import is_in_path, shown_call, trials
from forge.synth.homes import is_sought, named_column, picked_by
from forge.types.data import Json
from forge.types.state import Column, Record, Table

_REFUSALS = ("not_found", "invalid", "conflict", "forbidden")

Value = tuple[type, str | int | float]


def changes_something(bench: Bench) -> Iterator[str]:
    """A write that never writes is none."""
    worked = [run for run in trials(bench) if run.ok]
    if worked and not any(run.overlay for run in worked):
        yield f"nothing changes in {len(worked)} calls, and it is a write"


def changes_what_it_is_called_for(bench: Bench) -> Iterator[str]:
    """Each record that is made, changed or deleted holds one of the arguments, or belongs or
    refers to one that does."""
    for run in trials(bench):
        if run.ok and run.arguments and (strange := _strangers(bench, run)):
            yield f"{shown_call(run)} changes {strange[0]}, which has nothing to do with that"


def keeps_what_it_is_given(bench: Bench) -> Iterator[str]:
    """What one call writes down, every call that works does: the record that it makes, changes or
    is called for holds the argument then."""
    worked = [run for run in trials(bench) if run.ok]
    for name in bench.properties:
        found = named_column(bench, name)
        if found is None or found[1].name in found[0].key or found[1].references is not None:
            continue
        table, column = found
        if column.type == "array":
            continue  # what is passed may be put beside what is there
        passed = [run for run in worked if name in run.arguments]
        if not any(_hold(_left(run, table), column, run, name) for run in passed):
            continue
        for run in passed:
            rows = _left(run, table)
            rows = rows or picked_by(bench, run.arguments, run.actor).get(table.name, [])
            if rows and not _hold(rows, column, run, name):
                yield f"{shown_call(run)} leaves no {table.noun} with that {name}"


def _left(run: Run, table: Table) -> list[Record]:
    rows = run.overlay.get(table.name)
    return [*rows.made.values(), *rows.changed.values()] if rows is not None else []


def _hold(rows: list[Record], column: Column, run: Run, name: str) -> bool:
    return any(same(row.get(column.name), run.arguments[name]) for row in rows)


def refuses_unknown(bench: Bench) -> Iterator[str]:
    """A required key of a record that is not there is refused: by a write, and by a read where
    the key is in the path; another read finds nothing then."""
    run = next((run for run in trials(bench) if run.ok), None)
    for name in bench.required if run is not None else ():
        found = named_column(bench, name)
        if run is None or found is None or isinstance(run.arguments.get(name), list | dict):
            continue
        table, column = found
        is_key = column.name in table.key or column.references is not None
        if not is_key and not is_sought(bench, name):
            continue
        unknown = unknown_key(row.get(column.name) for row in bench.all_records(table.name))
        other = bench.run({**run.arguments, name: unknown}, actor=run.actor)
        if other.ok and _is_made(other, table.name, column.name, unknown):
            continue  # a write that makes what it does not find
        if other.ok and not (
            bench.tool.kind == "read" and not is_in_path(bench, name) and _is_empty(other)
        ):
            yield f"{shown_call(other)} should not be found, and works"
        elif not other.ok and (other.result.failure not in _REFUSALS or other.overlay):
            yield f"{shown_call(other)} fails with {other.result.failure}"


def _is_made(run: Run, table: str, column: str, key: Json) -> bool:
    """Whether the call made the record with this key."""
    rows = run.overlay.get(table)
    return rows is not None and any(record.get(column) == key for record in rows.made.values())


def _is_empty(run: Run) -> bool:
    pending = [run.result.value]
    while pending:
        value = pending.pop()
        if isinstance(value, list) and value:
            return False
        pending += value.values() if isinstance(value, dict) else []
    return True


def _strangers(bench: Bench, run: Run) -> list[str]:
    """What was touched and is in no way related to what was passed."""
    known = set(_values([*run.arguments.values(), run.actor]))
    left = dict(_touched(bench, run))
    while True:
        near = [
            where
            for where, records in left.items()
            if bench.tables[where[0]].singleton or not known.isdisjoint(_values(records))
        ]
        if not near:
            return [f"{table} {text}" for table, text in left]
        for where in near:
            for record in left.pop(where):
                known |= set(_values(_links(bench.tables[where[0]], record)))


def _touched(bench: Bench, run: Run) -> Iterator[tuple[tuple[str, str], list[Record]]]:
    """Table and key text -> the record before and after, as far as it was and is there."""
    for name, rows in run.overlay.items():
        for text in (*rows.deleted, *rows.changed):
            key = parse_key(bench.tables[name], text)
            before = bench.ground.base.record(name, key)
            yield (name, text), [r for r in (before, rows.changed.get(text)) if r is not None]
        for text, record in rows.made.items():
            yield (name, text), [record]


def _links(table: Table, record: Record) -> list[Json]:
    """The record's key, and what it belongs and refers to."""
    parent = table.parent.columns if table.parent is not None else ()
    return [
        record.get(column.name)
        for column in table.columns
        if column.name in (*table.key, *parent) or _refers(column)
    ]


def _refers(column: Column) -> bool:
    inner = [*column.properties, *(c for c in (column.items, column.values) if c is not None)]
    return column.references is not None or any(map(_refers, inner))


def _values(value: Json) -> Iterator[Value]:
    """Texts and numbers, at any depth."""
    if isinstance(value, dict):
        for each in value.values():
            yield from _values(each)
    elif isinstance(value, list):
        for each in value:
            yield from _values(each)
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
        yield type(value), value
