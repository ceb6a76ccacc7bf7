"""How the tools of a program begin, read off their source: the records that each gets before
anything else.

Always holds: no tool begins in another way. Where one of these looks is refused, so is the call,
for nothing stands around them that would catch it.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from forge.types.data import Json


@dataclass(frozen=True, slots=True)
class Part:
    """A value passed on: a constant, or the argument of that name."""

    text: str
    is_argument: bool

    def told(self, passed: Mapping[str, Json]) -> Json:
        return passed.get(self.text) if self.is_argument else self.text


@dataclass(frozen=True, slots=True)
class Opening:
    """What a tool passes to `get`, look by look; `takes` and `needs` are the names of its
    arguments and of those without a default."""

    takes: frozenset[str]
    needs: frozenset[str]
    gets: tuple[tuple[Part, ...], ...]

    def fits(self, passed: Mapping[str, Json]) -> bool:
        """Whether the tool, called with that, comes to run at all."""
        return self.needs <= passed.keys() <= self.takes


def openings(source: str) -> dict[str, Opening]:
    """Tool -> how it begins, of those that begin with a `get`. The source must compile."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    found = {node.name: _opening(node) for node in functions}
    return {name: opening for name, opening in found.items() if opening.gets}


def _opening(function: ast.FunctionDef) -> Opening:
    every = function.args
    names = [each.arg for each in (*every.args, *every.kwonlyargs)]
    plain = len(every.args) - len(every.defaults)
    needs = [each.arg for each in every.args[:plain]]
    needs += [
        each.arg
        for each, default in zip(every.kwonlyargs, every.kw_defaults, strict=True)
        if default is None
    ]
    return Opening(frozenset(names), frozenset(needs), tuple(_gets(function, set(names))))


def _gets(function: ast.FunctionDef, names: set[str]) -> Iterator[tuple[Part, ...]]:
    """The leading calls of `get` whose values are constants and arguments as they were passed."""
    for statement in function.body:
        match statement:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Call() as call):
                pass
            case ast.Expr(value=ast.Call() as call) | ast.Return(value=ast.Call() as call):
                bound = ""
            case _:
                return
        parts = [_part(each, names) for each in call.args]
        known = [part for part in parts if part is not None]
        is_get = isinstance(call.func, ast.Name) and call.func.id == "get"
        if not is_get or call.keywords or not known or len(known) < len(parts):
            return
        if known[0].is_argument:
            return  # so that what is wrong with the name of a table is seen by who asks for it
        yield tuple(known)
        names.discard(bound)


def _part(node: ast.expr, names: set[str]) -> Part | None:
    match node:
        case ast.Constant(value=str(text)):
            return Part(text, is_argument=False)
        case ast.Name(id=name) if name in names:
            return Part(name, is_argument=True)
        case _:
            return None
