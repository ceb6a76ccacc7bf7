"""One small state space and one way to open tools over it, for the tests of the sandboxes."""

import ast
from dataclasses import replace

from forge.env.base import Base
from forge.env.sandbox.limits import Limits
from forge.env.sandbox.sandbox import Sandbox, SandboxKind, open_sandbox
from forge.env.store import Store
from forge.types.state import Column, StateSchema, Table

KINDS: tuple[SandboxKind, ...] = ("monty", "native")

SCHEMA = StateSchema(
    tables=(
        Table(
            name="people",
            noun="person",
            key=("login",),
            columns=(Column(name="login", required=True, nullable=False), Column(name="name")),
        ),
        Table(
            name="notes",
            noun="note",
            key=("id",),
            columns=(
                Column(name="id", generated="id", prefix="n_"),
                Column(name="title", required=True, nullable=False),
                Column(name="stars", type="integer", default=0),
                Column(name="done", type="boolean", default=False),
                Column(name="owner", references="people"),
                Column(name="due", format="date"),
                Column(name="tags", type="array", items=Column(), default=[]),
            ),
        ),
    ),
    actors="people",
)

STATE = {
    "people": {
        "ann": {"login": "ann", "name": "Ann Lee"},
        "bob": {"login": "bob", "name": "Bob Roy"},
    },
    "notes": {
        "n_1": {"id": "n_1", "title": "Milk", "stars": 3, "owner": "ann", "due": "2026-03-05"},
        "n_2": {"id": "n_2", "title": "Rent", "stars": 1, "owner": "bob", "tags": ["home"]},
        "n_3": {"id": "n_3", "title": "Tax", "stars": 2, "done": True, "owner": "ann"},
    },
}

NOW = "2026-03-02T09:00:00Z"
BASE = Base(SCHEMA, STATE)

PATIENT = Limits(seconds=20, memory=16 * 2**20, calls=200, traffic=1_000_000)
SHORT = replace(PATIENT, seconds=0.1)
"""For what runs until it is stopped."""


def new_store() -> Store:
    return Store(BASE, now=NOW, actor="ann")


def functions_of(source: str) -> list[str]:
    """The tools: every public function at the top level."""
    return [
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]


def opened(source: str, kind: SandboxKind, limits: Limits = PATIENT, workers: int = 1) -> Sandbox:
    return open_sandbox(source, functions_of(source), kind=kind, limits=limits, workers=workers)
