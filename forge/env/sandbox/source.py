"""The rules that the source of tools must keep, checked on its syntax tree before it is loaded.

What the rules buy: nothing outlives a call (there is nowhere to keep it), no tool can change what
another sees, and every name and attribute is one of `words.py`. The sandbox is what stops hostile
code; these rules make both back ends see the same small language, and make `native` decent.
"""

import ast
import symtable
import warnings
from collections.abc import Iterable, Iterator

from forge.env.sandbox.names import Finding, name_findings
from forge.env.sandbox.unsaved import unsaved_records
from forge.env.sandbox.words import MODULES, NODES, TABLE_API
from forge.types.environment import Tool

LONGEST_SOURCE = 2_000_000
"""Characters. Sixty tools take about 60,000."""


_REASONS = {
    "Global": "`global` keeps state between calls; return the value instead",
    "Nonlocal": "`nonlocal` is not allowed; return the value instead",
    "Delete": '`del` does not run here; write record.pop("name")',
    "With": "`with` is not allowed: there is nothing to open",
    "ClassDef": "classes are not allowed; use dicts and functions",
    "Yield": "generators do not run here; build a list",
    "YieldFrom": "generators do not run here; build a list",
    "TryStar": "`except*` does not run here",
}


def check_source(source: str, tools: Iterable[str]) -> list[str]:
    """What is wrong with the source, one line each, `line 12: why`, in order; empty if fine.

    `tools` are the names that must each be a function at the top level."""
    if len(source) > LONGEST_SOURCE:
        return [f"line 1: the source has {len(source)} characters, at most {LONGEST_SOURCE}"]
    try:
        tree, table = _parsed(source)
        findings = [*_nodes(tree), *_module(tree), *_tools(tree, tools)]
        findings += [*name_findings(tree, table), *unsaved_records(tree)]
    except SyntaxError as error:
        return [f"line {error.lineno or 1}: {error.msg}"]
    except (ValueError, RecursionError, MemoryError) as error:
        return [f"line 1: cannot be parsed: {error or 'nested too deeply'}"]
    return [f"line {line}: {reason}" for line, reason in sorted(set(findings))]


def signature_findings(source: str, tools: Iterable[Tool]) -> list[str]:
    """Where the parameters of a tool's function are not those that the agent sees. The source
    must have passed `check_source`."""
    functions = _functions(ast.parse(source))
    return [finding for tool in tools for finding in signature_of(functions[tool.name], tool)]


def signature_of(function: ast.FunctionDef, tool: Tool) -> list[str]:
    """Where the parameters of the tool's function are not those that the agent sees."""
    shown = {python_name(name) for name in tool.parameters.get("properties", {})}
    required = {python_name(name) for name in tool.parameters.get("required", [])}
    named, needed = _parameters(function.args)
    where = f"line {function.lineno}: {tool.name}"
    return [
        *(f"{where} has no parameter {name!r}" for name in sorted(shown - named)),
        *(
            f"{where}: parameter {name!r} is not among the tool's parameters"
            for name in sorted(named - shown)
        ),
        *(
            f"{where}: parameter {name!r} is optional for the agent but has no default"
            for name in sorted((needed & shown) - required)
        ),
    ]


def python_name(argument: str) -> str:
    """The name of the Python parameter for an argument of the agent: the same, but for the names
    of the table API, which get an underscore: `page` is `page_`."""
    return f"{argument}_" if argument in TABLE_API else argument


def _parsed(source: str) -> tuple[ast.Module, symtable.SymbolTable]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(source, "tools.py", "exec", dont_inherit=True)
        return ast.parse(source, "tools.py"), symtable.symtable(source, "tools.py", "exec")


def _functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}


def _parameters(arguments: ast.arguments) -> tuple[set[str], set[str]]:
    """All that can be passed by name, and those without a default."""
    plain, only = arguments.args, arguments.kwonlyargs
    needed = {each.arg for each in plain[: len(plain) - len(arguments.defaults)]}
    needed |= {
        each.arg
        for each, default in zip(only, arguments.kw_defaults, strict=True)
        if default is None
    }
    return {each.arg for each in [*plain, *only]}, needed


