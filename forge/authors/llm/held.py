"""Whether tables hold what an operation takes and gives.

The rule: each argument, and each leaf of the record that the answer shows, is a column of one of
the tables: under the same words (the one word of a plural), with the table's noun before it
(`ticket_subject`), or, of an id or a noun alone, as the table's key (`ticket_id`, `ticket`; a noun
alone not of a table that is only proposed). What an object or a list of objects holds may be
columns instead. Left aside: arguments that only choose a part of the answer, its order or its form,
or search in no one column; headers; and what an answer says beside records (totals, cursors,
whether it worked).
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from forge.authors.structural.plans.filters import is_look
from forge.authors.structural.plans.paging import ORDERS, paging_use
from forge.authors.structural.reading.reading import ENVELOPES, EXTRAS, Argument, plain
from forge.authors.structural.shapes import Shape, shape_of
from forge.authors.structural.words import Words, is_id, one, snake, split, without_id, word_set
from forge.types.doc import Operation
from forge.types.state import Table

_SEARCHES = frozenset(("q", "query", "search", "keyword", "keywords", "searchterm"))
_DEPTH = 5


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that must have a place: `words` of its name, as it is called in the document;
    `inner`: what stands for it if it has none itself; `shown`: an answer shows it; `must`: it is
    always there."""

    words: Words
    name: str
    shape: Shape
    shown: bool
    must: bool
    inner: tuple["Need", ...] = ()


def needs_of(operation: Operation) -> list[Need]:
    """What an operation takes, then what it gives."""
    found = []
    for each in operation.parameters:
        shape = shape_of(each.schema)
        argument = Argument(
            each.name, each.field, each.location, shape, each.required, each.description
        )
        plainly = plain(each.field)
        beside = is_look(argument) or plainly in ORDERS | _SEARCHES
        if beside or paging_use(argument) is not None:
            continue
        if each.whole_body:
            found += _parts(shape, False, _DEPTH)
        else:
            found.append(_need(each.name, shape, False, each.required, _DEPTH))
    if operation.result is not None:
        found += _parts(shape_of(operation.result), True, _DEPTH)
    return found


def _parts(shape: Shape, shown: bool, depth: int) -> list[Need]:
    """Those of an object, or of the objects in a list."""
    if shape.type == "array":
        inner = shape.items()
        return _parts(inner, shown, depth - 1) if inner is not None and depth else []
    must = shape.required()
    found: list[Need] = []
    for name in shape.names() if depth else ():
        prop = shape.property(name)
        if shown and plain(name) in ENVELOPES and prop.type in ("object", "array"):
            found += _parts(prop, shown, depth - 1)
        elif not (shown and plain(name) in EXTRAS) and split(name):
            found.append(_need(name, prop, shown, name in must, depth))
    return found


def _need(name: str, shape: Shape, shown: bool, must: bool, depth: int) -> Need:
    inner = tuple(_parts(shape, shown, depth - 1)) if depth else ()
    return Need(one(split(name)), name, shape, shown, must, inner)


def missing(
    operations: Iterable[Operation], tables: Iterable[Table], new: Collection[str] = ()
) -> list[str]:
    """The names of what has no place, each once, in the order of the document. `new`: tables of
    which nobody knows yet whether the noun alone is the key: `thing` may be what it is."""
    known = _places(tables, new)
    return list(
        dict.fromkeys(
            name
            for operation in operations
            for need in needs_of(operation)
            for name in _missing(need, known)
        )
    )


def _missing(need: Need, known: frozenset[Words]) -> Iterator[str]:
    if need.words in known:
        return
    lost = [name for each in need.inner for name in _missing(each, known)]
    if not need.inner or lost:
        yield need.name if not need.inner else lost[0]


def _places(tables: Iterable[Table], new: Collection[str]) -> frozenset[Words]:
    """The words under which something has a place in the tables."""
    found: set[Words] = set()
    for table in tables:
        noun = one(split(table.noun))
        names = {noun, one(split(table.name)), noun[-1:]} - {()}
        for column in table.columns:
            words = one(split(column.name))
            found |= {words, *((*each, *words) for each in names)}
            if is_id(column.name) or column.references is not None:
                found.add(without_id(column.name))
        if len(table.key) == 1:
            endings = (("id",), ("gid",), ("uid",), ("uuid",), ("key",))
            found |= {(*each, *ending) for each in names for ending in endings}
            found |= names if table.name not in new else set()
            if is_id(table.key[0]):
                found.add(("id",))
    return frozenset(found)


def said_names(operations: Iterable[Operation]) -> list[str]:
    """What must have a place, as the document calls it, each once: the insides of lists and
    objects by their own names."""
    found: dict[Words, str] = {}
    for operation in operations:
        pending = needs_of(operation)
        while pending:
            need = pending.pop(0)
            if need.inner:
                pending = [*need.inner, *pending]
            else:
                found.setdefault(need.words, need.name)
    return list(found.values())


def named_in(operations: Iterable[Operation], noun: Words, column: str) -> list[Need]:
    """What the operations take or show that is this column of a table with this noun."""
    words = one(split(column))
    wanted = {words, (*noun, *words)}
    found = []
    for operation in operations:
        pending = needs_of(operation)
        while pending:
            need = pending.pop(0)
            pending += need.inner
            if need.words in wanted:
                found.append(need)
    exact = [need for need in found if need.words == words]
    return exact or found


def topic_of(operation: Operation, before: Words = ()) -> str:
    """What an operation is about, in a word or two; `before`: words that all names begin with."""
    named = operation.entity or operation.body_entity
    if named is not None:
        return snake(one(split(named)))
    fixed = [part for part in operation.path.split("/") if part and "{" not in part]
    if fixed:
        return snake(one(split(fixed[-1])))
    words = split(operation.name)[len(before) :]
    cut = next((n for n, word in enumerate(words) if word in _CUTS and n > 1), len(words))
    return snake(one(tuple(word for word in words[1:cut] if word not in _CUTS))) or snake(words)


_CUTS = word_set("by for of in from to with on at as all a an the new my mine list multiple")
