"""What the wishes of one task are drawn from, and the choice of the records they are about."""

import random
from dataclasses import dataclass, field

from forge.env.identity import same
from forge.env.store import Store
from forge.tasks.columns import table_named, target_of
from forge.tasks.conditions import meets
from forge.tasks.describe import descriptions
from forge.types.environment import Effect, Tool
from forge.types.state import Record, Table
from forge.types.task import Selection, Wish

FOCUS_SHARE = 0.7


class Unfit(Exception):
    """Why this proposal came to nothing; counted by its words, so they name no values."""


@dataclass(slots=True)
class Wished:
    """A wish and the write tool that grants it (None for answers)."""

    wish: Wish
    tool: Tool | None
    record: Record | None = None
    """The record it is about, where it is one."""
    late: list[str] = field(default_factory=list)
    """Columns whose value may be told only when asked: a required argument needs it."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What the wishes of one task are drawn from."""

    store: Store
    rng: random.Random
    tools: dict[str, Tool]
    made: dict[int, str]
    """Wish -> the table it makes a record of."""
    focus: list[tuple[str, Record]]
    """(table, record) that earlier wishes were about: what is wanted next has to do with them."""

    def table(self, name: str) -> Table:
        return table_named(self.store.schema, name)


def fits(effect: Effect, record: Record) -> bool:
    return all(meets(record.get(r.column), r.op, r.value) for r in effect.requires)


def any_record(table: Table, scene: Scene, effect: Effect | None = None) -> Record:
    records = scene.store.find(table.name)
    fitting = [r for r in records if effect is None or fits(effect, r)]
    if not fitting:
        raise Unfit(f"no record of {table.name} can be acted on")
    related = [r for r in fitting if _is_related(table, r, scene)]
    if related and scene.rng.random() < FOCUS_SHARE:
        fitting = related
    chosen = scene.rng.choice(fitting)
    scene.focus.append((table.name, chosen))
    return chosen


def _is_related(table: Table, record: Record, scene: Scene) -> bool:
    """Whether the record is one that an earlier wish was about, or refers to one, or is what one
    refers to."""
    schema = scene.store.schema
    for name, other in scene.focus:
        if name == table.name and other == record:
            return True
        focused = scene.table(name)
        for column in (c.name for c in table.columns):
            if target_of(schema, table.name, column) == name:
                return same(record.get(column), other[focused.key[0]])
        for column in (c.name for c in focused.columns):
            if target_of(schema, name, column) == table.name:
                return same(other.get(column), record[table.key[0]])
    return False


def described(table: Table, record: Record, scene: Scene, rank_share: float = 0.3) -> Selection:
    for selection in descriptions(table, record, scene.store, scene.rng, rank_share):
        return selection
    raise Unfit(f"no natural way to say which record of {table.name}")