def _nodes(tree: ast.Module) -> Iterator[Finding]:
    """The kinds of statement and expression, and handlers that would swallow everything."""
    for node in ast.walk(tree):
        kind = type(node).__name__
        if kind not in NODES and not isinstance(node, ast.Del):
            line = node.lineno if isinstance(node, ast.stmt | ast.expr) else 1
            yield line, _REASONS.get(kind, f"{kind} is not allowed")
        elif isinstance(node, ast.AnnAssign) and node.value is None:
            yield node.lineno, "an annotation without a value binds nothing; give it one"
        elif isinstance(node, ast.ExceptHandler) and node.type is None:
            yield node.lineno, "a bare `except:` is not allowed; name what you expect"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imports(node)


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[Finding]:
    if isinstance(node, ast.Import):
        for each in node.names:
            if each.name not in MODULES:
                yield node.lineno, f"import of {each.name!r}; allowed: {', '.join(MODULES)}"
    elif node.level or node.module not in MODULES:
        yield node.lineno, f"import of {node.module!r}; allowed: {', '.join(MODULES)}"
    else:
        for each in node.names:
            if each.name not in MODULES[node.module]:
                allowed = ", ".join(sorted(MODULES[node.module]))
                yield node.lineno, f"{node.module}.{each.name} is not among {allowed}"


def _module(tree: ast.Module) -> Iterator[Finding]:
    """The top level: functions, imports, constants; and what is worked out when it is loaded."""
    seen: set[str] = set()
    for place, node in enumerate(tree.body):
        match node:
            case ast.FunctionDef() | ast.Import() | ast.ImportFrom():
                pass
            case ast.Expr(value=ast.Constant(value=str())) if place == 0:
                pass
            case ast.Assign(targets=[ast.Name()], value=value) if _is_constant(value):
                pass
            case ast.AnnAssign(target=ast.Name(), value=ast.expr() as value) if _is_constant(value):
                pass
            case ast.Assign() | ast.AnnAssign():
                yield (
                    node.lineno,
                    "only immutable constants at the top level: text, number, tuple",
                )
            case _:
                yield node.lineno, "only functions, imports and constants at the top level"
        for name in _bound(node):
            if name in seen:
                yield node.lineno, f"{name!r} is defined twice"
            seen.add(name)
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef):
            yield from _definition(each)
        elif isinstance(each, ast.Lambda):
            yield from _defaults(each)
        elif isinstance(each, ast.AnnAssign):
            yield from _annotation(each.annotation)


def _bound(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
            return [name]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def _is_constant(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return True
        case ast.Tuple(elts=items):
            return all(map(_is_constant, items))
        case ast.Call(
            func=ast.Name(id="frozenset"),
            args=[ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items)],
            keywords=[],
        ):
            return all(map(_is_constant, items))
        case _:
            return False


def _definition(node: ast.FunctionDef) -> Iterator[Finding]:
    if node.decorator_list:
        yield node.lineno, "decorators are not allowed"
    yield from _defaults(node)
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    for annotation in [*(each.annotation for each in every), node.returns]:
        if annotation is not None:
            yield from _annotation(annotation)


def _defaults(node: ast.FunctionDef | ast.Lambda) -> Iterator[Finding]:
    for default in [*node.args.defaults, *node.args.kw_defaults]:
        if default is None or _is_constant(default) or isinstance(default, ast.Name):
            continue
        yield default.lineno, "a default must be an immutable constant; use None and set it inside"


def _annotation(node: ast.expr) -> Iterator[Finding]:
    for each in ast.walk(node):
        if isinstance(each, ast.Call | ast.Lambda | ast.NamedExpr | ast.GeneratorExp):
            yield node.lineno, "an annotation may only name types"


def _tools(tree: ast.Module, tools: Iterable[str]) -> Iterator[Finding]:
    functions = _functions(tree)
    for name in tools:
        if name not in functions:
            yield 1, f"there is no function {name!r} for the tool of that name"
            continue
        arguments = functions[name].args
        if arguments.posonlyargs or arguments.vararg or arguments.kwarg:
            yield functions[name].lineno, f"{name}: each parameter of a tool is passed by its name"
