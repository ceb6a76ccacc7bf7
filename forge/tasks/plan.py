"""From wishes to a DAG: the lookups they need, then the write tools that grant them."""

from forge.tasks.graph import shown
from forge.tasks.lookup import Found, Lookup, NoWay
from forge.tasks.scene import Wished
from forge.types.environment import Tool
from forge.types.task import (
    AddItem,
    Aggregate,
    Answer,
    Change,
    Delete,
    Insert,
    Origin,
    Output,
    Reasoned,
    RemoveItem,
    TaskDag,
)


def plan(wished: list[Wished], lookup: Lookup) -> tuple[TaskDag, list[Origin]]:
    """The DAG that grants the wishes in order, and where each answer comes from. Raises NoWay."""
    answers = []
    for number, one in enumerate(wished):
        match one.wish:
            case Insert():
                _insert(lookup, number, one.wish, one.tool)
            case Change() | Delete():
                _act(lookup, one.wish, one.tool)
            case Answer():
                answers.append(_answer(lookup, one.wish.what))
    return TaskDag(nodes=tuple(lookup.nodes)), answers


def _insert(lookup: Lookup, number: int, wish: Insert, tool: Tool | None) -> None:
    assert tool is not None and tool.effect is not None
    arguments = {
        argument: lookup.origin(wish.values[column])
        for argument, column in tool.effect.fields.items()
        if column in wish.values
    }
    node = lookup.call(tool, arguments)
    result = tool.effect.result
    lookup.tables[number] = wish.table
    if result is not None:
        lookup.made[number] = Found(
            lambda path: Output(node=node, path=(*result, *path)),
            shown(tool, lookup.store.schema),
            node,
        )


def _act(lookup: Lookup, wish: Change | Delete, tool: Tool | None) -> None:
    assert tool is not None and tool.effect is not None
    effect = tool.effect
    found = lookup.find(wish.of, "all" if wish.each else "match")
    each = found.node if wish.each else None
    arguments: dict[str, Origin] = {}
    for argument, match in effect.match.items():
        arguments[argument] = _matched(lookup, wish, found, match.column)
    change = wish.change if isinstance(wish, Change) else {}
    required = set(tool.parameters.get("required", ()))
    for argument, column in effect.fields.items():
        if column in change:
            value = change[column]
            item = value.item if isinstance(value, AddItem | RemoveItem) else value
            arguments[argument] = lookup.origin(item)
        elif argument not in arguments and (effect.replaces or argument in required):
            kept = _kept(lookup, wish, found, column, argument in required)
            if kept is not None:
                arguments[argument] = kept
    lookup.call(tool, arguments, each)


def _matched(lookup: Lookup, wish: Change | Delete, found: Found, column: str) -> Origin:
    if wish.each:
        origin = found.column(column)
        if origin is None:
            raise NoWay(f"the list does not show {column}")
        return origin
    return lookup.column(found, wish.of.table, column)


def _kept(
    lookup: Lookup, wish: Change | Delete, found: Found, column: str, required: bool
) -> Origin | None:
    """The value that is there, passed again, since the tool writes the whole record."""
    if wish.each:
        raise NoWay("a whole record cannot be written for each")
    try:
        return lookup.column(found, wish.of.table, column)
    except NoWay:
        if required:
            raise
        return None


def _answer(lookup: Lookup, what: Aggregate) -> Origin:
    if what.op == "value":
        assert what.column is not None
        found = lookup.find(what.of)
        return lookup.column(found, what.of.table, what.column)
    counted = lookup.count_tool(what)
    if counted is not None:
        return counted
    if what.op == "min" or what.op == "max":
        raise NoWay("a least or greatest value is asked for by its record")
    return Reasoned(node=lookup.find(what.of, what.op, what.column).node)
