"""When two answers to one call are the same.

Both are JSON. An absent field and null are the same, and so are 12 and 12.0; true is not 1, "12" is
not 12. A key or other value that forge made in the call (ids, counters, times, tokens) is the same
as what the reference has in the same column of the same new record.

Answers are `alike` where they say the same in another form, and no more than this: the items of a
list come in another order; one is an object of a single property, and the other is what that
property holds; forge says a fixed word where the reference says a text that is neither in the
arguments nor anywhere in its data, which is what its messages are.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from forge.env.identity import frozen, same
from forge.types.data import Json
from forge.types.state import Overlay, StateSchema

Likeness = Literal["same", "alike", "differs"]


@dataclass(frozen=True, slots=True)
class Context:
    """`renamed`: value of the reference -> values that forge may have for it; `data`: texts in the
    reference's data and the arguments; `fixed`: texts that the tool's source holds."""

    renamed: Mapping[Json, Collection[Json]]
    data: Collection[str]
    fixed: Collection[str]


def likeness(theirs: Json, ours: Json, context: Context) -> tuple[Likeness, str]:
    """Theirs is the reference's. And where they differ first, `comments[0].username`."""
    where = next(_differences(theirs, ours, context, strict=True), None)
    if where is None:
        return "same", ""
    forms = ((theirs, ours), (_unwrapped(theirs), ours), (theirs, _unwrapped(ours)))
    found = [next(_differences(*form, context, strict=False), None) for form in forms]
    if None in found:
        return "alike", where
    return "differs", max((each for each in found if each is not None), key=len)


def _unwrapped(value: Json) -> Json:
    return next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value


def _differences(
    theirs: Json, ours: Json, context: Context, *, strict: bool, where: str = ""
) -> Iterator[str]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in {**theirs, **ours}:
            here = f"{where}.{name}" if where else name
            one, other = theirs.get(name), ours.get(name)
            yield from _differences(one, other, context, strict=strict, where=here)
    elif isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            yield f"{where}[] has {len(theirs)} items, and {len(ours)}"
        pairs = zip(theirs, ours) if strict else zip(_ordered(theirs), _ordered(ours))  # noqa: B905
        for number, (one, other) in enumerate(pairs):
            here = f"{where}[{number}]"
            yield from _differences(one, other, context, strict=strict, where=here)
    elif not _leaf(theirs, ours, context, strict=strict):
        yield where or "the whole"


def _ordered(items: list[Json]) -> list[Json]:
    return sorted(items, key=lambda each: json.dumps(each, sort_keys=True))


def _leaf(theirs: Json, ours: Json, context: Context, *, strict: bool) -> bool:
    if same(theirs, ours):
        return True
    if isinstance(theirs, dict | list):
        return False
    if any(same(ours, each) for each in context.renamed.get(frozen(theirs), ())):
        return True
    return (
        not strict
        and isinstance(theirs, str)
        and isinstance(ours, str)
        and ours in context.fixed
        and theirs not in context.data
    )


def texts_in(value: Json) -> Iterator[str]:
    """All of them, keys of maps too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)


def renamings(schema: StateSchema, theirs: Overlay, ours: Overlay) -> dict[Json, list[Json]]:
    """What forge made of itself in new records, by what the reference has there. New records are
    paired by what else they hold."""
    found: dict[Json, list[Json]] = {}
    for table in schema.tables:
        if table.name not in theirs or table.name not in ours:
            continue
        made = [each.name for each in table.columns if each.generated or each.name in table.key]
        rows = [
            sorted(
                overlay[table.name].made.values(),
                key=lambda row: json.dumps(
                    {n: v for n, v in row.items() if n not in made}, sort_keys=True
                ),
            )
            for overlay in (theirs, ours)
        ]
        for one, other in zip(*rows, strict=False):
            for name in made:
                found.setdefault(frozen(one.get(name)), []).append(other.get(name))
    return found
