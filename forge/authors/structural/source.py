"""A plan as the Python source of one tool function.

Always holds: every text of the document gets into the source through `repr`, so none of it is
code; what the function does is exactly what `tools.py` declares of the same plan.
"""

import keyword
import textwrap
from collections.abc import Callable
from typing import Protocol

from forge.authors.structural.plans import Plan, Through, Use
from forge.authors.structural.views import Envelope, View
from forge.types.data import Json


class Renderer(Protocol):
    """How records are shown by a view, as expressions."""

    def shown(self, view: View, row: str) -> str: ...

    def shown_all(self, view: View, rows: str) -> str: ...


_CLOCKS = {"$now": "now()", "$me": "me()"}


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
    body = [repr(_first_line(plan)), *_guards(plan), *_BODIES[plan.verb](plan, shared)]
    return head + "\n" + textwrap.indent("\n".join(body), "    ") + "\n"


def _optional(use: Use) -> str:
    default = use.schema.get("default")
    kind = _annotation(use)
    if default is None:
        return f"{use.name}: {kind} | None = None"
    return f"{use.name}: {kind} = {default!r}"


def _annotation(use: Use) -> str:
    kind = use.schema.get("type")
    if isinstance(kind, list):
        inner = next((k for k in kind if k != "null"), "string")
        return f"{_TYPES.get(inner, 'object')} | None"
    return _TYPES.get(str(kind), "object")


def _returned(plan: Plan) -> str:
    reply = plan.reply
    if reply.kind == "constant":
        return "dict" if reply.constant.startswith("{") else "None"
    if reply.kind == "scalar":
        column = plan.sheet.column(reply.scalar)
        return _TYPES.get(column.type, "object") if column else "object"
    if reply.kind == "count":
        return "dict" if reply.envelope else "int"
    return "list" if reply.kind == "list" and not reply.envelope else "dict"


def _first_line(plan: Plan) -> str:
    return plan.reading.operation.summary.split("\n")[0][:200]


def _guards(plan: Plan) -> list[str]:
    return [f"get({g.table!r}, {', '.join(g.keys)})" for g in plan.guards]


