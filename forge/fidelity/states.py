"""A reference's data as a state of an environment, and what became of it as an overlay.

Always holds: a state that is loaded is valid, or `load` says what does not fit and where. A table
that is absent from the reference has records only where others refer to it: one for each key, which
stand in for what the reference does not keep.
"""

import marshal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from forge.env.base import Base
from forge.env.identity import copied, same
from forge.env.keys import key_of, key_text
from forge.errors import UserError
from forge.fidelity.places import Found, Place, records_in
from forge.types.data import Json
from forge.types.environment import Environment
from forge.types.state import Column, Key, Overlay, Record, State, Table, TableOverlay


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a column's value comes from: a `field` of the record, by `name`; the `key` of a map on
    the way to it, the `at`-th; the `at`-th part of the key of its `parent`, in which it lies; or it
    is a key that is `made`, since the reference has none."""

    kind: Literal["field", "key", "parent", "made"]
    name: str = ""
    at: int = 0


@dataclass(frozen=True, slots=True)
class Home:
    """A table, the place of its records in the reference, and the origins of its columns."""

    table: str
    place: Place
    origins: Mapping[str, Origin]

    @property
    def fields(self) -> set[str]:
        return {each.name for each in self.origins.values() if each.kind == "field"}


@dataclass(frozen=True, slots=True)
class Loaded:
    """`failed`: mapped table -> why its records do not load just then: it is as if absent."""

    base: Base
    failed: Mapping[str, str]


def loosened(environment: Environment) -> Environment:
    """The environment with records that may lack what is no key, as the reference's often do: what
    its tools ask of arguments stays."""

    def loose(table: Table) -> Table:
        held = {*table.key, *(table.parent.columns if table.parent is not None else ())}
        columns = tuple(
            column
            if column.name in held
            else column.model_copy(update={"required": False, "nullable": True})
            for column in table.columns
        )
        return table.model_copy(update={"columns": columns})

    schema = environment.state_schema
    tables = tuple(loose(table) for table in schema.tables)
    return environment.model_copy(
        update={"state_schema": schema.model_copy(update={"tables": tables})}
    )


def load(
    environment: Environment,
    homes: Sequence[Home],
    data: Mapping[str, Json],
    actor: str | int | None,
) -> Loaded:
    """UserError if what stands in for what is absent does not load."""
    failed: dict[str, str] = {}
    while True:
        left = [home for home in homes if home.table not in failed]
        try:
            return Loaded(_load(environment, left, data, actor), failed)
        except UserError as error:
            table = error.where.split(" ")[0]
            if not any(home.table == table for home in left):
                raise
            failed[table] = str(error)
            inner = [home.table for home in left if _lies_in(environment, home, table)]
            failed |= dict.fromkeys(inner, f"its {table} do not load")


def _lies_in(environment: Environment, home: Home, table: str) -> bool:
    """Whether it takes keys from the records of another table that it lies in."""
    own = next(each for each in environment.state_schema.tables if each.name == home.table)
    within = any(origin.kind == "parent" for origin in home.origins.values())
    return within and own.parent is not None and own.parent.table == table


def _load(
    environment: Environment,
    homes: Sequence[Home],
    data: Mapping[str, Json],
    actor: str | int | None,
) -> Base:
    schema = environment.state_schema
    tables = {table.name: table for table in schema.tables}
    found = records_in(data, [home.place for home in homes])
    state: State = {table.name: {} for table in schema.tables}
    for home in homes:
        table, rows = tables[home.table], state[home.table]
        for number, each in enumerate(found.get(home.place, ()), 1):
            record = _record(table, home, each, homes, tables, number)
            try:
                key = key_text(key_of(table, record))
            except KeyError as error:
                raise UserError(f"a record without {error}", where=table.name) from None
            if key in rows:
                raise UserError("two records have this key", where=f"{table.name} {key}")
            rows[key] = record
    mapped = {home.table for home in homes}
    first = next(iter(environment.bases.values()))
    for table in schema.tables:
        if table.singleton and not state[table.name]:
            state[table.name] = {k: dict(copied(v)) for k, v in first.get(table.name, {}).items()}
    if actor is not None and schema.actors is not None and schema.actors not in mapped:
        _stand_in(state, tables[schema.actors], actor)
    for name in mapped:
        for record in list(state[name].values()):
            for target, key_value in _references(tables[name], record):
                if target not in mapped and not tables[target].singleton:
                    _stand_in(state, tables[target], key_value)
    return Base(schema, state)


def acting(data: Mapping[str, Json], actor: str | None) -> str | int | None:
    """Who the data, at that name, say acts; None if nobody."""
    found = data.get(actor) if actor is not None else None
    return found if isinstance(found, str | int) and found != "" else None


def parent_keys(home: Home, table: Table, found: Mapping[Place, Sequence[Found]]) -> list[Key]:
    """Of the records of a table that lies in no other."""
    keys = []
    for each in found.get(home.place, ()):
        record = _record(table, home, each, (), {})
        if all(name in record for name in table.key):
            keys.append(key_of(table, record))
    return keys


def _record(
    table: Table,
    home: Home,
    found: Found,
    homes: Sequence[Home],
    tables: Mapping[str, Table],
    number: int = 0,
) -> Record:
    """`number`: the key, where it is one that is made."""
    made: Record = {}
    for column in table.columns:
        origin = home.origins.get(column.name)
        match origin:
            case None:
                value = None
            case Origin("field", name):
                value = copied(found.record.get(name))
            case Origin("key", _, at):
                value = found.trail[at]
            case Origin("parent", _, at):
                value = _around(table, found, homes, tables)[at]
            case _:
                value = "/".join(map(str, found.path)) if column.type == "string" else number
        if value is not None or column.default is not None:
            made[column.name] = _typed(column, value)
    return made


def _around(table: Table, found: Found, homes: Sequence[Home], tables: Mapping[str, Table]) -> Key:
    """The key of the parent that the record lies in."""
    assert table.parent is not None
    name = table.parent.table
    home = next(each for each in homes if each.table == name)
    outer = found.around
    while outer is not None and outer.place != home.place:
        outer = outer.around
    assert outer is not None
    return key_of(tables[name], _record(tables[name], home, outer, homes, tables))


def _typed(column: Column, value: Json) -> Json:
    """Keys of maps are texts in JSON, whatever they are."""
    if column.type == "integer" and isinstance(value, str) and value.lstrip("-").isdigit():
        return int(value)
    return value


def _references(table: Table, record: Record) -> Iterator[tuple[str, Json]]:
    for column in table.columns:
        yield from _targets(column, record.get(column.name))
    parent = table.parent
    if parent is not None and len(parent.columns) == 1:
        yield parent.table, record.get(parent.columns[0])


def _targets(column: Column, value: Json) -> Iterator[tuple[str, Json]]:
    if value is None:
        return
    if column.references is not None:
        yield column.references, value
    if isinstance(value, list) and column.items is not None:
        for each in value:
            yield from _targets(column.items, each)
    if isinstance(value, dict):
        for inner in column.properties:
            yield from _targets(inner, value.get(inner.name))
        if column.values is not None:
            for each in value.values():
                yield from _targets(column.values, each)


def _stand_in(state: State, table: Table, key: Json) -> None:
    """A record with this key, and whatever it must have beside."""
    if len(table.key) != 1 or str(key) in state[table.name] or key is None:
        return
    record: Record = {}
    for column in table.columns:
        if column.name == table.key[0]:
            record[column.name] = key
        elif column.required and column.default is None and column.generated is None:
            record[column.name] = _something(column, key)
    state[table.name][str(key)] = record


def _something(column: Column, key: Json) -> Json:
    if column.enum:
        return column.enum[0]
    blank: Mapping[str, Json] = {"boolean": False, "array": [], "object": {}, "string": str(key)}
    return blank.get(column.type, column.minimum or 0)


def are_same(one: Json, other: Json) -> bool:
    """Whether two values are the same to the bit, in the same order. Fast, for what is large."""
    return marshal.dumps(one, 2) == marshal.dumps(other, 2)


def overlay_of(before: Base, after: Base, tables: Sequence[str]) -> Overlay:
    """What became of the records of these tables."""
    found: Overlay = {}
    for name in sorted(tables):
        old, new = before.records(name), after.records(name)
        made = {key_text(k): dict(copied(r)) for k, r in new.items() if k not in old}
        changed = {
            key_text(k): dict(copied(r))
            for k, r in new.items()
            if k in old and not are_same(r, old[k]) and not same(r, old[k])
        }
        deleted = tuple(sorted(key_text(k) for k in old if k not in new))
        if made or changed or deleted:
            found[name] = TableOverlay(
                made=dict(sorted(made.items())),
                changed=dict(sorted(changed.items())),
                deleted=deleted,
            )
    return found
