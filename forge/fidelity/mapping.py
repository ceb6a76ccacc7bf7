"""Which records of a reference are those of which table of an environment.

By names and shapes alone, the same for every reference. Always holds: a table is mapped with a
source for every column that it must have, or it is absent, with the reason; a place in the
reference is that of one table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from forge.authors.structural.words import one, split
from forge.fidelity.places import EACH, WHOLE, Found, Place, records_in
from forge.fidelity.states import Home, Origin, acting, load, parent_keys
from forge.types.data import Json
from forge.types.environment import Environment
from forge.types.state import Column, StateSchema, Table

ALIKE = 3
"""Fields that a place of another name must have in common with a table."""

Sample = Mapping[Place, Sequence[Found]]


@dataclass(frozen=True, slots=True)
class SchemaMapping:
    """`homes`: of the tables that are mapped, those of parents first; `absent`: table -> why it is
    not; `without`: table -> columns that nothing in the reference is like; `beside`: table ->
    fields of its records that no column is like; `actor`: where the reference's data say who acts,
    or None."""

    homes: tuple[Home, ...]
    absent: Mapping[str, str]
    without: Mapping[str, Sequence[str]]
    beside: Mapping[str, Sequence[str]]
    actor: str | None


def map_schema(environment: Environment, samples: Sequence[Mapping[str, Json]]) -> SchemaMapping:
    """`samples`: data of the reference, as many as show all kinds of its records. A table is not
    mapped if it does not load in half or more of those in which it has records."""
    schema = environment.state_schema
    seen = [records_in(sample) for sample in samples]
    actor = _actor(schema, samples)
    refused: dict[str, str] = {}
    while True:
        homes, absent = _homes(schema, seen, refused)
        bad = _unloaded(environment, homes, samples, seen, actor)
        if bad:
            refused |= bad
            continue
        return SchemaMapping(
            tuple(homes),
            absent,
            {home.table: _without(schema, home) for home in homes},
            {home.table: _beside(home, seen) for home in homes},
            actor,
        )


def _unloaded(
    environment: Environment,
    homes: Sequence[Home],
    samples: Sequence[Mapping[str, Json]],
    seen: Sequence[Sample],
    actor: str | None,
) -> dict[str, str]:
    """Tables that mostly do not load, and why in the first of these samples."""
    failed: dict[str, list[str]] = {}
    for sample in samples:
        for table, why in load(environment, homes, sample, acting(sample, actor)).failed.items():
            failed.setdefault(table, []).append(why)
    held = {home.table: sum(bool(sample.get(home.place)) for sample in seen) for home in homes}
    return {
        table: f"its records do not load in {len(why)} of {held[table]} samples: {why[0]}"
        for table, why in failed.items()
        if 2 * len(why) >= held[table]
    }


def _homes(
    schema: StateSchema, seen: Sequence[Sample], refused: Mapping[str, str]
) -> tuple[list[Home], dict[str, str]]:
    """Best first: names that are nearest, then most columns."""
    tables = {table.name: table for table in schema.tables}
    places = list(dict.fromkeys(place for sample in seen for place in sample))
    homes: list[Home] = []
    absent = dict(refused)
    while True:
        settled = {home.table for home in homes} | absent.keys()
        ready = [
            table
            for table in schema.tables
            if table.name not in settled
            and (table.parent is None or table.parent.table in {*settled, table.name})
        ]
        free = [place for place in places if place not in {home.place for home in homes}]
        tried = [
            (_nearness(table, place), _home(table, place, seen, homes, tables))
            for table in ready
            for place in free
            if (place == WHOLE) is table.singleton
        ]
        good = [(near, home) for near, home in tried if isinstance(home, Home) and _is(near, home)]
        if good:
            homes.append(max(good, key=_likeness)[1])
            continue
        if not ready:
            return homes, absent
        for table in ready:
            absent[table.name] = _why(table, places, seen, homes, tables)


def _likeness(found: tuple[int | None, Home]) -> tuple[bool, int, int]:
    near, home = found
    return (near is not None, near or 0, len(home.fields))


def _is(near: int | None, home: Home) -> bool:
    """Whether so much is alike that it is not by chance."""
    return bool(home.fields) if near is not None else len(home.fields) >= ALIKE


def _nearness(table: Table, place: Place) -> int | None:
    """0 for the same name, less for each word that only one has; None: no word in common. The whole
    has no name, and is near enough to what there is one of."""
    if place == WHOLE:
        return 0 if table.singleton else None
    names = [step for step in place if step != EACH]
    ours = set(one(split(table.name)))
    theirs = set(one(split(names[-1])))
    return None if ours.isdisjoint(theirs) else -len(ours ^ theirs)


def _why(
    table: Table,
    places: Sequence[Place],
    seen: Sequence[Sample],
    homes: Sequence[Home],
    tables: Mapping[str, Table],
) -> str:
    named = [(near, place) for place in places if (near := _nearness(table, place)) is not None]
    if not named:
        return "nothing in the reference's data has its name or columns"
    _, place = max(named, key=lambda each: each[0])
    taken = next((home.table for home in homes if home.place == place), None)
    if taken is not None:
        return f"{written(place)} are the records of {taken}"
    found = _home(table, place, seen, homes, tables)
    return f"{written(place)}: {found if isinstance(found, str) else 'no column in common'}"


def written(place: Place) -> str:
    """`orders[].items[]`"""
    if place == WHOLE:
        return "the whole"
    return ".".join(place).replace(f".{EACH}", "[]")


def _home(
    table: Table,
    place: Place,
    seen: Sequence[Sample],
    homes: Sequence[Home],
    tables: Mapping[str, Table],
) -> Home | str:
    """Or why it is none."""
    found = [each for sample in seen for each in sample.get(place, ())]
    fields = list(dict.fromkeys(name for each in found for name in each.record))
    above = _above(table, place, seen, homes, tables)
    origins: dict[str, Origin] = {}
    for column in table.columns:
        origin = above.get(column.name) or _origin(table, column, place, fields, found)
        if origin is not None:
            origins[column.name] = origin
        elif column.required and column.default is None and column.generated is None:
            return f"it has nothing like {column.name}"
    for name in table.key:
        column = next(each for each in table.columns if each.name == name)
        if name not in origins and (column.generated is None or table.parent is None):
            return f"it has nothing like {name}, the key"
        origins.setdefault(name, Origin("made"))
    return Home(table.name, place, origins)


def _origin(
    table: Table, column: Column, place: Place, fields: Iterable[str], found: Sequence[Found]
) -> Origin | None:
    wanted = _plain(column.name)
    short = wanted.removeprefix(_plain(table.noun)) or wanted
    for ways in ([wanted], [short] if column.name in table.key else [], _longer(table, column)):
        for name in fields:
            if _plain(name) in ways:
                return Origin("field", name)
    by_key = place[-1:] == (EACH,) and all(isinstance(each.path[-1], str) for each in found)
    if table.key == (column.name,) and by_key:
        return Origin("key", at=len(found[0].trail) - 1)
    return None


def _longer(table: Table, column: Column) -> list[str]:
    """`ticket_id` for the key `id` of tickets."""
    return [_plain(table.noun + column.name)] if column.name in table.key else []


def _plain(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def _above(
    table: Table,
    place: Place,
    seen: Sequence[Sample],
    homes: Sequence[Home],
    tables: Mapping[str, Table],
) -> dict[str, Origin]:
    """The columns that hold the key of a parent: of the record that it lies in, or a key of a map
    on the way, if there is a parent of most such keys."""
    parent = table.parent
    home = next((each for each in homes if parent and each.table == parent.table), None)
    if parent is None or home is None:
        return {}
    if len(home.place) < len(place) and place[: len(home.place)] == home.place:
        return {name: Origin("parent", at=at) for at, name in enumerate(parent.columns)}
    if len(parent.columns) > 1:
        return {}
    for at in range(place.count(EACH)):
        fits = [
            str(each.trail[at]) in keys
            for sample in seen
            for keys in [{str(key[0]) for key in parent_keys(home, tables[home.table], sample)}]
            for each in sample.get(place, ())
        ]
        if 2 * sum(fits) > len(fits):
            return {parent.columns[0]: Origin("key", at=at)}
    return {}


def _without(schema: StateSchema, home: Home) -> list[str]:
    table = next(each for each in schema.tables if each.name == home.table)
    return [each.name for each in table.columns if each.name not in home.origins]


def _beside(home: Home, seen: Sequence[Sample]) -> list[str]:
    fields = dict.fromkeys(
        name for sample in seen for each in sample.get(home.place, ()) for name in each.record
    )
    return [name for name in fields if name not in home.fields]


def _actor(schema: StateSchema, samples: Sequence[Mapping[str, Json]]) -> str | None:
    """The name of a text or number beside the tables that is named like the key of those who act,
    or like one of them."""
    table = next((each for each in schema.tables if each.name == schema.actors), None)
    if table is None:
        return None
    names = dict.fromkeys(
        name
        for sample in samples
        for name, value in sample.items()
        if isinstance(value, str | int) and not isinstance(value, bool)
    )
    for name in names:
        if _plain(name) in (_plain(table.key[0]), _plain(table.noun + table.key[0])):
            return name
    noun = one(split(table.noun))[-1]
    return next((name for name in names if split(name)[-1] == noun), None)
