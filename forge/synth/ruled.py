"""A rule put into a tool: the guard in its source, the requirement in its effect, and the checks
that the two are the same.

Always holds: a tool with a rule passed all its checks among the tools and on the bases that its
environment will have; there it works on some records and refuses others. The guard comes before
all that the tool did, and does nothing but refuse.
"""

import ast
import textwrap
from collections.abc import Sequence
from dataclasses import replace

from forge.authors.author import Author, Draft
from forge.authors.structural.source.syntax import constant, where
from forge.env.conditions import meets
from forge.env.sandbox.source import python_name
from forge.synth.build import assembled
from forge.synth.check import check_tools
from forge.synth.model import is_allowed
from forge.types.environment import Effect, Environment, Requirement, Tool
from forge.types.state import Table


def can_be_ruled(tool: Tool, table: Table) -> bool:
    """Whether it is known which one record the tool acts on before it does."""
    effect = tool.effect
    required = tool.parameters.get("required", [])
    return (
        effect is not None
        and tool.kind == "write"
        and effect.verb in ("update", "delete", "add", "remove")
        and not table.singleton
        and bool(effect.match)
        and all(each.op == "eq" for each in effect.match.values())
        and set(effect.match) <= set(required)
    )


def ruled(
    draft: Draft, tool: Tool, requires: Sequence[Requirement], values: Author, *, seed: int
) -> tuple[Draft, str]:
    """The draft with the rule in the tool, and why it is not taken, "" if it is."""
    effect = tool.effect
    assert effect is not None
    new = tuple(each for each in requires if each not in effect.requires)
    if not new:
        return draft, ""  # it refuses so already
    table = next(each for each in draft.state_schema.tables if each.name == effect.table)
    wanted = effect.model_copy(update={"requires": (*effect.requires, *new)})
    changed = tool.model_copy(update={"effect": wanted})
    guarded = with_guard(draft.sources[tool.name], tool.name, effect, table, new)
    found = replace(
        draft,
        tools=tuple(changed if each.name == tool.name else each for each in draft.tools),
        sources=draft.sources | {tool.name: guarded},
        author="llm",
    )
    environment = assembled(found, values, seed=seed)
    failure = _one_sided(environment, wanted, new) or _failed(environment, changed)
    return found, failure


def _one_sided(environment: Environment, effect: Effect, requires: Sequence[Requirement]) -> str:
    """A rule that no record breaks, or none keeps, is none that could be seen."""
    broken = False
    for state in environment.bases.values():
        rows = state.get(effect.table, {}).values()
        if not any(is_allowed(effect, row) for row in rows):
            return "one-sided: of some base it would refuse every record"
        broken |= any(
            not meets(row.get(each.column), each.op, each.value)
            for row in rows
            for each in requires
        )
    return "" if broken else "one-sided: there is no record that it would refuse"


def _failed(environment: Environment, tool: Tool) -> str:
    check = check_tools(environment, sandbox="monty", only={tool.name})[tool.name]
    if check.passed:
        return ""
    name, reason = next((n, r) for n, r in check.checks.items() if r != "pass")
    return f"the check {name!r}: {reason}"


def with_guard(
    source: str, name: str, effect: Effect, table: Table, requires: Sequence[Requirement]
) -> str:
    """The source of the one function, which refuses first. What is not there it leaves to what
    follows."""
    function = next(
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == name
    )
    taken = {each.id for each in ast.walk(function) if isinstance(each, ast.Name)}
    taken |= {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
    row = "held"
    while row in taken:
        row += "_"
    picks = [where(m.column, "eq", python_name(a)) for a, m in effect.match.items()]
    picks += [where(c, "eq", constant(value)) for c, value in effect.fixed.items()]
    lines = [f"for {row} in find({table.name!r}, {', '.join(picks)}):"]
    for each in requires:
        have = f"{row}.get({each.column!r})"
        told = repr(f"the {each.column} of the {table.noun} is ")
        lines += [
            f"    if {_broken(have, each)}:",
            f"        fail('conflict', {told} + repr({have}))",
        ]
    first = function.body[1] if _is_text(function.body[0]) else function.body[0]
    guard = textwrap.indent("\n".join(lines), " " * first.col_offset)
    rows = source.split("\n")
    return "\n".join([*rows[: first.lineno - 1], guard, *rows[first.lineno - 1 :]])


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _broken(have: str, each: Requirement) -> str:
    """As `meets` has it: null is in no order."""
    value = repr(each.value)
    match each.op:
        case "eq" | "ne":
            return f"{have} {'!=' if each.op == 'eq' else '=='} {value}"
        case "in":
            return f"{have} not in {value}"
    sign = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}[each.op]
    return f"{have} is None or not {have} {sign} {value}"
