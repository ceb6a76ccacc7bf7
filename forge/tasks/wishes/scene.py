"""What the wishes of one task are drawn from: the records, the tools, what was wished before."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from forge.env.store import Store
from forge.tasks.intents.columns import table_named, target_of
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.intent import Condition, Selection, Wish
from forge.types.state import Column, Record, Table


class Unfit(Exception):
    """Why this proposal came to nothing; counted by its words, so they name no values."""


@dataclass(slots=True)
class Wished:
    """A wish and the write tool that grants it (None for answers)."""

    wish: Wish
    tool: Tool | None
    late: list[str] = field(default_factory=list)
    """Columns whose value may be told only when asked: a required argument needs it."""


Place = tuple[str, tuple[Json, ...], int]
"""Table, key and depth: a record, and how far its telling may go into what it belongs to."""


@dataclass(frozen=True, slots=True)
class Told:
    """How the records of one base are told by one actor, as far as it was worked out: it depends on
    nothing else, so the scenes of that actor there share it. Where some records are otherwise than
    in an `earlier` scene, what is told of other tables than the `changed` is shared with that."""

    names: dict[Place, Selection | None] = field(default_factory=dict)
    """By the name."""
    owners: dict[Place, list[list[Condition]]] = field(default_factory=dict)
    """By each thing that the record belongs to or is about."""
    earlier: "Told | None" = None
    changed: frozenset[str] = frozenset()

    def of(self, table: str) -> "Told":
        """Where it is kept how records of the table are told."""
        return self if self.earlier is None or table in self.changed else self.earlier.of(table)


@dataclass(slots=True)
class Known:
    """What tables and tools allow, by table, as far as it was asked for: shared by all scenes of an
    environment."""

    tables: dict[str, Table] = field(default_factory=dict)
    targets: dict[tuple[str, str], str | None] = field(default_factory=dict)
    """Table and column -> the table that it refers to with a whole key."""
    ties: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """(column, table that it refers to with a whole key)."""
    referring: dict[str, list[tuple[Table, str]]] = field(default_factory=dict)
    """(child table, column) of what refers to it."""
    ordered: dict[str, list[Column]] = field(default_factory=dict)
    """Columns by which records are ranked."""
    grouping: dict[str, list[Column]] = field(default_factory=dict)
    """Columns that sort records into a few kinds."""
    kinds: dict[tuple[str, str, str], Condition] = field(default_factory=dict)
    """Table, column and value, as Python writes it -> that a record is of this kind."""
    states: dict[str, list[str]] = field(default_factory=dict)
    """Columns that say how far a record has come."""
    needs: dict[tuple[str, str], list[frozenset[str]]] = field(default_factory=dict)
    """Table and verb -> of each read tool, what must be said for it to be of use."""
    lists: dict[str, list[set[str]]] = field(default_factory=dict)
    """Of each tool that lists the table's records, the columns that it can narrow them by."""
    told: dict[str, bool] = field(default_factory=dict)
    """Whether one might say which record is meant."""
    counted: dict[str, bool] = field(default_factory=dict)
    """Whether it can be seen which record most others refer to."""
    named: set[str] | None = None
    """The tables whose records can be found by their names."""


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
    deep: bool = False
    """Whether records are rather told by what has to be looked up."""
    told: Told = field(default_factory=Told)
    known: Known = field(default_factory=Known)

    def table(self, name: str) -> Table:
        table = self.known.tables.get(name)
        if table is None:
            table = self.known.tables[name] = table_named(self.store.schema, name)
        return table

    def target(self, table: str, column: str) -> str | None:
        """The table whose whole key the column holds, if any."""
        targets = self.known.targets
        if (table, column) not in targets:
            targets[table, column] = target_of(self.store.schema, table, column)
        return targets[table, column]

    def ties(self, table: Table) -> tuple[tuple[str, str], ...]:
        """(column, table that it refers to with a whole key) of all such columns."""
        ties = self.known.ties.get(table.name)
        if ties is None:
            found = ((c.name, self.target(table.name, c.name)) for c in table.columns)
            ties = tuple((column, target) for column, target in found if target is not None)
            self.known.ties[table.name] = ties
        return ties

    def reaches(self, selection: Selection) -> bool:
        """Whether some read tool needs no more than the selection says, or the key itself is
        said; so for every selection inside it."""
        pick = selection.pick
        if pick is not None and pick.counted is not None:
            return not selection.where and self.reaches(pick.counted.of)
        said: set[str] = set()
        listed: set[str] = set()
        for condition in selection.where:
            if not condition.negated and condition.op == "eq":
                said.add(condition.column)
            elif not condition.negated and condition.op == "has":
                listed.add(condition.column)
        if pick is not None or not said.issuperset(self.table(selection.table).key):
            said |= listed
            verbs = ("list",) if pick is not None else ("get", "list")
            if not any(needs <= said for v in verbs for needs in self.needs(selection.table, v)):
                return False
        for condition in selection.where:
            value = condition.value
            if (value.kind == "record" or value.kind == "keys") and not self.reaches(value.of):
                return False
        return True

    def lists_by(self, table: str, columns: set[str]) -> bool:
        """Whether some list can be narrowed to records with given values of these columns."""
        lists = self.known.lists.get(table)
        if lists is None:
            effects = [tool.effect for tool in self._readers(table, "list")]
            lists = [{m.column for m in effect.match.values()} for effect in effects if effect]
            self.known.lists[table] = lists
        return any(columns <= narrowed for narrowed in lists)

    def _readers(self, table: str, verb: str) -> Iterator[Tool]:
        for tool in self.tools.values():
            effect = tool.effect
            if tool.kind != "read" or effect is None:
                continue
            if effect.table == table and effect.verb == verb:
                yield tool

    def needs(self, table: str, verb: str) -> list[frozenset[str]]:
        """Of each read tool of this verb over the table: what must be said for it to be of use."""
        needs = self.known.needs.get((table, verb))
        if needs is None:
            needs = [_needs_of(tool) for tool in self._readers(table, verb)]
            self.known.needs[table, verb] = needs
        return needs


def _needs_of(tool: Tool) -> frozenset[str]:
    """The columns that must be said for the tool to be of use."""
    assert tool.effect is not None
    matched = tool.effect.match
    required = tool.parameters.get("required", ())
    said = [matched[a].column if a in matched else f"?{a}" for a in required]
    return frozenset([*tool.effect.fixed, *said])
