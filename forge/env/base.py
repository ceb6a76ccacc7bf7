"""A base state: immutable, valid, shared by all the sessions that start from it.

Its records are handed out as they are, so nobody may change one. Indexes over it are built the
first time they are asked for, once, whatever the number of threads.
"""

from collections.abc import Mapping, Sequence
from threading import Lock
from types import MappingProxyType

from forge.env.completion import completed, keep
from forge.env.integrity import check_bonds
from forge.env.keys import key_of, key_order, key_text, parse_key
from forge.env.layout import Bucket, Layout, SitePath, buckets, lay_out
from forge.env.schema import check_schema
from forge.env.values import suggestion
from forge.errors import ToolError, UserError
from forge.types.state import Key, Record, State, StateSchema

Index = Mapping[Bucket, Sequence[Key]]
_NOTHING: tuple[Key, ...] = ()


class Base:
    """`UserError`, with table, key and column, if schema or state are not what they must be."""

    def __init__(self, schema: StateSchema, state: State) -> None:
        check_schema(schema)
        self.schema = schema
        self.layouts: Mapping[str, Layout] = MappingProxyType(lay_out(schema))
        self._lock = Lock()
        self._keys: dict[str, Sequence[Key]] = {}
        self._rows: dict[str, Sequence[Record]] = {}
        self._indexes: dict[tuple[str, SitePath, tuple[str, ...]], Index] = {}
        self._highest: dict[tuple[str, SitePath, tuple[str, ...]], dict[Bucket, int]] = {}
        unknown = sorted(set(state) - set(self.layouts))
        if unknown:
            raise UserError(
                f"the state has a table {unknown[0]!r} that the schema has not: "
                f"{suggestion(unknown[0], self.layouts)}"
            )
        self._tables: dict[str, dict[Key, Record]] = {
            name: dict(
                whole_record(layout, text, record) for text, record in state.get(name, {}).items()
            )
            for name, layout in self.layouts.items()
        }
        self._check()

    def record(self, table: str, key: Key) -> Record | None:
        """The stored record itself, not a copy: never to be changed."""
        return self._tables[table].get(key)

    def records(self, table: str) -> Mapping[Key, Record]:
        return MappingProxyType(self._tables[table])

    def keys(self, table: str) -> Sequence[Key]:
        """All keys of a table, in order."""
        keys = self._keys.get(table)
        if keys is None:
            with self._lock:
                keys = self._keys.setdefault(table, sorted(self._tables[table], key=key_order))
        return keys

    def rows(self, table: str) -> Sequence[Record]:
        """All records of a table in the order of their keys, as they are."""
        rows = self._rows.get(table)
        if rows is None:
            records = self._tables[table]
            rows = self._rows.setdefault(table, [records[key] for key in self.keys(table)])
        return rows

    def holders(
        self, table: str, path: SitePath, within: tuple[str, ...], bucket: Bucket
    ) -> Sequence[Key]:
        """The keys of the records with this value at `path`, in order."""
        return self.index(table, path, within).get(bucket, _NOTHING)

    def index(self, table: str, path: SitePath, within: tuple[str, ...]) -> Index:
        place = (table, path, within)
        index = self._indexes.get(place)
        if index is None:
            keys = self.keys(table)
            with self._lock:
                index = self._indexes.get(place)
                if index is None:
                    index = self._index(table, path, within, keys)
                    self._indexes[place] = index
        return index

    def highest(self, table: str, path: SitePath, within: tuple[str, ...], group: Bucket) -> int:
        """The highest counter in a group, or 0."""
        place = (table, path, within)
        highest = self._highest.get(place)
        if highest is None:
            highest = {}
            for value, *others in self.index(table, path, within):
                if isinstance(value, int):
                    rest = tuple(others)
                    highest[rest] = max(value, highest.get(rest, 0))
            self._highest[place] = highest
        return highest.get(group, 0)

    def _index(
        self, table: str, path: SitePath, within: tuple[str, ...], keys: Sequence[Key]
    ) -> Index:
        found: dict[Bucket, dict[Key, None]] = {}
        records = self._tables[table]
        for key in keys:
            for bucket in buckets(records[key], path, within):
                found.setdefault(bucket, {})[key] = None
        return {bucket: tuple(held) for bucket, held in found.items()}

    def _check(self) -> None:
        for name, layout in self.layouts.items():
            records = self._tables[name]
            if layout.table.singleton and len(records) != 1:
                raise UserError(f"it has {len(records)} records and must have one", where=name)
            for key, record in records.items():
                try:
                    check_bonds(self, layout, key, record, layout.columns)
                except ToolError as error:
                    raise UserError(error.message, where=f"{name} {key_text(key)}") from error


def whole_record(layout: Layout, text: str, record: Record) -> tuple[Key, Record]:
    """A record from a file, checked by itself, and its key. UserError if they do not fit."""
    table, where = layout.table, f"{layout.table.name} {text}"
    if not record.keys() <= layout.columns.keys():
        unknown = sorted(set(record) - set(layout.columns))
        raise UserError(
            f"there is no column {unknown[0]!r}: {suggestion(unknown[0], layout.columns)}",
            where=where,
        )
    try:
        made = completed(layout, record, keep)
        key = key_of(table, made)
        if key_text(key) != text and key != parse_key(table, text):
            raise UserError(f"the record's own key is {key_text(key)!r}", where=where)
    except ToolError as error:
        raise UserError(error.message, where=where) from error
    except (KeyError, ValueError) as error:
        raise UserError(f"it is no key of the table: {error}", where=where) from error
    return key, made
