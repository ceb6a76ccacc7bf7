"""One session's view of the records, behind the table API that tools are written against.

Always holds: what can be seen obeys the schema, whatever was called in whatever order; a call that
fails leaves no trace; what is handed in and out is copied, so nothing outside shares a record;
and the same calls make the same records, ids and times.

An agent's mistake is a ToolError, a tool's own mistake (a table or column that is not there) a
ToolBug.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta

from forge.env.base import Base
from forge.env.completion import completed, keep
from forge.env.dates import started, written
from forge.env.find import Condition, conditions_of, in_order, window
from forge.env.generated import Maker, time_in
from forge.env.identity import copied, copied_record, same, shown
from forge.env.integrity import (
    Place,
    check_bonds,
    is_key_part,
    named,
    plan_deletion,
    without_reference,
)
from forge.env.keys import key_of, key_order, key_text, parse_key
from forge.env.layout import Layout, Site, SitePath, is_refreshed
from forge.env.overlay import changes_of, lay_on
from forge.env.values import checked, suggestion
from forge.env.view import Transaction, View
from forge.errors import ToolBug, ToolError, UserError
from forge.types.data import Json
from forge.types.state import Column, Key, Overlay, Record, State, StateSchema

_KEY_PARTS = frozenset({str, int})
CLOCK = ""
"""Stands beside the names of tables for the time: no table is called so."""


class Store:
    """A base, a task's `setup` on it, and what the session wrote. Opening costs what the setup
    holds, forking what was written. `now` is the clock's start; every write takes a second.
    UserError if clock, actor or setup do not fit the base."""

    def __init__(
        self,
        base: Base,
        *,
        now: str,
        actor: str | int | None = None,
        setup: Overlay = {},  # noqa: B006 - never changed
        seed: int = 0,
    ) -> None:
        self._start = started(now)
        self.schema: StateSchema = base.schema
        self._seed = seed
        self._actor = actor
        self.watch()
        self._view = View(base)
        self._setup: Mapping[str, Mapping[Key, Record | None]] = {}
        if setup:
            self.apply(setup)
            self._setup = {table: dict(rows) for table, rows in self._view.written.items()}
            self._view.again.clear()
        actors = base.schema.actors
        if actor is None or actors is None:
            return
        if self._view.record(actors, (actor,)) is None:
            raise UserError(f"there is no {shown(actor)} in {actors} to act as")

    def watch(self) -> None:
        """Begins to note what is asked."""
        self.asked_me = False
        """Whether it was asked who acts."""
        self.looked: set[str] = set()
        """The tables that were asked for, and `CLOCK`."""

    # ------------------------------------------------------------------ the table API

    def get(self, table: str, /, *key: Json) -> Record:
        """A record by its key (a `singleton` needs none). ToolError("not_found")."""
        layout = self._layout(table)
        return _copy(layout, self._found(layout, self._key(layout, key)))

    def find(
        self,
        table: str,
        /,
        *,
        sort: str | Sequence[str] | None = (),
        limit: int | None = None,
        offset: int = 0,
        **where: Json,
    ) -> list[Record]:
        """Records that fit every condition (`column=value`, `column__op=value`), in the order of
        `sort` ("due", "-due"), then of their keys; `limit` of them from `offset` on."""
        layout = self._layout(table)
        start, stop = window(limit, offset)
        rows = self._matching(layout, conditions_of(layout, where))
        if sort:
            rows = iter(in_order(layout, rows, sort))
        found: list[Record] = []
        for at, row in enumerate(rows):
            if stop is not None and at >= stop:
                break
            if at >= start:
                found.append(_copy(layout, row))
        return found

    def rows(self, table: str, /) -> Sequence[Record]:
        """All records in the order of their keys, as they are stored: for readers on the host, who
        change nothing."""
        return self._view.rows(table)

    def rows_with(self, table: str, column: str, text: str, /) -> Sequence[Record]:
        """Those of `rows` that hold this text in the column."""
        return self._view.rows_with(table, column, text)

    def row(self, table: str, /, *key: str | int) -> Record:
        """A record as it is stored, like those of `rows`. ToolError("not_found")."""
        return self._found(self._layout(table), key)

    def has(self, table: str, /, *key: str | int) -> bool:
        """Whether there is a record of this key: for readers on the host."""
        return self._view.record(table, key) is not None

    def count(self, table: str, /, **where: Json) -> int:
        layout = self._layout(table)
        if not where:
            return self._view.size(table)
        return sum(1 for _ in self._matching(layout, conditions_of(layout, where)))

    def insert(self, table: str, /, **fields: Json) -> Record:
        """A new record, whole: defaults and generated values are put in."""
        layout = self._layout(table)
        if layout.table.singleton:
            raise ToolBug(f"{table} has its one record; nothing can be inserted")
        self._known(layout, fields)
        maker = self._maker(layout, fields)

        def make(column: Column, path: SitePath, present: Json, record: Record) -> Json:
            return maker.make(column, path, record) if present is None else present

        with self.transaction():
            record = completed(layout, fields, make)
            key = self._new_key(layout, record)
            if self._view.record(table, key) is not None:
                raise ToolError("conflict", f"{named(layout.table, key)} is there already")
            self._put(layout, key, record, layout.columns)
        return _copy(layout, record)

    def update(self, table: str, /, *key: Json, **fields: Json) -> Record:
        """Changes columns of a record; those not named stay as they are."""
        layout = self._layout(table)
        self._known(layout, fields)
        place = self._key(layout, key)
        old = self._found(layout, place)
        if fields and layout.free.issuperset(fields):
            record = completed(layout, fields, self._clock, onto=old)
            self._view.replace(table, place, record)
            return _copy(layout, record)
        return self._replace(layout, place, old, fields)

    def save(self, table: str, record: Record, /) -> Record:
        """Writes a record back that was read and changed. A column taken out of it gets its
        default; what is generated stays."""
        layout = self._layout(table)
        if not isinstance(record, dict):
            raise ToolBug(f"save({table!r}) takes a record, not {shown(record)}")
        self._known(layout, record)
        missing = [name for name in layout.table.key if name not in record]
        if missing:
            raise ToolBug(f"save({table!r}): the record has no {missing[0]}, which is in its key")
        place = self._key(layout, key_of(layout.table, record))
        return self._replace(layout, place, self._found(layout, place), record, whole=True)

    def delete(self, table: str, /, *key: Json) -> Record:
        """Takes a record away, with all that the schema says goes with it; the record as it was.
        ToolError("conflict") if something that stays depends on it."""
        layout = self._layout(table)
        if layout.table.singleton:
            raise ToolBug(f"{table} has one record, always; it cannot be deleted")
        place = self._key(layout, key)
        record = self._found(layout, place)
        deletion = plan_deletion(self._view, table, place, record)
        with self.transaction():
            for other, gone in deletion.gone:
                self._view.put(other, gone, None)
            for holder, lost in deletion.cleared.items():
                self._clear(holder, lost)
            self._view.writes += 1
        return _copy(layout, record)

    def me(self) -> str | int:
        """The key of the one who acts. ToolError("forbidden") if no one does."""
        self.asked_me = True
        if self._actor is None:
            raise ToolError("forbidden", "no one is signed in")
        return self._actor

    def now(self) -> str:
        self.looked.add(CLOCK)
        return written(self._start + timedelta(0, self._view.writes))

    def today(self) -> str:
        return self.now()[:10]

    # ------------------------------------------------------------------ the session's side

    def fork(self) -> "Store":
        """A store of its own that starts as this one is now. Not within a transaction."""
        twin = object.__new__(Store)
        twin.schema, twin._start, twin._actor = self.schema, self._start, self._actor
        twin._seed, twin._setup = self._seed, self._setup
        twin.watch()
        twin._view = self._view.fork()
        return twin

    def later(self, now: str) -> "Store":
        """The same, with the clock moved on to `now`."""
        twin = self.fork()
        twin._start = started(now) - timedelta(0, twin._view.writes)
        return twin

    @property
    def writes(self) -> int:
        """How many there were so far."""
        return self._view.writes

    @property
    def changed(self) -> frozenset[str]:
        """The tables that may be otherwise than in the base, and `CLOCK` where it has moved on."""
        tables = [table for table, rows in self._view.written.items() if rows]
        return frozenset([*tables, CLOCK] if self._view.writes else tables)

    def transaction(self) -> Transaction:
        """All or nothing: an exception, of whatever kind, leaves no trace."""
        return Transaction(self._view)

    def initial(self, table: str, text: str) -> Record | None:
        """The record of a key text as it was before the session, or None."""
        layout = self._view.layouts.get(table)
        if layout is None:
            return None
        try:
            record = self._initial(table, parse_key(layout.table, text))
        except ValueError:
            return None
        return None if record is None else copied_record(record)

    def overlay(self) -> Overlay:
        """What the session changed: whole records, sorted, without what is as it was."""
        return changes_of(self._view, self._initial)

    def state(self) -> State:
        """Everything, by table and key text, sorted."""
        return {
            table: dict(
                sorted(
                    (key_text(key), copied_record(record))
                    for key in self._view.keys(table)
                    if (record := self._view.record(table, key)) is not None
                )
            )
            for table in sorted(self._view.layouts)
        }

    def apply(self, overlay: Overlay) -> None:
        """Lays an overlay on, as if the session had come to it. UserError if it does not fit."""
        with self.transaction():
            lay_on(self._view, overlay)

    # ------------------------------------------------------------------ inside

    def _layout(self, table: str) -> Layout:
        layout = self._view.layouts.get(table) if isinstance(table, str) else None
        if layout is None:
            raise ToolBug(f"no table {shown(table)}: {suggestion(str(table), self._view.layouts)}")
        self.looked.add(table)
        return layout

    def _key(self, layout: Layout, parts: Sequence[Json]) -> Key:
        """The key that was passed. One that cannot be a key of the table is simply not found."""
        names = layout.table.key
        if layout.table.singleton and not parts:
            return next(iter(self._view.base.records(layout.table.name)))
        if len(parts) != len(names):
            raise ToolBug(
                f"a key of {layout.table.name} is passed as {', '.join(names)}, one after the"
                f" other; here are {len(parts)}"
            )
        if _KEY_PARTS.issuperset(map(type, parts)):
            return tuple(parts)
        key = []
        for name, part in zip(names, parts, strict=True):
            if isinstance(part, float) and part.is_integer():
                part = int(part)  # noqa: PLW2901
            if not is_key_part(part):
                raise ToolError(
                    "not_found", f"there is no {layout.table.noun} with {name} {shown(part)}"
                )
            key.append(part)
        return tuple(key)

    def _found(self, layout: Layout, key: Key) -> Record:
        record = self._view.record(layout.table.name, key)
        if record is None:
            raise ToolError("not_found", f"there is no {named(layout.table, key)}")
        return record

    def _known(self, layout: Layout, fields: Mapping[str, Json]) -> None:
        if not fields.keys() <= layout.columns.keys():
            name = next(name for name in fields if name not in layout.columns)
            raise ToolBug(
                f"{layout.table.name} has no column {name!r}: "
                f"{suggestion(str(name), layout.columns)}"
            )

    def _matching(self, layout: Layout, conditions: Sequence[Condition]) -> Iterator[Record]:
        """In the order of their keys."""
        name = layout.table.name
        written = self._view.written.get(name, {})
        stored = self._view.base.records(name)
        for key in self._candidates(layout, conditions):
            record = written[key] if key in written else stored[key]
            assert record is not None
            for condition in conditions:
                if not condition.holds(record.get(condition.column)):
                    break
            else:
                yield record

    def _candidates(self, layout: Layout, conditions: Sequence[Condition]) -> Sequence[Key]:
        """Keys among which are all that fit, found by the index that leaves fewest."""
        name, view = layout.table.name, self._view
        best: list[Sequence[Key]] | None = None
        for condition in conditions:
            if condition.path:
                found = [view.base.holders(name, condition.path, (), v) for v in condition.values]
                if best is None or sum(map(len, found)) < sum(map(len, best)):
                    best = found
        if best is None:
            return view.keys(name)
        rows = view.written.get(name, {})
        if not rows and len(best) == 1:
            return best[0]
        keys = {key for held in best for key in held if key not in rows}
        keys.update(key for key, record in rows.items() if record is not None)
        return sorted(keys, key=key_order)

    def _clock(self, column: Column, path: SitePath, present: Json, record: Record) -> Json:
        """The `Make` of columns that are made anew where only free ones are written: times."""
        return time_in(column, self.now())

    def _maker(self, layout: Layout, fields: Record) -> Maker:
        return Maker(self._view, layout, fields, self._seed, self.now)

    def _new_key(self, layout: Layout, record: Record) -> Key:
        for name in layout.table.key:
            if record.get(name) is None:
                raise ToolError("invalid", f"{name} is required")
        return key_of(layout.table, record)

    def _replace(
        self, layout: Layout, key: Key, old: Record, fields: Record, *, whole: bool = False
    ) -> Record:
        """Writes `fields` over `old`, whose key and generated values must stay; with `whole`,
        they are all that stays."""
        changed = dict(fields)
        for name in fields:
            if name in layout.settled:
                self._check_settled(layout, name, fields[name], old)
                del changed[name]
        if whole:
            changed |= {name: old[name] for name in layout.fixed if name in old}
        maker = self._maker(layout, fields)

        def make(column: Column, path: SitePath, present: Json, record: Record) -> Json:
            if not is_refreshed(column) and (present is not None or len(path) == 1):
                return present
            return maker.make(column, path, record)

        with self.transaction():
            record = completed(layout, changed, make, onto=None if whole else old)
            if key_of(layout.table, record) != key:
                raise ToolError("invalid", f"the key of {named(layout.table, key)} cannot change")
            written = layout.columns if whole else {*changed, *layout.refreshed}
            self._put(layout, key, record, written)
        return _copy(layout, record)

    def _check_settled(self, layout: Layout, name: str, value: Json, old: Record) -> None:
        """ToolError if a settled column would get another value."""
        given = value if value is None else checked(layout.columns[name], value, name)
        if not same(given, old.get(name)):
            raise ToolError("invalid", f"{name} cannot be changed")

    def _put(self, layout: Layout, key: Key, record: Record, changed: Collection[str]) -> None:
        self._view.put(layout.table.name, key, record, changed)
        check_bonds(self._view, layout, key, record, changed)
        self._view.writes += 1

    def _clear(self, place: Place, lost: Sequence[tuple[Site, Json]]) -> None:
        """Takes references to what is gone out of a record that stays."""
        table, key = place
        layout = self._view.layouts[table]
        record = self._found(layout, key)
        for site, gone in lost:
            record = without_reference(record, site, gone)
        columns = {str(site.path[0]) for site, _ in lost}
        try:
            record = completed(layout, {n: record[n] for n in columns}, keep, onto=record)
            self._view.put(table, key, record)
            check_bonds(self._view, layout, key, record, {*columns, *layout.refreshed})
        except ToolError as error:
            other = named(layout.table, key)
            raise ToolError("conflict", f"{other} depends on it: {error.message}") from error

    def _initial(self, table: str, key: Key) -> Record | None:
        setup = self._setup.get(table)
        if setup is not None and key in setup:
            return setup[key]
        return self._view.base.record(table, key)


def _copy(layout: Layout, record: Record) -> Record:
    """A copy of a stored record that shares nothing with it."""
    made = record.copy()
    for name in layout.nested:
        if name in made:
            made[name] = copied(made[name])
    return made
