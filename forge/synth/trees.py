"""The syntax tree of one tool's function: what is in it, and copies with one place changed.

Always holds: a function that is handed in stays as it is, unless it says that it changes it.
"""

import ast
from collections.abc import Iterator
from copy import deepcopy

from forge.env.sandbox.source import python_name
from forge.types.environment import Tool


def calls_in(function: ast.FunctionDef) -> Iterator[tuple[int, ast.Call, str]]:
    """Calls by name, with their place in the walk, which a copy of the function shares."""
    for place, node in enumerate(ast.walk(function)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield place, node, node.func.id


def copied_at(function: ast.FunctionDef, place: int) -> tuple[ast.FunctionDef, ast.AST]:
    """A copy, and the node in it that is at this place."""
    copy = deepcopy(function)
    return copy, list(ast.walk(copy))[place]


def replaced(tree: ast.FunctionDef, old: ast.AST, new: ast.expr) -> ast.FunctionDef:
    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else self.generic_visit(node)

    swapped = Swap().visit(tree)
    assert isinstance(swapped, ast.FunctionDef)
    return swapped


def with_before(tree: ast.FunctionDef, old: ast.stmt, new: ast.stmt) -> ast.FunctionDef:
    class Insert(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST | list[ast.AST]:
            return [new, old] if node is old else self.generic_visit(node)

    inserted = Insert().visit(tree)
    assert isinstance(inserted, ast.FunctionDef)
    return inserted


def insert_first(function: ast.FunctionDef, nodes: list[ast.stmt]) -> None:
    start = 1 if ast.get_docstring(function) is not None else 0
    function.body[start:start] = nodes


def is_call(node: ast.AST, names: set[str] | frozenset[str]) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id in names
    )


def said_by(function: ast.FunctionDef) -> set[int]:
    """What is in the message of a refusal."""
    fails = [call for _, call, name in calls_in(function) if name == "fail"]
    return {id(node) for call in fails for each in call.args[1:] for node in ast.walk(each)}


def assigned(node: ast.stmt) -> list[str]:
    """The text in brackets that a statement assigns to: `kept["name"] = name`."""
    match node:
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str() as text))]):
            return [text]
    return []


def text_of(node: ast.AST) -> str | None:
    match node:
        case ast.Constant(value=str() as text):
            return text
    return None


def never_true(test: ast.expr, tool: Tool) -> bool:
    """Whether the parameters' schema, or the store, refuses all that the test is true for."""
    properties = {
        python_name(name): schema for name, schema in tool.parameters.get("properties", {}).items()
    }
    match test:
        case ast.BoolOp(op=ast.Or(), values=arms):
            return all(never_true(arm, tool) for arm in arms)
        case ast.BoolOp(op=ast.And(), values=arms):
            return any(never_true(arm, tool) for arm in arms)
        case ast.Compare(
            left=ast.IfExp(body=ast.Constant(value=int() as usual), orelse=ast.Name() as named),
            ops=[ast.Lt()],
            comparators=[ast.Constant(value=int() | float() as least)],
        ):
            plain = ast.Compare(named, test.ops, test.comparators)
            return usual >= least and never_true(plain, tool)
        case ast.Compare(
            left=ast.Name(id=name),
            ops=[ast.Lt()],
            comparators=[ast.Constant(value=int() | float() as least)],
        ):
            allowed = properties.get(name, {}).get("minimum")
            return isinstance(allowed, int | float) and allowed >= least
        case ast.Compare(
            left=ast.Name(id=name), ops=[ast.NotIn()], comparators=[ast.List(elts=options)]
        ):
            choices = properties.get(name, {}).get("enum")
            known = [each.value for each in options if isinstance(each, ast.Constant)]
            return isinstance(choices, list) and all(choice in known for choice in choices)
    return False
