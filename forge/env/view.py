"""What a session sees: the base, and over it the records it put or took away.

Whatever is written is journalled until the outermost transaction ends, so that it can be undone.
Records are never changed in place, only replaced, so views can share them. The cost of a view is
that of what was written in it; looking records up by what is in them costs what is found in the
base, plus what was written to that table.
"""

from bisect import bisect_left, insort
from collections.abc import Collection, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from forge.env.base import Base
from forge.env.keys import key_order
from forge.env.layout import Bucket, Layout, SitePath, buckets, holds
from forge.types.state import Key, Record

_MISSING: Any = object()


class View:
    def __init__(self, base: Base) -> None:
        self.base = base
        self.layouts: Mapping[str, Layout] = base.layouts
        self.written: dict[str, dict[Key, Record | None]] = {}
        """By table: what is there now, None if it was deleted."""
        self.again: dict[tuple[str, Key], bool] = {}
        """Keys that were deleted and made again."""
        self.writes = 0
        self._serials: dict[str, int] = {}
        self._highest: dict[tuple[str, SitePath, Bucket], int] = {}
        self.depth = 0
        """Transactions that are open."""
        self.journal: list[tuple[MutableMapping[Any, Any], Any, Any]] = []

    def fork(self) -> "View":
        assert self.depth == 0
        twin = View(self.base)
        twin.written = {table: dict(records) for table, records in self.written.items()}
        twin.again = dict(self.again)
        twin.writes = self.writes
        twin._serials = dict(self._serials)
        twin._highest = dict(self._highest)
        return twin

    # ------------------------------------------------------------------ reading

    def record(self, table: str, key: Key) -> Record | None:
        """The record itself, not a copy."""
        written = self.written.get(table)
        if written is not None and key in written:
            return written[key]
        return self.base.record(table, key)

    def rows(self, table: str) -> Sequence[Record]:
        """The records themselves, in the order of their keys."""
        written = self.written.get(table)
        if not written:
            return self.base.rows(table)
        stored = self.base.records(table)
        return [written.get(key) or stored[key] for key in self.keys(table)]

    def rows_with(self, table: str, column: str, text: str) -> Sequence[Record]:
        """Those of them that hold this text in the column."""
        if self.written.get(table):
            return [row for row in self.rows(table) if row.get(column) == text]
        stored = self.base.records(table)
        return [stored[key] for key in self.base.holders(table, (column,), (), (text,))]

    def holders(
        self, table: str, path: SitePath, within: tuple[str, ...], bucket: Bucket
    ) -> Iterator[Key]:
        """The keys of records with this value at `path`: those of the base in order first."""
        written = self.written.get(table, {})
        for key in self.base.holders(table, path, within, bucket):
            if key not in written:
                yield key
        for key, record in written.items():
            if record is not None and holds(record, path, within, bucket):
                yield key

    def keys(self, table: str) -> Sequence[Key]:
        """All keys, in order."""
        in_base = self.base.keys(table)
        written = self.written.get(table)
        if not written:
            return in_base
        keys = list(in_base)
        stored = self.base.records(table)
        for key, record in written.items():
            if record is None and key in stored:
                del keys[bisect_left(keys, key_order(key), key=key_order)]
            elif record is not None and key not in stored:
                insort(keys, key, key=key_order)
        return keys

    def size(self, table: str) -> int:
        base = self.base.records(table)
        size = len(base)
        for key, record in self.written.get(table, {}).items():
            size += (record is not None) - (key in base)
        return size

    def was_used(self, table: str, key: Key) -> bool:
        """Whether there is or ever was a record of this key."""
        return key in self.written.get(table, {}) or self.base.record(table, key) is not None

    def highest(self, table: str, path: SitePath, within: tuple[str, ...], group: Bucket) -> int:
        """The highest counter there ever was in a group, or 0."""
        in_base = self.base.highest(table, path, within, group)
        return max(in_base, self._highest.get((table, path, group), 0))

    # ------------------------------------------------------------------ writing

    def put(
        self, table: str, key: Key, record: Record | None, changed: Collection[str] | None = None
    ) -> None:
        """Lays a record down (None: takes it away), unchecked. The view owns it from now on.
        `changed`: the columns that differ from what was there, where that is known."""
        written = self.written.setdefault(table, {})
        if record is not None:
            if self.record(table, key) is None and self.was_used(table, key):
                self._set(self.again, (table, key), True)
            for site in self.layouts[table].counters:
                if changed is not None and site.watched.isdisjoint(changed):
                    continue
                for value, *group in buckets(record, site.path, site.column.within):
                    if isinstance(value, int):
                        self.raise_highest(table, site.path, tuple(group), value)
        self._set(written, key, record)

    def replace(self, table: str, key: Key, record: Record) -> None:
        """Lays a record over one that differs from it in free columns alone, as one write."""
        written = self.written.setdefault(table, {})
        if self.depth:
            self._set(written, key, record)
        else:
            written[key] = record
        self.writes += 1

    def raise_highest(self, table: str, path: SitePath, group: Bucket, value: int) -> None:
        place = (table, path, group)
        if value > self._highest.get(place, 0):
            self._set(self._highest, place, value)

    def next_serial(self, place: str) -> int:
        """1, 2, 3… for each place."""
        serial = self._serials.get(place, 0) + 1
        self._set(self._serials, place, serial)
        return serial

    def _set(self, mapping: MutableMapping[Any, Any], name: Any, value: Any) -> None:
        self.journal.append((mapping, name, mapping.get(name, _MISSING)))
        mapping[name] = value


class Transaction:
    """What is written to the view within it is written whole, or, after an exception, not at all.
    One within another is a part of it."""

    __slots__ = ("_length", "_view", "_writes")

    def __init__(self, view: View) -> None:
        self._view = view

    def __enter__(self) -> None:
        view = self._view
        view.depth += 1
        self._length, self._writes = len(view.journal), view.writes

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        view = self._view
        view.depth -= 1
        if kind is not None:
            view.writes = self._writes
            while len(view.journal) > self._length:
                mapping, name, old = view.journal.pop()
                if old is _MISSING:
                    mapping.pop(name, None)
                else:
                    mapping[name] = old
        if view.depth == 0:
            view.journal.clear()
