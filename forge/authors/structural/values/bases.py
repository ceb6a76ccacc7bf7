"""Whole base states: referentially complete, unevenly filled, with look-alikes, ids by hash.

First every table's keys are allocated, then the other columns are filled, so that references can
point anywhere. The order of the records that was used is not to be seen in ids or in any value.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from mimesis import Generic, Locale

from forge.authors.structural.values.alike import close_to, dealt, label_among
from forge.authors.structural.values.dates import moment_in, twin_of
from forge.authors.structural.values.fit import in_order, left_null, make, may_have
from forge.authors.structural.values.kinship import kin_of
from forge.authors.structural.values.life import life_in
from forge.authors.structural.values.links import Links, linked
from forge.authors.structural.values.meaning import meaning
from forge.authors.structural.values.phrases import phrase, thing_of
from forge.authors.structural.values.scene import Scene, slug_of
from forge.authors.structural.values.texts import told_values
from forge.authors.structural.words import split
from forge.env.completion import derived
from forge.env.keys import key_text
from forge.types.data import Json
from forge.types.state import Column, Key, Record, State, StateSchema, Table

_MOST_CHILDREN = 90
"""Records of a child table, roughly."""
_NAMESAKES = 0.3
"""How often a name under one owner is that of a record of another: the name alone picks none."""
_ORDERED = ("price", "number", "weight", "length", "date", "date-time", "epoch")
"""Meanings by which people choose (the cheapest, the latest): mostly distinct values."""


def make_base(schema: StateSchema, *, seed: int, now: str) -> State:
    """A state for the schema; `now` is the clock's start, "2026-03-02T09:00:00Z"."""
    clock = moment_in(now)
    assert clock is not None
    maker = _Maker(schema, seed, clock)
    for table in _by_dependency(schema, keys_only=True):
        maker.allocate(table)
    for table in _by_dependency(schema):
        maker.fill(table)
    return {
        table.name: {
            key_text(tuple(row[name] for name in table.key)): {
                c.name: row[c.name] for c in table.columns if c.name in row
            }
            for row in sorted(maker.rows[table.name], key=lambda row: _text_key(table, row))
        }
        for table in schema.tables
    }


def _with_fewer_words(table: Table, seed: int) -> Table:
    """Without a part of the words for its label, in each base another: what records are called
    elsewhere can be wished for here."""

    def fewer(column: Column) -> Column:
        if column.name != table.label or not column.words:
            return column
        kept = _dice(seed, table.name, column.name, "words").sample(
            column.words, _room(column.words)
        )
        return column.model_copy(update={"words": tuple(kept)})

    if not any(column.words for column in table.columns):
        return table
    return table.model_copy(update={"columns": tuple(map(fewer, table.columns))})


