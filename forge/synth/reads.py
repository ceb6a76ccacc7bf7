"""Checks of get, list and count: what they show is what an evaluation of the records gives."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice

from forge.synth.arguments import arguments_for, paging_names, unknown_key, value_for
from forge.synth.bench import Bench, Run
from forge.synth.generic import is_in_path, shown_call
from forge.synth.model import at, column_of, fitting, is_within, misshown, projection, shown_columns
from forge.types.data import Json, Path
from forge.types.state import Column, Record

_RECORDS = 8
_PAGES = 60
_SORTED = 4
"""Of how many sets of arguments the order is looked at."""


def shows_record(bench: Bench) -> Iterator[str]:
    """`get`: the one record that the arguments pick, column by column."""
    seen = 0
    for record in bench.records:
        arguments = arguments_for(bench, record, bench.effect.match, bench.dice("get"))
        if arguments is None or bench.picked(arguments) != [record]:
            continue
        arguments |= _needed_besides(bench, arguments)
        run = bench.run(arguments)
        if not run.ok:
            yield f"{shown_call(run)} fails: {run.result.message or run.result.bug}"
        elif bench.effect.result is not None:
            wrong = misshown(
                bench.table, bench.effect, record, at(run.result.value, bench.effect.result)
            )
            if wrong:
                yield f"{shown_call(run)} shows another {', '.join(wrong)} than the record has"
        seen += 1
        if seen == _RECORDS:
            break
    if not seen:
        yield "no record can be picked by its arguments"


def misses_record(bench: Bench) -> Iterator[str]:
    """`get`: a record that is not there, or is someone else's, is not found."""
    for name, match in bench.effect.match.items():
        if match.op != "eq":
            continue
        record = bench.records[0] if bench.records else {}
        arguments = arguments_for(bench, record, bench.required, bench.dice("miss"))
        if arguments is None:
            continue
        column = column_of(bench.table, match.column)
        value = column.enum and value_for(bench, name, record, bench.dice("miss"), {})
        arguments[name] = value or unknown_key(r.get(match.column) for r in bench.records)
        if bench.picked(arguments):
            continue
        run = bench.run(arguments)
        if run.result.failure not in ("not_found", "invalid"):
            yield f"{shown_call(run)} should find nothing, and {_did(run)}"
    if bench.effect.fixed:
        for record in bench.records:
            arguments = arguments_for(bench, record, bench.required, bench.dice("miss"))
            if arguments is None or is_within(bench.effect, record, bench.actor):
                continue
            if bench.picked(arguments):
                continue
            run = bench.run(arguments)
            if run.ok:
                yield f"{shown_call(run)} should be refused: {bench.effect.fixed}"
            break


def _did(run: Run) -> str:
    return "succeeds" if run.ok else f"fails with {run.result.failure}"


def lists_exactly(bench: Bench) -> Iterator[str]:
    """`list`, `count`: the records that fit, no more and no fewer, for every filter alone and for
    all together."""
    actors = bench.actors[:2] if "$me" in bench.effect.fixed.values() else [bench.actor]
    for actor in actors:
        for arguments in bench.plan(("filters",), lambda: filter_sets(bench)):
            yield from _compare(bench, arguments, actor)


def filter_sets(bench: Bench) -> Iterator[dict[str, Json]]:
    """What is required alone, then with each filter, then with all of them."""
    optional = [name for name in bench.effect.match if name not in bench.required]
    dice = bench.dice("filters")
    needed = (arguments_for(bench, record, bench.required, dice) for record in bench.records)
    yield from islice((each for each in needed if each is not None), 3)
    for name in optional:
        seen: list[Json] = []
        for record in bench.records:
            arguments = arguments_for(bench, record, [*bench.required, name], dice)
            if arguments is None or name not in arguments or arguments[name] in seen:
                continue
            seen.append(arguments[name])
            yield arguments
            if len(seen) == 3:
                break
    names = [*bench.required, *optional]
    every = (arguments_for(bench, record, names, dice) for record in bench.records)
    if len(optional) > 1:
        yield from islice((each for each in every if each is not None), 3)


def _compare(bench: Bench, arguments: dict[str, Json], actor: str | int | None) -> Iterator[str]:
    effect = bench.effect
    wanted = fitting(effect, bench.records, arguments, actor)
    if effect.verb == "count":
        run = bench.run(arguments, actor=actor)
        found = at(run.result.value, effect.result or ())
        if not run.ok or found != len(wanted) or isinstance(found, bool):
            yield f"{shown_call(run)} counts {found!r}, and {len(wanted)} records fit"
        return
    items, reason, complete = everything(bench, arguments, actor)
    if items is None:
        if reason:
            yield reason
        return
    expected = Counter(projection(bench.table, effect, record, raw=True) for record in wanted)
    found_items = Counter(projection(bench.table, effect, item, raw=False) for item in items)
    extra, lacking = found_items - expected, expected - found_items
    passed = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    if extra:
        yield f"with {passed or 'no arguments'}, it lists {extra.total()} items that do not fit"
    if lacking and complete:
        yield f"with {passed or 'no arguments'}, it leaves out {lacking.total()} records that fit"


