"""A plan as the Python source of one tool function.

Always holds: every text of the document gets into the source through `repr`, so none of it is
code; what the function does is exactly what `tools.py` declares of the same plan.
"""

import textwrap
from collections.abc import Callable

from forge.authors.structural.plans.plans import Plan, Tally, Use
from forge.authors.structural.reading.reading import ASKER
from forge.authors.structural.source.listing import list_body
from forge.authors.structural.source.picked import picked, required
from forge.authors.structural.source.syntax import (
    ANSWER,
    HOLDER,
    ITEM,
    ITEMS,
    KEPT,
    ROW,
    Renderer,
    conditions,
    constant,
    enveloped,
    field_argument,
    given_arguments,
    named_apart,
)
from forge.authors.structural.source.works import work_body

_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
}


def source_of(plan: Plan, shared: Renderer) -> str:
    """The text of the one function."""
    needed = [u for u in plan.all_uses if u.required]
    optional = [u for u in plan.all_uses if not u.required]
    parts = [f"{u.name}: {_annotation(u)}" for u in needed]
    parts += [_optional(u) for u in optional]
    name = plan.reading.operation.name
    head = f"def {name}({', '.join(parts)}) -> {_returned(plan)}:"
    if len(head) > 100:
        head = f"def {name}(\n    " + ",\n    ".join(parts) + f",\n) -> {_returned(plan)}:"
    does = work_body if plan.work is not None else _BODIES[plan.verb]
    asks = [f"{ASKER} = me()"] if plan.asks else []
    body = [repr(_first_line(plan)), *asks, *_guards(plan), *does(plan, shared)]
    text = textwrap.indent("\n".join(body), "    ")
    return head + "\n" + named_apart(text, {u.name for u in plan.all_uses}) + "\n"


def _optional(use: Use) -> str:
    default = use.schema.get("default")
    kind = _annotation(use) + (" | None" if use.every else "")
    if default is None:
        return f"{use.name}: {kind} | None = None"
    return f"{use.name}: {kind} = {default!r}"


def _annotation(use: Use) -> str:
    kind = use.schema.get("type")
    ways = use.schema.get("anyOf")
    if isinstance(ways, list):
        return " | ".join(_TYPES[str(way["type"])] for way in ways)
    if isinstance(kind, list):
        inner = next((k for k in kind if k != "null"), "string")
        return f"{_TYPES.get(inner, 'object')} | None"
    return _TYPES.get(str(kind), "object")


def _returned(plan: Plan) -> str:
    reply = plan.reply
    if reply.kind == "constant":
        return {"{": "dict", "T": "bool"}.get(reply.constant[0], "None")
    if reply.kind == "scalar":
        column = plan.sheet.column(reply.scalar)
        return _TYPES.get(column.type, "object") if column else "object"
    if reply.kind == "count":
        return "dict" if reply.envelope or isinstance(plan.work, Tally) else "int"
    return "list" if reply.kind == "list" and not reply.envelope else "dict"


def _first_line(plan: Plan) -> str:
    return plan.reading.operation.summary.split("\n")[0][:200]


def _guards(plan: Plan) -> list[str]:
    lines = []
    for guard in plan.guards:
        if guard.keys == (ASKER,):
            continue
        got = f"get({guard.table!r}, {', '.join(guard.keys)})"
        lines.append(f"{HOLDER} = {got}" if guard.columns or guard.values else got)
        text = f"{f'there is no {guard.noun} '!r} + repr({guard.keys[-1]}) + ' there'"
        for column, name in guard.columns:
            lines.append(f"if {HOLDER}.get({column!r}) != {name}:")
            lines.append(f"    fail('not_found', {text})")
        for column, value in guard.values:
            held = f"{HOLDER}.get({column!r})"
            text = f"{f'the {column} of the {guard.noun} is '!r} + repr({held})"
            lines += [f"if {held} != {value!r}:", f"    fail('conflict', {text})"]
    return lines


def _key(plan: Plan) -> str:
    return "".join(f", {ROW}[{c!r}]" for c in plan.sheet.table.key)


def _answered(plan: Plan, shared: Renderer) -> str:
    """The expression of the answer that shows `row`."""
    reply = plan.reply
    if reply.kind == "constant":
        return reply.constant
    if reply.kind == "scalar":
        return f"{ROW}[{reply.scalar!r}]"
    assert reply.view is not None
    return enveloped(reply.envelope, {"record": shared.shown(reply.view, ROW), "true": "True"})


def _get_body(plan: Plan, shared: Renderer) -> list[str]:
    return [*picked(plan), f"return {_answered(plan, shared)}"]


