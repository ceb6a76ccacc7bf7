"""What holds of the store whatever is called in whatever order.

A plain model runs beside it: whole states in dicts, every rule looked up the slow way
(`tests/stores.py`), so that the store must refuse exactly what would break the schema.
"""

import copy
import json
import math
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forge.env.base import Base
from forge.env.keys import key_text, parse_key
from forge.env.store import Store
from forge.errors import ToolError, UserError
from forge.types.data import Json
from forge.types.state import (
    Column,
    Key,
    Parent,
    Record,
    State,
    StateSchema,
    Table,
    TableOverlay,
)
from tests.stores import NOW, SCHEMA, canonical, open_store, problems

TABLES = {table.name: table for table in SCHEMA.tables}
NAN = float("nan")


@dataclass(frozen=True)
class Do:
    """One call: `verb` on `table`, with key parts and fields."""

    verb: str
    table: str
    key: tuple[Json, ...] = ()
    fields: tuple[tuple[str, Json], ...] = ()

    def on(self, store: Store) -> Record:
        fields = copy.deepcopy(dict(self.fields))
        if self.verb == "save":
            return store.save(self.table, {**store.get(self.table, *self.key), **fields})
        call: Callable[..., Record] = getattr(store, self.verb)
        return call(self.table, *self.key, **fields)


LOGINS = st.sampled_from(["ada", "bo", "cy", "di", "ed", "", "a/b", None, 1])
PROJECT_IDS = st.sampled_from(["prj_1", "prj_2", "prj_3", None])
NOTE_IDS = st.sampled_from([11, 12, 13, 14, "11", None])
NUMBERS = st.sampled_from([1, 2, 3, 7, 8])
TEXTS = st.sampled_from(["Plan", "Build", "Auro", "", "日本", "\ud800", None, 3, "x" * 41])
DATES = st.sampled_from(["2026-03-13", "2026-3-1", "2026-02-30", "soon", None, 5])
ODD = st.sampled_from([None, True, 0, 1, 12.0, 2.5, NAN, 10**30, "1", [], [1, [2.0]], {"a": None}])
STEPS = st.lists(
    st.fixed_dictionaries(
        {"text": TEXTS},
        optional={
            "id": st.sampled_from(["s1", "s2", "s3"]),
            "no": st.sampled_from([1, 5, True]),
            "by": LOGINS,
            "at": DATES,
            "bad": ODD,
        },
    ),
    max_size=2,
)
FIELDS: dict[str, dict[str, st.SearchStrategy[Json]]] = {
    "users": {"name": TEXTS, "email": TEXTS, "role": TEXTS, "manager": LOGINS, "nick": TEXTS},
    "projects": {"name": TEXTS, "owner": LOGINS, "links": st.sampled_from([None, {}, {"self": 1}])},
    "tasks": {
        "title": TEXTS,
        "done": ODD,
        "assignee": LOGINS,
        "due": DATES,
        "hours": ODD,
        "points": ODD,
        "watchers": st.lists(LOGINS, max_size=5),
        "steps": STEPS,
        "reviews": st.dictionaries(st.sampled_from(["a", "b"]), LOGINS),
        "extra": ODD,
    },
    "notes": {"text": TEXTS, "author": LOGINS, "reply_to": NOTE_IDS, "project": PROJECT_IDS},
    "settings": {"limit": ODD, "$lead": LOGINS},
}
KEYS: dict[str, tuple[st.SearchStrategy[Json], ...]] = {
    "users": (LOGINS,),
    "projects": (PROJECT_IDS,),
    "tasks": (PROJECT_IDS, NUMBERS),
    "notes": (NOTE_IDS,),
    "settings": (),
}


@st.composite
def calls(draw: st.DrawFn) -> Do:
    table = draw(st.sampled_from(sorted(TABLES)))
    single = TABLES[table].singleton
    verb = draw(st.sampled_from(["update", "save"] + ([] if single else ["insert", "delete"])))
    key = draw(st.tuples(*KEYS[table]))
    if verb == "delete":
        return Do(verb, table, key)
    names = draw(st.sets(st.sampled_from(sorted(FIELDS[table])), max_size=3))
    fields = {name: draw(FIELDS[table][name]) for name in sorted(names)}
    if verb == "insert":
        for name, part in zip(TABLES[table].key, key, strict=True):
            if part is not None and draw(st.booleans()):
                fields[name] = part
        for column in TABLES[table].columns:
            if column.required and column.name not in fields and draw(st.integers(0, 9)):
                pool = FIELDS[table].get(column.name, PROJECT_IDS)
                fields[column.name] = draw(LOGINS if column.name == "login" else pool)
        key = ()
    return Do(verb, table, key, tuple(fields.items()))


