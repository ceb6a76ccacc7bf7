"""What the wishes of one task are drawn from: the records, the tools, what was wished before."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from forge.env.store import Store
from forge.tasks.intents.columns import table_named, target_of
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.intent import Keys, RecordKey, Selection, Wish
from forge.types.state import Record, Table


class Unfit(Exception):
    """Why this proposal came to nothing; counted by its words, so they name no values."""


@dataclass(slots=True)
class Wished:
    """A wish and the write tool that grants it (None for answers)."""

    wish: Wish
    tool: Tool | None
    late: list[str] = field(default_factory=list)
    """Columns whose value may be told only when asked: a required argument needs it."""


Names = dict[tuple[str, tuple[Json, ...], int], Selection | None]
"""Table, key and depth -> how the record is told by its name."""


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
    ended: list[tuple[str, Record]]
    """(table, record) that earlier wishes have deleted or brought to an end."""
    names: Names = field(default_factory=dict)
    """What records are called, as far as it was worked out; shared by all scenes of one actor in
    one base, for it depends on nothing else."""

    known_ties: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Table -> its ties, as far as they were asked for; shared by all scenes of an environment."""

    def table(self, name: str) -> Table:
        return table_named(self.store.schema, name)

    def ties(self, table: Table) -> tuple[tuple[str, str], ...]:
        """(column, table that it refers to with a whole key) of all such columns."""
        ties = self.known_ties.get(table.name)
        if ties is None:
            schema = self.store.schema
            found = ((c.name, target_of(schema, table.name, c.name)) for c in table.columns)
            ties = tuple((column, target) for column, target in found if target is not None)
            self.known_ties[table.name] = ties
        return ties

    def reaches(self, selection: Selection) -> bool:
        """Whether some read tool needs no more than the selection says, or the key itself is
        said; so for every selection inside it."""
        pick = selection.pick
        inner = [c.value.of for c in selection.where if isinstance(c.value, RecordKey | Keys)]
        if pick is not None and pick.counted is not None:
            return not selection.where and self.reaches(pick.counted.of)
        if not all(self.reaches(of) for of in inner):
            return False
        said = {c.column for c in selection.where if c.op == "eq" and not c.negated}
        if set(self.table(selection.table).key) <= said and pick is None:
            return True
        verbs = ("list",) if pick is not None else ("get", "list")
        said |= {c.column for c in selection.where if c.op == "has" and not c.negated}
        return any(self._needs(tool) <= said for tool in self._readers(selection.table, verbs))

    def lists_by(self, table: str, columns: set[str]) -> bool:
        """Whether some list can be narrowed to records with given values of these columns."""
        return any(
            columns <= {m.column for m in tool.effect.match.values()}
            for tool in self._readers(table, ("list",))
            if tool.effect is not None
        )

    def _readers(self, table: str, verbs: tuple[str, ...]) -> Iterator[Tool]:
        for tool in self.tools.values():
            effect = tool.effect
            if (
                tool.kind == "read"
                and effect is not None
                and effect.table == table
                and effect.verb in verbs
            ):
                yield tool

    def _needs(self, tool: Tool) -> set[str]:
        """The columns that must be said for the tool to be of use."""
        assert tool.effect is not None
        matched = tool.effect.match
        required = tool.parameters.get("required", ())
        return set(tool.effect.fixed) | {
            matched[a].column if a in matched else f"?{a}" for a in required
        }
