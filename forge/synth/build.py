"""From a draft to an environment: bases made, tools checked, what fails left out with the reason.

Always holds: every tool of the environment passed every check on its bases (which then had tables
besides, if other tools failed); no table is there that no tool works on and nothing refers to; text
of a document is never code.
"""

import ast
import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from forge.authors.author import Author, Draft
from forge.docs.text import legible
from forge.env.sandbox.source import check_source
from forge.synth.check import ToolCheck, check_tools
from forge.synth.parts import Parts
from forge.types.environment import Environment, LeftOut, Provenance, Tool
from forge.types.state import Column, StateSchema, Table

BASES = ("b1", "b2", "b3")
_FIRST_DAY = datetime(2026, 3, 2, tzinfo=UTC)
"""A Monday. Authors make what has happened by then; the clocks of bases start on or after it."""


def build(draft: Draft, author: Author, *, seed: int) -> tuple[Environment, dict[str, ToolCheck]]:
    """The environment, and what the checks said of each tool of the draft; the same for the same
    draft and seed. Without tools, if none passes. `author` makes the bases."""
    trusted = draft.author == "structural"
    failed = _malformed(draft)
    tools = tuple(tool for tool in draft.tools if tool.name not in failed)
    environment = _assembled(draft, tools, author, seed)
    if not tools:
        return _finished(environment, draft, failed), failed
    checks = (
        check_tools(environment, sandbox="native", beside="monty")
        if trusted
        else check_tools(environment, sandbox="monty")
    )
    failed |= {name: check for name, check in checks.items() if not check.passed}
    left = tuple(tool for tool in tools if tool.name not in failed)
    environment = _lessened(environment, draft, left)
    passed = {tool.name: checks[tool.name] for tool in left}
    return _finished(environment, draft, failed), {**passed, **failed}


def assembled(draft: Draft, author: Author, *, seed: int) -> Environment:
    """The environment of the draft as it is before its tools are checked, on the bases that it
    will have."""
    failed = _malformed(draft)
    tools = tuple(tool for tool in draft.tools if tool.name not in failed)
    return _assembled(draft, tools, author, seed)


def _lessened(environment: Environment, draft: Draft, tools: tuple[Tool, ...]) -> Environment:
    """The environment with only these of its tools. What is not needed any more goes, so none of
    them can have seen it: what the checks said of them still holds."""
    if len(tools) == len(environment.tools):
        return environment
    schema = used(draft, tools) if tools else draft.state_schema
    bases = environment.bases if tools else {}
    update = {
        "tools": tools,
        "made": _made(draft, tools, schema),
        "rules": _rules(draft, tools),
        "source": _source(draft, tools),
        "state_schema": schema,
        "bases": {
            name: {table.name: state[table.name] for table in schema.tables}
            for name, state in bases.items()
        },
        "nows": environment.nows if tools else {},
    }
    return environment.model_copy(update=update)


_OF_TOOLS = ("tools", "rules")
_OF_TABLES = ("tables", "columns", "references", "values")


def _made(draft: Draft, tools: Iterable[Tool], schema: StateSchema) -> dict[str, Provenance]:
    """What is said of tools, their rules, and tables, for those that are there; of all else, as it
    is."""
    there = {tool.name for tool in tools}
    tables = {table.name for table in schema.tables}
    found = {}
    for name, made in draft.made.items():
        kind, _, what = name.partition("/")
        gone = kind in _OF_TABLES and what.partition(".")[0] not in tables
        if not gone and (kind not in _OF_TOOLS or what in there):
            found[name] = made
    return found


def _rules(draft: Draft, tools: Iterable[Tool]) -> str:
    """Those of the tools that are there, each once, one a line."""
    found = dict.fromkeys(rule for tool in tools for rule in draft.rules.get(tool.name, ()))
    return "\n".join(["Rules:", *(f"- {rule}" for rule in found)]) if found else ""


def _malformed(draft: Draft) -> dict[str, ToolCheck]:
    """Tools whose source is not the one function it must be, by the rules for sources."""
    shared = draft.sources.get("", "")
    found: dict[str, str] = {}
    for tool in draft.tools:
        reason = _not_alone(draft.sources.get(tool.name, ""), tool.name)
        if reason is not None:
            found[tool.name] = reason
    names = [tool.name for tool in draft.tools if tool.name not in found]
    if check_source("\n\n".join([shared, *(draft.sources[name] for name in names)]), names):
        for name in names:
            findings = check_source(f"{shared}\n\n{draft.sources[name]}", [name])
            if findings:
                found[name] = findings[0]
    return {
        name: ToolCheck(passed=False, checks={"loads": reason}) for name, reason in found.items()
    }


