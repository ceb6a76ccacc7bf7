"""What binds records to each other: uniqueness, references, parents, and what a delete does.

Checks are made after a record was put where it goes, so a record may refer to itself.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from forge.env.identity import frozen, shown
from forge.env.keys import key_text
from forge.env.layout import Bucket, Incoming, Layout, Site, SitePath, buckets, values_at
from forge.errors import ToolError
from forge.types.data import Json
from forge.types.state import Key, Parent, Record, Table

Place = tuple[str, Key]
"""A table and a key in it."""


class Records(Protocol):
    """Records that can be looked up, by key and by what is in them."""

    layouts: Mapping[str, Layout]

    def record(self, table: str, key: Key) -> Record | None: ...

    def holders(
        self, table: str, path: SitePath, within: tuple[str, ...], bucket: Bucket
    ) -> Iterable[Key]:
        """The keys of records with this value at `path`, in the group of `within`."""
        ...


def named(table: Table, key: Key) -> str:
    """A record as a message names it."""
    return f"{table.noun} {shown(key_text(key))}" if key else f"the {table.noun}"


def check_bonds(
    records: Records, layout: Layout, key: Key, record: Record, changed: Collection[str]
) -> None:
    """ToolError if the record, already in its place, breaks what the columns in `changed` bind."""
    for site in layout.uniques:
        if not site.watched.isdisjoint(changed):
            _check_unique(records, layout, key, record, site)
    for site in layout.references:
        if site.path[0] in changed:
            _check_references(records, record, site)
    parent = layout.table.parent
    if parent is not None and any(name in changed for name in parent.columns):
        _check_parent(records, record, parent)


def _check_parent(records: Records, record: Record, parent: Parent) -> None:
    """A record that leaves part of its parent's key null has no parent."""
    key: Key = tuple(record[name] for name in parent.columns if record.get(name) is not None)
    if len(key) == len(parent.columns) and records.record(parent.table, key) is None:
        missing = named(records.layouts[parent.table].table, key)
        raise ToolError("invalid", f"{' and '.join(parent.columns)}: there is no {missing}")


def _check_unique(records: Records, layout: Layout, key: Key, record: Record, site: Site) -> None:
    seen: set[Bucket] = set()
    within = site.column.within
    for value, bucket in zip(
        values_at(record, site.path), buckets(record, site.path, within), strict=True
    ):
        if value is None:
            continue
        holders = records.holders(layout.table.name, site.path, within, bucket)
        other = next((holder for holder in holders if holder != key), None)
        if bucket in seen or other is not None:
            owner = f"used by {named(layout.table, other)}" if other else "there twice"
            group = f" (it must be unique within {', '.join(within)})" if within else ""
            raise ToolError("conflict", f"{site.text} {shown(value)} is already {owner}{group}")
        seen.add(bucket)


def _check_references(records: Records, record: Record, site: Site) -> None:
    target = records.layouts[site.column.references or ""].table
    for value in values_at(record, site.path):
        if value is not None and (
            not is_key_part(value) or records.record(target.name, (value,)) is None
        ):
            raise ToolError("invalid", f"{site.text}: there is no {target.noun} {shown(value)}")


def is_key_part(value: Json) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


@dataclass(frozen=True, slots=True)
class Deletion:
    """What goes, and what loses a reference (by the site and the key that is gone)."""

    gone: dict[Place, Record]
    cleared: dict[Place, list[tuple[Site, Json]]]


def plan_deletion(records: Records, table: str, key: Key, record: Record) -> Deletion:
    """Everything that deleting one record does. ToolError("conflict") if something forbids it."""
    gone: dict[Place, Record] = {(table, key): record}
    kept: list[tuple[Incoming, Place, Place]] = []
    queue = [(table, key)]
    while queue:
        place = queue.pop()
        for incoming, holder in _referrers(records, *place):
            if incoming.on_delete != "cascade":
                kept.append((incoming, holder, place))
            elif holder not in gone:
                found = records.record(*holder)
                assert found is not None
                gone[holder] = found
                queue.append(holder)
    cleared: dict[Place, list[tuple[Site, Json]]] = {}
    for incoming, holder, place in kept:
        if holder in gone:
            continue
        if incoming.on_delete == "restrict" or incoming.site is None:
            first = named(records.layouts[place[0]].table, place[1])
            other = named(records.layouts[holder[0]].table, holder[1])
            raise ToolError("conflict", f"{first} cannot be deleted: {other} depends on it")
        cleared.setdefault(holder, []).append((incoming.site, place[1][0]))
    return Deletion(gone, cleared)


def _referrers(records: Records, table: str, key: Key) -> Iterable[tuple[Incoming, Place]]:
    bucket = tuple(frozen(part) for part in key)
    for incoming in records.layouts[table].incoming:
        for holder in records.holders(incoming.table, incoming.path, incoming.within, bucket):
            yield incoming, (incoming.table, holder)


def without_reference(record: Record, site: Site, gone: Json) -> Record:
    """The record with null where `site` referred to `gone`; an item of an array is taken out."""
    column, *path = site.path
    return {**record, column or "": _without(record[column or ""], path, gone)}


def _without(value: Json, path: list[str | None], gone: Json) -> Json:
    if not path:
        return None if frozen(value) == frozen(gone) else value
    step, *rest = path
    if step is not None:
        if isinstance(value, dict) and step in value:
            return {**value, step: _without(value[step], rest, gone)}
        return value
    if isinstance(value, list):
        if rest:
            return [_without(item, rest, gone) for item in value]
        return [item for item in value if frozen(item) != frozen(gone)]
    if isinstance(value, dict):
        return {name: _without(item, rest, gone) for name, item in value.items()}
    return value
