"""The ways to break a tool: each gives copies of its function, each copy with one thing wrong.

They look at the syntax tree and at the schema, never at what the checks look at. The function that
is handed in stays as it is.
"""

import ast
from collections.abc import Iterator, Mapping
from copy import deepcopy
from keyword import iskeyword

from forge.env.sandbox.source import python_name
from forge.synth.trees import (
    assigned,
    calls_in,
    copied_at,
    insert_first,
    is_call,
    never_true,
    replaced,
    said_by,
    text_of,
    with_before,
)
from forge.types.environment import Tool
from forge.types.state import StateSchema, Table

Change = tuple[str, ast.FunctionDef]
"""What is wrong, and the function that it is wrong in."""

_FILTERED = frozenset({"find", "count", "given", "insert", "update"})
_WRITES = frozenset({"insert", "update", "delete", "save"})


def ignored_filters(function: ast.FunctionDef, tool: Tool, schema: StateSchema) -> Iterator[Change]:
    """A condition of `find` or `count` is gone."""
    return _without_keywords(function, {"find", "count"})


def ignored_parameters(
    function: ast.FunctionDef, tool: Tool, schema: StateSchema
) -> Iterator[Change]:
    """A value is not written; or a parameter is as if it had not been passed."""
    yield from _without_keywords(function, {"insert", "update"})
    arguments = function.args
    named = arguments.args[len(arguments.args) - len(arguments.defaults) :]
    for parameter, default in zip(named, arguments.defaults, strict=True):
        copy = deepcopy(function)
        reset = ast.Assign([ast.Name(parameter.arg, ast.Store())], deepcopy(default))
        insert_first(copy, [reset])
        yield f"ignores the parameter {parameter.arg}", copy


def _without_keywords(function: ast.FunctionDef, within: set[str]) -> Iterator[Change]:
    """Keywords of these calls, and of a `**given(…)` in them, are gone, each by itself."""
    given = {
        id(keyword.value): name
        for _, call, name in calls_in(function)
        for keyword in call.keywords
        if keyword.arg is None
    }
    for place, call, name in calls_in(function):
        outer = given.get(id(call), "") if name == "given" else name
        if outer not in within:
            continue
        for at, keyword in enumerate(call.keywords):
            if keyword.arg in ("sort", "limit", "offset"):
                continue
            copy, node = copied_at(function, place)
            assert isinstance(node, ast.Call)
            del node.keywords[at]
            yield f"ignores {keyword.arg or 'what is passed'} in {outer}", copy


def wrong_columns(function: ast.FunctionDef, tool: Tool, schema: StateSchema) -> Iterator[Change]:
    """A keyword of the table API, or a text in brackets, that names a column, names another."""
    names = _columns(tool, schema)
    for place, call, name in calls_in(function):
        if name not in _FILTERED:
            continue
        for at, keyword in enumerate(call.keywords):
            column, suffix, op = (keyword.arg or "").partition("__")
            other = _other(names, column)
            if other is None or any(k.arg == f"{other}{suffix}{op}" for k in call.keywords):
                continue
            copy, node = copied_at(function, place)
            assert isinstance(node, ast.Call)
            node.keywords[at].arg = f"{other}{suffix}{op}"
            yield f"takes {other} for {column} in {name}", copy
    said = said_by(function)
    for place, node in enumerate(ast.walk(function)):
        if id(node) in said:
            continue
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            named = node.slice.value
            other = _other(names, named)
            if other is not None:
                copy, twin = copied_at(function, place)
                assert isinstance(twin, ast.Subscript)
                twin.slice = ast.Constant(other)
                yield f"takes {other} for {named!r}", copy
        match node:
            case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=named), *_]) if (
                other := _other(names, named)
            ) is not None:
                copy, twin = copied_at(function, place)
                assert isinstance(twin, ast.Call)
                twin.args[0] = ast.Constant(other)
                yield f"takes {other} for {named!r}", copy


def _columns(tool: Tool, schema: StateSchema) -> list[str]:
    tables: list[Table] = [
        table for table in schema.tables if tool.effect is None or table.name == tool.effect.table
    ]
    return [column.name for table in tables for column in table.columns]


def _other(names: list[str], column: object) -> str | None:
    if not isinstance(column, str) or column not in names:
        return None
    rest = [n for n in names if n != column and n.isidentifier() and not iskeyword(n)]
    return rest[names.index(column) % len(rest)] if rest else None


def wrong_parents(function: ast.FunctionDef, tool: Tool, schema: StateSchema) -> Iterator[Change]:
    """The record that a column refers to or belongs to is another one than was passed."""
    tables = {table.name: table for table in schema.tables}
    for place, call, name in calls_in(function):
        table = _table_of(call, tables)
        if name not in ("find", "count", "insert") or table is None:
            continue
        for at, keyword in enumerate(call.keywords):
            target = _referred(table, keyword.arg or "", tables)
            if target is None or not isinstance(keyword.value, ast.Name):
                continue
            copy, node = copied_at(function, place)
            assert isinstance(node, ast.Call)
            passed, (other, part) = keyword.value.id, target
            rows = f"[r[{part!r}] for r in find({other!r}) if r[{part!r}] != {passed}]"
            node.keywords[at].value = ast.parse(f"({rows} or [{passed}])[0]", mode="eval").body
            yield f"takes another of {other} for {keyword.arg} in {name}", copy