SEQUENCES = st.lists(calls(), max_size=12)


def attempt(store: Store, do: Do) -> Record | None:
    """The call's record, or None where it was refused."""
    try:
        return do.on(store)
    except ToolError:
        return None


# ------------------------------------------------------------------ the plain model


def deleted(schema: StateSchema, state: State, table: str, text: str) -> State | None:
    """The state without the record and what goes with it, or None if something restricts it."""
    tables = {one.name: one for one in schema.tables}
    gone = {(table, text)}
    while True:
        more = {
            (name, other)
            for name, other in _places(state)
            for how, target in _bonds(tables[name], state[name][other])
            if how == "cascade" and target in gone
        }
        if more <= gone:
            break
        gone |= more
    left: State = {
        name: {text: copy.deepcopy(r) for text, r in rows.items() if (name, text) not in gone}
        for name, rows in state.items()
    }
    for name, other in _places(left):
        if any(
            how == "restrict" and to in gone for how, to in _bonds(tables[name], left[name][other])
        ):
            return None
        top = Column(type="object", properties=tables[name].columns)
        left[name][other] = _cleared(top, left[name][other], gone)
    return left


def _places(state: State) -> list[tuple[str, str]]:
    return [(name, text) for name, rows in state.items() for text in rows]


def _bonds(table: Table, record: Record) -> list[tuple[str, tuple[str, str]]]:
    found = _references(Column(type="object", properties=table.columns), record)
    if table.parent is not None:
        parent: Key = tuple(record[name] for name in table.parent.columns)
        if None not in parent:
            found.append((table.parent.on_delete, (table.parent.table, key_text(parent))))
    return found


def _references(column: Column, value: Json) -> list[tuple[str, tuple[str, str]]]:
    found = []
    if column.references is not None and value is not None:
        found.append((column.on_delete, (column.references, str(value))))
    if isinstance(value, dict):
        known = {inner.name: inner for inner in column.properties}
        for name, item in value.items():
            inner = known.get(name, column.values)
            found += _references(inner, item) if inner is not None else []
    if isinstance(value, list) and column.items is not None:
        for item in value:
            found += _references(column.items, item)
    return found


def _cleared(column: Column, value: Json, gone: set[tuple[str, str]]) -> Json:
    if column.on_delete == "clear" and (column.references, str(value)) in gone:
        return None
    if isinstance(value, dict):
        known = {inner.name: inner for inner in column.properties}
        return {
            name: _cleared(known.get(name) or column.values or Column(), item, gone)
            for name, item in value.items()
        }
    if isinstance(value, list) and column.items is not None:
        items = [(item, _cleared(column.items, item, gone)) for item in value]
        return [after for before, after in items if after is not None or before is None]
    return value


def difference(before: State, after: State, again: set[tuple[str, str]]) -> dict[str, TableOverlay]:
    overlay = {}
    for name in sorted(before):
        old, new = before[name], after[name]
        both = {text for text in new if text in old and (name, text) in again}
        rows = TableOverlay(
            made={t: r for t, r in sorted(new.items()) if t not in old or t in both},
            changed={
                t: r
                for t, r in sorted(new.items())
                if t in old and t not in both and canonical(r) != canonical(old[t])
            },
            deleted=tuple(sorted(t for t in old if t not in new or t in both)),
        )
        if rows != TableOverlay():
            overlay[name] = rows
    return overlay


# ------------------------------------------------------------------ the properties


@settings(max_examples=120, deadline=None)
@given(SEQUENCES)
def test_no_sequence_of_calls_reaches_a_state_the_schema_forbids(sequence):
    store = open_store()
    for do in sequence:
        before = canonical(store.state()), store.now()
        if attempt(store, do) is None:
            assert (canonical(store.state()), store.now()) == before
        else:
            assert problems(SCHEMA, store.state()) == []
            assert store.now() > before[1]


