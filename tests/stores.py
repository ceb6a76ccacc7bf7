"""A schema with everything in it, a base of it, and a checker of states that owes the store
nothing: it reads the schema and the state, plainly and slowly."""

import json
import math
import re
from collections.abc import Iterator
from datetime import date, datetime

from forge.env.base import Base
from forge.env.store import Store
from forge.types.state import Column, Parent, State, StateSchema, Table

NOW = "2026-03-02T09:00:00Z"

USERS = Table(
    name="users",
    noun="user",
    key=("login",),
    label="name",
    columns=(
        Column(name="login", required=True, nullable=False, spoken=True, min_length=1),
        Column(name="name", required=True, nullable=False),
        Column(name="email", unique=True),
        Column(name="role", enum=("admin", "member"), default="member", nullable=False),
        Column(name="manager", references="users", on_delete="clear"),
        Column(name="nick", nullable=False),
    ),
)
PROJECTS = Table(
    name="projects",
    noun="project",
    key=("id",),
    label="name",
    columns=(
        Column(name="id", generated="id", prefix="prj_"),
        Column(name="name", required=True, nullable=False, unique=True, max_length=40),
        Column(name="owner", references="users"),
        Column(name="created_at", format="date-time", generated="time"),
        Column(name="updated_at", format="date-time", generated="time", on_update=True),
        Column(name="secret", generated="token"),
        Column(name="title", generated="derived", template="{name} ({id})"),
        Column(
            name="links",
            type="object",
            properties=(Column(name="self", generated="derived", template="/projects/{id}"),),
        ),
    ),
)
TASKS = Table(
    name="tasks",
    noun="task",
    key=("project_id", "number"),
    label="title",
    parent=Parent(table="projects", columns=("project_id",)),
    columns=(
        Column(name="project_id", required=True, nullable=False, references="projects"),
        Column(name="number", type="integer", generated="counter", within=("project_id",)),
        Column(
            name="title",
            required=True,
            nullable=False,
            min_length=1,
            unique=True,
            within=("project_id",),
        ),
        Column(name="done", type="boolean", default=False, nullable=False),
        Column(name="assignee", references="users", on_delete="clear"),
        Column(name="due", format="date"),
        Column(name="hours", type="number", minimum=0, maximum=1000),
        Column(name="points", type="integer", minimum=1),
        Column(
            name="watchers",
            type="array",
            default=[],
            max_length=4,
            items=Column(nullable=False, references="users", on_delete="clear"),
        ),
        Column(
            name="steps",
            type="array",
            default=[],
            nullable=False,
            items=Column(
                type="object",
                nullable=False,
                properties=(
                    Column(name="id", generated="id", unique=True),
                    Column(
                        name="no",
                        type="integer",
                        generated="counter",
                        within=("project_id", "number"),
                    ),
                    Column(name="text", required=True, nullable=False),
                    Column(name="by", references="users"),
                    Column(name="at", format="date-time"),
                    Column(name="ref", generated="derived", template="{project_id}#{number}"),
                ),
            ),
        ),
        Column(
            name="reviews",
            type="object",
            values=Column(references="users", on_delete="clear"),
        ),
        Column(name="extra", type="any"),
    ),
)
NOTES = Table(
    name="notes",
    noun="note",
    key=("id",),
    columns=(
        Column(name="id", type="integer", generated="id"),
        Column(name="text", required=True, nullable=False),
        Column(name="author", required=True, nullable=False, references="users"),
        Column(name="reply_to", type="integer", references="notes", on_delete="cascade"),
        Column(name="project", references="projects", on_delete="cascade"),
    ),
)
SETTINGS = Table(
    name="settings",
    noun="settings",
    key=(),
    singleton=True,
    columns=(
        Column(name="limit", type="integer", default=10, nullable=False),
        Column(name="$lead", references="users", on_delete="clear"),
    ),
)
SCHEMA = StateSchema(tables=(USERS, PROJECTS, TASKS, NOTES, SETTINGS), actors="users")

STATE: State = {
    "users": {
        "ada": {"login": "ada", "name": "Ada", "email": "ada@example.com", "role": "admin"},
        "bo": {"login": "bo", "name": "Bo", "manager": "ada"},
        "cy": {"login": "cy", "name": "Cy", "manager": "bo"},
    },
    "projects": {
        "prj_1": {"id": "prj_1", "name": "Auro", "owner": "ada"},
        "prj_2": {"id": "prj_2", "name": "Lumina", "owner": "bo"},
    },
    "tasks": {
        "prj_1/1": {"project_id": "prj_1", "number": 1, "title": "Plan", "assignee": "bo"},
        "prj_1/2": {
            "project_id": "prj_1",
            "number": 2,
            "title": "Build",
            "due": "2026-03-13",
            "watchers": ["bo", "cy"],
            "reviews": {"first": "cy", "second": "bo"},
            "steps": [{"id": "s1", "no": 1, "text": "dig", "at": "2026-03-01T00:00:00Z"}],
        },
        "prj_2/7": {
            "project_id": "prj_2",
            "number": 7,
            "title": "Plan",
            "hours": 2.5,
            "steps": [{"id": "s2", "no": 3, "text": "ask", "by": "bo"}],
        },
    },
    "notes": {
        "11": {"id": 11, "text": "first", "author": "bo", "reply_to": 12},
        "12": {"id": 12, "text": "second", "author": "bo", "reply_to": 11, "project": "prj_1"},
        "13": {"id": 13, "text": "aside", "author": "cy"},
    },
    "settings": {"": {"$lead": "cy"}},
}
BASE = Base(SCHEMA, STATE)


