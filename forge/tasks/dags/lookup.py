"""Looking things up: which read tools find the records that a wish names.

Every key that a user cannot know is looked up with a read tool whose own arguments are said, or
looked up in turn. Equal lookups are one node, so that wishes share them. A wish that no tools
reach raises `NoWay`.
"""

import random
from collections.abc import Callable, Container
from dataclasses import dataclass, field

from forge.env.store import Store
from forge.tasks.dags.graph import serves, shown
from forge.tasks.dags.nodes import Nodes
from forge.tasks.dags.paging import NoWay, paging_arguments, whole_page
from forge.tasks.intents.columns import table_named
from forge.types.dag import (
    Default,
    Filter,
    Form,
    Listed,
    Origin,
    Output,
    Reasoned,
    ReasonNode,
    Said,
    Told,
)
from forge.types.data import Path
from forge.types.environment import Effect, Tool
from forge.types.intent import (
    Actor,
    Aggregate,
    Computed,
    Condition,
    Counted,
    Difference,
    Keys,
    MadeKey,
    Measure,
    Pick,
    Plain,
    RecordKey,
    Selection,
    Value,
)
from forge.types.state import Table

FILTER_SHARE = 0.95
WIDER = ("icontains", "contains", "in")
"""Filters that let through what is equal, and more."""


