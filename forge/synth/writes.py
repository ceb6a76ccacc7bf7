"""Checks of create, update, delete, add and remove: the state changes as the effect says, and in
nothing else.
"""

from collections.abc import Iterator

from forge.env.dates import moment_of
from forge.env.identity import same
from forge.env.keys import parse_key
from forge.synth.arguments import arguments_for
from forge.synth.bench import Bench, Run
from forge.synth.generic import shown_call
from forge.synth.model import (
    at,
    column_of,
    is_allowed,
    is_within,
    items_of,
    misshown,
    text_key,
    wrong_columns,
)
from forge.types.data import Json
from forge.types.state import Column, Record, TableOverlay

_TRIES = 30
_WANTED = 3


def changes_exactly(bench: Bench) -> Iterator[str]:
    """Calls with each optional argument alone, with all and with none."""
    effect, worked = bench.effect, 0
    optional = [name for name in effect.fields if name not in bench.required]
    alone = [[name] for name in optional if len(optional) > 1]
    for chosen in [optional, *([[]] if optional else []), *alone]:
        some = 0
        for run, record in attempts(bench, chosen):
            if run.result.failure == "internal":
                yield f"{shown_call(run)} is a bug: {run.result.bug[:300]}"
            elif run.ok:
                some += 1
                yield from _judged(bench, run, record)
        worked += some
        if not some and len(chosen) == 1 and bench.records:
            yield f"it never worked with {chosen[0]} alone"
    if not worked:
        yield "it never worked on a record that it should work on"


def attempts(bench: Bench, chosen: list[str]) -> Iterator[tuple[Run, Record | None]]:
    """Calls, with the optional arguments in `chosen`, on records that it should work on; up to
    three successes. For a create, the record is None."""
    worked = 0
    for arguments, record in bench.plan(("attempts", *chosen), lambda: _planned(bench, chosen)):
        run = bench.run(arguments)
        worked += run.ok
        yield run, record
        if worked == _WANTED:
            return


def _planned(bench: Bench, chosen: list[str]) -> Iterator[tuple[dict[str, Json], Record | None]]:
    effect, dice = bench.effect, bench.dice("attempts", *chosen)
    picks = [name for name in effect.match if name not in bench.required]
    for turn in range(min(_TRIES, 2 * len(bench.records))):
        record = bench.records[turn % len(bench.records)]
        if effect.verb != "create" and not (
            is_allowed(effect, record) and is_within(effect, record, bench.actor)
        ):
            continue
        arguments = arguments_for(bench, record, [*bench.required, *picks, *chosen], dice)
        if arguments is None or any(name not in arguments for name in chosen):
            continue
        if effect.verb != "create" and bench.picked(arguments) != [record]:
            continue
        yield arguments, None if effect.verb == "create" else record


def _judged(bench: Bench, run: Run, record: Record | None) -> Iterator[str]:
    effect, table = bench.effect, bench.table
    mine = run.overlay.get(table.name, TableOverlay())
    others = [name for name in run.overlay if name != table.name]
    if effect.verb == "delete":
        assert record is not None
        allowed = {*effect.cascades, table.name}
        beyond = [name for name in others if name not in allowed]
        if beyond:
            yield f"{shown_call(run)} changes {', '.join(beyond)}, which it does not declare"
        if text_key(table, record) not in mine.deleted:
            yield f"{shown_call(run)} does not delete the record"
        elif mine.made:
            yield f"{shown_call(run)} makes other records of {table.name}"
        yield from _strayed(bench, run, record)
        return
    if others:
        yield f"{shown_call(run)} changes {', '.join(others)}, which it does not declare"
    if mine.deleted:
        yield f"{shown_call(run)} deletes {', '.join(mine.deleted)}"
        return
    if effect.verb == "create":
        if len(mine.made) != 1 or mine.changed:
            made, changed = len(mine.made), len(mine.changed)
            yield f"{shown_call(run)} makes {made} and changes {changed} records"
            return
        after = next(iter(mine.made.values()))
    else:
        assert record is not None
        key = text_key(table, record)
        if mine.made or [other for other in mine.changed if other != key]:
            yield f"{shown_call(run)} changes other records than the one it is called for"
            return
        after = mine.changed.get(key, record)
    yield from _compared(bench, run, record, after)
    if effect.result is not None:
        item = at(run.result.value, effect.result)
        wrong = misshown(table, effect, after, item)
        if wrong:
            yield f"{shown_call(run)} shows another {', '.join(wrong)} than the record has"


def _strayed(bench: Bench, run: Run, target: Record) -> Iterator[str]:
    """A delete takes along only what belongs to what went, or clears only references to it."""
    base = bench.world.bases[bench.base]
    gone = {
        name: [
            base.record(name, parse_key(bench.tables[name], text)) or {} for text in each.deleted
        ]
        for name, each in run.overlay.items()
    }
    for name, each in run.overlay.items():
        for text in (*each.deleted, *each.changed):
            record = base.record(name, parse_key(bench.tables[name], text)) or {}
            if name == bench.table.name and same(record, target):
                continue
            if not _belongs(bench, name, record, gone):
                yield f"{shown_call(run)} changes {name} {text}, which has nothing to do with it"