_OPS = tuple(
    f"__{op}" for op in ["eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "icontains", "has"]
)


_TABLE_PARAMETERS = frozenset({"sort", "limit", "offset"})


def where(column: str, op: str, value: str) -> str:
    """One keyword argument of `find`."""
    name = column if op == "eq" and not column.endswith(_OPS) else f"{column}__{op}"
    return _keyword(name, value)


def _keyword(name: str, value: str) -> str:
    if name in _TABLE_PARAMETERS:
        name = f"{name}__eq"
    if name.isascii() and name.isidentifier() and not keyword.iskeyword(name):
        return f"{name}={value}"
    return f"**{{{name!r}: {value}}}"


def _field_keyword(name: str, value: str) -> str:
    """One keyword argument of `insert` and `update`, which take any column's name."""
    if name.isascii() and name.isidentifier() and not keyword.iskeyword(name):
        return f"{name}={value}"
    return f"**{{{name!r}: {value}}}"


def _given(pairs: list[tuple[str, str]]) -> str:
    """`**given(…)` over (name, value) pairs; names that are no identifiers go in a dict."""
    return "**given(" + ", ".join(_field_keyword(n, v) for n, v in pairs) + ")"


def _constant(value: Json) -> str:
    return _CLOCKS.get(value, repr(value)) if isinstance(value, str) else repr(value)


def _conditions(plan: Plan) -> list[str]:
    """The keyword arguments that say which records a list has."""
    parts = [where(c, "eq", _constant(v)) for c, v in plan.fixed.items()]
    maybe: list[tuple[str, str]] = []
    for use in plan.used("match"):
        name = use.column if use.op == "eq" else f"{use.column}__{use.op}"
        if use.op == "eq" and (use.column in _TABLE_PARAMETERS or use.column.endswith(_OPS)):
            name = f"{use.column}__eq"
        if use.required:
            parts.append(where(use.column, use.op, use.name))
        else:
            maybe.append((name, use.name))
    if maybe:
        parts.append(_given(maybe))
    return parts


def _picked(plan: Plan) -> list[str]:
    """Lines that put the one record in `row`."""
    table, noun = plan.sheet.table, plan.sheet.table.noun
    if table.singleton:
        return [f"row = get({table.name!r})"]
    if plan.fixed:
        wanted = [where(c, "eq", _constant(v)) for c, v in plan.fixed.items()]
        if list(plan.fixed) == list(table.key):
            return [f"row = get({table.name!r}, {_constant(plan.fixed[table.key[0]])})"]
        return [
            f"found = find({table.name!r}, {', '.join(wanted)})",
            "if not found:",
            f"    fail('not_found', {f'there is no such {noun}'!r})",
            "row = found[0]",
        ]
    matches = {u.column: u for u in plan.used("match")}
    if set(table.key) <= set(matches):
        keys = ", ".join(matches[c].name for c in table.key)
        lines = [f"row = get({table.name!r}, {keys})"]
        for column, use in matches.items():
            if column not in table.key:
                text = repr(f"there is no {noun} ")
                lines.append(f"if row.get({column!r}) != {use.name}:")
                other = matches[table.key[-1]].name
                lines.append(f"    fail('not_found', {text} + repr({other}) + ' there')")
        return lines
    wanted = [where(u.column, u.op, u.name) for u in matches.values()]
    shown = next(iter(matches.values())).name
    text = repr(f"there is no {noun} ")
    return [
        f"found = find({table.name!r}, {', '.join(wanted)})",
        "if not found:",
        f"    fail('not_found', {text} + repr({shown}))",
        "row = found[0]",
    ]


def _required(plan: Plan) -> list[str]:
    lines = []
    noun = plan.sheet.table.noun
    for need in plan.requires:
        value = repr(need.value)
        have = f"row.get({need.column!r})"
        if need.op == "eq":
            test = f"{have} != {value}"
        elif need.op == "ne":
            test = f"{have} == {value}"
        else:
            test = f"{have} not in {value}"
        lines.append(f"if {test}:")
        text = repr(f"the {noun}'s {need.column} is ")
        lines.append(f"    fail('conflict', {text} + repr({have}))")
    return lines


def _key(plan: Plan) -> str:
    return "".join(f", row[{c!r}]" for c in plan.sheet.table.key)


def _answered(plan: Plan, shared: Renderer, row: str) -> list[str]:
    reply = plan.reply
    if reply.kind == "constant":
        return [f"return {reply.constant}"]
    if reply.kind == "scalar":
        return [f"return {row}[{reply.scalar!r}]"]
    assert reply.view is not None
    shown = shared.shown(reply.view, row)
    return [f"return {_enveloped(reply.envelope, {'record': shown})}"]


def _enveloped(envelope: Envelope, values: dict[str, str]) -> str:
    if not envelope:
        return values["record"]
    parts = []
    for name, what in envelope:
        inner = values[what] if isinstance(what, str) else _enveloped(what, values)
        parts.append(f"{name!r}: {inner}")
    return "{" + ", ".join(parts) + "}"


def _get_body(plan: Plan, shared: Renderer) -> list[str]:
    return [*_picked(plan), *_answered(plan, shared, "row")]


def _list_body(plan: Plan, shared: Renderer) -> list[str]:
    reply = plan.reply
    assert reply.view is not None
    table = plan.sheet.table.name
    lines: list[str] = []
    conditions = _conditions(plan)
    roles = {u.role: u for u in plan.uses}
    if plan.through is not None:
        lines += _through_lines(plan.through)
        conditions.insert(0, where(plan.sheet.table.key[0], "in", "keys"))
    whole = ", ".join([repr(table), *conditions])
    arguments = list(conditions)
    if "sort" in roles:
        lines += _sorted_lines(roles["sort"], roles.get("direction"))
        arguments.insert(0, "sort=order")
    start, size = "0", "None"
    if "page" in roles:
        page = roles["page"].name
        size = _or(roles["limit"], str(plan.page_size)) if "limit" in roles else str(plan.page_size)
        current = _or(roles["page"], "1")
        lines += [
            f"if {current} < 1 or {size} < 1:",
            "    fail('invalid', 'pages and their sizes are counted from 1')",
        ]
        start = f"({current} - 1) * {size}"
        del page
    elif "limit" in roles and "cursor" not in roles:
        size = roles["limit"].name
        lines.append(f"if {size} is not None and {size} < 1:")
        lines.append(f"    fail('invalid', {f'{size} must be at least 1'!r})")
    if "offset" in roles:
        start = _or(roles["offset"], "0")
        lines += [
            f"if {start} < 0:",
            f"    fail('invalid', {roles['offset'].name + ' must not be negative'!r})",
        ]
    uses_cursor = "cursor" in roles
    if not uses_cursor:
        if size != "None":
            arguments.append(f"limit={size}")
        if start != "0":
            arguments.append(f"offset={start}")
    lines.append(f"rows = find({', '.join([repr(table), *arguments])})")
    values = {"record": shared.shown_all(reply.view, "rows"), "true": "True"}
    wanted = repr(reply.envelope)
    if uses_cursor:
        limit = roles["limit"].name if "limit" in roles else str(plan.page_size)
        lines.append(f"part = page(rows, {limit}, {roles['cursor'].name})")
        values["record"] = shared.shown_all(reply.view, "part['items']")
        values["next"] = "part['next_cursor']"
        values["more"] = "part['next_cursor'] is not None"
        values["total"] = "len(rows)"
        values["limit"] = limit
    else:
        paged = size != "None" or start != "0"
        values["total"] = f"count({whole})" if paged else "len(rows)"
        if "'total'" in wanted or "'pages'" in wanted or "'more'" in wanted:
            lines.append(f"total = {values['total']}")
            values["total"] = "total"
        values["page"] = _or(roles["page"], "1") if "page" in roles else "1"
        values["limit"] = size
        values["offset"] = start
        values["pages"] = f"-(-total // {size})"
        values["more"] = f"{start} + len(rows) < total"
    lines.append(f"return {_enveloped(reply.envelope, values)}")
    return lines


def _through_lines(through: Through) -> list[str]:
    """The keys that the other record names."""
    picked = f"get({through.holder.name!r}, {through.use.name})"
    return [f"holder = {picked}", f"keys = holder.get({through.column!r}) or []"]


def _or(use: Use, otherwise: str) -> str:
    """The argument, or what is usual where it was not passed."""
    if use.required or use.schema.get("default") is not None:
        return use.name
    return f"({otherwise} if {use.name} is None else {use.name})"


def _sorted_lines(sort: Use, direction: Use | None) -> list[str]:
    same = all(value == column for value, column in sort.choices)
    orders = "{" + ", ".join(f"{v!r}: {c!r}" for v, c in sort.choices) + "}"
    listed = "[" + ", ".join(repr(v) for v, _ in sort.choices) + "]"
    known = f"{sort.name} not in {listed if same else orders}"
    lines = [
        "order = []",
        f"if {sort.name} is not None:",
        f"    if {known}:",
        f"        fail('invalid', 'cannot sort by ' + repr({sort.name}))",
        f"    order = [{sort.name if same else f'{orders}[{sort.name}]'}]",
    ]
    if direction is not None:
        down = [v for v in direction.schema["enum"] if v.lower().startswith("desc")]
        lines += [
            f"if {direction.name} in {down!r}:",
            "    order = ['-' + column for column in order]",
        ]
    return lines


def _count_body(plan: Plan, shared: Renderer) -> list[str]:
    number = f"count({', '.join([repr(plan.sheet.table.name), *_conditions(plan)])})"
    return [f"return {_enveloped(plan.reply.envelope, {'record': number, 'true': 'True'})}"]


def _create_body(plan: Plan, shared: Renderer) -> list[str]:
    parts = [_field_keyword(u.column, u.name) for u in plan.used("field") if u.required]
    parts += [_field_keyword(c, _constant(v)) for c, v in plan.sets.items()]
    maybe = [(u.column, u.name) for u in plan.used("field") if not u.required]
    if maybe:
        parts.append(_given(maybe))
    made = ", ".join([repr(plan.sheet.table.name), *parts])
    if plan.reply.kind == "constant":
        return [f"insert({made})", f"return {plan.reply.constant}"]
    return [f"row = insert({made})", *_answered(plan, shared, "row")]


def _update_body(plan: Plan, shared: Renderer) -> list[str]:
    table = plan.sheet.table
    lines = [*_picked(plan), *_required(plan)]
    fields = plan.used("field")
    if plan.replaces:
        lines += _replaced(plan)
        return [*lines, *_answered(plan, shared, "row")]
    parts = [_field_keyword(u.column, u.name) for u in fields if u.required]
    parts += [_field_keyword(c, _constant(v)) for c, v in plan.sets.items()]
    maybe = [(u.column, u.name) for u in fields if not u.required]
    if maybe:
        parts.append(_given(maybe))
    lines.append(f"row = update({table.name!r}{_key(plan)}, {', '.join(parts)})")
    return [*lines, *_answered(plan, shared, "row")]


def _replaced(plan: Plan) -> list[str]:
    """Every writable column gets what was passed, or its default."""
    fields = plan.used("field")
    names = "(" + "".join(f"{u.column!r}, " for u in fields) + ")"
    lines = [f"kept = {{name: value for name, value in row.items() if name not in {names}}}"]
    for use in fields:
        if use.required:
            lines.append(f"kept[{use.column!r}] = {use.name}")
        else:
            lines += [f"if {use.name} is not None:", f"    kept[{use.column!r}] = {use.name}"]
    lines.append(f"row = save({plan.sheet.table.name!r}, kept)")
    return lines


def _delete_body(plan: Plan, shared: Renderer) -> list[str]:
    lines = [*_picked(plan), *_required(plan)]
    gone = f"delete({plan.sheet.table.name!r}{_key(plan)})"
    if plan.reply.kind != "constant":
        return [*lines, *_answered_before(plan, shared, gone)]
    return [*lines, gone, f"return {plan.reply.constant}"]


def _answered_before(plan: Plan, shared: Renderer, gone: str) -> list[str]:
    answered = _answered(plan, shared, "row")
    shown = answered[-1].removeprefix("return ")
    return [f"answer = {shown}", gone, "return answer"]


def _add_body(plan: Plan, shared: Renderer) -> list[str]:
    use = plan.used("field")[0]
    adds = plan.verb == "add"
    several = use.schema.get("type") == "array"
    lines = [*_picked(plan), f"items = row.get({use.column!r}) or []"]
    test = "in" if adds else "not in"
    what = "there already" if adds else "not there"
    check = [f"if item {test} items:", f"    fail('conflict', repr(item) + ' is {what}')"]
    if several:
        lines.append(f"for item in {use.name}:")
        lines += [f"    {line}" for line in check]
        taken = use.name
    else:
        lines.append(f"item = {use.name}")
        lines += check
        taken = "[item]"
    new = f"items + {taken}" if adds else f"[one for one in items if one not in {taken}]"
    part = _field_keyword(use.column, new)
    lines.append(f"row = update({plan.sheet.table.name!r}{_key(plan)}, {part})")
    return [*lines, *_answered(plan, shared, "row")]


_BODIES: dict[str, Callable[[Plan, Renderer], list[str]]] = {
    "get": _get_body,
    "list": _list_body,
    "count": _count_body,
    "create": _create_body,
    "update": _update_body,
    "delete": _delete_body,
    "add": _add_body,
    "remove": _add_body,
}
