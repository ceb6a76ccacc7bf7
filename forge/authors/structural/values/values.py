"""Values for tasks, and whole base states: the structural author's imagination."""

import random
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from types import MappingProxyType

from forge.authors.structural.values.bases import make_base
from forge.authors.structural.values.dates import moment_in
from forge.authors.structural.values.fit import make
from forge.authors.structural.values.fit import may_have as _may_have
from forge.authors.structural.values.scene import Look, Scene, nothing
from forge.types.data import Json
from forge.types.state import Column, Table

__all__ = ["make_base", "may_have", "new_value"]

NOW = "2026-03-02T09:00:00Z"


def new_value(
    table: Table,
    column: Column,
    rng: random.Random,
    *,
    near: Mapping[str, Json] = MappingProxyType({}),
    taken: Collection[Json] = (),
    now: str = NOW,
    refer: Callable[[Column], Json] = lambda _: None,
    look: Look = nothing,
) -> Json:
    """A value that a person might give this column of a record, none of `taken` where that can
    be, in agreement with the record's other values in `near`. Never null, but for a reference:
    `refer` says which record a column refers to, at any depth; `look` shows the record that a
    column and the key in it refer to, so that values can agree with it."""
    clock = moment_in(now)
    assert isinstance(clock, datetime)
    others = {name: value for name, value in near.items() if name != column.name}
    scene = Scene(rng, table.noun, others, clock, columns=table.columns, look=look)
    return make(column, scene, lambda each, _: refer(each), taken)


def may_have(table: Table, column: Column, *, near: Mapping[str, Json], now: str = NOW) -> bool:
    """Whether a person would give this optional column a value in a record like `near`: no
    disposal price where the status is not disposed, no HTML beside the text."""
    clock = moment_in(now)
    assert isinstance(clock, datetime)
    others = {name: value for name, value in near.items() if name != column.name}
    return _may_have(
        column, Scene(random.Random(0), table.noun, others, clock, columns=table.columns)
    )
