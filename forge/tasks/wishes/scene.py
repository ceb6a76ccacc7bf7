"""What the wishes of one task are drawn from: the records, the tools, what was wished before."""

import random
from dataclasses import dataclass, field

from forge.env.store import Store
from forge.tasks.intents.columns import table_named
from forge.types.environment import Tool
from forge.types.intent import Selection, Wish
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

    def table(self, name: str) -> Table:
        return table_named(self.store.schema, name)

    def reaches(self, selection: Selection) -> bool:
        """Whether some read tool needs no more than the selection says, or the key itself is
        said."""
        said = {c.column for c in selection.where if c.op == "eq" and not c.negated}
        if set(self.table(selection.table).key) <= said and selection.pick is None:
            return True
        return any(
            self._needs(tool) <= said
            for tool in self.tools.values()
            if tool.kind == "read"
            and tool.effect is not None
            and tool.effect.table == selection.table
            and tool.effect.verb in ("get", "list")
        )

    def _needs(self, tool: Tool) -> set[str]:
        assert tool.effect is not None
        matched = tool.effect.match
        return set(tool.effect.fixed) | {
            matched[a].column if a in matched else f"?{a}"
            for a in tool.parameters.get("required", ())
        }
