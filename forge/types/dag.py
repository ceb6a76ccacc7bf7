"""The way to a task's end through the tools: calls, and the reasoning between them.

Every argument of a call has one origin: said, told when asked, found in an earlier result,
reasoned from one, or a default. A reasoning node is a small executable expression: over a list that
a tool gave (`ReasonNode`), or over single values (`ComputeNode`).
"""

from typing import Annotated, Literal

from pydantic import Field

from forge.types.data import Data, Json, Path
from forge.types.environment import Comparison, Op

# --------------------------------------------------------------------- origins


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


class Noted(Data):
    """Told in an earlier task of the sequence, and found in what the call node `node` shows of the
    agent's notes: the value of fact `fact`, if they say it in these `words`."""

    kind: Literal["noted"] = "noted"
    node: str
    fact: str
    words: str


class Default(Data):
    """A constant that needs no one to say it: a page size, the only value that is legal."""

    kind: Literal["default"] = "default"
    value: Json = None


class Listed(Data):
    """A list of values, each from an origin of its own: for an argument that takes several."""

    kind: Literal["listed"] = "listed"
    items: "tuple[Origin, ...]"


Origin = Annotated[
    Said | Told | Noted | Output | Reasoned | Default | Listed, Field(discriminator="kind")
]

# ----------------------------------------------------------------------- nodes


class CallNode(Data):
    kind: Literal["call"] = "call"
    id: str
    tool: str
    arguments: dict[str, Origin]
    writes: bool = False
    each: str | None = None
    """The reasoning node whose list this call is made for, item by item; `Reasoned` arguments on
    that node are then paths into the item."""
    when: str | None = None
    """The `holds` node that must come out true for this call to be made."""
    refused: bool = False
    """Whether the tool must refuse: the call is tried, leaves nothing, and is no golden call."""


class Filter(Data):
    """A condition on one candidate: the value at `path` in it, compared with an origin's value."""

    path: Path
    op: Op = "eq"
    value: Origin
    negated: bool = False


Form = Literal[
    "match", "argmin", "argmax", "nearest", "all", "none", "first", "last", "values", "most",
    "count", "sum", "average", "median", "min", "max", "range", "distinct", "total",
]  # fmt: skip


class ReasonNode(Data):
    """A small computation over the list at `over`: filter by `tests`, then `form`.

    - `match`: the one candidate that is left (more or fewer is an error)
    - `argmin`, `argmax`: the candidate with the least or greatest value at `by`, or the `nth`
    - `nearest`: the candidate whose value at `by` is closest to `to`
    - `all`: the list of candidates left; `none`: that there is none (its value is an empty list)
    - `first`, `last`: the `take` candidates with the least, with the greatest values at `by`
    - `values`: the list of the values at `by`
    - `most`: the value at `by` that occurs most often
    - `count`, `sum`, `average`, `median`, `min`, `max`, `range`, `distinct`: over what is left, at
      `by`; `total`: the sum of the value at `by` times that at `times`
    """

    kind: Literal["reason"] = "reason"
    id: str
    form: Form
    over: Output
    tests: tuple[Filter, ...] = ()
    by: Path = ()
    times: Path = ()
    nth: int = Field(default=1, ge=1)
    take: int = Field(default=1, ge=1)
    to: Origin | None = None


Computation = Literal[
    "difference", "later", "earlier", "plus", "minus", "raised", "lowered", "holds"
]  # fmt: skip


class ComputeNode(Data):
    """A small computation over single values.

    - `difference`: the first minus the second; of dates, in whole days
    - `later`, `earlier`: the date that is the second (days) after or before the first
    - `plus`, `minus`: the sum, the rest; `raised`, `lowered`: the first, changed by the second per
      cent
    - `holds`: whether the first compares with the second as `op` says
    """

    kind: Literal["compute"] = "compute"
    id: str
    form: Computation
    values: tuple[Origin, Origin]
    op: Comparison = "eq"
    each: str | None = None
    """The reasoning node whose list this is computed for, item by item."""


Node = Annotated[CallNode | ReasonNode | ComputeNode, Field(discriminator="kind")]


class TaskDag(Data):
    """Nodes in one order that works. Data edges are the origins; `orders` are the pairs (before,
    after) that data does not imply, where the other way is refused or ends differently."""

    nodes: tuple[Node, ...]
    orders: tuple[tuple[str, str], ...] = ()


Listed.model_rebuild()
