"""What the user wants, as data: evaluated by the host on the records alone, with no tool and no
sandbox (`forge/tasks/intents/intent.py`).

A wish changes, makes or deletes records, asks for something to be told, hangs on a condition, or
cannot be granted. Which records are meant is a selection; what is computed over them, a measure.
"""

from typing import Annotated, Literal

from pydantic import Field

from forge.types.data import Data, Json
from forge.types.environment import Comparison, Op

# ---------------------------------------------------------------------- values


class Plain(Data):
    """A plain value. `fact` is the name of the fact that says it; a value that the wish's verb
    implies ("close" makes the status closed) has none."""

    kind: Literal["plain"] = "plain"
    value: Json = None
    fact: str | None = None


class Actor(Data):
    """The key of the one who acts."""

    kind: Literal["actor"] = "actor"


class RecordKey(Data):
    """The key of the one record that a selection picks."""

    kind: Literal["record"] = "record"
    of: "Selection"
    column: str | None = None
    """Which column of a composite key."""


class Keys(Data):
    """The values of a column (the key, if none is named) of every record that a selection finds:
    what `in` compares with, for a join ("tasks of archived projects") and, negated, for a set
    difference ("projects without tasks")."""

    kind: Literal["keys"] = "keys"
    of: "Selection"
    column: str | None = None


class MadeKey(Data):
    """The key of the record that an earlier `insert` wish made."""

    kind: Literal["made"] = "made"
    wish: int
    column: str | None = None


class Computed(Data):
    """A number or value computed over the records that a selection finds."""

    kind: Literal["computed"] = "computed"
    of: "Measure"


class Moved(Data):
    """In a change: the value that the column has, moved by so many days (a date), by an amount, or
    by a percentage (rounded to 2 decimals); `less`: to an earlier date, a smaller number."""

    kind: Literal["moved"] = "moved"
    by: Plain
    unit: Literal["days", "amount", "percent"]
    less: bool = False


class AddItem(Data):
    """In a change of an array column: the array with one more item."""

    kind: Literal["add_item"] = "add_item"
    item: "Value"


class RemoveItem(Data):
    """In a change of an array column: the array without this item."""

    kind: Literal["remove_item"] = "remove_item"
    item: "Value"


Value = Annotated[
    Plain | Actor | RecordKey | Keys | MadeKey | Computed | Moved | AddItem | RemoveItem,
    Field(discriminator="kind"),
]

# ------------------------------------------------------------------ selections


class Condition(Data):
    column: str
    op: Op = "eq"
    value: Value
    negated: bool = False
    """Whether the records are meant that do not fit."""


class Counted(Data):
    """How many records of another selection refer to a record, by `column`."""

    of: "Selection"
    column: str


class Pick(Data):
    """Of the records found, in the order of `column`: the one with the least or greatest value,
    the `nth` in that order, or the first `take` of them; with `near`, the one whose value is
    closest to that. With `counted` the order is by the number of referring records instead, and
    `column` is the key. Null values take no part. A tie that decides who is picked is an error."""

    column: str
    which: Literal["min", "max"]
    nth: int = Field(default=1, ge=1)
    take: int = Field(default=1, ge=1)
    near: Plain | None = None
    counted: Counted | None = None


class Selection(Data):
    """Records of a table: those that fit all conditions, then `pick` of them."""

    table: str
    where: tuple[Condition, ...] = ()
    pick: Pick | None = None


# -------------------------------------------------------------------- measures


class Aggregate(Data):
    """Something computed over the records of a selection; null values are left out.

    `count` takes no column; `value` is the column of the one record found; `range` is greatest
    minus least; `distinct` how many different values; `total` the sum of `column` times `times`.
    Numbers are rounded to 2 decimals, as people say them.
    """

    of: Selection
    op: Literal[
        "count", "sum", "average", "median", "min", "max", "range", "distinct", "total", "value"
    ]
    column: str | None = None
    times: str | None = None


class Difference(Data):
    """How much greater `left` is than `right`: of numbers, or of dates in whole days. Without
    `right`, how many days `left` is after today."""

    op: Literal["difference"] = "difference"
    left: Aggregate
    right: Aggregate | None = None


Measure = Annotated[Aggregate | Difference, Field(discriminator="op")]

# ---------------------------------------------------------------------- wishes


class Change(Data):
    """The selected record (every one found, if `each`) gets new values."""

    verb: Literal["change"] = "change"
    of: Selection
    change: dict[str, Value]
    each: bool = False


class Insert(Data):
    verb: Literal["insert"] = "insert"
    table: str
    values: dict[str, Value]


class Delete(Data):
    verb: Literal["delete"] = "delete"
    of: Selection
    each: bool = False


class Answer(Data):
    """The user must be told this."""

    verb: Literal["answer"] = "answer"
    what: Measure
    after: bool = False
    """Whether the user asks how it is once the wishes before this one are granted."""


Deed = Annotated[Change | Insert | Delete, Field(discriminator="verb")]
"""A wish that changes records."""


class Test(Data):
    """Whether a measure compares so with a value."""

    measure: Measure
    op: Comparison
    value: Plain


class Branch(Data):
    """If the test holds then one deed, if not the other (or none)."""

    verb: Literal["branch"] = "branch"
    test: Test
    then: Deed
    otherwise: Deed | None = None


class Refused(Data):
    """A deed that the records or the tools do not allow, so that it stays undone.

    - `missing`: no record fits what is named, though others look like it
    - `state`: the record is in a state in which the tool refuses
    - `taken`: another record has the value that must be unique
    - `in_use`: other records belong to it and keep it
    """

    verb: Literal["refused"] = "refused"
    deed: Deed
    why: Literal["missing", "state", "taken", "in_use"]


Wish = Annotated[Change | Insert | Delete | Answer | Branch | Refused, Field(discriminator="verb")]


class Intent(Data):
    wishes: tuple[Wish, ...]
    in_order: bool = False
    """The user says that the wishes are to be done one after the other."""


RecordKey.model_rebuild()
Keys.model_rebuild()
Computed.model_rebuild()
AddItem.model_rebuild()
RemoveItem.model_rebuild()
Condition.model_rebuild()
Counted.model_rebuild()
