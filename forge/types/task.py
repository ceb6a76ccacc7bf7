"""A task: where it starts, what the user wants (as data), what they say, and the proven way there.

The intent is evaluated by the host on the records alone, with no tool and no sandbox; the DAG and
the golden calls are the way through the tools. That both end in the same state is the `meaning`
gate.
"""

from typing import Annotated, Literal

from pydantic import Field

from forge.types.call import Call
from forge.types.data import Data, Json, Path
from forge.types.environment import Op
from forge.types.state import Overlay

# ------------------------------------------------------------------ the intent


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


class MadeKey(Data):
    """The key of the record that an earlier `insert` wish made."""

    kind: Literal["made"] = "made"
    wish: int
    column: str | None = None


class Computed(Data):
    """A number or value computed over the records that a selection finds."""

    kind: Literal["computed"] = "computed"
    of: "Aggregate"


class AddItem(Data):
    """In a change of an array column: the array with one more item."""

    kind: Literal["add_item"] = "add_item"
    item: "Value"


class RemoveItem(Data):
    """In a change of an array column: the array without this item."""

    kind: Literal["remove_item"] = "remove_item"
    item: "Value"


Value = Annotated[
    Plain | Actor | RecordKey | MadeKey | Computed | AddItem | RemoveItem,
    Field(discriminator="kind"),
]


class Condition(Data):
    column: str
    op: Op = "eq"
    value: Value


class Pick(Data):
    """Of the records found, the one with the least or greatest `column`; ties are an error."""

    column: str
    which: Literal["min", "max"]


class Selection(Data):
    """Records of a table: those that fit all conditions, then `pick` of them."""

    table: str
    where: tuple[Condition, ...] = ()
    pick: Pick | None = None


class Aggregate(Data):
    """`count` takes no column; `value` is the column of the one record found."""

    of: Selection
    op: Literal["count", "sum", "average", "min", "max", "value"]
    column: str | None = None


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
    what: Aggregate


Wish = Annotated[Change | Insert | Delete | Answer, Field(discriminator="verb")]


class Intent(Data):
    wishes: tuple[Wish, ...]
    in_order: bool = False
    """The user says that the wishes are to be done one after the other."""


# --------------------------------------------------------------------- the DAG


class Said(Data):
    """In the question. `fact` is the name of the fact that holds the value."""

    kind: Literal["said"] = "said"
    fact: str


class Told(Data):
    """The user says it when asked."""

    kind: Literal["told"] = "told"
    fact: str


class Output(Data):
    """Found in the result of call node `node`, at `path`."""

    kind: Literal["output"] = "output"
    node: str
    path: Path


class Reasoned(Data):
    """The value of reasoning node `node`, at `path` into it."""

    kind: Literal["reasoned"] = "reasoned"
    node: str
    path: Path = ()


class Default(Data):
    """A constant that needs no one to say it: a page size, the only value that is legal."""

    kind: Literal["default"] = "default"
    value: Json = None


class Listed(Data):
    """A list of values, each from an origin of its own: for an argument that takes several."""

    kind: Literal["listed"] = "listed"
    items: "tuple[Origin, ...]"


Origin = Annotated[Said | Told | Output | Reasoned | Default | Listed, Field(discriminator="kind")]


class CallNode(Data):
    kind: Literal["call"] = "call"
    id: str
    tool: str
    arguments: dict[str, Origin]
    writes: bool = False
    each: str | None = None
    """The reasoning node whose list this call is made for, item by item; `Reasoned` arguments on
    that node are then paths into the item."""


class Filter(Data):
    """A condition on one candidate: the value at `path` in it, compared with an origin's value."""

    path: Path
    op: Op = "eq"
    value: Origin


class ReasonNode(Data):
    """A small computation over the list at `over` (an `Output`): filter by `tests`, then `form`.

    - `match`: the one candidate that is left (more or fewer is an error)
    - `argmin`, `argmax`: the candidate with the least or greatest value at `by`
    - `all`: the list of candidates left
    - `count`, `sum`, `average`: numbers over what is left (at `by`)
    """

    kind: Literal["reason"] = "reason"
    id: str
    form: Literal["match", "argmin", "argmax", "all", "count", "sum", "average"]
    over: Output
    tests: tuple[Filter, ...] = ()
    by: Path = ()


Node = Annotated[CallNode | ReasonNode, Field(discriminator="kind")]


class TaskDag(Data):
    """Nodes in one order that works. Data edges are the origins; `orders` are the pairs (before,
    after) that data does not imply, where the other way is refused or ends differently."""

    nodes: tuple[Node, ...]
    orders: tuple[tuple[str, str], ...] = ()


# -------------------------------------------------------------------- the task


class Fact(Data):
    """Something the user knows. `text` is how they say the value; `told`: only when asked."""

    name: str
    value: Json
    text: str
    about: str = ""
    """What one would ask for to hear it: "the due date of the task"."""
    told: bool = False


class Due(Data):
    """Something the agent must say: the value of answer wish `wish`, found at `origin`."""

    wish: int
    origin: Origin
    type: Literal["string", "integer", "number", "boolean", "date", "date-time"]
    value: Json
    candidates: tuple[Json, ...] = ()
    """Other values it could have been; naming one of them too is wrong."""


class GateReport(Data):
    passed: bool
    reason: str = ""


class Task(Data):
    id: str
    env: str
    kind: Literal["change", "answer", "mixed", "refuse"]
    split: Literal["train", "test"] = "train"
    lang: Literal["en", "zh"] = "en"
    base: str
    actor: str | int | None = None
    now: str
    setup: Overlay = Field(default_factory=dict)
    question: str
    intent: Intent
    facts: tuple[Fact, ...] = ()
    dues: tuple[Due, ...] = ()
    dag: TaskDag
    golden_calls: tuple[Call, ...]
    golden: Overlay
    """What the golden calls leave, over base and setup."""
    gates: dict[str, GateReport] = Field(default_factory=dict)
    difficulty: dict[str, int] = Field(default_factory=dict)
    hash: str = ""


Listed.model_rebuild()
RecordKey.model_rebuild()
Computed.model_rebuild()
AddItem.model_rebuild()
RemoveItem.model_rebuild()
Condition.model_rebuild()
