"""Checks of writes that must not happen: on what is not there, is not as it must be, refers to
nothing, or is there twice.
"""

from collections.abc import Iterator

from forge.env.conditions import meets
from forge.env.identity import same
from forge.synth.arguments import arguments_for, unknown_key
from forge.synth.bench import Bench
from forge.synth.generic import shown_call, trials
from forge.synth.model import (
    column_of,
    is_within,
    text_key,
)
from forge.synth.writes import attempts
from forge.types.data import Json
from forge.types.environment import Requirement
from forge.types.state import Overlay, Record, TableOverlay

_REFUSALS = ("not_found", "invalid", "conflict", "forbidden")


def refuses_where_required(bench: Bench) -> Iterator[str]:
    """Each requirement, on a record made to break it, is refused, and leaves no trace."""
    worked = [record for run, record in attempts(bench, []) if run.ok and record is not None]
    for requirement in bench.effect.requires:
        tried = False
        for record in worked:
            broken = _breaking(bench, requirement, record)
            if broken is None:
                continue
            arguments = arguments_for(bench, record, bench.required, bench.dice("requires"))
            if arguments is None:
                continue
            setup = _setup(bench, record, broken)
            run = bench.run(arguments, setup=setup)
            tried = True
            if run.result.failure not in _REFUSALS or run.overlay:
                yield f"{shown_call(run)} should be refused where {requirement.column} is " \
                      f"{broken[requirement.column]!r}"  # fmt: skip
            break
        if not tried:
            yield f"no record can be made to break what it requires of {requirement.column}"


def _breaking(bench: Bench, requirement: Requirement, record: Record) -> Record | None:
    """The record so that it breaks the requirement, or None if it cannot be made to."""
    column = column_of(bench.table, requirement.column)
    choices: list[Json] = [record.get(column.name), requirement.value, *(column.enum or ())]
    if column.type == "boolean":
        choices += [True, False]
    if column.nullable and not column.required:
        choices.append(None)
    choices += [other.get(column.name) for other in bench.records]
    if isinstance(requirement.value, list):
        choices += requirement.value
    for choice in choices:
        if not meets(choice, requirement.op, requirement.value) and not isinstance(choice, list):
            return {**record, column.name: choice}
    return None


def _setup(bench: Bench, record: Record, changed: Record) -> Overlay:
    if same(record, changed):
        return {}
    return {bench.table.name: TableOverlay(changed={text_key(bench.table, record): changed})}


def refuses_strangers(bench: Bench) -> Iterator[str]:
    """Update, delete, add, remove: a record that is not there is not found; one that is outside
    of what is fixed is refused."""
    effect, dice = bench.effect, bench.dice("strangers")
    keys = [name for name, match in effect.match.items() if match.op == "eq"]
    for name in keys:
        column = effect.match[name].column
        for record in bench.records[:20]:
            arguments = arguments_for(bench, record, bench.required, dice)
            if arguments is None:
                continue
            arguments[name] = unknown_key(r.get(column) for r in bench.records)
            run = bench.run(arguments)
            if run.result.failure not in ("not_found", "invalid") or run.overlay:
                what = "works" if run.ok else f"fails with {run.result.failure}"
                yield f"{shown_call(run)} should not be found, and {what}"
            break
    for record in bench.records if effect.fixed else []:
        if is_within(effect, record, bench.actor):
            continue
        arguments = arguments_for(bench, record, bench.required, dice)
        if arguments is not None and not bench.picked(arguments):
            run = bench.run(arguments)
            if run.ok or run.overlay:
                yield f"{shown_call(run)} should be refused: {effect.fixed}"
            break


def refuses_bad_references(bench: Bench) -> Iterator[str]:
    """Create and update: a reference to nothing is refused."""
    effect = bench.effect
    parent = bench.table.parent
    for argument, name in effect.fields.items():
        column = column_of(bench.table, name)
        target = column.references
        if target is None and parent is not None and name in parent.columns:
            target = parent.table
        if target is None:
            continue
        runs = [run for run in trials(bench) if run.ok and argument in run.arguments]
        if not runs:
            continue
        key = bench.tables[target].key
        at_ = parent.columns.index(name) if parent and name in parent.columns else 0
        part = key[at_] if len(key) > 1 else key[0]
        unknown = unknown_key(row.get(part) for row in bench.all_records(target))
        for run in (runs[0], min(runs, key=lambda run: len(run.arguments))):
            bad = bench.run({**run.arguments, argument: unknown})
            if bad.result.failure not in _REFUSALS or bad.overlay:
                what = "works" if bad.ok else f"fails with {bad.result.failure}"
                yield f"{shown_call(bad)} refers to nothing, and {what}"


def refuses_twins(bench: Bench) -> Iterator[str]:
    """Create, twice the same: refused where the key or a unique column is given, another record
    else."""
    run = next((r for r in trials(bench) if r.ok), None)
    if run is None:
        return
    table, effect = bench.table, bench.effect
    first = list(run.overlay.get(table.name, TableOverlay()).made)
    passed = {column for name, column in effect.fields.items() if name in run.arguments}
    unique = [c.name for c in table.columns if c.unique and c.name in passed]
    twice = bench.run(run.arguments, session=run.session.fork())
    if unique or (table.key and set(table.key) <= passed):
        if twice.ok:
            yield f"{shown_call(twice)} works twice, and {', '.join(unique or table.key)} is unique"
    elif twice.ok:
        made = list(twice.overlay.get(table.name, TableOverlay()).made)
        if len(made) != len(first) + 1:
            yield f"{shown_call(twice)} does not make a second record the second time"
