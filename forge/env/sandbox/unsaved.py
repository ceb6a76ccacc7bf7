"""The mistake that no test of one tool shows: a record that is read, changed, and never saved.

What `get` and `find` hand out is a copy, so the change is lost. A tool that only wants to answer
with more than the record has builds a new dict, `{**task, "project": name}`, and that is no
finding.
"""

import ast
from collections.abc import Iterable, Iterator

_CHANGES = frozenset(
    {"append", "add", "clear", "extend", "insert", "pop", "popitem", "remove", "reverse"}
    | {"setdefault", "sort", "update"}
)


_LOST = (
    "NAME is a copy of a record: unless it is saved, the change is lost; save it, or build a new "
    "dict for the answer: {**NAME, …}"
)


def unsaved_records(tree: ast.Module) -> Iterator[tuple[int, str]]:
    own = frozenset(each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))
    saving = own | {"save", "update", "insert"}
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            nodes = list(ast.walk(function))
            records = _records(nodes)
            saved = {
                each.id
                for node in nodes
                if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in saving
                for each in ast.walk(node)
                if isinstance(each, ast.Name)
            }
            for name, line in _changed(nodes):
                if name in records - saved:
                    yield line, _LOST.replace("NAME", name)


def _records(nodes: Iterable[ast.AST]) -> set[str]:
    """Names of records, and of lists of records, as far as a look at single statements shows."""
    lists: set[str] = set()
    records: set[str] = set()
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if _is_read(value, "find"):
                    lists.add(name)
                elif _is_read(value, "get"):
                    records.add(name)
            case _:
                pass
    for node in nodes:
        match node:
            case ast.For(target=ast.Name(id=name), iter=source) if _is_list(source, lists):
                records.add(name)
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Subscript(value=source, slice=place)
            ) if _is_list(source, lists) and not isinstance(place, ast.Slice):
                records.add(name)
            case _:
                pass
    return records


def _is_list(node: ast.expr, lists: set[str]) -> bool:
    return _is_read(node, "find") or (isinstance(node, ast.Name) and node.id in lists)


def _is_read(node: ast.expr, call: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == call


def _changed(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    for node in nodes:
        match node:
            case ast.Subscript(ctx=ast.Store(), lineno=line) as place:
                if (name := _root(place)) is not None:
                    yield name, line
            case ast.Call(func=ast.Attribute(value=value, attr=attr), lineno=line):
                if attr in _CHANGES and (name := _root(value)) is not None:
                    yield name, line
            case _:
                pass


def _root(node: ast.expr) -> str | None:
    """`task` of `task["tags"][0]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