def _room(words: Sequence[str]) -> int:
    """How many of so many words for a label are in one base."""
    return max(1, len(words) * 4 // 5)


def _text_key(table: Table, row: Record) -> str:
    return key_text(tuple(row[name] for name in table.key))


def _by_dependency(schema: StateSchema, *, keys_only: bool = False) -> list[Table]:
    """Tables after those that they belong to or refer to; cycles are cut where they are met. For
    the keys only what is part of a key counts, so that no reference back cuts a parent off."""
    tables = {table.name: table for table in schema.tables}
    done: dict[str, Table] = {}
    open_: set[str] = set()

    def visit(table: Table) -> None:
        if table.name in done or table.name in open_:
            return
        open_.add(table.name)
        for target in _needed(table, keys_only=keys_only):
            visit(tables[target])
        open_.discard(table.name)
        done[table.name] = table

    for table in schema.tables:
        visit(table)
    return list(done.values())


def _needed(table: Table, *, keys_only: bool) -> Iterator[str]:
    if table.parent is not None:
        yield table.parent.table
    by_need = sorted(table.columns, key=lambda c: (c.name not in table.key, not c.required))
    for column in by_need:
        if keys_only and column.name not in table.key:
            continue
        if column.references is not None:
            yield column.references
        yield from column.among


def _dice(seed: int, *names: object) -> Random:
    return Random("/".join(map(str, (seed, *names))))


@dataclass
class _Maker:
    schema: StateSchema
    seed: int
    now: datetime
    rows: dict[str, list[Record]] = field(default_factory=dict)
    filled: set[str] = field(default_factory=set)
    by_key: dict[str, dict[Json, Record]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tables = {table.name: table for table in self.schema.tables}
        self.links = Links(self.schema, self.rows)

    # ---------------------------------------------------------------- keys

    def allocate(self, table: Table) -> None:
        rng = _dice(self.seed, table.name, "keys")
        rows: list[Record] = []
        seen: set[Key] = set()
        for start in self._starts(table, rng):
            for _ in range(30):
                row = self._keyed(table, start, rows, rng)
                key = tuple(row[name] for name in table.key if name in row)
                if len(key) == len(table.key) and None not in key and key not in seen:
                    seen.add(key)
                    rows.append(row)
                    break
        self.rows[table.name] = rows

    def _starts(self, table: Table, rng: Random) -> list[Record]:
        """What each record starts with: its parent's key, where it has a parent."""
        if table.singleton:
            return [{}]
        parent = table.parent
        if parent is not None and parent.table != table.name and self.rows.get(parent.table):
            owner = self.tables[parent.table]
            owners = list(
                self.rows[parent.table] if parent.each else linked(self.rows[parent.table])
            )
            rng.shuffle(owners)
            starts: list[Record] = []
            if set(table.key) <= set(parent.columns):
                few = owners if parent.each else owners[: max(1, 2 * len(owners) // 3)]
                held = [[row[name] for name in owner.key] for row in few]
                return [dict(zip(parent.columns, key, strict=True)) for key in held]
            for n, row in enumerate(owners):
                if len(starts) >= _MOST_CHILDREN:
                    break
                wanted = 4 + rng.randint(0, 2) if n == 0 else rng.choice((2, 2, 3, 3, 4, 5, 6))
                start = dict(zip(parent.columns, (row[name] for name in owner.key), strict=True))
                starts += [dict(start) for _ in range(wanted)]
            rng.shuffle(starts)
            return starts
        return [{} for _ in range(self._size(table, rng))]

    def _size(self, table: Table, rng: Random) -> int:
        """12 to 40; the more, the more other tables and choices there are to serve."""
        largest = max((len(c.enum) for c in table.columns if c.enum is not None), default=0)
        refers = sum(c.references is not None for c in table.columns)
        thing = thing_of(table.noun)
        if thing is not None and thing is thing_of("type"):
            return rng.randint(12, 16)
        if table.label is None and refers:
            return rng.randint(26, 38)
        usual = max(rng.randint(16, 24) + 2 * min(6, refers), min(3 * largest, 28))
        if thing is not None and table.label is not None and not thing.repeats:
            names = {phrase(rng, thing.names) for _ in range(300)}
            usual = min(usual, max(12, len(names) * 4 // 5))
        words = next((c.words for c in table.columns if c.name == table.label), ())
        if words:
            usual = min(usual, max(12, _room(words)))
        return min(40, usual)

    def _keyed(self, table: Table, start: Record, rows: Sequence[Record], rng: Random) -> Record:
        columns = {column.name: column for column in table.columns}
        row = dict(start)
        for name in table.key:
            if name in row:
                continue
            column = columns[name]
            if column.references is not None:
                value = self.links.choose(table, column, row, rng)
            elif column.among:
                value = self._one_of(column, rng)
            elif column.generated == "counter":
                value = _next_number(column, row, rows)
            else:
                value = self._own_key(table, column, row, rows, rng)
            row[name] = value
        return row

    def _one_of(self, column: Column, rng: Random) -> Json:
        """A key of one of several tables, the first ones more often than the others."""
        names = [name for name in column.among if linked(self.rows.get(name, []))]
        if not names:
            return None
        name = names[int(len(names) * rng.random() ** 1.5)]
        rows = linked(self.rows[name])
        return rows[int(len(rows) * rng.random() ** 2)][self.tables[name].key[0]]

    def _own_key(
        self, table: Table, column: Column, row: Record, rows: Sequence[Record], rng: Random
    ) -> Json:
        home = [name for name in table.key if name in row and name != column.name]
        beside = [r for r in rows if column.name in r and all(r.get(n) == row[n] for n in home)]
        if home and column.spoken and rng.random() < _NAMESAKES:
            held = [r[column.name] for r in beside]
            others = [r[column.name] for r in rows if r.get(column.name) not in [None, *held]]
            if others:
                return rng.choice(others)
        thing = thing_of(table.noun)
        among = beside if home and thing is not None and thing.repeats else rows
        taken = [r[column.name] for r in among if column.name in r]
        natural = (
            column.spoken
            or column.enum is not None
            or column.generated == "token"
            or (
                column.generated is None
                and not table.singleton
                and column.type == "string"
                and meaning(column, table.noun) not in ("hash", "uuid")
            )
        )
        if natural:
            scene = Scene(rng, table.noun, row, self.now)
            value = make(column, scene, lambda *_: None, taken)
            named = meaning(column, table.noun) in ("thing", "field") and not column.spoken
            return _addressed(value, taken) if named and isinstance(value, str) else value
        for tried in range(100):
            value = hashed_key(column, f"{self.seed}/{table.name}/{len(rows)}/{tried}")
            if value not in taken:
                return value
        return None

    # -------------------------------------------------------------- values

    def fill(self, table: Table) -> None:
        table = _with_fewer_words(table, self.seed)
        rng = _dice(self.seed, table.name, "values")
        source = Generic(Locale.EN, seed=rng.getrandbits(32))
        given: dict[str, list[Json]] = {column.name: [] for column in table.columns}
        decks: dict[str, list[Json]] = {}
        for place, row in enumerate(self.rows[table.name]):
            scene = Scene(
                rng,
                table.noun,
                row,
                self.now,
                columns=table.columns,
                source=source,
                look=self._look,
            )
            for column in self._order(table):
                if column.name in row:
                    given[column.name].append(row[column.name])
                    continue
                value = self._value(
                    table, column, scene, given=given[column.name], decks=decks, place=place
                )
                if value is not None or (column.required and column.nullable):
                    row[column.name] = value
                    given[column.name].append(value)
            for column in table.columns:
                if column.generated == "derived":
                    row[column.name] = derived(column.template or "", row)
        self.filled.add(table.name)

    def _look(self, column: Column, key: Json) -> Record:
        """The record that a column refers to, as far as it is made."""
        table = self.tables[column.references or ""]
        if table.name not in self.by_key:
            self.by_key[table.name] = {row[table.key[0]]: row for row in self.rows[table.name]}
        return self.by_key[table.name].get(key, {})

    def _order(self, table: Table) -> list[Column]:
        """References first, but who did something after whether it was done."""
        refers = [c for c in table.columns if c.references is not None]
        refers.sort(key=lambda c: self.tables[c.references or ""].parent is not None)
        doers = [c for c in refers if split(c.name)[-1:] == ("by",)]
        others = [c for c in table.columns if c.references is None and c.generated != "derived"]
        return [*(c for c in refers if c not in doers), *in_order(others, table.noun), *doers]

    def _value(
        self,
        table: Table,
        column: Column,
        scene: Scene,
        *,
        given: list[Json],
        decks: dict[str, list[Json]],
        place: int,
    ) -> Json:
        row = self.rows[table.name][place]
        rng = scene.rng
        if column.references == table.name:
            return self._elder(table, column, place, rng)
        children = self.links.children(table, column, row)
        if children is not None:
            return children
        label = column.name == table.label
        if column.generated is None and not label and left_null(column, scene):
            return None
        if column.default == [] and not may_have(column, scene):
            return []
        if column.generated == "counter":
            return _next_number(column, row, self.rows[table.name][:place])
        if column.generated == "id":
            return hashed_key(column, f"{self.seed}/{table.name}/{column.name}/{place}")
        if column.enum is not None and not column.unique:
            return dealt(column, column.enum, decks, rng)

        def refer(target: Column, inner: Scene) -> Json:
            near = {**row, **inner.near} if inner is not scene else row
            found = self.links.choose(table, target, near, rng, below=(table.name, place))
            own = found is None and target.references == table.name
            return row[table.key[0]] if own else found

        ordered = meaning(column, table.noun) in _ORDERED and not twin_of(column.name, row)
        if life_in(table.columns, row) == "now":
            ordered = False  # there are too few days on which it can have begun
        distinct = label or column.unique or ordered
        taken = given if distinct and column.type != "boolean" else []
        thing = thing_of(table.noun)
        repeats = bool(column.words) and table.parent is not None
        if label and not column.unique and (repeats or (thing is not None and thing.repeats)):
            home = table.parent.columns if table.parent is not None else ()
            taken = [
                other[column.name]
                for other in self.rows[table.name][:place]
                if home and column.name in other and all(other[c] == row[c] for c in home)
            ]
        if label:
            return label_among(column, scene, taken)
        if column.unique and column.references is not None:
            return self.links.choose(table, column, row, rng, taken=taken)
        priced = meaning(column, table.noun) == "price" and not kin_of(table.noun)
        if taken and priced and rng.random() < 0.15:
            close = close_to(column, rng.choice(taken), rng)
            if close is not None and close not in taken:
                return close
        value = make(column, scene, refer, taken)
        told = told_values(column) if column.type == "string" and not column.unique else ()
        return dealt(column, told, decks, rng) if value in told else value

    def _elder(self, table: Table, column: Column, place: int, rng: Random) -> Json:
        """A record of the same table that came before, so that chains end; often none."""
        rows = self.rows[table.name]
        needed = column.required and not column.nullable
        if place == 0 or (not needed and rng.random() < 0.55):
            return rows[place][table.key[0]] if needed else None
        return self.links.choose(table, column, rows[place], rng, below=(table.name, place))


def _addressed(name: str, taken: Sequence[Json]) -> str:
    """A name as it stands in an address, where it is a key that people do not read out."""
    slug = name if " " not in name else slug_of(name)
    return name if slug in taken else slug


def _next_number(column: Column, row: Record, rows: Sequence[Record]) -> int:
    """One more than the highest in the row's group, from the column's minimum on."""
    first = 1 if column.minimum is None else max(1, int(column.minimum))
    group = [other for other in rows if all(other.get(w) == row.get(w) for w in column.within)]
    return max((other[column.name] + 1 for other in group if column.name in other), default=first)


def hashed_key(column: Column, text: str) -> str | int:
    """An id that tells nothing: of the column's type, prefix, format and examples' shape."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    if column.type == "integer":
        low = int(column.minimum) if column.minimum is not None else 0
        high = int(column.maximum) if column.maximum is not None else 999_999
        first = max(low, min(1000, high))
        return first + int(digest, 16) % max(1, high - first + 1)
    if column.format == "uuid":
        return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-a{digest[17:20]}-{digest[20:32]}"
    example = next((e for e in column.examples if isinstance(e, str) and e.isdigit()), "")
    if example:
        length = max(6, min(16, len(example)))
        return str(10 ** (length - 1) + int(digest, 16) % (9 * 10 ** (length - 1)))
    room = 8 if column.max_length is None else max(1, column.max_length - len(column.prefix))
    wanted = max(min(8, room), min(room, (column.min_length or 0) - len(column.prefix)))
    return f"{column.prefix}{digest[:wanted]}"