def _table_of(call: ast.Call, tables: Mapping[str, Table]) -> Table | None:
    match call.args:
        case [ast.Constant(value=str() as name), *_]:
            return tables.get(name)
    return None


def _referred(table: Table, name: str, tables: dict[str, Table]) -> tuple[str, str] | None:
    """The table that a column refers to, and the column of its key that it is."""
    parent = table.parent
    if parent is not None and name in parent.columns:
        return parent.table, tables[parent.table].key[parent.columns.index(name)]
    for column in table.columns:
        if column.name == name and column.references in tables:
            return column.references, tables[column.references].key[0]
    return None


def missing_checks(function: ast.FunctionDef, tool: Tool, schema: StateSchema) -> Iterator[Change]:
    """An `if` that refuses is gone, or is turned round; a mere `get(…)` is gone."""
    for place, node in enumerate(ast.walk(function)):
        refuses = isinstance(node, ast.If) and any(
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Name)
            and each.func.id == "fail"
            for each in ast.walk(node)
        )
        if refuses:
            assert isinstance(node, ast.If)
            if not never_true(node.test, tool):
                copy, twin = copied_at(function, place)
                assert isinstance(twin, ast.If)
                twin.body = [ast.Pass()]
                yield "does not refuse", copy
            copy, twin = copied_at(function, place)
            assert isinstance(twin, ast.If)
            twin.test = ast.UnaryOp(ast.Not(), twin.test)
            yield "refuses the other way round", copy
        if is_call(node, {"get"}):
            copy, twin = copied_at(function, place)
            assert isinstance(twin, ast.Expr)
            twin.value = ast.Constant(None)
            yield "does not look whether the record is there", copy
    for place, call, name in calls_in(function):
        if name == "get" and call.args:
            copy, twin = copied_at(function, place)
            table = ast.unparse(call.args[0])
            first = ast.parse(f"(find({table}, limit=1) or [{{}}])[0]", mode="eval").body
            yield "takes any record", replaced(copy, twin, first)


def dropped_writes(function: ast.FunctionDef, tool: Tool, schema: StateSchema) -> Iterator[Change]:
    for place, node in enumerate(ast.walk(function)):
        if is_call(node, _WRITES):
            copy, twin = copied_at(function, place)
            assert isinstance(twin, ast.Expr)
            twin.value = ast.Constant(None)
            yield "does not write", copy
    alone = {id(node.value) for node in ast.walk(function) if isinstance(node, ast.Expr)}
    for place, call, name in calls_in(function):
        if name == "delete" and id(call) in alone:
            continue
        if name in ("update", "save", "delete") and call.args:
            copy, twin = copied_at(function, place)
            assert isinstance(twin, ast.Call)
            if name != "save":
                read = ast.Call(ast.Name("get"), deepcopy(call.args), [])
                yield "reads instead of writing", replaced(copy, twin, read)
            elif len(call.args) == 2:
                yield "does not save", replaced(copy, twin, deepcopy(call.args[1]))


def wrong_constants(function: ast.FunctionDef, tool: Tool, schema: StateSchema) -> Iterator[Change]:
    """Not the texts of messages, and not the names of tables and columns."""
    names = {table.name for table in schema.tables}
    names |= {column.name for table in schema.tables for column in table.columns}
    options = [c.enum for table in schema.tables for c in table.columns if c.enum]
    for place, call, name in calls_in(function):
        if name == "fail":
            continue
        for at, keyword in enumerate(call.keywords):
            if not isinstance(keyword.value, ast.Constant):
                continue
            old = keyword.value.value
            new = _another(old, options)
            if new == old or (isinstance(old, str) and old.removeprefix("-") in names):
                continue
            copy, node = copied_at(function, place)
            assert isinstance(node, ast.Call)
            node.keywords[at].value = ast.Constant(new)
            yield f"has {new!r} for {old!r}", copy
    for place, compare in enumerate(ast.walk(function)):
        if isinstance(compare, ast.Compare) and isinstance(compare.comparators[0], ast.Constant):
            old = compare.comparators[0].value
            new = _another(old, options)
            if new != old:
                copy, twin = copied_at(function, place)
                assert isinstance(twin, ast.Compare)
                twin.comparators[0] = ast.Constant(new)
                yield f"compares with {new!r}, not {old!r}", copy


def _another(value: object, options: list[tuple[object, ...]]) -> str | int | float | bool | None:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        for enum in options:
            rest = [each for each in enum if each != value and isinstance(each, str)]
            if value in enum and rest:
                return str(rest[0])
        return value + "x"
    return None


