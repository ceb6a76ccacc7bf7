"""From wishes to a DAG: the lookups they need, then the write tools that grant them."""

from forge.tasks.dags.graph import shown
from forge.tasks.dags.lookup import Found, Lookup
from forge.tasks.dags.paging import NoWay
from forge.tasks.intents.forms import OPPOSITE
from forge.tasks.intents.inside import deeds
from forge.tasks.intents.intent import branch_taken
from forge.tasks.wishes.scene import Wished
from forge.types.dag import Computation, Origin, Output, Reasoned, TaskDag
from forge.types.environment import Tool
from forge.types.intent import (
    AddItem,
    Answer,
    Branch,
    Change,
    Deed,
    Delete,
    Insert,
    Moved,
    Refused,
    RemoveItem,
    Value,
)

_MOVES: dict[str, tuple[Computation, Computation]] = {
    "days": ("later", "earlier"), "amount": ("plus", "minus"), "percent": ("raised", "lowered"),
}  # fmt: skip
"""Unit -> how the value is moved up, and down."""


def plan(wished: list[Wished], lookup: Lookup) -> tuple[TaskDag, list[Origin]]:
    """The DAG that grants the wishes in order, and where each answer comes from. Raises NoWay."""
    answers = []
    written: set[str] = set()
    for number, one in enumerate(wished):
        match one.wish:
            case Answer():
                if one.wish.after:
                    lookup.look_again(written)
                answers.append(lookup.measure(one.wish.what))
            case Branch():
                _branch(lookup, number, one.wish, one.tool)
            case Refused():
                _refused(lookup, number, one.wish, one.tool)
            case _:
                _do(lookup, number, one.wish, one.tool)
        written |= {_table_of(deed) for deed in deeds(one.wish)}
    return TaskDag(nodes=tuple(lookup.nodes.made)), answers


def _table_of(deed: Deed) -> str:
    return deed.table if isinstance(deed, Insert) else deed.of.table


def _do(
    lookup: Lookup,
    number: int,
    wish: Deed,
    tool: Tool | None,
    *,
    when: str | None = None,
    refused: bool = False,
) -> None:
    assert tool is not None and tool.effect is not None
    if isinstance(wish, Insert):
        _insert(lookup, number, wish, tool, when, refused)
    else:
        _act(lookup, wish, tool, when, refused)


def _branch(lookup: Lookup, number: int, wish: Branch, tool: Tool | None) -> None:
    """The deed that the test leads to, and the test before it. `tool` grants that deed."""
    test = wish.test
    taken = branch_taken(wish, lookup.store, {})
    value, limit = lookup.measure(test.measure), lookup.origin(test.value)
    op = test.op if taken is wish.then else OPPOSITE[test.op]
    holds = lookup.nodes.compute("holds", value, limit, op=op)
    if taken is None:
        raise NoWay("nothing is to be done")
    _do(lookup, number, taken, tool, when=holds)


def _refused(lookup: Lookup, number: int, wish: Refused, tool: Tool | None) -> None:
    """What shows that the deed cannot be done: a list without the record, a tool that looks for it
    in vain, or the tool that would do it."""
    deed = wish.deed
    if wish.why == "missing" and not isinstance(deed, Insert):
        if lookup.shows_none(deed.of):
            return
        looked_for = lookup.find(deed.of).node
        if looked_for:
            lookup.nodes.refuse(looked_for)
            return
    _do(lookup, number, deed, tool, refused=True)


def _insert(
    lookup: Lookup, number: int, wish: Insert, tool: Tool, when: str | None, refused: bool
) -> None:
    assert tool.effect is not None
    arguments = {
        argument: lookup.origin(wish.values[column])
        for argument, column in tool.effect.fields.items()
        if column in wish.values
    }
    node = lookup.nodes.call(tool, arguments, when=when, refused=refused)
    result = tool.effect.result
    lookup.tables[number] = wish.table
    if result is not None and not refused:
        lookup.made[number] = Found(
            lambda path: Output(node=node, path=(*result, *path)),
            shown(tool, lookup.store.schema),
            node,
        )


def _act(
    lookup: Lookup, wish: Change | Delete, tool: Tool, when: str | None, refused: bool
) -> None:
    effect = tool.effect
    assert effect is not None
    found = lookup.find(wish.of, "all" if wish.each else "match")
    each = found.node if wish.each else None
    arguments: dict[str, Origin] = {}
    for argument, match in effect.match.items():
        arguments[argument] = _matched(lookup, wish, found, match.column)
    change = wish.change if isinstance(wish, Change) else {}
    required = set(tool.parameters.get("required", ()))
    for argument, column in effect.fields.items():
        if column in change:
            arguments[argument] = _new(lookup, wish, found, column, change[column])
        elif argument not in arguments and (effect.replaces or argument in required):
            kept = _kept(lookup, wish, found, column, argument in required)
            if kept is not None:
                arguments[argument] = kept
    lookup.nodes.call(tool, arguments, each, when=when, refused=refused)


def _new(lookup: Lookup, wish: Change | Delete, found: Found, column: str, value: Value) -> Origin:
    """What is passed for a column that changes."""
    match value:
        case AddItem() | RemoveItem():
            return lookup.origin(value.item)
        case Moved():
            there = _matched(lookup, wish, found, column)
            each = found.node if wish.each else None
            form = _MOVES[value.unit][value.less]
            moved = lookup.nodes.compute(form, there, lookup.origin(value.by), each=each)
            return Reasoned(node=moved)
    return lookup.origin(value)


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