def _not_alone(source: str, name: str) -> str | None:
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"its source is no Python: {error}"
    match body:
        case [ast.FunctionDef(name=found)] if found == name:
            return None
    return f"its source must be the one function {name}"


def _assembled(draft: Draft, tools: tuple[Tool, ...], author: Author, seed: int) -> Environment:
    schema = used(draft, tools) if tools else draft.state_schema
    names = BASES if tools else ()
    return Environment(
        name=draft.name,
        title=draft.title,
        rules=_rules(draft, tools),
        state_schema=schema,
        tools=tools,
        source=_source(draft, tools),
        bases={name: author.base(schema, _seed(draft, seed, name)) for name in names},
        nows={name: _now(draft, seed, name) for name in names},
        author=draft.author,
        made=_made(draft, tools, schema),
        words=draft.words,
    )


def _finished(environment: Environment, draft: Draft, failed: dict[str, ToolCheck]) -> Environment:
    tools = {tool.name: tool for tool in draft.tools}
    more = tuple(_left_out(tools[name], check) for name, check in failed.items())
    return environment.model_copy(update={"left_out": (*draft.left_out, *more)})


def _left_out(tool: Tool, check: ToolCheck) -> LeftOut:
    name, reason = next((n, r) for n, r in check.checks.items() if r != "pass")
    way = f"{tool.name} ({tool.operation})" if tool.operation else tool.name
    return LeftOut(operation=way, reason=f"its tool failed the check {name!r}: {reason}")


def _source(draft: Draft, tools: Sequence[Tool]) -> str:
    """`tools.py`: what it is, the shared functions that are still needed, one function a tool."""
    # A docstring with a lone surrogate, even escaped, is refused by CPython from 3.13 on.
    head = repr(f"{legible(draft.title)}: the tools, made by forge from a document.")
    if not tools:
        return head + "\n"
    text = draft.sources.get("", "")
    nodes = _nodes(draft, tools)
    shared = [node for node in ast.parse(text).body if ast.dump(node) in nodes]
    kept = [ast.get_source_segment(text, node) or "" for node in shared]
    own = [draft.sources[tool.name].strip("\n") for tool in tools]
    return "\n\n\n".join([head, *kept, *own]) + "\n"


def _nodes(draft: Draft, tools: Iterable[Tool]) -> dict[str, ast.stmt]:
    """What the tools need, their functions and what these share, by its dump."""
    names = [tool.name for tool in tools]
    parts = Parts("\n\n".join(draft.sources.get(name, "") for name in ("", *names)))
    found = {id(node): node for name in names for node in parts.needed(name)}
    return {ast.dump(node): node for node in found.values()}


def used(draft: Draft, tools: Iterable[Tool]) -> StateSchema:
    """The schema without the tables that no tool works on and nothing left refers to."""
    schema = draft.state_schema
    tables = {table.name: table for table in schema.tables}
    nodes = list(_nodes(draft, tools).values())
    effects = [tool.effect for tool in tools if tool.effect is not None]
    wanted = {effect.table for effect in effects}
    wanted |= {text for node in nodes for text in _texts(node) if text in tables}
    wanted |= {table for effect in effects for table in effect.cascades if table in tables}
    acts = any(_calls_me(node) for node in nodes)
    actors = schema.actors if acts or schema.actors in wanted else None
    queue = sorted(wanted | ({actors} if actors is not None else set()))
    kept: set[str] = set()
    while queue:
        name = queue.pop()
        if name not in kept:
            kept.add(name)
            queue += _targets(tables[name])
    return StateSchema(tables=tuple(t for t in schema.tables if t.name in kept), actors=actors)


def _calls_me(node: ast.stmt) -> bool:
    """Whether it asks who acts."""
    return any(isinstance(each, ast.Name) and each.id == "me" for each in ast.walk(node))


def _texts(node: ast.stmt) -> set[str]:
    return {
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }


def _targets(table: Table) -> list[str]:
    found = [] if table.parent is None else [table.parent.table]
    pending: list[Column] = list(table.columns)
    while pending:
        column = pending.pop()
        if column.references is not None:
            found.append(column.references)
        found += column.among
        pending += [*column.properties, *(c for c in (column.items, column.values) if c)]
    return found


def _seed(draft: Draft, seed: int, base: str) -> int:
    digest = hashlib.sha256(f"{draft.name}/{seed}/{base}".encode()).hexdigest()
    return int(digest[:8], 16)


def _now(draft: Draft, seed: int, base: str) -> str:
    """A weekday morning within two weeks of the first day."""
    number = _seed(draft, seed, f"{base}/now")
    week, day = divmod(number % 10, 5)
    minutes = (number // 10) % 10 * 15
    moment = _FIRST_DAY + timedelta(weeks=week, days=day, hours=8, minutes=minutes)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