def put_for_patch(function: ast.FunctionDef, tool: Tool, schema: StateSchema) -> Iterator[Change]:
    """What was not passed to `update` is null, as in a PUT."""
    return _unpassed_as_null(function, {"update"})


def unpassed_as_null(
    function: ast.FunctionDef, tool: Tool, schema: StateSchema
) -> Iterator[Change]:
    """What was not passed is looked for as null, or made null instead of its default."""
    yield from _unpassed_as_null(function, {"find", "count"})
    tables = {table.name: table for table in schema.tables}
    yield from _unpassed_as_null(function, {"insert"}, tables)


def _unpassed_as_null(
    function: ast.FunctionDef, within: set[str], defaults: Mapping[str, Table] | None = None
) -> Iterator[Change]:
    """`**given(a=a)` becomes `a=a`. `defaults`: only where a column has one, for else the store
    takes null for what was not passed."""
    for place, call, name in calls_in(function):
        for at, keyword in enumerate(call.keywords if name in within else ()):
            match keyword:
                case ast.keyword(
                    arg=None, value=ast.Call(func=ast.Name(id="given"), keywords=passed)
                ):
                    table = _table_of(call, defaults or {})
                    named = [each.arg for each in passed]
                    columns = table.columns if table is not None else ()
                    told = [c for c in columns if c.name in named and c.default is not None]
                    if defaults is not None and not told:
                        continue
                    copy, node = copied_at(function, place)
                    assert isinstance(node, ast.Call)
                    node.keywords[at : at + 1] = deepcopy(passed)
                    yield f"takes what was not passed for null in {name}", copy


def patch_for_put(function: ast.FunctionDef, tool: Tool, schema: StateSchema) -> Iterator[Change]:
    """`{n: v for n, v in row.items() if n not in (…)}` leaves nothing out: what was not passed
    stays, as in a PATCH."""
    always = {text for node in function.body for text in assigned(node)}
    for place, node in enumerate(ast.walk(function)):
        if isinstance(node, ast.DictComp) and node.generators[0].ifs:
            if set(map(text_of, ast.walk(node.generators[0].ifs[0]))) - {None} <= always:
                continue  # all that is left out is set anew, whatever is passed
            copy, twin = copied_at(function, place)
            assert isinstance(twin, ast.DictComp)
            twin.generators[0].ifs = []
            yield "keeps what was not passed", copy


def off_by_one(function: ast.FunctionDef, tool: Tool, schema: StateSchema) -> Iterator[Change]:
    """One more for a limit, an offset or a page, where it chooses the part that is shown."""
    if tool.effect is None:
        return
    paging = tool.effect.paging
    names = {python_name(n): n for n in (paging.limit, paging.offset, paging.page) if n is not None}
    for place, node in enumerate(ast.walk(function)):
        chooses = isinstance(node, ast.keyword) and node.arg in ("limit", "offset")
        if not chooses and not isinstance(node, ast.Slice):
            continue
        asked = {
            id(each)
            for inner in ast.walk(node)
            if isinstance(inner, ast.IfExp)
            for each in ast.walk(inner.test)
        }
        for at, inner in enumerate(ast.walk(node)):
            if isinstance(inner, ast.Name) and inner.id in names and id(inner) not in asked:
                copy, twin = copied_at(function, place)
                more = ast.parse(f"({inner.id} or 0) + 1", mode="eval").body
                yield (
                    f"takes one more for {names[inner.id]}",
                    replaced(copy, list(ast.walk(twin))[at], more),
                )


def wrong_defaults(function: ast.FunctionDef, tool: Tool, schema: StateSchema) -> Iterator[Change]:
    for at, default in enumerate(function.args.defaults):
        if isinstance(default, ast.Constant) and default.value is not None:
            copy = deepcopy(function)
            copy.args.defaults[at] = ast.Constant(_another(default.value, []))
            yield f"has another default than {default.value!r}", copy


def side_writes(function: ast.FunctionDef, tool: Tool, schema: StateSchema) -> Iterator[Change]:
    """One record is deleted on the side, by a read or by a write."""
    for table in schema.tables:
        own = tool.effect is not None and table.name == tool.effect.table
        if table.singleton or not table.key or (own and tool.kind == "write"):
            continue
        copy = deepcopy(function)
        keys = ", ".join(f"side_[{name!r}]" for name in table.key)
        text = f"for side_ in find({table.name!r}, limit=1):\n    delete({table.name!r}, {keys})"
        insert_first(copy, ast.parse(text).body)
        yield f"deletes one of {table.name} on the side", copy


def lost_results(function: ast.FunctionDef, tool: Tool, schema: StateSchema) -> Iterator[Change]:
    for place, node in enumerate(ast.walk(function)):
        constant = isinstance(node, ast.Return) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Return) and node.value is not None and not constant:
            copy, twin = copied_at(function, place)
            assert isinstance(twin, ast.Return)
            before = ast.Expr(deepcopy(node.value))
            twin.value = ast.Constant(None)
            yield "loses its result", with_before(copy, twin, before)