@settings(max_examples=120, deadline=None)
@given(SEQUENCES)
def test_the_store_is_a_plain_dict_seen_from_outside(sequence):
    store = open_store()
    start = model = store.state()
    again: set[tuple[str, str]] = set()
    for do in sequence:
        made = attempt(store, do)
        if do.verb == "delete":
            text = key_text(do.key)
            there = parsed(do) is not None and text in model[do.table]
            after = deleted(SCHEMA, model, do.table, text) if there else None
            assert (made is None) == (after is None)
            model = after if after is not None else model
        elif made is not None:
            text = key_text(tuple(made[name] for name in TABLES[do.table].key))
            if do.verb == "insert":
                assert text not in model[do.table]
                again |= {(do.table, text)} if text in start[do.table] else set()
            else:
                for name in set(made) - {n for n, _ in do.fields}:
                    if name not in ("updated_at", "title", "links", "steps"):
                        assert canonical(made[name]) == canonical(model[do.table][text][name])
            model = {**model, do.table: {**model[do.table], text: made}}
        assert canonical(store.state()) == canonical(model)
    assert store.overlay() == difference(start, model, again)


def parsed(do: Do) -> Key | None:
    try:
        key = parse_key(TABLES[do.table], key_text(do.key))
    except ValueError:
        return None
    return key if key == do.key else None


@settings(max_examples=120, deadline=None)
@given(SEQUENCES, st.sampled_from(["users", "projects", "tasks", "notes"]), st.data())
def test_a_change_is_refused_only_if_it_would_break_the_schema(sequence, table, data):
    store = open_store()
    for do in sequence:
        attempt(store, do)
    state = store.state()
    if not state[table]:
        return
    text = data.draw(st.sampled_from(sorted(state[table])))
    name = data.draw(st.sampled_from(sorted(set(FIELDS[table]) - {"links", "steps", "title"})))
    value = data.draw(FIELDS[table][name])
    key = parse_key(TABLES[table], text)
    refused = attempt(store, Do("update", table, key, ((name, value),))) is None
    wanted = copy.deepcopy(state)
    wanted[table][text][name] = value
    if value is None and name == "nick":
        del wanted[table][text][name]
    if isinstance(value, float) and value == 12:
        wanted[table][text][name] = 12
    if value == "2026-3-1":
        wanted[table][text][name] = "2026-03-01"
    if table == "projects" and name == "name":
        wanted[table][text]["title"] = f"{value} ({text})"
    assert refused == bool(_forbidden(wanted))


def _forbidden(state: State) -> list[str]:
    try:
        found = problems(SCHEMA, state)
        canonical(state).encode()
        for record in (r for rows in state.values() for r in rows.values()):
            for value in record.values():
                str(value).encode()
                if isinstance(value, int) and abs(value) >= 2**63:
                    found.append("too large")
    except ValueError as error:
        return [str(error)]
    return found


@settings(max_examples=80, deadline=None)
@given(SEQUENCES, SEQUENCES)
def test_a_failure_at_any_call_of_a_transaction_leaves_no_trace(before, calls_made):
    store = open_store(seed=3)
    for do in before:
        attempt(store, do)
    state, overlay, now = canonical(store.state()), store.overlay(), store.now()
    untouched = store.fork()
    for at in range(len(calls_made) + 1):
        with pytest.raises(ZeroDivisionError), store.transaction():
            for do in calls_made[:at]:
                attempt(store, do)
            raise ZeroDivisionError
        assert (canonical(store.state()), store.overlay(), store.now()) == (state, overlay, now)
    results = [attempt(store, do) for do in calls_made]
    assert canonical(results) == canonical([attempt(untouched, do) for do in calls_made])
    assert store.overlay() == untouched.overlay()


@settings(max_examples=60, deadline=None)
def outcome(store: Store, do: Do) -> Json:
    """What the call returns or how it is refused, and what it leaves."""
    try:
        result: Json = do.on(store)
    except ToolError as error:
        result = str(error)
    overlay = {table: rows.model_dump() for table, rows in store.overlay().items()}
    return canon([result, overlay, store.now()])


@settings(max_examples=200, deadline=None)
@given(SEQUENCES, st.data())
def test_updating_some_columns_equals_saving_the_record_with_them(sequence, data):
    store = open_store()
    for do in sequence:
        attempt(store, do)
    table = data.draw(st.sampled_from(sorted(TABLES)))
    text = data.draw(st.sampled_from(sorted(store.state()[table]) or [None]))
    if text is None:
        return
    key = parse_key(TABLES[table], text)
    names = data.draw(st.sets(st.sampled_from(sorted(FIELDS[table])), max_size=3))
    fields = tuple((name, data.draw(FIELDS[table][name])) for name in sorted(names))
    one, other = store.fork(), store.fork()
    assert outcome(one, Do("update", table, key, fields)) == outcome(
        other, Do("save", table, key, fields)
    )