def everything(
    bench: Bench, arguments: dict[str, Json], actor: str | int | None
) -> tuple[list[Json] | None, str, bool]:
    """All items, page by page; why there are none; whether the last page was seen."""
    paging = bench.effect.paging
    path = bench.effect.result
    if path is None:
        return None, "", False
    passed = dict(arguments)
    limit = 0
    if paging.limit is not None:
        limit = page_size(bench, paging.limit)
        passed[paging.limit] = limit
    items: list[Json] = []
    for turn in range(_PAGES):
        run = bench.run(passed, actor=actor)
        if not run.ok:
            return None, f"{shown_call(run)} fails: {run.result.message or run.result.bug}", False
        page = at(run.result.value, path)
        if not isinstance(page, list):
            return None, f"{shown_call(run)} has no list at {list(path)}", False
        items += page
        if not page or (limit and len(page) < limit):
            return items, "", True
        if paging.cursor is not None:
            cursor = next_cursor(run.result.value, path)
            if cursor is None:
                return items, "", True
            passed[paging.cursor] = cursor
        elif paging.after is not None:
            passed[paging.after] = _key_shown(bench, page[-1])
        elif paging.offset is not None and limit:
            passed[paging.offset] = len(items)
        elif paging.page is not None:
            first = bench.properties[paging.page].get("minimum", 1)
            passed[paging.page] = first + turn + 1
        else:
            return items, "", not limit
    return items, "", False


def page_size(bench: Bench, name: str) -> int:
    """The largest page that may be asked for, up to 40."""
    most = bench.properties[name].get("maximum")
    return min(40, most) if isinstance(most, int) else 40


def next_cursor(value: Json, path: Path) -> str | int | None:
    """What a result says to pass for the next page: a text or number outside of the list, under a
    name that says so."""
    for names, found in scalars(value, path):
        name = "/".join(names).lower()
        if any(word in name for word in ("next", "cursor", "offset", "after", "token")) and not (
            isinstance(found, str) and found.startswith(("http", "/"))
        ):
            return found
    return None


def scalars(
    value: Json, besides: Path, names: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str | int]]:
    """The texts and whole numbers outside of the list at `besides`, with where they are."""
    if names == besides:
        return
    if isinstance(value, dict):
        for name, each in value.items():
            yield from scalars(each, besides, (*names, name))
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield names, value


def pages(bench: Bench) -> Iterator[str]:
    """A limit limits, an offset and a page skip, a cursor goes on, a sort sorts."""
    paging, path = bench.effect.paging, bench.effect.result
    roles = paging_names(paging)
    if not roles or path is None:
        return
    arguments = widest(bench)
    if arguments is None:
        return
    wanted = len(bench.picked(arguments))
    whole = listed(bench, arguments, path)
    if whole is None:
        return
    if paging.limit is not None:
        for size in (1, 2, 3):
            some = listed(bench, {**arguments, paging.limit: size}, path)
            if some is None or len(some) != min(size, wanted):
                yield f"{paging.limit}={size} gives {'an error' if some is None else len(some)}"
            elif some != whole[:size]:
                yield f"{paging.limit}={size} gives other items than the first {size}"
    if paging.offset is not None:
        shifted = listed(bench, {**arguments, paging.offset: 1}, path)
        if shifted is None or shifted[: len(whole) - 1] != whole[1:]:
            yield f"{paging.offset}=1 does not skip the first item"
    if paging.page is not None and paging.limit is not None:
        first = bench.properties[paging.page].get("minimum", 1)
        for turn in (0, 1):
            part = listed(bench, {**arguments, paging.limit: 1, paging.page: first + turn}, path)
            if wanted > turn and part != whole[turn : turn + 1]:
                yield f"{paging.page}={first + turn} is not page {turn + 1}"
    if paging.cursor is not None and paging.limit is not None and wanted > 2:
        yield from _follows(bench, arguments, whole, path)
    yield from _beside(bench, arguments, whole, path)
    if paging.sort is not None:
        yield from _sorts(bench, path, paging.sort)


def _follows(
    bench: Bench, arguments: Mapping[str, Json], whole: list[Json], path: Path
) -> Iterator[str]:
    paging = bench.effect.paging
    assert paging.limit is not None
    assert paging.cursor is not None
    run = bench.run({**arguments, paging.limit: 2})
    cursor = next_cursor(run.result.value, path)
    if cursor is None:
        yield "a page of 2 of more does not say how to go on"
        return
    rest = listed(bench, {**arguments, paging.limit: 1, paging.cursor: cursor}, path)
    if rest != whole[2:3]:
        yield f"{paging.cursor} does not go on where the page ended"
    bad = bench.run({**arguments, paging.cursor: "no-such-cursor"})
    if bad.ok:
        yield f"{paging.cursor} that was never given out is accepted"


