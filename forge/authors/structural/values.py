"""Values for tasks, and whole base states: the structural author's imagination."""

import random
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from types import MappingProxyType

from forge.authors.structural.bases import make_base
from forge.authors.structural.dates import moment_in
from forge.authors.structural.fit import make
from forge.authors.structural.invent import Scene
from forge.types.data import Json
from forge.types.state import Column, Table

__all__ = ["make_base", "new_value"]

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
) -> Json:
    """A value that a person might give this column of a record, none of `taken` where that can
    be, in agreement with the record's other values in `near`. Never null, but for a reference:
    `refer` says which record a column refers to, at any depth."""
    clock = moment_in(now)
    assert isinstance(clock, datetime)
    others = {name: value for name, value in near.items() if name != column.name}
    scene = Scene(rng, table.noun, others, clock, columns=table.columns)
    return make(column, scene, lambda each, _: refer(each), taken)