@given(SEQUENCES, SEQUENCES, SEQUENCES)
def test_forks_know_nothing_of_each_other(before, left, right):
    store = open_store()
    for do in before:
        attempt(store, do)
    fork = store.fork()
    for one, other in zip(left + [None] * len(right), right + [None] * len(left), strict=True):
        for which, do in ((store, one), (fork, other)):
            if do is not None:
                attempt(which, do)
    for which, others in ((store, left), (fork, right)):
        alone = open_store()
        for do in [*before, *others]:
            attempt(alone, do)
        assert canonical(alone.state()) == canonical(which.state())
        assert (alone.overlay(), alone.now()) == (which.overlay(), which.now())


@settings(max_examples=60, deadline=None)
@given(SEQUENCES)
def test_an_overlay_laid_on_a_fresh_store_gives_the_same_state(sequence):
    store = open_store()
    for do in sequence:
        attempt(store, do)
    again, started = open_store(), open_store(setup=store.overlay())
    again.apply(store.overlay())
    assert again.overlay() == store.overlay()
    assert canonical(again.state()) == canonical(store.state()) == canonical(started.state())
    assert started.overlay() == {}
    for author in list(again.state()["users"])[:1]:
        again.insert("notes", text="still works", author=author)
    assert problems(SCHEMA, again.state()) == []


@settings(max_examples=60, deadline=None)
@given(SEQUENCES, st.integers(0, 3))
def test_a_replay_is_identical(sequence, seed):
    def play() -> str:
        store = open_store(seed=seed)
        results = [attempt(store, do) for do in sequence]
        return canonical([results, store.state(), store.now()])

    assert play() == play()


@settings(max_examples=100, deadline=None)
@given(SEQUENCES, st.data())
def test_find_over_indexes_equals_a_scan(sequence, data):
    store = open_store()
    for do in sequence:
        attempt(store, do)
    table = data.draw(st.sampled_from(["users", "tasks", "notes"]))
    everything = store.find(table)
    keys = [parse_key(TABLES[table], text) for text in store.state()[table]]
    assert [[r[c] for c in TABLES[table].key] for r in everything] == [
        list(k) for k in sorted(keys)
    ]
    name = data.draw(st.sampled_from(sorted(set(FIELDS[table]) - {"due"})))
    value = data.draw(FIELDS[table][name])
    alike = [row for row in everything if canon(row.get(name)) == canon(value)]
    assert store.find(table, **{name: value}) == alike
    assert store.count(table, **{f"{name}__ne": value}) == len(everything) - len(alike)
    assert store.find(table, **{f"{name}__in": [value, None]}) == [
        row for row in everything if canon(row.get(name)) in (canon(value), "null")
    ]
    if table == "tasks":
        login = data.draw(LOGINS)
        assert store.find(table, watchers__has=login, sort="-title") == sorted(
            (row for row in everything if login in (row["watchers"] or [])),
            key=lambda row: row["title"],
            reverse=True,
        )