def _key_shown(bench: Bench, item: Json) -> Json:
    """The key of a record as an item of a list shows it."""
    key = bench.table.key[0]
    return at(item, shown_columns(bench.table, bench.effect).get(key, (key,)))


def _beside(
    bench: Bench, arguments: Mapping[str, Json], whole: list[Json], path: Path
) -> Iterator[str]:
    """A part that begins after a record, or ends before one, holds its neighbours."""
    paging = bench.effect.paging
    sized = {**arguments, paging.limit: 2} if paging.limit is not None else arguments
    if len(whole) < 4:
        return
    if paging.after is not None:
        after = listed(bench, {**sized, paging.after: _key_shown(bench, whole[0])}, path)
        if after is None or after[:2] != whole[1:3]:
            yield f"{paging.after} does not go on after the record"
    if paging.before is not None:
        before = listed(bench, {**sized, paging.before: _key_shown(bench, whole[3])}, path)
        if before is None or before[-2:] != whole[1:3]:
            yield f"{paging.before} does not end before the record"
    for name in (paging.after, paging.before):
        if name is not None and bench.run({**arguments, name: "no-such-key"}).ok:
            yield f"{name} that is the key of no record is accepted"


def _sorts(bench: Bench, path: Path, name: str) -> Iterator[str]:
    """Some choice gives another order; few records may stand in the same one by chance."""
    schema = bench.properties[name]
    options = schema.get("enum") or schema.get("items", {}).get("enum") or []
    changes = len(options) < 2
    for arguments in _wide(bench)[:_SORTED]:
        orders = [listed(bench, arguments, path)]
        for option in options:
            value = [option] if schema.get("type") == "array" else option
            orders.append(listed(bench, {**arguments, name: value}, path))
            if orders[-1] is None:
                yield f"{name}={option!r} fails"
                return
        changes = changes or any(order != orders[0] for order in orders)
        if changes:
            return
    yield f"{name} changes nothing, whatever it is"


def widest(bench: Bench) -> dict[str, Json] | None:
    """Required arguments with which most records fit."""
    return next(iter(_wide(bench)), None)


def _wide(bench: Bench) -> list[dict[str, Json]]:
    """Required arguments, first those with which most records fit."""
    dice = bench.dice("pages")
    sets = (arguments_for(bench, r, bench.required, dice) for r in bench.records)
    found = islice((each for each in sets if each is not None), 12)
    return sorted(found, key=lambda each: -len(bench.picked(each)))


def listed(bench: Bench, arguments: dict[str, Json], path: Path) -> list[Json] | None:
    run = bench.run(arguments)
    items = at(run.result.value, path)
    return items if run.ok and isinstance(items, list) else None


def finds_nothing(bench: Bench) -> Iterator[str]:
    """A filter that nothing fits gives nothing: an empty list, 0, or "not found"."""
    for name, match in bench.effect.match.items():
        column = column_of(bench.table, match.column)
        kind = column.items.type if match.op == "has" and column.items else column.type
        if (
            match.op not in ("eq", "has")
            or column.enum is not None
            or kind not in ("string", "integer")
        ):
            continue
        for record in bench.records[:12]:
            arguments = arguments_for(bench, record, [*bench.required, name], bench.dice("none"))
            if arguments is None or name not in arguments:
                continue
            if column.format is not None:
                break
            owner = _owner(bench, column)
            rows, part = owner or (bench.records, match.column)
            held = [row.get(part) for row in rows]
            arguments[name] = unknown_key(
                [each for some in held for each in (some if isinstance(some, list) else [some])]
            )
            run = bench.run(arguments)
            found = at(run.result.value, bench.effect.result or ())
            if run.ok and owner is not None and is_in_path(bench, name):
                yield f"{shown_call(run)} should not be found, and succeeds"
            elif (run.ok and found) or run.result.failure in ("internal", "conflict", "forbidden"):
                yield f"{shown_call(run)} should find nothing, and {_did(run)}"
            break


def _owner(bench: Bench, column: Column) -> tuple[list[Record], str] | None:
    """The records that the column, or what it lists, belongs or refers to, and the column of
    their key that it is."""
    parent = bench.table.parent
    if parent is not None and column.name in parent.columns:
        key = bench.tables[parent.table].key
        return bench.all_records(parent.table), key[parent.columns.index(column.name)]
    target = column.references or (column.items.references if column.items is not None else None)
    return None if target is None else (bench.all_records(target), bench.tables[target].key[0])


def _needed_besides(bench: Bench, arguments: Mapping[str, Json]) -> dict[str, Json]:
    names = [name for name in bench.required if name not in arguments]
    return arguments_for(bench, {}, names, bench.dice("besides")) or {}
