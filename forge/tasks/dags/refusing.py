"""That a deed which is to be refused is refused by every tool, really tried.

Another tool may write the same columns with fewer questions asked: an update beside a "close". A
deed that one of them does, wholly or in part, is not impossible, and no such task is made or kept.
"""

import random
from collections.abc import Callable, Mapping

from forge.env.identity import same
from forge.env.rehearsal import Run
from forge.tasks.dags.lookup import Lookup
from forge.tasks.dags.paging import NoWay
from forge.tasks.dags.plan import plan
from forge.tasks.dags.play import PlayError, play
from forge.tasks.wishes.scene import Wished
from forge.types.data import Json
from forge.types.environment import Environment, Tool
from forge.types.intent import (
    Actor,
    AddItem,
    Change,
    Deed,
    Delete,
    Insert,
    Intent,
    Plain,
    Refused,
    RemoveItem,
    Value,
)


def loophole(
    intent: Intent,
    environment: Environment,
    fresh: Callable[[], Run],
    facts: Mapping[str, Json],
) -> str | None:
    """The name of a tool that was not seen to refuse what must be refused, or None. `fresh`: runs
    from the task's start."""
    tools = [t for t in environment.tools if t.effect is not None]
    for wish in intent.wishes:
        if not isinstance(wish, Refused):
            continue
        for tool in tools:
            part = part_done_by(tool, wish.deed)
            if part is None:
                continue
            tried = wish.model_copy(update={"deed": part})
            lookup = Lookup(
                tools=tools,
                store=fresh().store,
                rng=random.Random(0),
                preferred=set(),
                told=set(),
            )
            try:
                dag, _ = plan([Wished(tried, tool)], lookup)
                play(fresh(), dag, facts)
            except (NoWay, PlayError):
                return tool.name
    return None


def part_done_by(tool: Tool, deed: Deed) -> Deed | None:
    """As much of the deed as the tool could do by its effect."""
    effect = tool.effect
    if effect is None or tool.kind != "write":
        return None
    table = deed.table if isinstance(deed, Insert) else deed.of.table
    if effect.table != table:
        return None
    written = set(effect.fields.values())
    match deed:
        case Delete():
            return deed if effect.verb == "delete" else None
        case Insert():
            said = {c for c, v in deed.values.items() if isinstance(v, Plain) and v.fact}
            return deed if effect.verb == "create" and said <= written else None
        case Change():
            change = {
                column: value
                for column, value in deed.change.items()
                if effect.verb == _verb(value)
                and (
                    column in written or (column in effect.sets and _is(effect.sets[column], value))
                )
            }
            return deed.model_copy(update={"change": change}) if change else None


def _verb(value: Value) -> str:
    return {AddItem: "add", RemoveItem: "remove"}.get(type(value), "update")


def _is(constant: Json, value: Value) -> bool:
    if isinstance(value, Actor):
        return same(constant, "$me")
    return isinstance(value, Plain) and same(value.value, constant)
