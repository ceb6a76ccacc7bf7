"""The rules about names: each is known, none of the table API is rebound, and functions, modules
and sets are used only where that cannot outlive the call or depend on an order that is not fixed.
"""

import ast
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from forge.env.sandbox.words import BUILTINS, FIELDS, METHODS, MODULES, TABLE_API

Finding = tuple[int, str]
"""A line of the source and what is wrong there."""

_NAMES = {
    "next": "next() does not run on a generator here; use a loop, or the first item of a list",
    "iter": "iter() is not allowed; use a loop",
    "open": "there are no files here",
    "input": "there is nobody to ask; make it a parameter",
}

_ATTRIBUTES = {
    "format": "use an f-string instead of .format()",
    "now": "use now(), the session's clock",
    "utcnow": "use now(), the session's clock",
    "today": "use today(), the session's date",
}

_ORDERED = frozenset(
    {"list", "tuple", "enumerate", "map", "filter", "zip", "reversed", "join", "extend"}
    | {"fromkeys", "str", "repr"}
)
"""Calls whose result has the order of what they are given."""

_TIES = frozenset({"sorted", "min", "max"})
"""Calls that, with a `key`, keep the order of what is equal."""


@dataclass(frozen=True, slots=True)
class Top:
    """A statement at the top level, all that is in it, itself first, and the names bound there."""

    node: ast.stmt
    nodes: list[ast.AST]
    bound: dict[str, int]
    """Name -> a line where it is bound."""


def name_findings(tree: ast.Module, table: symtable.SymbolTable) -> Iterator[Finding]:
    tops = [_top(node) for node in tree.body]
    every = [node for top in tops for node in top.nodes]
    yield from _bindings(every)
    yield from _unknown(every, table)
    yield from _uses(tops, every)
    constants = _set_names(tree.body)
    for top in tops:
        if isinstance(top.node, ast.FunctionDef):
            yield from _set_orders(top, constants)


def _top(node: ast.stmt) -> Top:
    nodes = list(ast.walk(node))
    return Top(node, nodes, dict(_bound(nodes)))


def _bindings(nodes: Iterable[ast.AST]) -> Iterator[Finding]:
    for name, line in _bound(nodes):
        if name in TABLE_API:
            yield line, f"{name!r} is a name of the table API; call yours {name + '_'!r}"
        elif name.startswith("__"):
            yield line, f"{name!r}: names with two underscores are not allowed"


def _bound(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """Every name that is bound anywhere, and where."""
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del(), lineno=line):
                yield name, line
            case ast.arg(arg=name, lineno=line) | ast.FunctionDef(name=name, lineno=line):
                yield name, line
            case ast.ExceptHandler(name=str() as name, lineno=line):
                yield name, line
            case ast.MatchAs(name=str() as name, lineno=line):
                yield name, line
            case ast.MatchStar(name=str() as name, lineno=line):
                yield name, line
            case ast.MatchMapping(rest=str() as name, lineno=line):
                yield name, line
            case ast.Import(names=names, lineno=line) | ast.ImportFrom(names=names, lineno=line):
                for each in names:
                    yield each.asname or each.name, line
            case _:
                pass


