"""Checks of what a list says of its size: totals count what fits, and a page that nobody gave a
size has the one that the tool tells.
"""

from collections.abc import Iterator
from itertools import islice

from forge.authors.structural.words import split
from forge.env.keys import key_of, key_text
from forge.errors import UserError
from forge.synth.arguments import unknown_key
from forge.synth.bench import Bench
from forge.synth.generic import shown_call
from forge.synth.model import at
from forge.synth.reads import filter_sets, scalars, widest
from forge.types.data import Json
from forge.types.state import Overlay, Record, TableOverlay

_TOTALS = frozenset({"total", "count", "number", "size", "results", "items", "records", "of"})
"""A number named by nothing but these says how many there are, or how many are shown."""
_SETS = 8
_LARGEST = 120
"""The default size of a page up to which more records than that are made, to see it."""


def counts_right(bench: Bench) -> Iterator[str]:
    """A number beside the list that is named like a total is how many fit, or how many are shown,
    in one call as in another."""
    path = bench.effect.result
    if bench.effect.verb != "list" or path is None:
        return
    limit = bench.effect.paging.limit
    fits: dict[tuple[str, ...], str] = {}
    shown: dict[tuple[str, ...], str] = {}
    for arguments in islice(bench.plan(("filters",), lambda: filter_sets(bench)), _SETS):
        wanted = len(bench.picked(arguments))
        for passed in [arguments, *([{**arguments, limit: 1}] if limit is not None else [])]:
            run = bench.run(passed)
            items = at(run.result.value, path)
            if not run.ok or not isinstance(items, list):
                continue
            for names, number in scalars(run.result.value, path):
                if isinstance(number, int) and names and set(split(names[-1])) <= _TOTALS:
                    told = f"{shown_call(run)} has {number} for {'/'.join(names)}, and"
                    if number != wanted:
                        fits.setdefault(names, f"{told} {wanted} records fit")
                    if number != len(items):
                        shown.setdefault(names, f"{told} {len(items)} are shown")
    yield from (reason for names, reason in fits.items() if names in shown)


def default_holds(bench: Bench) -> Iterator[str]:
    """Of more records than the default size of a page, so many are shown."""
    limit, path = bench.effect.paging.limit, bench.effect.result
    if limit is None or path is None or bench.effect.verb != "list":
        return
    size = bench.properties[limit].get("default")
    arguments = widest(bench)
    if not isinstance(size, int) or isinstance(size, bool) or size > _LARGEST:
        return
    if arguments is None:
        return
    there = bench.picked(arguments)
    setup = _more(bench, there, size + 2 - len(there)) if there else None
    if setup is None:
        return
    try:
        run = bench.run(arguments, setup=setup)
    except UserError:  # such a record cannot be doubled
        return
    items = at(run.result.value, path)
    if run.ok and isinstance(items, list) and len(items) != size:
        yield f"{shown_call(run)} shows {len(items)} of more, and the default is {size}"


def _more(bench: Bench, there: list[Record], count: int) -> Overlay | None:
    """So many records like the first of these, under keys of their own; None where they must
    differ in what cannot be told."""
    table = bench.table
    home = table.parent.columns if table.parent is not None else ()
    apart = [c for c in table.columns if c.unique or (c.name in table.key and c.name not in home)]
    if not apart or any(c.references is not None or c.enum is not None for c in apart):
        return None
    made: dict[str, Record] = {}
    held: dict[str, list[Json]] = {c.name: [r.get(c.name) for r in bench.records] for c in apart}
    for _ in range(count):
        record = dict(there[0])
        for column in apart:
            record[column.name] = unknown_key(held[column.name])
            held[column.name].append(record[column.name])
        made[key_text(key_of(table, record))] = record
    return {table.name: TableOverlay(made=made)} if made else {}
