"""Which parts of `tools.py` a tool needs: its own function, and what that uses, directly or not."""

import ast


def needed(tree: ast.Module, name: str) -> list[ast.stmt]:
    """The nodes at the top level that the function needs, in their order; all imports. KeyError
    if there is no such function."""
    defined = {each: node for node in tree.body for each in defines(node)}
    wanted, queue = {name}, [name]
    while queue:
        for node in ast.walk(defined[queue.pop()]):
            if isinstance(node, ast.Name) and node.id in defined and node.id not in wanted:
                wanted.add(node.id)
                queue.append(node.id)
    return [
        node
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom) or not wanted.isdisjoint(defines(node))
    ]


def defines(node: ast.stmt) -> list[str]:
    """The names that a statement at the top level gives a meaning to."""
    match node:
        case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Assign(targets=targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
    return []


def without(source: str, names: set[str]) -> str:
    """The source without these functions."""
    if not names:
        return source
    tree = ast.parse(source)
    tree.body = [node for node in tree.body if names.isdisjoint(defines(node))]
    return ast.unparse(tree) + "\n"