def _unknown(nodes: Iterable[ast.AST], table: symtable.SymbolTable) -> Iterator[Finding]:
    """Names that are read and are neither bound in the source nor words of the language. The
    symbol table decides, since it knows scopes as Python does."""
    top = table.get_symbols()
    known = {each.get_name() for each in top if each.is_assigned() or each.is_imported()}
    known |= BUILTINS | TABLE_API
    reads = sorted(
        (node.lineno, node.id)
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )
    for scope in _scopes(table):
        for symbol in scope.get_symbols():
            name = symbol.get_name()
            if symbol.is_global() and symbol.is_referenced() and name not in known:
                lines = [
                    line for line, read in reads if read == name and line >= scope.get_lineno()
                ]
                yield (
                    min(lines, default=1),
                    _NAMES.get(name, f"the name {name!r} is not known here"),
                )


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _modules(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """The names under which whole modules are imported, anywhere."""
    return {
        each.asname or each.name: each.name
        for node in nodes
        if isinstance(node, ast.Import)
        for each in node.names
    }


def _uses(tops: Iterable[Top], every: Iterable[ast.AST]) -> Iterator[Finding]:
    """Modules only with a dot, functions only called or passed to a call, attributes only those
    of the list, never set."""
    modules = _modules(every)
    functions = {top.node.name for top in tops if isinstance(top.node, ast.FunctionDef)}
    calls = [node for node in every if isinstance(node, ast.Call)]
    called = {id(call.func) for call in calls}
    passed = {id(value) for call in calls for value in _given(call)}
    used = called | passed
    dotted = {id(node.value) for node in every if isinstance(node, ast.Attribute)}
    for top in tops:
        nested = {each.name for each in top.nodes[1:] if isinstance(each, ast.FunctionDef)}
        values = nested | (functions - top.bound.keys())
        whole = {name: module for name, module in modules.items() if name not in top.bound}
        for node in top.nodes:
            match node:
                case ast.Lambda(lineno=line) if id(node) not in passed:
                    yield line, "a lambda is only to be passed to a call, as in sorted(rows, key=…)"
                case ast.Name(id=name, ctx=ast.Load(), lineno=line):
                    if name in TABLE_API and id(node) not in called:
                        yield line, f"{name!r} is only to be called"
                    elif name in values and id(node) not in used:
                        yield line, f"function {name!r} is only to be called, or passed to a call"
                    elif name in whole and id(node) not in dotted:
                        yield line, f"module {name!r} is only to be used with a dot"
                case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del(), lineno=line):
                    yield line, f"attribute {name!r} cannot be set; records are dicts: x[{name!r}]"
                case ast.Attribute(value=ast.Name(id=owner), attr=name, lineno=line) if (
                    owner in whole
                ):
                    if name not in MODULES.get(whole[owner], ()):
                        yield line, f"{owner}.{name} is not allowed"
                case ast.Attribute(attr=name, lineno=line) if name in METHODS:
                    if id(node) not in called:
                        yield line, f"method {name!r} is only to be called: lambda x: x.{name}(…)"
                case ast.Attribute(attr=name, lineno=line) if name not in FIELDS:
                    yield line, _ATTRIBUTES.get(name, f"attribute {name!r} is not known here")
                case _:
                    pass


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(each.value for each in call.keywords)]


def _set_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Names that are bound to sets and to nothing else."""
    sets: set[str] = set()
    others: set[str] = set()
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                (sets if _is_set(value, frozenset()) else others).add(name)
            case _:
                pass
    return frozenset(sets - others)


def _set_orders(function: Top, constants: frozenset[str]) -> Iterator[Finding]:
    """Places where the order of a set, which is not fixed, would show."""
    names = _set_names(function.nodes) | (constants - function.bound.keys())
    for node in function.nodes:
        match node:
            case ast.For(iter=source) | ast.comprehension(iter=source) | ast.Starred(value=source):
                sources = [source]
            case (
                ast.FormattedValue(value=source)
                | ast.Call(func=ast.Attribute(value=source, attr="pop"))
            ):
                sources = [source]
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _ORDERED:
                sources = node.args
            case ast.Call(func=ast.Name(id=name)) if name in _TIES and node.keywords:
                sources = node.args
            case _:
                continue
        for source in sources:
            if _is_set(source, names):
                yield source.lineno, "the order of a set is not fixed; write sorted(…) around it"


def _is_set(node: ast.expr, names: frozenset[str]) -> bool:
    match node:
        case ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.Name(id=name):
            return name in names
        case ast.BinOp(left=left, op=ast.Sub() | ast.BitOr() | ast.BitAnd() | ast.BitXor()):
            return _is_set(left, names)
        case _:
            return False
