"""Whether two end states are the same, and how they differ if not: the ground of the reward.

Works on overlays only, so the cost is what was touched. What counts of a value is said in
`form.py`, which made record is which in `pairing.py`. Always holds: states are equal exactly if
no difference is listed, and a state that cannot be judged within the limit is an error, never a
difference.
"""

import json
import marshal
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from forge.env.form import ABSENT, references_in, translated
from forge.env.keys import key_of
from forge.env.nearest import Forms, differing, forms_of, nearest
from forge.env.pairing import Node, Pairing, Side, graphs_of, match
from forge.types.data import Json
from forge.types.state import Key, Overlay, Record, StateSchema, Table, TableOverlay

Initial = Callable[[str, str], Record | None]
"""(table, key text) -> the record before the session, or None."""

STEP_LIMIT = 200_000
NOTHING = TableOverlay()
LONGEST = 160


@dataclass(frozen=True, slots=True)
class Difference:
    """`what` is "changed" (one column), "missing" or "extra" (a record made), "deleted" (though
    it should be kept) or "not deleted". `key` is of the actual state but for "missing". For
    "changed" `expected` and `actual` are the column's values, null where it is absent; else one
    of them is the record and `column` the one by which people know it, or empty. Keys of made
    records in `expected` are written as the actual state has them, where there is a partner."""

    table: str
    key: str
    column: str
    expected: Json
    actual: Json
    what: str


@dataclass(frozen=True, slots=True)
class Comparison:
    equal: bool
    differences: tuple[Difference, ...]


def compare(
    schema: StateSchema,
    initial: Initial,
    expected: Overlay,
    actual: Overlay,
    *,
    step_limit: int = STEP_LIMIT,
) -> Comparison:
    """Compares two overlays over the same base and setup.

    Raises ComparisonLimit when there is no verdict after looking at `step_limit` records.
    """
    if equal(schema, initial, expected, actual, step_limit=step_limit):
        return Comparison(True, ())
    expected, actual = _compared(schema, expected), _compared(schema, actual)
    tables, golden, reached = _sides(schema, initial, expected, actual)
    graphs = graphs_of(golden, reached)
    wanted, got = _deleted(expected), _deleted(actual)
    pairs = nearest(*graphs)
    forms = forms_of(*graphs, pairs)
    found: list[Difference] = []
    for table in tables:
        for node in sorted(node for node in wanted ^ got if node[0] == table.name):
            found.append(_deletion(table, node, initial(*node), node in wanted))
        found += _differences(table, golden, reached, forms, pairs)
    return Comparison(False, tuple(found))


def equal(
    schema: StateSchema,
    initial: Initial,
    expected: Overlay,
    actual: Overlay,
    *,
    step_limit: int = STEP_LIMIT,
) -> bool:
    """Whether `compare` finds no difference, without looking for those there are."""
    expected, actual = _compared(schema, expected), _compared(schema, actual)
    if _dumped(expected) == _dumped(actual):
        return True
    if _deleted(expected) != _deleted(actual) or _made(expected) != _made(actual):
        return False
    _, golden, reached = _sides(schema, initial, expected, actual)
    if not golden.made:  # there is nothing to be paired, and no key that means another
        return golden.records.keys() == reached.records.keys() and all(
            golden.form(node, str) == reached.form(node, str) for node in golden.records
        )
    return match(*graphs_of(golden, reached), step_limit) is not None


def describe(comparison: Comparison) -> str:
    """One line a difference: `tasks tsk_1: status is "open", should be "done"`."""
    return "\n".join(_line(difference) for difference in comparison.differences)


def _compared(schema: StateSchema, overlay: Overlay) -> Overlay:
    """Without the tables of which it does not count how they end."""
    idle = {table.name for table in schema.tables if not table.compared}
    if idle.isdisjoint(overlay):
        return overlay
    return {name: rows for name, rows in overlay.items() if name not in idle}


def _dumped(overlay: Overlay) -> bytes:
    """The same for overlays that are the same to the bit. Version 2 of marshal writes a value and
    its types, and nothing about how it came about."""
    return marshal.dumps([(n, t.made, t.changed, t.deleted) for n, t in overlay.items()], 2)


def _made(overlay: Overlay) -> dict[str, int]:
    """How many records of each table."""
    return {name: len(each.made) for name, each in overlay.items() if each.made}


def _sides(
    schema: StateSchema, initial: Initial, expected: Overlay, actual: Overlay
) -> tuple[list[Table], Side, Side]:
    """The tables that were touched, and of both end states what may differ."""
    tables = [table for table in schema.tables if table.name in expected or table.name in actual]
    golden, reached = _unsettled(
        _side(tables, initial, expected, actual), _side(tables, initial, actual, expected)
    )
    return tables, golden, reached


