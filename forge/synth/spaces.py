"""A schema that somebody proposes, tried: it is valid, and bases can be made of it; and what no
tool came to use of it, taken back."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from forge.authors.author import Author, Draft
from forge.env.base import Base
from forge.env.schema import check_schema
from forge.errors import UserError
from forge.synth.build import used
from forge.types.data import Json
from forge.types.environment import Tool
from forge.types.state import StateSchema, Table

FEWEST = 3
"""Records of a table that is of any use."""


def unsound(schema: StateSchema, tables: Iterable[str], values: Author, *, seed: int) -> str:
    """Why the schema cannot be used, "" if it can: `tables` are those that must have records."""
    try:
        check_schema(schema)
        base = Base(schema, values.base(schema, seed))
    except UserError as error:
        return f"the schema: {error}"
    singles = {table.name for table in schema.tables if table.singleton}
    for name in tables:
        if name not in singles and len(base.records(name)) < FEWEST:
            return f"the bases: hardly any records can be made for {name}"
    return ""


def settled(draft: Draft) -> Draft:
    """The draft without the tables and columns that a model made and none of its tools needs: what
    rules had stays as it was."""
    tables, columns = _of(draft, "tables"), _of(draft, "columns")
    if not tables and not columns:
        return draft
    own = [tool for tool in draft.tools if f"tools/{tool.name}" in draft.made]
    named = {name for tool in own for name in _names(tool, draft.sources[tool.name])}
    idle = {each for each in columns if each.partition(".")[2] not in named}
    idle = {each for each in idle if each.partition(".")[0] not in tables}
    schema = draft.state_schema
    schema = schema.model_copy(
        update={"tables": tuple(_without(table, idle) for table in schema.tables)}
    )
    lean = replace(draft, state_schema=schema)
    there = {table.name for table in (used(lean, draft.tools).tables if draft.tools else ())}
    kept = tuple(t for t in schema.tables if t.name in there or t.name not in tables)
    gone = {f"tables/{name}" for name in tables - there} | {f"columns/{each}" for each in idle}
    gone |= {f"columns/{each}" for each in columns if each.partition(".")[0] in tables - there}
    return replace(
        lean,
        state_schema=schema.model_copy(update={"tables": kept}),
        made={name: made for name, made in draft.made.items() if name not in gone},
    )


def _of(draft: Draft, kind: str) -> set[str]:
    parts = [name.partition("/") for name in draft.made]
    return {name for what, _, name in parts if what == kind}


def _without(table: Table, idle: set[str]) -> Table:
    kept = tuple(c for c in table.columns if f"{table.name}.{c.name}" not in idle)
    return table if len(kept) == len(table.columns) else table.model_copy(update={"columns": kept})


def _names(tool: Tool, source: str) -> Iterator[str]:
    """All that a tool could call a column by: in its function, its effect, its result's schema."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=str(name)):
                yield name
            case ast.keyword(arg=str(name)):
                yield name.partition("__")[0] or name
    pending: list[Json] = [tool.returns]
    if tool.effect is not None:
        yield from (match.column for match in tool.effect.match.values())
        yield from (*tool.effect.fields.values(), *tool.effect.sets, *(tool.effect.shows or {}))
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            yield from value
            pending += value.values()
        elif isinstance(value, list):
            pending += value
