"""A plan as Python source, as an effect, as the tool that the agent sees.

Always holds: every text of the document gets into the source through `repr`, so none of it is
code; the source, the effect and the parameters are made of the same plan.
"""

import keyword
import textwrap

from forge.authors.structural.model import Model
from forge.authors.structural.plans import Plan, Use
from forge.authors.structural.views import Envelope, View, returns_of
from forge.docs.names import RESERVED
from forge.types.data import Json, JsonSchema
from forge.types.environment import Effect, Match, Paging, Tool
from forge.types.state import StateSchema

_CLOCKS = {"$now": "now()", "$me": "me()"}
_COMPARED = {"eq": "!=", "ne": "=="}
_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
}


class Shared:
    """The private functions of one environment: one for each view that is not the record."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._names: dict[View, str] = {}
        self.sources: list[str] = []

    def shown(self, view: View, row: str) -> str:
        """The expression for one record by a view."""
        return row if view.whole else f"{self._name(view)}([{row}])[0]"

    def shown_all(self, view: View, rows: str) -> str:
        return rows if view.whole else f"{self._name(view)}({rows})"

    def _name(self, view: View) -> str:
        if view not in self._names:
            number = sum(1 for v in self._names if v.table == view.table)
            self._names[view] = f"_show_{view.table}" + (f"_{number + 1}" if number else "")
            self.sources.append(self._source(self._names[view], view))
        return self._names[view]

    def _source(self, name: str, view: View) -> str:
        embeds = dict(view.embeds)
        lines = [f"def {name}(rows: list) -> list:"]
        noun = self.model.of_table(view.table).table.noun
        lines.append(f"    {_doc(f'Each {noun} as answers show it.')}")
        tables: dict[str, list[tuple[str, bool]]] = {}
        for column, embed in view.embeds:
            tables.setdefault(embed.table, []).append((column, embed.many))
        found: dict[str, str] = {}
        for place, (table, columns) in enumerate(tables.items()):
            key = self.model.of_table(table).table.key[0]
            lines.append(f"    keys_{place} = []")
            lines.append("    for row in rows:")
            for column, many in columns:
                if many:
                    lines.append(f"        keys_{place} += row.get({column!r}) or []")
                else:
                    lines.append(f"        keys_{place}.append(row.get({column!r}))")
            where = _where(key, "in", f"[key for key in keys_{place} if key is not None]")
            lines.append(f"    found_{place} = {{}}")
            lines.append(f"    for other in find({table!r}, {where}):")
            lines.append(f"        found_{place}[other[{key!r}]] = other")
            found[table] = f"found_{place}"
        plain = [c for c in view.columns if c not in embeds]
        always = [c for c in plain if c in view.nulls]
        maybe = [c for c in plain if c not in view.nulls]
        lines.append("    shown = []")
        lines.append("    for row in rows:")
        lines.append("        item = {}")
        for column in view.columns:
            embed = embeds.get(column)
            if embed is None and column in always:
                lines.append(f"        item[{column!r}] = row.get({column!r})")
            elif embed is None and column in maybe:
                lines.append(f"        if row.get({column!r}) is not None:")
                lines.append(f"            item[{column!r}] = row[{column!r}]")
            elif embed is not None:
                lines += self._embed_lines(column, found[embed.table], embed.columns, embed.many, column in view.nulls)
        lines += ["        shown.append(item)", "    return shown"]
        return "\n".join(lines) + "\n"

    def _embed_lines(
        self, column: str, found: str, columns: tuple[str, ...], many: bool, null: bool
    ) -> list[str]:
        names = "(" + "".join(f"{c!r}, " for c in columns) + ")"
        part = f"{{name: other[name] for name in {names} if other.get(name) is not None}}"
        if many:
            return [
                f"        item[{column!r}] = []",
                f"        for key in row.get({column!r}) or []:",
                f"            other = {found}[key]",
                f"            item[{column!r}].append({part})",
            ]
        lines = [
            f"        if row.get({column!r}) is not None:",
            f"            other = {found}[row[{column!r}]]",
            f"            item[{column!r}] = {part}",
        ]
        if null:
            lines += ["        else:", f"            item[{column!r}] = None"]
        return lines


# --------------------------------------------------------------------- source


def source_of(plan: Plan, shared: Shared) -> str:
    """The text of the one function."""
    needed = [u for u in plan.uses if u.required]
    optional = [u for u in plan.uses if not u.required]
    parts = [f"{u.name}: {_annotation(u)}" for u in needed]
    parts += [_optional(u) for u in optional]
    name = plan.reading.operation.name
    head = f"def {name}({', '.join(parts)}) -> {_returned(plan)}:"
    if len(head) > 100:
        head = f"def {name}(\n    " + ",\n    ".join(parts) + f",\n) -> {_returned(plan)}:"
    body = [_doc(_first_line(plan)), *_guards(plan), *_BODIES[plan.verb](plan, shared)]
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


def _doc(text: str) -> str:
    return repr(text)


def _first_line(plan: Plan) -> str:
    return plan.reading.operation.summary.split("\n")[0][:200]


def _guards(plan: Plan) -> list[str]:
    return [f"get({g.table!r}, {', '.join(g.keys)})" for g in plan.guards]


def _where(column: str, op: str, value: str) -> str:
    """One keyword argument of `find`."""
    name = column if op == "eq" and not column.endswith(_OPS) else f"{column}__{op}"
    return _keyword(name, value)


_OPS = tuple(
    f"__{op}" for op in "eq ne lt le gt ge in contains icontains has".split()
)
_TABLE_PARAMETERS = frozenset({"sort", "limit", "offset"})


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
    parts = [_where(c, "eq", _constant(v)) for c, v in plan.fixed.items()]
    maybe: list[tuple[str, str]] = []
    for use in plan.used("match"):
        name = use.column if use.op == "eq" else f"{use.column}__{use.op}"
        if use.op == "eq" and (use.column in _TABLE_PARAMETERS or use.column.endswith(_OPS)):
            name = f"{use.column}__eq"
        if use.required:
            parts.append(_where(use.column, use.op, use.name))
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
        wanted = [_where(c, "eq", _constant(v)) for c, v in plan.fixed.items()]
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
    wanted = [_where(u.column, u.op, u.name) for u in matches.values()]
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


def _answered(plan: Plan, shared: Shared, row: str) -> list[str]:
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


def _get_body(plan: Plan, shared: Shared) -> list[str]:
    return [*_picked(plan), *_answered(plan, shared, "row")]


def _list_body(plan: Plan, shared: Shared) -> list[str]:
    reply = plan.reply
    assert reply.view is not None
    table = plan.sheet.table.name
    lines: list[str] = []
    conditions = _conditions(plan)
    roles = {u.role: u for u in plan.uses}
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
        lines += [f"if {current} < 1 or {size} < 1:", "    fail('invalid', 'pages and their sizes are counted from 1')"]
        start = f"({current} - 1) * {size}"
        del page
    elif "limit" in roles and "cursor" not in roles:
        size = roles["limit"].name
        lines.append(f"if {size} is not None and {size} < 1:")
        lines.append(f"    fail('invalid', {f'{size} must be at least 1'!r})")
    if "offset" in roles:
        start = _or(roles["offset"], "0")
        lines += [f"if {start} < 0:", f"    fail('invalid', {roles['offset'].name + ' must not be negative'!r})"]
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


def _count_body(plan: Plan, shared: Shared) -> list[str]:
    number = f"count({', '.join([repr(plan.sheet.table.name), *_conditions(plan)])})"
    return [f"return {_enveloped(plan.reply.envelope, {'record': number, 'true': 'True'})}"]


def _create_body(plan: Plan, shared: Shared) -> list[str]:
    parts = [_field_keyword(u.column, u.name) for u in plan.used("field") if u.required]
    parts += [_field_keyword(c, _constant(v)) for c, v in plan.sets.items()]
    maybe = [(u.column, u.name) for u in plan.used("field") if not u.required]
    if maybe:
        parts.append(_given(maybe))
    made = ", ".join([repr(plan.sheet.table.name), *parts])
    if plan.reply.kind == "constant":
        return [f"insert({made})", f"return {plan.reply.constant}"]
    return [f"row = insert({made})", *_answered(plan, shared, "row")]


def _update_body(plan: Plan, shared: Shared) -> list[str]:
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


def _delete_body(plan: Plan, shared: Shared) -> list[str]:
    lines = [*_picked(plan), *_required(plan)]
    gone = f"delete({plan.sheet.table.name!r}{_key(plan)})"
    if plan.reply.kind != "constant":
        return [*lines, *_answered_before(plan, shared, gone)]
    return [*lines, gone, f"return {plan.reply.constant}"]


def _answered_before(plan: Plan, shared: Shared, gone: str) -> list[str]:
    answered = _answered(plan, shared, "row")
    shown = answered[-1].removeprefix("return ")
    return [f"answer = {shown}", gone, "return answer"]


def _add_body(plan: Plan, shared: Shared) -> list[str]:
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


_BODIES = {
    "get": _get_body,
    "list": _list_body,
    "count": _count_body,
    "create": _create_body,
    "update": _update_body,
    "delete": _delete_body,
    "add": _add_body,
    "remove": _add_body,
}


# --------------------------------------------------------------- effect, tool


def effect_of(plan: Plan, schema: StateSchema) -> Effect | None:
    """What the plan does, as data; None where an effect cannot say it."""
    reply = plan.reply
    if plan.through is not None:
        return None
    paging = {u.role: u.name for u in plan.uses if u.role in ("limit", "offset", "page", "cursor", "sort")}
    shown = reply.kind in ("record", "list", "count", "scalar")
    shows = reply.view.shows() if reply.view is not None else None
    if reply.kind == "scalar":
        shows = {reply.scalar: ()}
    return Effect(
        verb=plan.verb,
        table=plan.sheet.table.name,
        match={u.name: Match(column=u.column, op=u.op) for u in plan.used("match")},
        fixed=plan.fixed,
        fields={u.name: u.column for u in plan.used("field")},
        sets=plan.sets,
        requires=plan.requires,
        replaces=plan.replaces,
        result=_place(reply.envelope) if shown else None,
        shows=shows,
        paging=Paging.model_validate(paging),
        cascades=_cascades(plan.sheet.table.name, schema) if plan.verb == "delete" else (),
    )


def _place(envelope: Envelope) -> tuple[str | int, ...]:
    for name, what in envelope:
        if what == "record":
            return (name,)
        if not isinstance(what, str) and "'record'" in repr(what):
            return (name, *_place(what))
    return ()


def _cascades(table: str, schema: StateSchema) -> tuple[str, ...]:
    """The tables whose records go along with, or are cleared by, a delete, in their order."""
    found: dict[str, None] = {}
    going = [table]
    done: set[str] = set()
    while going:
        gone = going.pop()
        done.add(gone)
        for other in schema.tables:
            goes = other.parent is not None and other.parent.table == gone
            goes = goes and other.parent is not None and other.parent.on_delete == "cascade"
            clears = False
            for column in other.columns:
                ways = _ways(column, gone)
                goes = goes or "cascade" in ways
                clears = clears or "clear" in ways
            if goes or clears:
                found[other.name] = None
            if goes and other.name not in done:
                going.append(other.name)
    return tuple(t.name for t in schema.tables if t.name in found and t.name != table)


def _ways(column: object, table: str) -> set[str]:
    from forge.types.state import Column

    assert isinstance(column, Column)
    found = {column.on_delete} if column.references == table else set()
    inner = [*column.properties, *(c for c in (column.items, column.values) if c is not None)]
    for each in inner:
        found |= _ways(each, table)
    return set(found)


def tool_of(plan: Plan, model: Model, schema: StateSchema) -> Tool:
    operation = plan.reading.operation
    reads = plan.verb in ("get", "list", "count")
    properties: JsonSchema = {u.name: u.schema for u in plan.uses}
    return Tool(
        name=operation.name,
        description=description_of(plan),
        parameters={
            "type": "object",
            "properties": properties,
            "required": [u.name for u in plan.uses if u.required],
            "additionalProperties": False,
        },
        kind="read" if reads else "write",
        returns=_returns(plan, model),
        effect=effect_of(plan, schema),
        operation=f"{operation.method} {operation.path}".strip() or operation.name,
    )


def _returns(plan: Plan, model: Model) -> JsonSchema | None:
    reply = plan.reply
    if reply.kind == "constant":
        return reply.constant_schema
    if reply.kind == "scalar":
        column = plan.sheet.column(reply.scalar)
        return {"type": column.type} if column is not None else None
    if reply.kind == "count":
        return _surrounded(reply.envelope, {"type": "integer"})
    assert reply.view is not None
    record = returns_of(model, reply.view)
    inner: JsonSchema = {"type": "array", "items": record} if reply.kind == "list" else record
    return _surrounded(reply.envelope, inner)


_EXTRA_SCHEMAS: dict[str, JsonSchema] = {
    "total": {"type": "integer"},
    "pages": {"type": "integer"},
    "page": {"type": "integer"},
    "limit": {"type": ["integer", "null"]},
    "offset": {"type": "integer"},
    "next": {"type": ["string", "null"]},
    "more": {"type": "boolean"},
    "true": {"type": "boolean"},
}


def _surrounded(envelope: Envelope, inner: JsonSchema) -> JsonSchema:
    if not envelope:
        return inner
    properties: JsonSchema = {}
    for name, what in envelope:
        if what == "record":
            properties[name] = inner
        elif isinstance(what, str):
            properties[name] = _EXTRA_SCHEMAS[what]
        else:
            properties[name] = _surrounded(what, inner)
    return {"type": "object", "properties": properties, "required": list(properties)}


def description_of(plan: Plan) -> str:
    """The document's words, whole sentences up to some length, and what else must be known."""
    operation = plan.reading.operation
    summary = " ".join(operation.summary.split())
    text = " ".join(operation.description.split())
    if summary and summary[-1] not in ".!?":
        summary += "."
    said = summary
    bare = summary.rstrip(".!?").lower()
    if text and not text.lower().startswith(bare):
        for sentence in _sentences(text):
            if len(said) + len(sentence) > 400:
                break
            said = f"{said} {sentence}"
    elif text and len(text) <= 400:
        said = text
    return " ".join([said, *plan.notes])


def _sentences(text: str) -> list[str]:
    import re

    return [s for s in re.split(r"(?<=[.!?])\s+", text) if s]


def legal_name(name: str) -> bool:
    return name not in RESERVED
