"""Which parts of `tools.py` a tool needs: its own function, and what that uses, directly or not."""

import ast
from functools import lru_cache


class Parts:
    """A source, parsed once for all its tools. SyntaxError and the like if it is no Python."""

    def __init__(self, source: str) -> None:
        self.tree = ast.parse(source)
        self._places = {
            each: place for place, node in enumerate(self.tree.body) for each in defines(node)
        }
        self._imports = {
            place
            for place, node in enumerate(self.tree.body)
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
        self._uses: dict[int, frozenset[int]] = {}

    def function(self, name: str) -> ast.FunctionDef | None:
        """The function of that name at the top level, if there is one."""
        place = self._places.get(name)
        node = None if place is None else self.tree.body[place]
        return node if isinstance(node, ast.FunctionDef) else None

    def needed(self, name: str) -> list[ast.stmt]:
        """The nodes at the top level that the function needs, in their order; all imports.
        KeyError if there is no such function."""
        wanted, queue = {self._places[name]}, [self._places[name]]
        while queue:
            fresh = self._used_at(queue.pop()) - wanted
            wanted |= fresh
            queue += fresh
        return [self.tree.body[place] for place in sorted(wanted | self._imports)]

    def lines(self, name: str) -> set[int]:
        """The lines of what the function needs. KeyError if there is no such function."""
        return {line for node in self.needed(name) for line in lines_of(node)}

    def _used_at(self, place: int) -> frozenset[int]:
        used = self._uses.get(place)
        if used is None:
            used = self._uses[place] = frozenset(
                self._places[each.id]
                for each in ast.walk(self.tree.body[place])
                if isinstance(each, ast.Name) and each.id in self._places
            )
        return used


def lines_of(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def defines(node: ast.stmt) -> list[str]:
    """The names that a statement at the top level gives a meaning to."""
    match node:
        case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Assign(targets=targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
    return []


@lru_cache(maxsize=512)
def keys_taken(source: str, name: str) -> dict[str, tuple[str, int]]:
    """Variable -> (table, place in its key), as calls of `get` in the function have it."""
    node = next((n for n in _parsed(source) if n.name == name), None)
    found: dict[str, tuple[str, int]] = {}
    for call in ast.walk(node) if node is not None else ():
        match call:
            case ast.Call(func=ast.Name(id="get"), args=[ast.Constant(value=str(table)), *keys]):
                for place, key in enumerate(keys):
                    if isinstance(key, ast.Name):
                        found.setdefault(key.id, (table, place))
    return found


@lru_cache(maxsize=512)
def columns_taken(source: str, name: str) -> dict[str, tuple[str, str]]:
    """Variable -> (table, column), as calls of `find` in the function compare the two, or it
    compares what `get` gave: `if row.get('org') != org`."""
    node = next((n for n in _parsed(source) if n.name == name), None)
    found: dict[str, tuple[str, str]] = {}
    rows: dict[str, str] = {}
    for each in ast.walk(node) if node is not None else ():
        match each:
            case ast.Call(func=ast.Name(id="find"), args=[ast.Constant(value=str(table))]):
                for keyword in each.keywords:
                    if keyword.arg is not None and isinstance(keyword.value, ast.Name):
                        found.setdefault(keyword.value.id, (table, keyword.arg))
            case ast.Assign(
                targets=[ast.Name(id=row)],
                value=ast.Call(func=ast.Name(id="get"), args=[ast.Constant(value=str(table)), *_]),
            ):
                rows[row] = table
            case ast.Compare(
                left=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=row), attr="get"),
                    args=[ast.Constant(value=str(column))],
                ),
                ops=[ast.NotEq()],
                comparators=[ast.Name(id=variable)],
            ) if row in rows:
                found.setdefault(variable, (rows[row], column))
    return found


@lru_cache(maxsize=512)
def texts_in(source: str, name: str) -> frozenset[str]:
    """The texts that the function holds, and the names that it passes arguments by."""
    node = next((n for n in _parsed(source) if n.name == name), None)
    found: set[str] = set()
    for each in ast.walk(node) if node is not None else ():
        match each:
            case ast.Constant(value=str(text)):
                found.add(text)
            case ast.keyword(arg=str(text)):
                found.add(text)
    return frozenset(found)


@lru_cache(maxsize=512)
def searched(source: str, name: str) -> dict[str, dict[str, str]]:
    """Table -> the variables that calls of `find` in the function compare with its columns."""
    node = next((n for n in _parsed(source) if n.name == name), None)
    found: dict[str, dict[str, str]] = {}
    for call in ast.walk(node) if node is not None else ():
        match call:
            case ast.Call(func=ast.Name(id="find"), args=[ast.Constant(value=str(table))]):
                inner = [k.value for k in call.keywords if k.arg is None]
                given = [k for each in inner if isinstance(each, ast.Call) for k in each.keywords]
                for keyword in (*call.keywords, *given):
                    if keyword.arg is not None and isinstance(keyword.value, ast.Name):
                        found.setdefault(table, {}).setdefault(keyword.value.id, keyword.arg)
    return found


@lru_cache(maxsize=512)
def asks(source: str, name: str) -> bool:
    """Whether the function asks who calls."""
    node = next((n for n in _parsed(source) if n.name == name), None)
    return node is not None and any(
        isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "me"
        for each in ast.walk(node)
    )


@lru_cache(maxsize=4)
def _parsed(source: str) -> list[ast.FunctionDef]:
    return [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]


def without(source: str, names: set[str]) -> str:
    """The source without these functions."""
    if not names:
        return source
    tree = ast.parse(source)
    tree.body = [node for node in tree.body if names.isdisjoint(defines(node))]
    return ast.unparse(tree) + "\n"
