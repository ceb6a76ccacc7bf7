"""Looking things up: which read tools find the records that a wish names.

Every key that a user cannot know is looked up with a read tool whose own arguments are said, or
looked up in turn. Equal lookups are one node, so that wishes share them. A wish that no tools
reach raises `NoWay`.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from forge.env.identity import same
from forge.env.store import Store
from forge.tasks.columns import table_named
from forge.tasks.graph import shown
from forge.types.data import Path
from forge.types.environment import Effect, Tool
from forge.types.state import Table
from forge.types.task import (
    Actor,
    Aggregate,
    CallNode,
    Condition,
    Default,
    Filter,
    Listed,
    MadeKey,
    Node,
    Origin,
    Output,
    Plain,
    Reasoned,
    ReasonNode,
    RecordKey,
    Said,
    Selection,
    Told,
    Value,
)

DEFAULT_PAGE = 20
FILTER_SHARE = 0.85
WIDER = ("icontains", "contains", "in")
"""Filters that let through what is equal, and more."""


Form = Literal["match", "argmin", "argmax", "all", "count", "sum", "average"]


class NoWay(Exception):
    """No tools lead there."""


@dataclass(frozen=True, slots=True)
class Found:
    """A record (or, for `each`, a list) that a node gives, and where its columns are in it."""

    origin: Callable[[Path], Origin]
    shows: dict[str, Path]
    node: str
    known: dict[str, Origin] = field(default_factory=dict)
    """Columns whose value was known without looking."""

    def column(self, name: str) -> Origin | None:
        if name in self.known:
            return self.known[name]
        return self.origin(self.shows[name]) if name in self.shows else None


@dataclass(slots=True)
class Lookup:
    """The nodes of one task's DAG, as they come to be."""

    tools: list[Tool]
    store: Store
    rng: random.Random
    preferred: set[str]
    """Tools of the walk: taken first where several would do."""
    told: set[str]
    """Facts that are told only when asked."""
    nodes: list[Node] = field(default_factory=list)
    made: dict[int, Found] = field(default_factory=dict)
    """Insert wish -> what its tool shows of the new record."""
    tables: dict[int, str] = field(default_factory=dict)
    """Insert wish -> the table it makes a record of."""
    _known: dict[str, Found] = field(default_factory=dict)

    # ---------------------------------------------------------------- nodes

    def _add(self, node: Node) -> str:
        """The id of an equal node that is there, or of this one, added."""
        for old in self.nodes:
            if old.model_copy(update={"id": node.id}) == node and not (
                isinstance(old, CallNode) and old.writes
            ):
                return old.id
        self.nodes.append(node)
        return node.id

    def _new_id(self, word: str) -> str:
        return f"{word}{len(self.nodes) + 1}"

    # --------------------------------------------------------------- values

    def origin(self, value: Value) -> Origin:
        """Where an agent gets this value."""
        match value:
            case Plain():
                if value.fact is None:
                    return Default(value=value.value)
                return Told(fact=value.fact) if value.fact in self.told else Said(fact=value.fact)
            case Actor():
                return Default(value=self.store.me())
            case RecordKey():
                column = value.column or table_named(self.store.schema, value.of.table).key[0]
                found = self.find(value.of)
                return self.column(found, value.of.table, column)
            case MadeKey():
                made = self.made.get(value.wish)
                if made is None:
                    raise NoWay("nothing shows the new record")
                table = self.tables[value.wish]
                column = value.column or table_named(self.store.schema, table).key[0]
                return self.column(made, table, column)
        raise NoWay(f"a {value.kind} is no argument")

    def column(self, found: Found, table: str, column: str) -> Origin:
        """A column of a found record; read in full where the list does not show it."""
        origin = found.column(column)
        if origin is not None:
            return origin
        for tool in self._readers(table, ("get",)):
            effect = tool.effect
            assert effect is not None
            if column in shown(tool, self.store.schema) and effect.result is not None:
                arguments: dict[str, Origin] = {}
                for argument, match in effect.match.items():
                    part = found.column(match.column)
                    if part is not None and match.column in self._table(table).key:
                        arguments[argument] = part
                if set(tool.parameters.get("required", ())) <= set(arguments) and arguments:
                    node = self.call(tool, arguments)
                    path = shown(tool, self.store.schema)[column]
                    return Output(node=node, path=(*effect.result, *path))
        raise NoWay(f"no tool shows {table}.{column}")

    def _table(self, name: str) -> Table:
        return table_named(self.store.schema, name)

    # -------------------------------------------------------------- lookups

    def _readers(self, table: str, verbs: tuple[str, ...]) -> list[Tool]:
        """Read tools over a table, those of the walk first, else in random order."""
        fitting = [
            t
            for t in self.tools
            if t.kind == "read"
            and t.effect is not None
            and t.effect.table == table
            and t.effect.verb in verbs
        ]
        self.rng.shuffle(fitting)
        return sorted(fitting, key=lambda t: t.name not in self.preferred)

    def find(self, selection: Selection, form: Form = "match", by: str | None = None) -> Found:
        """The node that finds the selection; the same for the same selection.

        `form` "match" gives the one record (ranked where the selection has a pick), "all" the
        list, an aggregate its number over column `by`.
        """
        name = f"{form} {by} {selection.model_dump_json()}"
        if name not in self._known:
            self._known[name] = self._look_up(selection, form, by)
        return self._known[name]

    def _look_up(self, selection: Selection, form: Form, by: str | None) -> Found:
        known = self._said_key(selection) if form == "match" else None
        if known is not None:
            return known
        failures = []
        for tool in self._readers(selection.table, ("get", "list")):
            nodes, found = list(self.nodes), dict(self._known)
            try:
                return self._via(tool, selection, form, by)
            except NoWay as reason:
                failures.append(str(reason))
                self.nodes, self._known = nodes, found
        raise NoWay(failures[0] if failures else f"no tool reads {selection.table}")

    def _said_key(self, selection: Selection) -> Found | None:
        """Where the conditions themselves give the whole key: nothing to look up."""
        key = self._table(selection.table).key
        given = {c.column: c.value for c in selection.where if c.op == "eq"}
        if selection.pick is not None or not set(key) <= set(given):
            return None
        known = {c: self.origin(given[c]) for c in key}
        return Found(origin=lambda path: Default(), shows={}, node="", known=known)

    def _via(self, tool: Tool, selection: Selection, form: Form, by: str | None) -> Found:
        effect = tool.effect
        assert effect is not None
        shows = shown(tool, self.store.schema)
        if not shows or effect.result is None:
            raise NoWay(f"{tool.name} shows no record")
        self._fixed(effect, selection, tool)
        arguments, exact = self._filters(tool, effect, selection)
        if effect.verb == "get":
            if selection.pick is not None or form != "match":
                raise NoWay(f"{tool.name} gives one record")
            node = self.call(tool, arguments)
            result = effect.result
            return Found(lambda path: Output(node=node, path=(*result, *path)), shows, node)
        arguments |= self._page(tool, effect)
        tests = tuple(self._tests(selection, exact, shows))
        ranked = selection.pick.column if selection.pick is not None else by
        if ranked is not None and ranked not in shows:
            raise NoWay(f"{tool.name} does not show {ranked}")
        if selection.pick is not None:
            form = "argmin" if selection.pick.which == "min" else "argmax"
        node = self.call(tool, arguments)
        chosen = self._add(
            ReasonNode(
                id=self._new_id("reason"),
                form=form,
                over=Output(node=node, path=effect.result),
                tests=tests,
                by=shows[ranked] if ranked is not None else (),
            )
        )
        return Found(lambda path: Reasoned(node=chosen, path=path), shows, chosen)

    def _fixed(self, effect: Effect, selection: Selection, tool: Tool) -> None:
        """A list that is narrowed by itself serves only a selection that says the same."""
        for column, constant in effect.fixed.items():
            said = [
                c
                for c in selection.where
                if c.column == column
                and c.op == "eq"
                and (
                    isinstance(c.value, Actor)
                    if constant == "$me"
                    else isinstance(c.value, Plain) and same(c.value.value, constant)
                )
            ]
            if not said:
                raise NoWay(f"{tool.name} lists only some")

    def _filters(
        self, tool: Tool, effect: Effect, selection: Selection
    ) -> tuple[dict[str, Origin], list[Condition]]:
        """Arguments from conditions, and the conditions that they meet exactly."""
        required = set(tool.parameters.get("required", ()))
        arguments: dict[str, Origin] = {}
        exact: list[Condition] = []
        for argument, match in effect.match.items():
            fitting = [
                c
                for c in selection.where
                if c.column == match.column
                and (c.op == match.op or (c.op == "eq" and match.op in WIDER))
            ]
            if not fitting:
                if argument in required:
                    raise NoWay(f"{tool.name} needs {argument}")
                continue
            condition = fitting[0]
            if argument not in required and self.rng.random() > FILTER_SHARE:
                continue
            origin = self.origin(condition.value)
            one_of = match.op == "in" and condition.op == "eq"
            arguments[argument] = Listed(items=(origin,)) if one_of else origin
            if condition.op == match.op or one_of:
                exact.append(condition)
        if not required - set(arguments) <= set(_pages(effect)):
            raise NoWay(f"{tool.name} needs more than is said")
        return arguments, exact

    def _tests(
        self, selection: Selection, exact: list[Condition], shows: dict[str, Path]
    ) -> list[Filter]:
        tests = []
        for condition in selection.where:
            if condition.column in shows:
                if condition in exact and not isinstance(condition.value, Plain):
                    continue
                tests.append(
                    Filter(
                        path=shows[condition.column],
                        op=condition.op,
                        value=self.origin(condition.value),
                    )
                )
            elif condition not in exact:
                raise NoWay(f"nothing shows {condition.column}")
        return tests

    def _page(self, tool: Tool, effect: Effect) -> dict[str, Origin]:
        """A page large enough for all there is, where the tool has pages."""
        limit = effect.paging.limit
        if limit is None:
            return {}
        schema = tool.parameters["properties"].get(limit, {})
        there = self.store.count(effect.table)
        if there <= schema.get("default", DEFAULT_PAGE):
            return {}
        largest = schema.get("maximum", 100)
        if there > largest:
            raise NoWay(f"one page of {tool.name} is not enough")
        return {limit: Default(value=min(largest, 50 if there <= 50 else 100))}

    def call(self, tool: Tool, arguments: dict[str, Origin], each: str | None = None) -> str:
        return self._add(
            CallNode(
                id=self._new_id("call"),
                tool=tool.name,
                arguments=arguments,
                writes=tool.kind == "write",
                each=each,
            )
        )

    def count_tool(self, what: Aggregate) -> Origin | None:
        """The result of a tool that counts exactly these, if there is one."""
        if what.op != "count" or what.of.pick is not None:
            return None
        for tool in self._readers(what.of.table, ("count",)):
            effect = tool.effect
            assert effect is not None
            nodes, found = list(self.nodes), dict(self._known)
            try:
                self._fixed(effect, what.of, tool)
                arguments, exact = self._filters(tool, effect, what.of)
                if effect.result is not None and all(c in exact for c in what.of.where):
                    return Output(node=self.call(tool, arguments), path=effect.result)
            except NoWay:
                pass
            self.nodes, self._known = nodes, found
        return None


def _pages(effect: Effect) -> list[str]:
    paging = effect.paging
    parts = (paging.limit, paging.offset, paging.page, paging.cursor, paging.after, paging.before)
    return [part for part in parts if part is not None]