def _side(tables: list[Table], initial: Initial, own: Overlay, other: Overlay) -> Side:
    """What is changed in the other state only is here as it was at first."""
    records: dict[Node, Record] = {}
    made: dict[tuple[str, Key], Node] = {}
    for table in tables:
        name = table.name
        mine, theirs = own.get(name, NOTHING), other.get(name, NOTHING)
        for text, record in mine.made.items():
            records[name, text] = record
            made[name, key_of(table, record)] = (name, text)
        for text, record in mine.changed.items():
            records[name, text] = record
        for text in theirs.changed:
            if text not in mine.changed and text not in mine.deleted:
                before = initial(name, text)
                if before is not None:
                    records[name, text] = before
    return Side({table.name: table for table in tables}, records, made)


def _unsettled(golden: Side, reached: Side) -> tuple[Side, Side]:
    """Both sides without what is the same to the bit in records that were there before: most of
    it. Columns that may hold a made key stay, since it can be another record on the other side.
    A matter of speed only."""
    made = {*golden.made.values(), *reached.made.values()}
    tied = {
        table.name: _tied(table, {name for name, _ in made}) for table in golden.tables.values()
    }
    ours, theirs = dict(golden.records), dict(reached.records)
    for node in (ours.keys() & theirs.keys()) - made:
        one, other = ours.pop(node), theirs.pop(node)
        apart = [
            name
            for name in {**one, **other}
            if name in tied[node[0]]
            or marshal.dumps(one.get(name, ABSENT), 2) != marshal.dumps(other.get(name, ABSENT), 2)
        ]
        if apart:
            ours[node] = {name: one[name] for name in apart if name in one}
            theirs[node] = {name: other[name] for name in apart if name in other}
    return Side(golden.tables, ours, golden.made), Side(reached.tables, theirs, reached.made)


def _tied(table: Table, made: set[str]) -> set[str]:
    """The columns that may hold the key of a record of one of the tables `made`."""
    tied = {column.name for column in table.columns if not made.isdisjoint(references_in(column))}
    if table.parent is not None and table.parent.table in made:
        tied.update(table.parent.columns)
    return tied


def _deleted(overlay: Overlay) -> frozenset[Node]:
    return frozenset([(name, text) for name, each in overlay.items() for text in each.deleted])


def _deletion(table: Table, node: Node, record: Record | None, wanted: bool) -> Difference:
    label = _label(table, record)
    if wanted:
        return Difference(*node, label, None, record, "not deleted")
    return Difference(*node, label, record, None, "deleted")


def _label(table: Table, record: Record | None) -> str:
    return table.label if table.label and record and record.get(table.label) is not None else ""


def _differences(
    table: Table, golden: Side, reached: Side, forms: Forms, pairs: Pairing
) -> Iterator[Difference]:
    """Of the made and changed records of one table, by key."""

    def partner(of: str, key: Key) -> Key | None:
        node = golden.made.get((of, key))
        other = None if node is None else pairs.get(node)
        return None if other is None else key_of(golden.tables[of], reached.records[other])

    ours = {node for node in golden.records if node[0] == table.name}
    theirs = {node for node in reached.records if node[0] == table.name}
    made = (set(golden.made.values()), set(reached.made.values()))
    for node in sorted(ours):
        if node in made[0] and node not in pairs:
            record = translated(table, golden.records[node], partner)
            yield Difference(*node, _label(table, record), record, None, "missing")
    for node in sorted((theirs & made[1]) - set(pairs.values())):
        record = translated(table, reached.records[node], lambda _table, _key: None)
        yield Difference(*node, _label(table, record), None, record, "extra")
    same = {node: node for node in (ours - made[0]) & (theirs - made[1])}
    found = {**same, **{node: other for node, other in pairs.items() if node in ours}}
    for node, other in sorted(found.items(), key=lambda each: each[1]):
        record, actual = translated(table, golden.records[node], partner), reached.records[other]
        for column in differing(forms[0][node], forms[1][other]):
            yield Difference(*other, column, record.get(column), actual.get(column), "changed")


def _line(difference: Difference) -> str:
    record = difference.expected if difference.actual is None else difference.actual
    place = f"{difference.table} {difference.key}"
    match difference.what:
        case "missing":
            return f"{difference.table}: {_called(record, difference.column)} is missing"
        case "extra":
            return f"{place}: {_called(record, difference.column)} should not be there"
        case "deleted":
            return f"{place}: {_called(record, difference.column)} is deleted, should be kept"
        case "not deleted":
            return f"{place}: {_called(record, difference.column)} should be deleted"
        case _:
            is_now, should_be = _short(difference.actual), _short(difference.expected)
            return f"{place}: {difference.column} is {is_now}, should be {should_be}"


def _called(record: Record, label: str) -> str:
    return _short(record[label] if label else record)


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