def open_store(**options: object) -> Store:
    return Store(BASE, now=NOW, **options)  # type: ignore[arg-type]


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)


# ------------------------------------------------------------------ the slow checker


def problems(schema: StateSchema, state: State) -> list[str]:
    """What the schema forbids in a state, one line each."""
    found: list[str] = []
    tables = {table.name: table for table in schema.tables}
    if set(state) != set(tables):
        found.append("the tables differ")
    keys = {
        name: [tuple(record[c] for c in tables[name].key) for record in records.values()]
        for name, records in state.items()
    }
    for name, records in state.items():
        table = tables[name]
        if table.singleton and len(records) != 1:
            found.append(f"{name}: {len(records)} records")
        top = Column(type="object", nullable=False, properties=table.columns)
        taken: dict[str, list[str]] = {}
        for text, record in records.items():
            place = f"{name} {text}"
            if text != "/".join(str(record[c]) for c in table.key):
                found.append(f"{place}: another key")
            found += [f"{place}: {p}" for p in _of_value(top, record, "")]
            for path, column, value in _leaves(top, record, ""):
                if value is None:
                    continue
                if column.references and not any(
                    type(value) is type(k[0]) and k == (value,) for k in keys[column.references]
                ):
                    found.append(f"{place}: {path} refers to no {column.references}")
                if column.unique:
                    group = [record.get(c) for c in column.within]
                    taken.setdefault(path, []).append(canonical([value, group]))
                if column.generated == "derived":
                    parts = re.findall(r"{(\w+)}", column.template or "")
                    if all(record.get(p) is not None for p in parts) and value != (
                        column.template or ""
                    ).format(**record):
                        found.append(f"{place}: {path} is stale")
            if table.parent is not None:
                parent = tuple(record.get(c) for c in table.parent.columns)
                if None not in parent and parent not in keys[table.parent.table]:
                    found.append(f"{place}: no parent")
        for path, values in taken.items():
            if len(values) != len(set(values)):
                found.append(f"{name}: {path} is not unique")
    return found


def _of_value(column: Column, value: object, path: str) -> list[str]:
    if value is None:
        return [] if column.nullable else [f"{path} is null"]
    wrong = {
        "string": not isinstance(value, str),
        "integer": type(value) is not int,
        "number": type(value) not in (int, float),
        "boolean": type(value) is not bool,
        "array": not isinstance(value, list),
        "object": not isinstance(value, dict),
        "any": False,
    }[column.type]
    if wrong:
        return [f"{path} is no {column.type}"]
    found = []
    if isinstance(value, float) and not math.isfinite(value):
        found.append(f"{path} is not finite")
    if column.enum is not None and value not in column.enum:
        found.append(f"{path} is not in the enum")
    if column.minimum is not None and value < column.minimum:  # type: ignore[operator]
        found.append(f"{path} is too small")
    if column.maximum is not None and value > column.maximum:  # type: ignore[operator]
        found.append(f"{path} is too large")
    if column.min_length is not None and len(value) < column.min_length:  # type: ignore[arg-type]
        found.append(f"{path} is too short")
    if column.max_length is not None and len(value) > column.max_length:  # type: ignore[arg-type]
        found.append(f"{path} is too long")
    if column.format == "date" and date.fromisoformat(str(value)).isoformat() != value:
        found.append(f"{path} is no normal date")
    if column.format == "date-time":
        moment = datetime.strptime(str(value), "%Y-%m-%dT%H:%M:%SZ")
        if moment.isoformat() + "Z" != value:
            found.append(f"{path} is no normal date-time")
    if isinstance(value, list) and column.items is not None:
        for item in value:
            found += _of_value(column.items, item, path + "[]")
    if isinstance(value, dict) and (column.properties or column.values):
        known = {inner.name: inner for inner in column.properties}
        for name, inner in known.items():
            if name in value:
                found += _of_value(inner, value[name], f"{path}.{name}")
            elif inner.required:
                found.append(f"{path}.{name} is missing")
        for name, item in value.items():
            if name not in known:
                if column.values is None:
                    found.append(f"{path}.{name} is unknown")
                else:
                    found += _of_value(column.values, item, f"{path}.*")
    try:
        canonical(value)
    except ValueError:
        found.append(f"{path} is no JSON")
    return found


def _leaves(column: Column, value: object, path: str) -> Iterator[tuple[str, Column, object]]:
    yield path, column, value
    if isinstance(value, dict):
        known = {inner.name: inner for inner in column.properties}
        for name, item in value.items():
            inner = known.get(name, column.values)
            if inner is not None:
                yield from _leaves(inner, item, f"{path}.{name if name in known else '*'}")
    if isinstance(value, list) and column.items is not None:
        for item in value:
            yield from _leaves(column.items, item, path + "[]")