def _count_body(plan: Plan, shared: Renderer) -> list[str]:
    number = f"count({', '.join([repr(plan.sheet.name), *conditions(plan)])})"
    return [f"return {enveloped(plan.reply.envelope, {'record': number, 'true': 'True'})}"]


def _values(plan: Plan) -> list[str]:
    """The keyword arguments of `insert` and `update`."""
    parts = [field_argument(u.column, u.name) for u in plan.used("field") if u.required]
    parts += [field_argument(c, constant(v)) for c, v in plan.sets.items()]
    maybe = [(u.column, u.name) for u in plan.used("field") if not u.required]
    return [*parts, given_arguments(maybe)] if maybe else parts


def _create_body(plan: Plan, shared: Renderer) -> list[str]:
    made = f"insert({', '.join([repr(plan.sheet.name), *_values(plan)])})"
    if plan.reply.kind == "constant":
        return [made, f"return {plan.reply.constant}"]
    return [f"{ROW} = {made}", f"return {_answered(plan, shared)}"]


def _update_body(plan: Plan, shared: Renderer) -> list[str]:
    lines = [*picked(plan), *required(plan, plan.sheet)]
    if plan.replaces:
        lines += _replaced(plan)
    else:
        for use in plan.uses:
            lines += _merged(use) if use.merges else []
        values = ", ".join(_values(plan))
        lines.append(f"{ROW} = update({plan.sheet.name!r}{_key(plan)}, {values})")
    return [*lines, f"return {_answered(plan, shared)}"]


def _merged(use: Use) -> list[str]:
    """A map with the keys that are there and are not passed; without those passed as empty."""
    both = f"{{**({ROW}.get({use.column!r}) or {{}}), **{use.name}}}"
    kept = f"{{{ITEM}[0]: {ITEM}[1] for {ITEM} in {use.name}.items() if {ITEM}[1] != ''}}"
    lines = [f"{use.name} = {both}", f"{use.name} = {kept}"]
    return lines if use.required else [f"if {use.name} is not None:", *(f"    {x}" for x in lines)]


def _replaced(plan: Plan) -> list[str]:
    """Every writable column gets what was passed, or its default."""
    fields = plan.used("field")
    names = "(" + "".join(f"{u.column!r}, " for u in fields) + ")"
    kept = f"{{name: value for name, value in {ROW}.items() if name not in {names}}}"
    lines = [f"{KEPT} = {kept}"]
    for use in fields:
        if use.required:
            lines.append(f"{KEPT}[{use.column!r}] = {use.name}")
        else:
            lines += [f"if {use.name} is not None:", f"    {KEPT}[{use.column!r}] = {use.name}"]
    lines.append(f"{ROW} = save({plan.sheet.name!r}, {KEPT})")
    return lines


def _delete_body(plan: Plan, shared: Renderer) -> list[str]:
    lines = [*picked(plan), *required(plan, plan.sheet)]
    gone = f"delete({plan.sheet.name!r}{_key(plan)})"
    if plan.reply.kind == "constant":
        return [*lines, gone, f"return {plan.reply.constant}"]
    return [*lines, f"{ANSWER} = {_answered(plan, shared)}", gone, f"return {ANSWER}"]


def _items_body(plan: Plan, shared: Renderer) -> list[str]:
    """Adds items to an array column, or takes them out: what is in, or is not, stays so, unless the
    document says that it is refused."""
    use = plan.used("field")[0]
    adds = plan.verb == "add"
    lines = [*picked(plan), f"{ITEMS} = {ROW}.get({use.column!r}) or []"]
    taken = use.name if use.schema.get("type") == "array" else f"[{use.name}]"
    if "409" in plan.reading.operation.failures:
        test, what = ("in", "there already") if adds else ("not in", "not there")
        refusal = f"        fail('conflict', repr({ITEM}) + ' is {what}')"
        lines += [f"for {ITEM} in {taken}:", f"    if {ITEM} {test} {ITEMS}:", refusal]
    kept = f"[one for one in {ITEMS} if one not in {taken}]"
    new = f"{ITEMS} + [one for one in {taken} if one not in {ITEMS}]" if adds else kept
    part = field_argument(use.column, new)
    lines.append(f"{ROW} = update({plan.sheet.name!r}{_key(plan)}, {part})")
    return [*lines, f"return {_answered(plan, shared)}"]


_BODIES: dict[str, Callable[[Plan, Renderer], list[str]]] = {
    "get": _get_body,
    "list": list_body,
    "count": _count_body,
    "create": _create_body,
    "update": _update_body,
    "delete": _delete_body,
    "add": _items_body,
    "remove": _items_body,
}
