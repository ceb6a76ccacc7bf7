"""Which write tools belong in one task: one that makes a record is followed by one that uses it."""

import random
from collections.abc import Mapping, Sequence

from forge.tasks.intents.columns import column_named, target_of
from forge.types.environment import Tool
from forge.types.state import StateSchema

LINK_SHARE = 0.6


def linked(
    met: Sequence[str],
    tools: Mapping[str, Tool],
    schema: StateSchema,
    count: int,
    rng: random.Random,
    share: float = LINK_SHARE,
) -> list[str]:
    """So many of the write tools, those met first; for `share` of those that make a record, after
    them any one that can use it."""
    chosen: list[str] = []
    rest = list(met)
    while rest and len(chosen) < count:
        made = {_makes(tools[name]) for name in chosen} - {None}
        users: list[str] = []
        if made and rng.random() < share:
            users = [
                t.name for t in tools.values() if t.name not in chosen and _uses(t, made, schema)
            ]
        name = rng.choice(users) if users else rest[0]
        chosen.append(name)
        rest = [other for other in rest if other != name]
    return chosen


def _makes(tool: Tool) -> str | None:
    effect = tool.effect
    return effect.table if effect is not None and effect.verb == "create" else None


def _uses(tool: Tool, made: set[str | None], schema: StateSchema) -> bool:
    """Whether the write tool takes a record of one of these tables, to tie another to it."""
    effect = tool.effect
    if tool.kind != "write" or effect is None or effect.verb == "delete":
        return False
    if effect.verb == "add" and effect.table in made:
        return True
    table = next(t for t in schema.tables if t.name == effect.table)
    for name in effect.fields.values():
        items = column_named(table, name).items
        if effect.verb == "add" and items is not None and items.references in made:
            return True
        if target_of(schema, table.name, name) in made:
            return True
        if table.parent is not None and name in table.parent.columns:
            return table.parent.table in made
    return False
