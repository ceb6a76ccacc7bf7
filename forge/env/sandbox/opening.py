"""How the tools of a program begin, read off their source: what each asks of the records before
anything that its source does not tell.

Always holds: a tool that comes to ask anything asks just that, in that order, for what stands
between is nothing but refusals.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from forge.env.sandbox.words import BUILTINS
from forge.types.data import Json

FORESEEN = ("get", "find", "insert", "update", "delete", "me")
"""Of the table API: what is looked for."""


@dataclass(frozen=True, slots=True)
class Value:
    """A constant; the argument of that name; or what was answered to the ask of that number, or a
    field of it."""

    constant: Json = None
    argument: str | None = None
    answer: int | None = None
    field: str | None = None

    def told(self, passed: Mapping[str, Json], answers: Sequence[Json]) -> Json:
        if self.argument is not None:
            return passed[self.argument]
        if self.answer is None:
            return self.constant
        answer = answers[self.answer]
        return answer if self.field is None else answer[self.field]


@dataclass(frozen=True, slots=True)
class Ask:
    """A call of the table API; of `given`, those that are not None are passed too. `surely`: no
    refusal can stand before it."""

    name: str
    surely: bool
    args: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()
    given: tuple[tuple[str, Value], ...] = ()

    def passes(
        self, passed: Mapping[str, Json], answers: Sequence[Json]
    ) -> tuple[list[Json], dict[str, Json]]:
        """What is passed by place and by name, by a tool that got the arguments `passed`. KeyError
        and TypeError where an answer has no such field."""
        named = {name: value.told(passed, answers) for name, value in self.named}
        given = {name: value.told(passed, answers) for name, value in self.given}
        named |= {name: value for name, value in given.items() if value is not None}
        return [value.told(passed, answers) for value in self.args], named


@dataclass(frozen=True, slots=True)
class Opening:
    """`needs`: its arguments without a default; `defaults`: of the others."""

    needs: frozenset[str]
    defaults: Mapping[str, Json]
    asks: tuple[Ask, ...]

    def completed(self, passed: Mapping[str, Json]) -> dict[str, Json] | None:
        """The arguments as the tool sees them; None if it cannot be called with them."""
        fits = self.needs <= passed.keys() <= self.needs | self.defaults.keys()
        return {**self.defaults, **passed} if fits else None


def openings(source: str) -> dict[str, Opening]:
    """Tool -> how it begins, of those of which it can be told. The source must compile."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    found = {node.name: _opening(node) for node in functions}
    return {name: opening for name, opening in found.items() if opening is not None}


class _Unclear(Exception):
    """What comes next cannot be told from the source."""


def _opening(function: ast.FunctionDef) -> Opening | None:
    every = function.args
    names = [each.arg for each in every.args]
    plain = len(names) - len(every.defaults)
    if every.kwonlyargs or every.posonlyargs or every.vararg or every.kwarg:
        return None
    try:
        defaults = [_constant(each) for each in every.defaults]
    except _Unclear:
        return None
    asks = tuple(_Reading(names).asks(function.body))
    known = dict(zip(names[plain:], defaults, strict=True))
    return Opening(frozenset(names[:plain]), known, asks) if asks else None


class _Reading:
    """Of one function, from its first statement on. `bound`: what names stand for so far."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._bound = {name: Value(argument=name) for name in arguments}
        self._found: list[Ask] = []
        self._surely = True

    def asks(self, body: Sequence[ast.stmt]) -> list[Ask]:
        for statement in body:
            try:
                self._statement(statement)
            except _Unclear:
                break
        return self._found

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.If(test=test, body=[ast.Expr(value=ast.Call() as call)], orelse=[]):
                told = [*call.args, *(word.value for word in call.keywords)]
                if not _is_called(call, "fail") or _does_more(test, *told):
                    raise _Unclear
                self._surely = False
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                self._bound[name] = self._ask(call)
            case ast.Expr(value=ast.Call() as call):
                self._ask(call)
            case ast.Return(value=ast.Call() as call):
                self._ask(call)
                raise _Unclear
            case _:
                raise _Unclear

    def _ask(self, call: ast.Call) -> Value:
        """Notes the call, and those within it; its answer."""
        if not isinstance(call.func, ast.Name) or call.func.id not in FORESEEN:
            raise _Unclear
        args = tuple(self._value(each) for each in call.args)
        named: list[tuple[str, Value]] = []
        given: list[tuple[str, Value]] = []
        for word in call.keywords:
            if word.arg is not None:
                named.append(self._named(word))
            elif isinstance(word.value, ast.Call) and _is_called(word.value, "given"):
                given += [self._named(each) for each in word.value.keywords]
            else:
                raise _Unclear
        names = [name for name, _ in (*named, *given)]
        if len(set(names)) < len(names):
            raise _Unclear
        self._found.append(Ask(call.func.id, self._surely, args, tuple(named), tuple(given)))
        return Value(answer=len(self._found) - 1)

    def _named(self, word: ast.keyword) -> tuple[str, Value]:
        if word.arg is None:
            raise _Unclear
        return word.arg, self._value(word.value)

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Name(id=name) if name in self._bound:
                return self._bound[name]
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(field))):
                found = self._bound.get(name, Value())
                if found.answer is None or found.field is not None:
                    raise _Unclear
                return replace(found, field=field)
            case ast.Call(args=[], keywords=[]) if _is_called(node, "me"):
                return self._ask(node)
            case _:
                return Value(constant=_constant(node))


def _is_called(call: ast.Call, name: str) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == name


def _constant(node: ast.expr) -> Json:
    try:
        value: Json = ast.literal_eval(node)
    except (ValueError, TypeError):
        raise _Unclear from None
    return value


def _does_more(*nodes: ast.expr) -> bool:
    """Whether anything is called there but builtins, or a name bound."""
    return any(
        isinstance(node, ast.NamedExpr)
        or (isinstance(node, ast.Call) and not _is_builtin(node.func))
        for each in nodes
        for node in ast.walk(each)
    )


def _is_builtin(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id in BUILTINS
