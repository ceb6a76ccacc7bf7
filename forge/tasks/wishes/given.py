"""A new value taken from another record: the same due date as another task, the price of another
lamp, whoever another ticket is assigned to.

It has to be looked up there before anything is written. Few other records have it, so that no other
one would have done as well.
"""

from forge.env.identity import same
from forge.tasks.intents.columns import target_of
from forge.tasks.speech.called import (
    bare,
    event,
    is_asked_for,
    is_recorded,
    lies_ahead,
    sorts_in_words,
)
from forge.tasks.speech.lexicon import PRICES, is_person
from forge.tasks.wishes.scene import Scene
from forge.tasks.wishes.ways import descriptions
from forge.types.data import Json
from forge.types.intent import Aggregate, Computed
from forge.types.state import Column, Record, Table

MOST_ALIKE = 0.25
"""Of the other records, those that may have the same value."""
FEWEST = 3
"""Records that there are to take it from."""


def given_value(
    table: Table, column: Column, scene: Scene, but: Record | None = None
) -> tuple[Computed, Json] | None:
    """The column of another record than `but`, and the value it has there; None if nobody would
    say it so."""
    if not _is_shared(table, column, scene):
        return None
    old = but.get(column.name) if but is not None else None
    others = [
        r
        for r in scene.store.rows(table.name)
        if r is not but and r != but and r.get(column.name) is not None
    ]
    if len(others) < FEWEST:
        return None
    source = scene.rng.choice(others)
    value = source[column.name]
    alike = sum(same(r[column.name], value) for r in others) - 1
    if same(value, old) or alike > MOST_ALIKE * len(others):
        return None
    if lies_ahead(column, table) and str(value) < scene.store.today():
        return None
    ways = descriptions(table, source, scene, rank_share=0.0)
    of = next((of for of in ways if scene.reaches(of)), None)
    if of is None or of.pick is not None:
        return None
    return Computed(of=Aggregate(of=of, op="value", column=column.name)), value


def _is_shared(table: Table, column: Column, scene: Scene) -> bool:
    """Whether one would give a record the same as another: a date, a price, a kind, a person or
    what stands by itself; nothing that lies within what the other record belongs to."""
    whole = table.parent.columns if table.parent is not None else ()
    if column.name in (*whole, *table.key) or column.unique or column.generated is not None:
        return False
    if column.name == table.label or is_recorded(column, table):
        return False
    target = target_of(scene.store.schema, table.name, column.name)
    if target is not None:
        return target != table.name and _stands_alone(scene.table(target), scene)
    if not is_asked_for(column, table) or event(column, table) is not None:
        return False
    if column.enum is not None:
        return sorts_in_words(column, table)
    dated = column.format in ("date", "date-time")
    priced = column.type in ("integer", "number") and set(bare(column, table).split()) & PRICES
    return dated or bool(priced)


def _stands_alone(table: Table, scene: Scene) -> bool:
    """Whether records of the table belong to nothing that a record of another could lack."""
    return is_person(table.noun) or (
        table.parent is None
        and all(c.references in (None, scene.store.schema.actors) for c in table.columns)
    )
