"""What the source of a tool names: the tables it touches and the texts it holds, with those of the
functions of the module that it calls."""

import ast
from collections.abc import Iterator
from functools import lru_cache

TOUCH = frozenset({"get", "find", "count", "insert", "update", "delete", "save"})
"""Of the table API: what takes a table first."""


def tables_of(source: str, tool: str) -> list[str]:
    """In the order in which they stand there."""
    found = [
        node.args[0].value
        for node in _nodes(source, tool)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in TOUCH
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ]
    return list(dict.fromkeys(str(each) for each in found))


def texts_of(source: str, tool: str) -> frozenset[str]:
    return frozenset(
        node.value
        for node in _nodes(source, tool)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _nodes(source: str, tool: str) -> Iterator[ast.AST]:
    functions = _functions(source)
    rest, seen = [tool], set[str]()
    while rest:
        name = rest.pop()
        if name in seen or name not in functions:
            continue
        seen.add(name)
        for node in ast.walk(functions[name]):
            yield node
            if isinstance(node, ast.Name):
                rest.append(node.id)


@lru_cache(maxsize=8)
def _functions(source: str) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