@dataclass(frozen=True, slots=True)
class Found:
    """A record (or, for `each`, a list) that a node gives, and where its columns are in it."""

    origin: Callable[[Path], Origin]
    shows: dict[str, Path]
    node: str
    known: dict[str, Origin] = field(default_factory=dict)
    """Columns whose value was known without looking."""
    where: tuple[Condition, ...] = ()
    """What was said of it."""

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
    nodes: Nodes = field(default_factory=Nodes)
    made: dict[int, Found] = field(default_factory=dict)
    """Insert wish -> what its tool shows of the new record."""
    tables: dict[int, str] = field(default_factory=dict)
    """Insert wish -> the table it makes a record of."""
    _known: dict[str, Found] = field(default_factory=dict)

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
            case Keys():
                by = value.column or table_named(self.store.schema, value.of.table).key[0]
                return Reasoned(node=self.find(value.of, "values", by).node)
            case Computed():
                return self.measure(value.of)
        raise NoWay(f"a {value.kind} is no argument")

    def column(self, found: Found, table: str, column: str) -> Origin:
        """A column of a found record; read in full where the list does not show it."""
        origin = found.column(column)
        if origin is not None:
            return origin
        for tool in self._readers(table, ("get",)):
            effect = tool.effect
            assert effect is not None
            if not serves(effect, found.where):
                continue
            if column in shown(tool, self.store.schema) and effect.result is not None:
                arguments: dict[str, Origin] = {}
                for argument, match in effect.match.items():
                    part = found.column(match.column)
                    if part is not None and match.column in self._table(table).key:
                        arguments[argument] = part
                if set(tool.parameters.get("required", ())) <= set(arguments) and arguments:
                    node = self.nodes.call(tool, arguments)
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

    def find(
        self,
        selection: Selection,
        form: Form = "match",
        by: str | None = None,
        times: str | None = None,
    ) -> Found:
        """The node that finds the selection; the same for the same selection.

        `form` "match" gives the one record (ranked where the selection has a pick), "all" the
        list, another one its value over column `by` (and `times`).
        """
        name = f"{form} {by} {times} {selection.model_dump_json()}"
        if name not in self._known:
            self._known[name] = self._look_up(selection, form, by, times)
        return self._known[name]

    def look_again(self, tables: Container[str]) -> None:
        """What was read of these tables is to be read anew."""
        self.nodes.outdate([t.name for t in self.tools if t.effect and t.effect.table in tables])
        old = [n for n, found in self._known.items() if found.node in self.nodes.outdated]
        for name in old:
            del self._known[name]

    def shows_none(self, selection: Selection) -> bool:
        """Whether some list shows that no record fits; then the node that sees it is there."""
        there, found = self.nodes.count(), dict(self._known)
        try:
            self.find(selection, "none")
        except NoWay:
            self.nodes.forget(there)
            self._known = found
            return False
        return True

    def _look_up(
        self, selection: Selection, form: Form, by: str | None, times: str | None
    ) -> Found:
        pick = selection.pick
        if pick is not None and pick.counted is not None:
            return self._most_referred(selection, pick.counted, form)
        known = self._said_key(selection) if form == "match" else None
        if known is not None:
            return known
        failures = []
        for tool in self._readers(selection.table, ("get", "list")):
            there, found = self.nodes.count(), dict(self._known)
            try:
                return self._via(tool, selection, form, by, times)
            except NoWay as reason:
                failures.append(str(reason))
                self.nodes.forget(there)
                self._known = found
        raise NoWay(failures[0] if failures else f"no tool reads {selection.table}")

    def _most_referred(self, selection: Selection, counted: Counted, form: Form) -> Found:
        """The record that most others refer to: its key is the value they hold most often."""
        (key, *more) = self._table(selection.table).key
        if selection.where or form != "match" or more:
            raise NoWay("no tool counts what refers to a record")
        node = self.find(counted.of, "most", counted.column).node
        return Found(
            origin=lambda path: Default(), shows={}, node=node, known={key: Reasoned(node=node)}
        )

    def _said_key(self, selection: Selection) -> Found | None:
        """Where the conditions themselves give the whole key: nothing to look up."""
        key = self._table(selection.table).key
        given = {c.column: c.value for c in selection.where if c.op == "eq" and not c.negated}
        if selection.pick is not None or not set(key) <= set(given):
            return None
        known = {c: self.origin(given[c]) for c in key}
        where = selection.where
        return Found(lambda path: Default(), shows={}, node="", known=known, where=where)

    def _via(
        self, tool: Tool, selection: Selection, form: Form, by: str | None, times: str | None
    ) -> Found:
        effect = tool.effect
        assert effect is not None
        shows = shown(tool, self.store.schema)
        if not shows or effect.result is None:
            raise NoWay(f"{tool.name} shows no record")
        if not serves(effect, selection.where):
            raise NoWay(f"{tool.name} lists only some")
        arguments, exact = self._filters(tool, effect, selection)
        if effect.verb == "get":
            if selection.pick is not None or form != "match":
                raise NoWay(f"{tool.name} gives one record")
            node = self.nodes.call(tool, arguments)
            result = effect.result
            known = self._said_columns(selection, shows)
            where = selection.where
            return Found(
                lambda path: Output(node=node, path=(*result, *path)), shows, node, known, where
            )
        arguments |= whole_page(tool, effect, self.store.count(effect.table))
        tests = tuple(self._tests(selection, exact, shows))
        pick = selection.pick
        ranked = pick.column if pick is not None else by
        for column in (ranked, times):
            if column is not None and column not in shows:
                raise NoWay(f"{tool.name} does not show {column}")
        if pick is not None:
            form = _picking(pick, form)
        node = self.nodes.call(tool, arguments)
        chosen = self.nodes.add(
            ReasonNode(
                id=self.nodes.new_id("reason"),
                form=form,
                over=Output(node=node, path=effect.result),
                tests=tests,
                by=shows[ranked] if ranked is not None else (),
                times=shows[times] if times is not None else (),
                nth=pick.nth if pick is not None else 1,
                take=pick.take if pick is not None else 1,
                to=self.origin(pick.near) if pick is not None and pick.near is not None else None,
            )
        )
        known = self._said_columns(selection, shows)
        return Found(
            lambda path: Reasoned(node=chosen, path=path), shows, chosen, known, selection.where
        )

    def _said_columns(self, selection: Selection, shows: dict[str, Path]) -> dict[str, Origin]:
        """Columns that no result shows, but whose value the selection itself gives."""
        return {
            c.column: self.origin(c.value)
            for c in selection.where
            if c.op == "eq" and not c.negated and c.column not in shows
        }

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
                and not c.negated
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
        if not required - set(arguments) <= set(paging_arguments(effect)):
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
                        negated=condition.negated,
                    )
                )
            elif condition not in exact:
                raise NoWay(f"nothing shows {condition.column}")
        return tests

    # ------------------------------------------------------------- measures

    def measure(self, what: Measure) -> Origin:
        """Where an agent gets what is to be measured."""
        if isinstance(what, Difference):
            right = self.measure(what.right) if what.right else Default(value=self.store.today())
            return Reasoned(node=self.nodes.compute("difference", self.measure(what.left), right))
        if what.op == "value":
            assert what.column is not None
            return self.column(self.find(what.of), what.of.table, what.column)
        counted = self.count_tool(what)
        if counted is not None:
            return counted
        if what.of.pick is not None:
            raise NoWay("nothing is computed over picked records")
        return Reasoned(node=self.find(what.of, what.op, what.column, what.times).node)

    def count_tool(self, what: Aggregate) -> Origin | None:
        """The result of a tool that counts exactly these, if there is one."""
        if what.op != "count" or what.of.pick is not None:
            return None
        for tool in self._readers(what.of.table, ("count",)):
            effect = tool.effect
            assert effect is not None
            there, found = self.nodes.count(), dict(self._known)
            if not serves(effect, what.of.where):
                continue
            try:
                arguments, exact = self._filters(tool, effect, what.of)
                if effect.result is not None and all(c in exact for c in what.of.where):
                    return Output(node=self.nodes.call(tool, arguments), path=effect.result)
            except NoWay:
                pass
            self.nodes.forget(there)
            self._known = found
        return None


def _picking(pick: Pick, form: Form) -> Form:
    """The form that picks what a selection means."""
    least = pick.which == "min"
    if pick.take > 1:
        if form != "all":
            raise NoWay("nothing is computed over picked records")
        return "first" if least else "last"
    if form not in ("match", "all"):
        raise NoWay("nothing is computed over picked records")
    if pick.near is not None:
        return "nearest"
    return "argmin" if least else "argmax"
