"""An environment: a state space, the tools over it, rules, base states. Immutable, hashed."""

from typing import Literal

from pydantic import Field

from forge.types.data import Data, Json, JsonSchema, Path
from forge.types.state import State, StateSchema

Verb = Literal["get", "list", "count", "create", "update", "delete", "add", "remove"]
Comparison = Literal["eq", "ne", "lt", "le", "gt", "ge"]
Op = Literal["eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "icontains", "has", "within"]
"""`contains` and `icontains` are of text in text; `has`: an array column has the item; `within`:
the value is between the bounds of an object of `gt`, `gte`, `lt`, `lte`, or is the value itself."""


class Match(Data):
    column: str
    op: Op = "eq"


class Requirement(Data):
    """A condition on the record acted on; the tool refuses where it does not hold."""

    column: str
    op: Op = "eq"
    value: Json = None


class Paging(Data):
    """Arguments that only choose a part of the answer."""

    limit: str | None = None
    offset: str | None = None
    page: str | None = None
    cursor: str | None = None
    after: str | None = None
    """The key of the record that the part begins after, in the order of the list."""
    before: str | None = None
    """The key of the record that the part ends before."""
    sort: str | None = None


class Effect(Data):
    """What a tool does to the records, as data: declared by its author, proved by the tool checks
    and the `meaning` gate. Task making reads this, never the tool's source. A tool without an
    effect can be called, but no task is made with it.

    - `get`: one record by `match`; `list`: those that fit `match` and `fixed`; `count`: how many.
    - `create`: a new record with `fields` and `sets`.
    - `update`: the record picked by `match` gets `fields` (only those passed, unless `replaces`)
      and `sets`.
    - `delete`: the record picked by `match` goes, and what `cascades` names with it.
    - `add`, `remove`: `fields` names one argument and the array column whose items it adds or
      takes out, on the record picked by `match`.
    """

    verb: Verb
    table: str
    match: dict[str, Match] = Field(default_factory=dict)
    """Argument -> the column it is compared with. For get, update, delete, add and remove these
    pick exactly one record; for `create`, path arguments that name the parent are in `fields`."""
    fixed: dict[str, Json] = Field(default_factory=dict)
    """Column -> constant it must equal ("$me" is the actor)."""
    fields: dict[str, str] = Field(default_factory=dict)
    """Argument -> column it is written to."""
    sets: dict[str, Json] = Field(default_factory=dict)
    """Column -> constant written ("$now": the clock, "$me": the actor)."""
    merges: tuple[str, ...] = ()
    """Of an update: arguments whose map is laid over the one that is there, key by key; an empty
    text takes its key out."""
    requires: tuple[Requirement, ...] = ()
    replaces: bool = False
    """An update that sets every writable column not passed back to its default (PUT)."""
    result: Path | None = ()
    """Where the record (or the list of records, or the count) is in the tool's result; None if
    the result does not show it."""
    shows: dict[str, Path] | None = None
    """Column -> where it is in a result record. None: every column, under its own name."""
    paging: Paging = Paging()
    cascades: tuple[str, ...] = ()
    """Other tables whose records a delete takes along or clears."""


class Tool(Data):
    """One operation as the agent sees it. Its Python function of the same name is in `source` of
    the environment."""

    name: str
    description: str
    parameters: JsonSchema
    """`{"type": "object", "properties": …, "required": …, "additionalProperties": false}`"""
    kind: Literal["read", "write"]
    returns: JsonSchema | None = None
    effect: Effect | None = None
    operation: str = ""
    """`GET /projects/{project_id}`: the way back to the document."""


class LeftOut(Data):
    """An operation that was not made into a tool, and why."""

    operation: str
    reason: str


class Provenance(Data):
    """How a model made something: which model, by which prompt ("tool/1"), at which try from 1."""

    model: str
    prompt: str
    tries: int
    cases: int = 0
    """Of a tool: example cases that were confirmed and that it fulfils."""


class Environment(Data):
    name: str
    title: str
    rules: str = ""
    """The domain's rules as text for the agent."""
    state_schema: StateSchema
    tools: tuple[Tool, ...]
    source: str
    """`tools.py`, whole: one plain function a tool, over the table API."""
    bases: dict[str, State]
    nows: dict[str, str]
    """Base name -> the clock's start, `2026-03-02T09:00:00Z`."""
    author: Literal["structural", "llm", "hand"] = "hand"
    origin: str = ""
    """File name and sha256 of the document."""
    made: dict[str, Provenance] = Field(default_factory=dict)
    """`tools/NAME`, `rules/NAME` -> how a model made it; of what rules made, nothing."""
    words: dict[str, str] = Field(default_factory=dict)
    """What its tables, columns and values are called in Chinese, by what they are in English; for
    tasks in Chinese."""
    left_out: tuple[LeftOut, ...] = ()
    overlaps: tuple[str, ...] = ()
    """Known benchmarks whose tools these are."""


class Edge(Data):
    """What tool `source` shows at `output` can be argument `argument` of tool `target`; `why` is
    the column both are, as `table.column`, or "link"."""

    source: str
    output: Path
    target: str
    argument: str
    why: str


class ToolGraph(Data):
    edges: tuple[Edge, ...]
