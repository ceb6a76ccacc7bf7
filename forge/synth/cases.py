"""A function held to example cases of what its operation should do: each is laid on records of a
base, and the function called.

Always holds: cases only ever tell against a function; one that cannot be laid on any record, or
whose record the function's arguments do not pick, says nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from forge.env.identity import same, shown
from forge.env.session import World
from forge.errors import UserError
from forge.synth.arguments import arguments_for
from forge.synth.bench import Bench, Run, grounds_of
from forge.synth.homes import known_keys, sought_table
from forge.synth.model import text_key
from forge.types.case import Case
from forge.types.data import Json
from forge.types.environment import Environment, Tool
from forge.types.state import Record, Table, TableOverlay

RECORDS = 4
"""Of a base, on which a case is laid."""


@dataclass(frozen=True, slots=True)
class Held:
    """`judged`: how many cases the function was held to; `broken`: the first that it does not
    fulfil, None if none; `did`: what it did instead."""

    judged: int
    broken: Case | None = None
    did: str = ""


def held_to(environment: Environment, tool: Tool, cases: Sequence[Case]) -> Held:
    """`environment`: with the tool, its source and bases; run in the sandbox."""
    environment = environment.model_copy(update={"tools": (tool,)})
    judged = 0
    with World(environment, sandbox="monty", workers=1) as world:
        bench = Bench(world, tool, grounds_of(world)[0])
        for case in cases:
            runs = list(_runs(bench, case))
            did = _unlike(bench.tables[case.table], case, runs) if runs else ""
            if did:
                return Held(judged, case, did)
            judged += bool(runs)
    return Held(judged)


def _runs(bench: Bench, case: Case) -> Iterator[tuple[Run, Record]]:
    """Calls on records of a base that are as the case says, and these."""
    table = bench.tables.get(case.table)
    picks = _picks(bench, table) if table is not None else {}
    if table is None or not set(table.key) <= set(picks.values()):
        return
    laid = 0
    for record in bench.all_records(table.name):
        dice = bench.dice("cases", text_key(table, record))
        drawn = arguments_for(bench, record, bench.required, dice, bench.actor)
        passed = {n: v for n, v in case.arguments.items() if n in bench.properties}
        arguments: dict[str, Json] = {**(drawn or {}), **passed}
        arguments |= {name: record.get(column) for name, column in picks.items()}
        if not set(bench.required) <= arguments.keys():
            continue
        before = {**record, **case.before}
        overlay = TableOverlay(changed={text_key(table, record): before})
        setup = {} if same(before, record) else {table.name: overlay}
        try:
            run = bench.run(arguments, setup=setup)
        except UserError:
            continue  # such a record cannot be
        yield run, before
        laid += 1
        if laid == RECORDS:
            return


def _picks(bench: Bench, table: Table) -> dict[str, str]:
    """Argument -> the key column of the table that it is: as the effect says, else as the
    function itself takes it."""
    effect = bench.tool.effect
    if effect is not None and effect.table == table.name and effect.match:
        return {name: match.column for name, match in effect.match.items() if match.op == "eq"}
    found = {n: c.name for n, (home, c) in known_keys(bench).items() if home.name == table.name}
    sought = sought_table(bench)
    if sought is not None and sought[0].name == table.name:
        found |= sought[1]
    return found


def _unlike(table: Table, case: Case, runs: Sequence[tuple[Run, Record]]) -> str:
    """What the function did that the case does not say; "" where it fulfils it. A record may be
    refused for what the case does not speak of, but not all of them."""
    for run, before in runs:
        if run.result.failure == "internal":
            return f"it is a bug: {run.result.bug[:200]}"
        if not run.ok:
            continue
        if not case.works:
            return "it works"
        after = _after(table, run, before)
        wrong = [c for c, value in case.after.items() if not same(after.get(c), value)]
        if wrong:
            left = ", ".join(f"{column} {shown(after.get(column))}" for column in wrong)
            return f"it leaves {left}"
    if case.works and not any(run.ok for run, _ in runs):
        return f"it is refused: {runs[0][0].result.message[:200]}"
    return ""


def _after(table: Table, run: Run, before: Record) -> Record:
    """The record as the call left it; one without columns where it is gone."""
    key, rows = text_key(table, before), run.overlay.get(table.name, TableOverlay())
    return {} if key in rows.deleted else rows.changed.get(key, before)
