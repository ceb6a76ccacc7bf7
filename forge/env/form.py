"""The form of a record: what of it counts when two end states are compared.

Two records count as equal exactly if their forms are equal, so every rule about values is here
and nowhere else. A form is hashable and names nothing by accident: `true` is not 1, 12 is 12.0,
"12" is not 12. A key that was made in the session has no name of its own; a `Rename` gives it one.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator

from forge.types.data import Json
from forge.types.state import Column, Key, Record, Table

Form = dict[str, Hashable]
"""Column -> what counts of its value."""

Rename = Callable[[str, Key], Hashable]
"""(table, key) -> the name to compare it by, or None where the key stands for itself."""

ABSENT = ("absent",)
OUTSIDE = ("outside",)
END_PUNCTUATION = " .,;:!?…。，；：！？、"


def form_of(table: Table, record: Record, rename: Rename) -> Form:
    """What counts of `record`. Where the parent is a renamed record, the columns that hold its
    key are one reference, put in the place of the last of them: the others follow from it."""
    form: Form = {}
    held: tuple[str, ...] = ()
    parent = None
    if table.parent is not None:
        held = table.parent.columns
        parent = rename(table.parent.table, _key(record, held))
    for column in table.columns:
        name = column.name
        if parent is not None and name in held:
            if name == held[-1]:
                form[name] = ("made", parent)
        elif column.compare != "ignore" and (
            column.generated is None or column.references is not None or name in held
        ):
            form[name] = _canonical(column, record.get(name, ABSENT), rename)
    return form


def translated(table: Table, record: Record, keys: Callable[[str, Key], Key | None]) -> Record:
    """The record with every reference to a key that `keys` knows replaced by that key; columns
    that do not count are left out. For people to read."""
    names: dict[str, Json] = {}
    if table.parent is not None:
        held = table.parent.columns
        parent = keys(table.parent.table, _key(record, held))
        names = {} if parent is None else dict(zip(held, parent, strict=True))
    return {
        column.name: names.get(column.name, _replaced(column, record[column.name], keys))
        for column in table.columns
        if column.name in record and (counts(column) or column.name in names)
    }


def references_in(column: Column) -> Iterator[str]:
    """The tables that a column refers to, at any depth."""
    if column.references is not None:
        yield column.references
    for inner in column.properties:
        yield from references_in(inner)
    for each in (column.items, column.values):
        if each is not None:
            yield from references_in(each)


def counts(column: Column) -> bool:
    """Generated columns are outside the comparison, but for references."""
    return column.compare != "ignore" and (
        column.generated is None or column.references is not None
    )


def _key(record: Record, columns: tuple[str, ...]) -> Key:
    """Not a key anybody has, if a column is absent."""
    return tuple([record.get(name, "") for name in columns])


def _canonical(column: Column, value: Json, rename: Rename) -> Hashable:
    kind = type(value)
    if kind is str or kind is int:
        if column.references is not None:
            name = rename(column.references, (value,))
            return value if name is None else ("made", name)
        if kind is str and column.compare == "text":
            return " ".join(value.casefold().split()).rstrip(END_PUNCTUATION)
        return value  # type: ignore[no-any-return]
    if kind is list:
        items = _each(column.items, value, rename)
        return ("bag", _bag(items)) if column.compare == "unordered" else ("list", *items)
    if kind is dict:
        return _object(column, value, rename)
    if value is ABSENT:
        return None if _may_be_absent(column) else ABSENT
    return _plain(value)


def _each(column: Column | None, values: Iterable[Json], rename: Rename) -> list[Hashable]:
    if column is None:
        return [_plain(value) for value in values]
    if not counts(column):
        return [OUTSIDE for _ in values]
    return [_canonical(column, value, rename) for value in values]


def _object(column: Column, value: dict[str, Json], rename: Rename) -> Hashable:
    pairs: list[tuple[str, Hashable]] = []
    known = 0
    for inner in column.properties:
        name = inner.name
        if name in value:
            known += 1
            item = value[name]
            if counts(inner) and not (item is None and _may_be_absent(inner)):
                pairs.append((name, _canonical(inner, item, rename)))
    if known < len(value):
        names = {inner.name for inner in column.properties}
        rest = {name: item for name, item in value.items() if name not in names}
        pairs += zip(rest, _each(column.values, rest.values(), rename), strict=True)
    return ("object", frozenset(pairs))


def _plain(value: Json) -> Hashable:
    kind = type(value)
    if kind is bool:
        return ("bool", value)
    if kind is list:
        return ("list", *map(_plain, value))
    if kind is dict:
        return ("object", frozenset([(name, _plain(item)) for name, item in value.items()]))
    return value  # type: ignore[no-any-return]


def _bag(items: Iterable[Hashable]) -> frozenset[tuple[Hashable, int]]:
    return frozenset(Counter(items).items())


def _may_be_absent(column: Column) -> bool:
    return not column.required and column.default is None


def _replaced(column: Column, value: Json, keys: Callable[[str, Key], Key | None]) -> Json:
    if isinstance(value, list) and column.items is not None:
        return [_replaced(column.items, item, keys) for item in value]
    if isinstance(value, dict):
        inner = {each.name: each for each in column.properties}
        return {
            name: _replaced(inner.get(name) or column.values or Column(), item, keys)
            for name, item in value.items()
        }
    if column.references is None or not isinstance(value, str | int):
        return value
    key = keys(column.references, (value,))
    return value if key is None else key[0]