def _belongs(bench: Bench, name: str, record: Record, gone: dict[str, list[Record]]) -> bool:
    table = bench.tables[name]
    parent = table.parent
    if parent is not None:
        key, mine = bench.tables[parent.table].key, [record.get(c) for c in parent.columns]
        if any([other.get(c) for c in key] == mine for other in gone.get(parent.table, [])):
            return True
    return any(
        _mentions(column, record.get(column.name), target, other.get(bench.tables[target].key[0]))
        for column in table.columns
        for target, others in gone.items()
        for other in others
    )


def _mentions(column: Column, value: Json, target: str, key: Json) -> bool:
    """Whether a value refers, at any depth, to this key of the target table."""
    if isinstance(value, list):
        return any(_mentions(column.items or column, each, target, key) for each in value)
    if isinstance(value, dict):
        inner = {part.name: part for part in column.properties}
        return any(
            _mentions(inner.get(name) or column.values or column, each, target, key)
            for name, each in value.items()
        )
    return column.references == target and same(value, key)


def _compared(bench: Bench, run: Run, before: Record | None, after: Record) -> Iterator[str]:
    effect = bench.effect
    if effect.verb in ("add", "remove"):
        assert before is not None
        yield from _array_changed(bench, run, before, after)
        return
    wrong = wrong_columns(
        bench.table,
        effect,
        run.arguments,
        before,
        after,
        actor=bench.actor,
        is_now=lambda value: _is_now(bench, run, value),
    )
    if wrong:
        yield f"{shown_call(run)} leaves {', '.join(wrong)} other than it declares"


def _array_changed(bench: Bench, run: Run, before: Record, after: Record) -> Iterator[str]:
    effect = bench.effect
    (argument, column), *_ = effect.fields.items()
    items = items_of(column_of(bench.table, column), run.arguments[argument])
    old, new = list(before.get(column) or []), list(after.get(column) or [])
    if effect.verb == "add":
        wanted = [*old, *items]
    else:
        wanted = [each for each in old if not any(same(each, item) for item in items)]
    unordered = column_of(bench.table, column).compare == "unordered"
    good = _as_bag(wanted) == _as_bag(new) if unordered else same(wanted, new)
    if not good:
        yield f"{shown_call(run)} leaves {column} other than it declares"
    rest = [name for name in {**before, **after} if name != column]
    stamped = [c.name for c in bench.table.columns if c.generated in ("time", "derived")]
    wrong = [n for n in rest if n not in stamped and not same(before.get(n), after.get(n))]
    if wrong:
        yield f"{shown_call(run)} changes {', '.join(wrong)} too"


def _as_bag(items: list[Json]) -> list[str]:
    return sorted(map(repr, items))


def _is_now(bench: Bench, run: Run, value: Json) -> bool:
    first, last = bench.now, run.session.store.now()
    if isinstance(value, int):
        return moment_of(first).timestamp() <= value <= moment_of(last).timestamp()
    if not isinstance(value, str):
        return False
    if len(value) == 10:
        return first[:10] <= value <= last[:10]
    return moment_of(first) <= moment_of(value) <= moment_of(last)


def deletes_once(bench: Bench) -> Iterator[str]:
    """Delete: what is gone cannot be deleted again."""
    for run, _ in attempts(bench, []):
        if run.ok:
            again = bench.run(run.arguments, session=run.session.fork())
            if again.result.failure != "not_found":
                what = "works" if again.ok else f"fails with {again.result.failure}"
                yield f"{shown_call(again)} {what} the second time"
            return


def changes_once(bench: Bench) -> Iterator[str]:
    """Add and remove: a second time, the same is refused or leaves the items as they are."""
    (column, *_) = bench.effect.fields.values()
    for run, record in attempts(bench, []):
        if run.ok and record is not None:
            key = text_key(bench.table, record)
            again = bench.run(run.arguments, session=run.session.fork())
            items = [
                _as_bag(each.overlay[bench.table.name].changed.get(key, record).get(column) or [])
                for each in (run, again)
                if bench.table.name in each.overlay
            ]
            if again.ok and (len(items) != 2 or items[0] != items[1]):
                yield f"{shown_call(again)} changes {column} again the second time"
            return


def is_read_back(bench: Bench) -> Iterator[str]:
    """What a get tool of the same table shows after the write is the record as it is now."""
    getters = [
        tool
        for tool in bench.environment.tools
        if tool.effect is not None
        and tool.effect.verb == "get"
        and tool.effect.table == bench.table.name
        and sorted(m.column for m in tool.effect.match.values()) == sorted(bench.table.key)
    ]
    run, record = next(((run, r) for run, r in attempts(bench, []) if run.ok), (None, None))
    if run is None:
        return
    mine = run.overlay.get(bench.table.name, TableOverlay())
    now = (*mine.made.values(), *mine.changed.values()) if bench.effect.verb != "delete" else ()
    after = next(iter(now), record)
    for tool in getters:
        assert tool.effect is not None
        assert after is not None
        names = {name: after[match.column] for name, match in tool.effect.match.items()}
        result = run.session.fork().call(tool.name, names)
        if bench.effect.verb == "delete":
            if result.failure != "not_found":
                yield f"{tool.name} still finds the record that was deleted"
        elif result.failure is not None:
            if is_within(tool.effect, after, bench.actor):
                yield f"{tool.name} does not find the record: {result.message}"
        elif tool.effect.result is not None:
            wrong = misshown(bench.table, tool.effect, after, at(result.value, tool.effect.result))
            if wrong:
                yield f"{tool.name} shows another {', '.join(wrong)} than was written"
