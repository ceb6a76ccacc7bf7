"""Calls that agents write as Python, read from the syntax tree and never evaluated.

Always holds: only names, keywords and constants come out of a text; what a benchmark's own reader
would evaluate is looked at first (`harmless`).
"""

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from forge.types.data import Json

LONGEST = 20_000
"""Characters of a text that is looked at."""
ARITHMETIC: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@dataclass(frozen=True, slots=True)
class PyCall:
    """`unnamed`: the arguments without a name, in their order, where they are read at all."""

    name: str
    arguments: dict[str, Json]
    unnamed: tuple[Json, ...] = ()


class Unreadable(ValueError):
    """It is no list of calls with constants."""


def calls_in(text: str) -> tuple[PyCall, ...]:
    """Of `[Name(key=value), …]`, the brackets left out or not. Unreadable if that is not all it is,
    to the last space. Arguments without a name are left out."""
    body = _tree(text.removeprefix(" ").strip("[]'")).body
    made = body.elts if isinstance(body, ast.List | ast.Tuple) else [body]
    if not made:
        raise Unreadable("no calls")
    return tuple(_call(each) for each in made)


def call_in(text: str) -> PyCall:
    """Of `Name(value, key=value)`, with the arguments that have no name. Unreadable if that is not
    all it is."""
    node = _tree(text.strip()).body
    call = _call(node)
    unnamed = node.args if isinstance(node, ast.Call) else []
    return PyCall(call.name, call.arguments, tuple(_value(each) for each in unnamed))


def harmless(text: str) -> bool:
    """Whether a reader that evaluates sums and lambdas in it would do no more than arithmetic on a
    few numbers. What is no Python is not evaluated at all."""
    try:
        tree = _tree(text.strip())
    except Unreadable as error:
        return str(error) != TOO_LONG
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            return False
        if isinstance(node, ast.BinOp):
            try:
                _value(node)
            except Unreadable:
                return False
    return True


TOO_LONG = "too long"


def _tree(text: str) -> ast.Expression:
    if len(text) > LONGEST:
        raise Unreadable(TOO_LONG)
    try:
        return ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unreadable("no Python") from None


def _call(node: ast.expr) -> PyCall:
    if not isinstance(node, ast.Call):
        raise Unreadable("no call")
    parts: list[str] = []
    called = node.func
    while isinstance(called, ast.Attribute):
        parts.append(called.attr)
        called = called.value
    if not isinstance(called, ast.Name):
        raise Unreadable("calls no name")
    name = ".".join([called.id, *reversed(parts)])
    return PyCall(name, {each.arg: _value(each.value) for each in node.keywords if each.arg})


def _value(node: ast.expr) -> Json:
    match node:
        case ast.Constant(value=str() | bool() | int() | float() | None as value):
            return value
        case ast.Name(id=name):
            return name
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_value(each) for each in elements]
        case ast.Dict(keys=keys, values=values):
            return {_key(key): _value(value) for key, value in zip(keys, values, strict=True)}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            try:
                return ARITHMETIC[type(op)](_number(left), _number(right))
            except (ZeroDivisionError, OverflowError):
                raise Unreadable("no number") from None
    raise Unreadable(f"{type(node).__name__} is no constant")


def _key(node: ast.expr | None) -> str:
    value = None if node is None else _value(node)
    if not isinstance(value, str):
        raise Unreadable("a name is no text")
    return value


def _number(node: ast.expr) -> float:
    value = _value(node)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unreadable("no number")
    return value