def canon(value: Json) -> str:
    """Equal for equal JSON values: 12.0 is 12, and NaN is like nothing in a store."""
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return canon(int(value))
    if isinstance(value, list):
        return "[" + ",".join(map(canon, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{name}:{canon(value[name])}" for name in sorted(value)) + "}"
    return json.dumps(value)


# ------------------------------------------------------------------ any schema

SCALARS: dict[str, st.SearchStrategy[Json]] = {
    "string": st.sampled_from(["a", "b", "c", "r1", "r2", ""]),
    "integer": st.sampled_from([0, 1, 2, 3.0]),
    "boolean": st.booleans(),
}


@st.composite
def columns(draw: st.DrawFn, name: str = "", depth: int = 2) -> Column:
    kinds = ["string", "string", "integer", "boolean"] + (["object", "array", "map"] * bool(depth))
    kind = draw(st.sampled_from(kinds))
    options: dict[str, Json] = {"name": name, "nullable": draw(st.booleans())}
    if kind == "object":
        inner = tuple(draw(columns(n, depth - 1)) for n in draw(st.sampled_from(["p", "pq"])))
        return Column(type="object", properties=inner, **options)
    if kind == "map":
        return Column(type="object", values=draw(columns("", depth - 1)), **options)
    if kind == "array":
        return Column(type="array", items=draw(columns("", depth - 1)), **options)
    options["required"] = draw(st.booleans())
    options["unique"] = draw(st.booleans()) and kind != "boolean"
    options["within"] = ("group",) if draw(st.booleans()) else ()
    if kind == "string":
        bind = draw(st.sampled_from(["no", "reference", "reference", "generated", "enum"]))
        if bind == "reference":
            options["references"] = draw(st.sampled_from(["one", "two"]))
            options["on_delete"] = draw(st.sampled_from(["restrict", "cascade", "clear"]))
        elif bind == "generated" and name:
            options["generated"] = draw(st.sampled_from(["id", "token", "time", "derived"]))
            options["template"] = "{id}-{group}"
            options["unique"] = options["unique"] and options["generated"] == "id"
        elif bind == "enum":
            options["enum"] = ("a", "r1")
    elif kind == "integer" and name and draw(st.booleans()):
        options["generated"] = "counter"
    elif draw(st.booleans()):
        options["default"] = {"integer": 1, "boolean": True}[kind]
    return Column(type=kind, **options)


@st.composite
def schemas(draw: st.DrawFn) -> StateSchema:
    tables = []
    for name in ("one", "two"):
        first = (Column(name="id", required=True, nullable=False), Column(name="group"))
        others = tuple(draw(columns(n)) for n in ("x", "y"))
        parent = None
        if draw(st.booleans()):
            how = draw(st.sampled_from(["cascade", "restrict"]))
            parent = Parent(table="one", columns=("group",), on_delete=how)
        tables.append(
            Table(name=name, noun=name, key=("id",), columns=first + others, parent=parent)
        )
    return StateSchema(tables=tuple(tables))


def values_of(column: Column) -> st.SearchStrategy[Json]:
    if column.values is not None:
        usual = st.dictionaries(st.sampled_from("pq"), values_of(column.values), max_size=2)
    elif column.properties:
        inner = {p.name: values_of(p) for p in column.properties}
        usual = st.fixed_dictionaries({}, optional=inner)
    elif column.items is not None:
        usual = st.lists(values_of(column.items), max_size=2)
    else:
        usual = SCALARS[column.type]
    return st.one_of(usual, usual, usual, st.none())


@settings(max_examples=250, deadline=None)
@given(schemas(), st.data())
def test_no_schema_can_be_broken(schema, data):
    try:
        store = Store(Base(schema, {}), now=NOW)
    except UserError:
        return
    tables = {table.name: table for table in schema.tables}
    for _ in range(data.draw(st.integers(2, 9))):
        table = data.draw(st.sampled_from(["one", "two"]))
        verb = data.draw(st.sampled_from(["insert", "insert", "update", "save", "delete"]))
        key = data.draw(st.sampled_from(["r1", "r2", "r3"]))
        fields = {
            column.name: data.draw(values_of(column))
            for column in tables[table].columns[1:]
            if verb != "delete" and data.draw(st.booleans())
        }
        before = store.state()
        do = Do(verb, table, (key,), tuple(fields.items()))
        if verb == "insert":
            do = Do(verb, table, (), (("id", key), *fields.items()))
        after = None
        if verb == "delete" and key in before[table]:
            after = deleted(schema, before, table, key)
        if attempt(store, do) is None:
            assert canonical(store.state()) == canonical(before)
            assert after is None or problems(schema, after)
        else:
            assert problems(schema, store.state()) == []
    again = Store(Base(schema, store.state()), now=NOW)
    assert canonical(again.state()) == canonical(store.state())


PARTS = st.one_of(st.integers(), st.text(alphabet="ab/%2F5 \n字", max_size=6))


@given(st.lists(PARTS, min_size=1, max_size=3))
def test_a_key_survives_being_written(parts):
    names = tuple(f"c{i}" for i in range(len(parts)))
    columns = tuple(
        Column(name=name, type="integer" if isinstance(part, int) else "string")
        for name, part in zip(names, parts, strict=True)
    )
    table = Table(name="t", noun="t", key=names, columns=columns)
    assert parse_key(table, key_text(tuple(parts))) == tuple(parts)
