"""Something computed over one table, as whoever knows no more than its columns can write it.

It says less than a measure (`intent.py`): what it comes to, and whether anybody would ask for that,
is for `forge/tasks/wishes/reasoned.py` to see.
"""

from typing import Literal

from pydantic import Field

from forge.types.data import Data

MOST_BOUNDS = 2


class Bound(Data):
    column: str
    op: Literal["eq", "lt", "gt"]
    value: str | int | float


class Expression(Data):
    """Over the records of the table that are within all bounds. `least`, `most`: which record has
    the least or greatest value; only `count` has no column."""

    table: str
    where: tuple[Bound, ...] = Field(max_length=MOST_BOUNDS)
    op: Literal["count", "sum", "average", "min", "max", "least", "most"]
    column: str | None
