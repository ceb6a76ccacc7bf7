"""What a tool is to do, decided: the one thing that its source, effect and parameters are made of.

Always holds: an argument of the operation that is in no plan does not reach the agent.
"""

from dataclasses import dataclass, field
from typing import Literal

from forge.authors.structural.model.sheets import Sheet
from forge.authors.structural.plans.views import Envelope, View
from forge.authors.structural.reading.reading import Argument, Reading
from forge.types.data import Json, JsonSchema
from forge.types.environment import Op, Requirement, Verb

Role = Literal[
    "match", "field", "limit", "offset", "page", "cursor", "after", "before", "sort", "direction",
    "inside", "items", "holder", "item", "inner",
]  # fmt: skip


@dataclass(frozen=True)
class Use:
    """What one argument of a tool is for."""

    argument: Argument
    role: Role
    schema: JsonSchema
    required: bool
    column: str = ""
    op: Op = "eq"
    choices: tuple[tuple[str, str], ...] = ()
    """For `sort`: value -> column, with a minus for the other way."""
    part: str = ""
    """The property of an object column (`inner`), or of a column's items that is one of the
    values passed (`inside`)."""
    every: str = ""
    """Of a filter with a default: the value that selects all."""
    merges: bool = False
    """Of a map: its keys are laid over those that are there, and an empty text takes one out."""

    @property
    def name(self) -> str:
        return self.argument.name


@dataclass(frozen=True)
class Guard:
    """A record that must be there: the one of `table` whose key these arguments are, and whose
    `columns` equal further arguments."""

    table: str
    noun: str
    keys: tuple[str, ...]
    columns: tuple[tuple[str, str], ...] = ()
    values: tuple[tuple[str, Json], ...] = ()
    """What else its columns must hold."""


@dataclass(frozen=True)
class Reply:
    """How the answer is given: the record or records by `view` in `envelope`; or, where the
    document shows none, these constants and arguments."""

    kind: Literal["record", "list", "count", "scalar", "constant"]
    view: View | None = None
    envelope: Envelope = ()
    constant: str = "None"
    """Python source."""
    constant_schema: JsonSchema | None = None
    scalar: str = ""
    """The column whose value is the whole answer."""


@dataclass(frozen=True)
class Through:
    """For a list of the records that an array column of one other record names."""

    holder: Sheet
    use: Use
    """The argument that picks the other record."""
    column: str


@dataclass(frozen=True)
class Tally:
    """Instead of records: how many there are with each of these values of a column."""

    column: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Bulk:
    """A new record for each item that an argument lists."""

    use: Use
    columns: tuple[tuple[str, str], ...]
    """Property of an item -> the column that it is written to."""


@dataclass(frozen=True)
class Tied:
    """What is done with a set that a record of `holder` has, of records of `items`: listed, asked
    for one, put one in, or several, taken out (`Tie` says where the set is kept)."""

    does: Literal["list", "ask", "add", "remove", "set"]
    holder: Sheet
    items: Sheet
    keys: tuple[Use, ...]
    """What picks the holder."""
    column: str
    fixed: dict[str, Json] = field(default_factory=dict)
    """What picks the holder if it is the one who asks."""
    item: Use | None = None
    outer: tuple[Use, ...] = ()
    """What picks the item with it."""
    turned: bool = False
    link: Sheet | None = None
    other: str = ""
    strict: bool = False
    """Whether taking out what is not in is refused."""
    shows: Literal["nothing", "holder", "item", "items", "link"] = "nothing"

    @property
    def many(self) -> bool:
        return self.item is not None and self.item.schema.get("type") == "array"

    @property
    def told(self) -> bool:
        """Whether an effect can say what is done."""
        if self.does == "set":
            return True
        alone = self.does in ("add", "remove") and self.link is None and not self.many
        by_key = self.item is not None and self.by_key
        own = tuple(u.column for u in self.keys) == self.holder.table.key
        return alone and by_key and bool(self.keys) and (own or not self.turned)

    @property
    def picks(self) -> tuple[Use, ...]:
        """What picks the item."""
        return self.outer if self.item is None else (*self.outer, self.item)

    @property
    def by_key(self) -> bool:
        return tuple(u.column for u in self.picks) == self.items.table.key


@dataclass(frozen=True)
class Put:
    """An update of what may not be there yet: then it is made."""


@dataclass(frozen=True)
class Asked:
    """A read of whether a flag of the record is set: it is not found where it is not."""

    column: str


@dataclass(frozen=True)
class Part:
    """An update of some properties of an object column, which is answered."""

    column: str


@dataclass(frozen=True)
class Cleared:
    """A delete of all records that there are."""


Work = Cleared | Tally | Bulk | Tied | Put | Asked | Part


@dataclass(frozen=True)
class Plan:
    reading: Reading
    sheet: Sheet
    verb: Verb
    uses: tuple[Use, ...]
    reply: Reply
    guards: tuple[Guard, ...] = ()
    fixed: dict[str, Json] = field(default_factory=dict)
    sets: dict[str, Json] = field(default_factory=dict)
    requires: tuple[Requirement, ...] = ()
    replaces: bool = False
    page_size: int = 20
    order: tuple[str, ...] = ()
    """The columns that a list is sorted by where nothing is asked for; "-" for the other way."""
    through: Through | None = None
    work: Work | None = None
    """What it does, where its verb and uses alone do not say it."""
    notes: tuple[str, ...] = ()

    @property
    def all_uses(self) -> tuple[Use, ...]:
        """In the order of the tool's parameters."""
        every = self.uses if self.through is None else (self.through.use, *self.uses)
        return tuple(use for use in every if not use.argument.asker)

    @property
    def asks(self) -> bool:
        """Whether something in it is whoever asks."""
        every = [*self.uses, *(self.work.keys if isinstance(self.work, Tied) else ())]
        every += [self.through.use] if self.through is not None else []
        return any(use.argument.asker for use in every)

    def used(self, *roles: Role) -> tuple[Use, ...]:
        return tuple(u for u in self.uses if u.role in roles)
