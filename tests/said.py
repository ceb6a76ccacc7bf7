"""A small office as a schema, short names for parts of an intent, and questions made of it: what is
said depends on the schema and the intent alone."""

import random

from forge.tasks.speech.facts import name_facts
from forge.tasks.speech.question import write_question
from forge.types.data import Json
from forge.types.environment import Op
from forge.types.intent import (
    Aggregate,
    Answer,
    Condition,
    Intent,
    Keys,
    Pick,
    Plain,
    RecordKey,
    Selection,
    Value,
    Wish,
)
from forge.types.state import StateSchema
from forge.types.task import Fact

NOW = "2026-03-02T09:00:00Z"
"""A Monday."""


def _table(name: str, noun: str, label: str | None, *columns: dict[str, Json]) -> dict[str, Json]:
    key = {"name": f"{noun}_id", "required": True, "nullable": False, "generated": "id"}
    return {
        "name": name, "noun": noun, "key": [key["name"]], "label": label,
        "columns": [key, *columns],
    }  # fmt: skip


def _column(name: str, **more: Json) -> dict[str, Json]:
    return {"name": name, **more}


SCHEMA = StateSchema.model_validate(
    {
        "actors": "users",
        "tables": [
            _table("users", "user", "name", _column("name"), _column("email", format="email")),
            _table(
                "projects", "project", "name",
                _column("name"),
                _column("status", enum=["active", "archived"]),
                _column("due_on", format="date"),
            ),
            _table(
                "tasks", "task", "title",
                _column("title"),
                _column("project_id", references="projects"),
                _column("assignee_id", references="users"),
                _column("creator_id", references="users"),
                _column("status", enum=["open", "closed"]),
                _column("priority", enum=["low", "normal", "high"]),
                _column("estimate_hours", type="integer"),
                _column("due_on", format="date"),
                _column("notes"),
                _column("blockers", type="array", references="tasks"),
            ),
            {
                **_table("members", "member", None, _column("role", enum=["viewer", "editor"])),
                "key": ["project_id", "user_id"],
                "parent": {"table": "projects", "columns": ["project_id"], "on_delete": "cascade"},
                "columns": [
                    _column("project_id", references="projects", required=True, nullable=False),
                    _column("user_id", references="users", required=True, nullable=False),
                    _column("role", enum=["viewer", "editor"]),
                    _column("joined_on", format="date"),
                ],
            },
            {
                **_table("issues", "issue", "title", _column("title")),
                "key": ["project_id", "number"],
                "parent": {"table": "projects", "columns": ["project_id"], "on_delete": "cascade"},
                "columns": [
                    _column("project_id", references="projects", required=True, nullable=False),
                    _column("number", type="integer", required=True, nullable=False),
                    _column("title"),
                ],
            },
            _table(
                "products", "product", "name",
                _column("name"),
                _column("price", type="number"),
                _column("stock", type="integer"),
                _column("category", enum=["garden", "toys"]),
            ),
        ],
    }
)  # fmt: skip


def plain(value: Json) -> Plain:
    return Plain(value=value, fact="")


def where(column: str, value: Value | Json, op: Op = "eq", *, negated: bool = False) -> Condition:
    said = plain(value) if value is None or isinstance(value, str | int | float) else value
    assert not isinstance(said, dict | list | str | int | float) and said is not None
    return Condition(column=column, value=said, op=op, negated=negated)


def some(table: str, *conditions: Condition, pick: Pick | None = None) -> Selection:
    return Selection(table=table, where=conditions, pick=pick)


def key_of(of: Selection) -> RecordKey:
    return RecordKey(of=of)


def keys_of(of: Selection, column: str | None = None) -> Keys:
    return Keys(of=of, column=column)


def measure(op: str, of: Selection, column: str | None = None) -> Aggregate:
    return Aggregate.model_validate({"op": op, "of": of, "column": column})


def ask(op: str, of: Selection, column: str | None = None) -> Answer:
    return Answer(what=measure(op, of, column))


LUMINA = some("projects", where("name", "Lumina"))
KESTREL = some("projects", where("name", "Kestrel"))
ON_LUMINA = where("project_id", key_of(LUMINA))
ON_KESTREL = where("project_id", key_of(KESTREL))
OPEN, CLOSED = where("status", "open"), where("status", "closed")
PRIYA = some("users", where("name", "Priya Nair"))
DESKS = some("tasks", where("title", "Order desks"), ON_LUMINA)
HALL = some("tasks", where("title", "Paint the hall"), ON_LUMINA)
OPEN_TASKS = some("tasks", ON_LUMINA, OPEN)


def said(*wishes: Wish, seed: int = 0, told: tuple[str, ...] = ()) -> tuple[str, tuple[Fact, ...]]:
    """A question that says the wishes, and its facts."""
    intent = name_facts(Intent(wishes=wishes), SCHEMA)
    return write_question(intent, SCHEMA, set(told), random.Random(seed), NOW)


def ways(*wishes: Wish, count: int = 60) -> set[str]:
    """Questions that say the wishes, drawn that often."""
    return {said(*wishes, seed=seed)[0] for seed in range(count)}
