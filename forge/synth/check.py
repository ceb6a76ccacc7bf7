"""The executed checks on tools: nothing an author proposes is believed before it was run.

A tool passes if it passes every check that is meant for it and the checks kill at least one
broken version of it; checks that nothing can fail would prove nothing.
"""

import ast
from collections.abc import Callable, Collection, Iterator, Mapping

from forge.env.sandbox.sandbox import SandboxKind
from forge.env.sandbox.source import check_source, signature_findings
from forge.env.sandbox.stubs import type_findings
from forge.env.session import World
from forge.errors import UserError
from forge.synth import generic, reads, writes
from forge.synth.bench import Bench
from forge.synth.mutants import Mutant, mutants
from forge.synth.parts import defines, needed, without
from forge.types.data import Data
from forge.types.environment import Environment, Tool, Verb

Check = Callable[[Bench], Iterator[str]]
"""Yields the reasons why the tool on the bench fails it."""

_GENERIC: dict[str, Check] = {
    "runs": generic.runs,
    "result": generic.fits_result,
    "refuses cleanly": generic.refuses_cleanly,
    "repeats": generic.repeats,
    "required": generic.asks_for_required,
    "arguments matter": generic.arguments_matter,
    "defaults": generic.defaults_hold,
}
_READ: dict[str, Check] = {"reads only": generic.reads_only}
_LISTED: dict[str, Check] = {
    "records": reads.lists_exactly,
    "nothing": reads.finds_nothing,
    "pages": reads.pages,
}
_CHANGED: dict[str, Check] = {
    "change": writes.changes_exactly,
    "requires": writes.refuses_where_required,
    "strangers": writes.refuses_strangers,
}
_BY_VERB: dict[Verb, dict[str, Check]] = {
    "get": {"shows": reads.shows_record, "strangers": reads.misses_record},
    "list": _LISTED,
    "count": _LISTED,
    "create": {
        "change": writes.changes_exactly,
        "references": writes.refuses_bad_references,
        "twins": writes.refuses_twins,
    },
    "update": {**_CHANGED, "references": writes.refuses_bad_references},
    "delete": {**_CHANGED, "gone": writes.deletes_once},
    "add": _CHANGED,
    "remove": _CHANGED,
}
_TOGETHER: dict[str, Check] = {"read back": writes.is_read_back}
"""Needs other tools, so it cannot be asked of a mutant."""


class ToolCheck(Data):
    """What the checks said of one tool."""

    passed: bool
    checks: dict[str, str]
    """Check -> "pass", or the first reason why not."""
    mutants: int = 0
    """Broken versions that were tried."""
    killed: int = 0
    """Those that at least one check told from the tool."""


def check_tools(
    environment: Environment, *, sandbox: SandboxKind = "native"
) -> dict[str, ToolCheck]:
    """By tool, in the order of the environment's tools. A tool whose source breaks the rules
    spoils no other. UserError if a base does not fit the schema, or the source is no Python."""
    unloadable = _unloadable(environment)
    sound = environment.model_copy(
        update={
            "tools": tuple(t for t in environment.tools if t.name not in unloadable),
            "source": without(environment.source, set(unloadable)),
        }
    )
    with World(sound, sandbox=sandbox, workers=1) as world:
        return {
            tool.name: ToolCheck(passed=False, checks={"loads": unloadable[tool.name]})
            if tool.name in unloadable
            else _checked(world, tool, sandbox)
            for tool in environment.tools
        }


def _checked(world: World, tool: Tool, sandbox: SandboxKind) -> ToolCheck:
    wanted = _checks_for(tool)
    together = _TOGETHER if tool.kind == "write" and tool.effect is not None else {}
    benches = [Bench(world, tool, base) for base in world.environment.bases]
    if not benches:
        return ToolCheck(passed=False, checks={"loads": "the environment has no base to run it on"})
    found: dict[str, str] = {"loads": "pass"}
    for name, check in {**wanted, **together}.items():
        found[name] = next((r for bench in benches for r in check(bench)), "pass")
        if found[name] != "pass":
            return ToolCheck(passed=False, checks=found)
    tried, killed = _told_apart(world, tool, wanted, sandbox)
    found["mutants"] = "pass" if killed else f"none of {tried} broken versions of it was noticed"
    return ToolCheck(passed=killed > 0, checks=found, mutants=tried, killed=killed)


def _checks_for(tool: Tool) -> dict[str, Check]:
    wanted = {"runs": generic.runs}
    if tool.effect is not None:
        wanted |= _BY_VERB[tool.effect.verb]
    if tool.kind == "read":
        wanted |= _READ
    return wanted | _GENERIC


def _told_apart(
    world: World, tool: Tool, wanted: Mapping[str, Check], sandbox: SandboxKind
) -> tuple[int, int]:
    """How many broken versions load, and on how many of them a check fails."""
    broken = mutants(world.environment.source, tool, world.environment.state_schema)
    killed = 0
    with _mutated(world, tool, broken, sandbox) as other:
        copies = other.environment.tools
        for copy in copies:
            bench = Bench(other, copy, next(iter(world.bases)))
            killed += any(next(check(bench), None) is not None for check in wanted.values())
    return len(copies), killed


def _mutated(world: World, tool: Tool, broken: list[Mutant], sandbox: SandboxKind) -> World:
    """A world of broken versions, loaded together, each under a name of its own; without those
    that break the rules for sources."""
    shared = needed(ast.parse(world.environment.source), tool.name)
    head = "\n\n".join(ast.unparse(node) for node in shared)
    source = "\n\n".join([head, *(mutant.source for mutant in broken)]) + "\n"
    copies = tuple(tool.model_copy(update={"name": mutant.name}) for mutant in broken)
    environment = world.environment.model_copy(update={"tools": copies, "source": source})
    try:
        return World(environment, sandbox=sandbox, workers=1, bases=world.bases)
    except UserError:
        findings = check_source(source, [mutant.name for mutant in broken])
        nodes = ast.parse(source).body
        wrong = {n for node in nodes for n in defines(node) if _findings(findings, _lines(node))}
        sound = [mutant for mutant in broken if mutant.name not in wrong]
        if len(sound) == len(broken):
            raise
        return _mutated(world, tool, sound, sandbox)


def _unloadable(environment: Environment) -> dict[str, str]:
    """Tool -> what is wrong with its source, by the rules and by the types."""
    source = environment.source
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UserError(f"is no Python: {error}", where="tools.py") from error
    functions = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
    broken = check_source(
        source, [tool.name for tool in environment.tools if tool.name in functions]
    )
    found: dict[str, str] = {}
    for tool in environment.tools:
        if tool.name not in functions:
            found[tool.name] = f"there is no function {tool.name!r}"
            continue
        lines = [line for node in needed(tree, tool.name) for line in _lines(node)]
        own = _findings(broken, lines)
        found |= {tool.name: own[0]} if own else {}
    if not found:
        typed = type_findings(source)
        for tool in environment.tools:
            lines = [line for node in needed(tree, tool.name) for line in _lines(node)]
            own = signature_findings(source, [tool]) or _findings(typed, lines)
            found |= {tool.name: own[0]} if own else {}
    return found


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _findings(findings: list[str], lines: Collection[int]) -> list[str]:
    """Those on these lines: "line 12: why"."""
    return [f for f in findings if int(f.split(":")[0].removeprefix("line ")) in lines]
