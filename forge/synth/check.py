"""The executed checks on tools: nothing an author proposes is believed before it was run.

A tool passes if it passes every check that is meant for it and the checks kill at least one
broken version of it; checks that nothing can fail would prove nothing.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack

from forge.env.sandbox.sandbox import SandboxKind, load_sandbox
from forge.env.sandbox.source import check_source, signature_of
from forge.env.sandbox.stubs import type_findings
from forge.env.session import World
from forge.errors import UserError
from forge.synth import generic, reads, refusals, totals, undeclared, writes
from forge.synth.bench import Bench, grounds_of
from forge.synth.mutants import mutants
from forge.synth.parts import Parts, without
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
    "totals": totals.counts_right,
    "nothing": reads.finds_nothing,
    "pages": reads.pages,
    "page size": totals.default_holds,
}
_CHANGED: dict[str, Check] = {
    "change": writes.changes_exactly,
    "requires": refusals.refuses_where_required,
    "strangers": refusals.refuses_strangers,
}
_BY_VERB: dict[Verb, dict[str, Check]] = {
    "get": {"shows": reads.shows_record, "strangers": reads.misses_record},
    "list": _LISTED,
    "count": _LISTED,
    "create": {
        "change": writes.changes_exactly,
        "references": refusals.refuses_bad_references,
        "twins": refusals.refuses_twins,
    },
    "update": {**_CHANGED, "references": refusals.refuses_bad_references},
    "delete": {**_CHANGED, "gone": writes.deletes_once},
    "add": {**_CHANGED, "once": writes.changes_once},
    "remove": {**_CHANGED, "once": writes.changes_once},
}
_UNDECLARED: dict[str, Check] = {"unknown": undeclared.refuses_unknown}
_UNDECLARED_WRITE: dict[str, Check] = {
    "changes": undeclared.changes_something,
    "changes what": undeclared.changes_what_it_is_called_for,
    "keeps": undeclared.keeps_what_it_is_given,
}
_TOGETHER: dict[str, Check] = {"read back": writes.is_read_back}


AGREED = "both sandboxes"
"""The check that a tool does the same in another sandbox."""


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
    environment: Environment,
    *,
    sandbox: SandboxKind = "native",
    beside: SandboxKind | None = None,
    only: Collection[str] | None = None,
) -> dict[str, ToolCheck]:
    """By tool, in the order of the environment's tools. `beside`: another sandbox in which each
    must do the same; `only`: the names of those that are checked, among the others. A tool whose
    source breaks the rules spoils no other. UserError if a base
    does not fit the schema, or the source is no Python."""
    unloadable, clean = _unloadable(environment)
    sound = environment.model_copy(
        update={
            "tools": tuple(t for t in environment.tools if t.name not in unloadable),
            "source": without(environment.source, set(unloadable)),
        }
    )
    with ExitStack() as stack:
        worlds: list[World] = []
        for kind in (sandbox, *([beside] if beside is not None else [])):
            box = load_sandbox(sound.source, kind=kind, workers=1) if clean else None
            bases = worlds[0].bases if worlds else None
            world = World(sound, sandbox=kind, workers=1, bases=bases, box=box)
            worlds.append(stack.enter_context(world))
        checker = _Checker(*worlds)
        return {
            tool.name: ToolCheck(passed=False, checks={"loads": unloadable[tool.name]})
            if tool.name in unloadable
            else checker.checked(tool)
            for tool in environment.tools
            if only is None or tool.name in only
        }


class _Checker:
    """One environment's tools, one after the other; what they share is worked out once."""

    def __init__(self, world: World, beside: World | None = None) -> None:
        self.world, self.beside = world, beside
        self.parts = Parts(world.environment.source)
        self.grounds = grounds_of(world)

    def checked(self, tool: Tool) -> ToolCheck:
        benches = [Bench(self.world, tool, ground) for ground in self.grounds]
        if not benches:
            lacking = "the environment has no base to run it on"
            return ToolCheck(passed=False, checks={"loads": lacking})
        found: dict[str, str] = {"loads": "pass"}
        for name, check in {**checks_for(tool), **checks_together(tool)}.items():
            found[name] = next((r for bench in benches for r in check(bench)), "pass")
            if found[name] != "pass":
                return ToolCheck(passed=False, checks=found)
        tried, killed = self._told_apart(benches[0])
        unnoticed = f"none of {tried} broken versions of it was noticed"
        found["mutants"] = "pass" if killed else unnoticed
        if killed and self.beside is not None:
            found[AGREED] = self._agreed(benches[0], self.beside)
        passed = set(found.values()) == {"pass"}
        return ToolCheck(passed=passed, checks=found, mutants=tried, killed=killed)

    def _told_apart(self, bench: Bench) -> tuple[int, int]:
        """How many broken versions there are, and on how many of them a check fails."""
        wanted = checks_for(bench.tool)
        function = self.parts.function(bench.tool.name)
        assert function is not None
        broken = mutants(function, bench.tool, bench.schema)
        copies = tuple(bench.tool.model_copy(update={"name": each.name}) for each in broken)
        environment = self.world.environment.model_copy(update={"tools": copies})
        box = self.world.sandbox.extended("\n\n".join(each.source for each in broken) + "\n")
        with World(environment, bases=self.world.bases, box=box) as other:
            killed = 0
            for copy in copies:
                twin = Bench(other, copy, bench.ground, bench)
                killed += any(next(check(twin), None) is not None for check in wanted.values())
        return len(copies), killed

    def _agreed(self, bench: Bench, beside: World) -> str:
        """Whether the trials have the same outcomes in the other sandbox."""
        other = Bench(beside, bench.tool, bench.ground, bench)
        for run in generic.trials(bench):
            if other.run(run.arguments, actor=run.actor).outcome != run.outcome:
                return f"{generic.shown_call(run)} does something else in the other sandbox"
        return "pass"


def checks_for(tool: Tool) -> dict[str, Check]:
    """Those that run no other tool, so that they can be asked of a broken version too."""
    wanted = {"runs": generic.runs}
    if tool.effect is not None:
        wanted |= _BY_VERB[tool.effect.verb]
    else:
        wanted |= _UNDECLARED | (_UNDECLARED_WRITE if tool.kind == "write" else {})
    if tool.kind == "read":
        wanted |= _READ
    return wanted | _GENERIC


def checks_together(tool: Tool) -> dict[str, Check]:
    """Those that run other tools of the environment beside it."""
    return _TOGETHER if tool.kind == "write" and tool.effect is not None else {}


def _unloadable(environment: Environment) -> tuple[dict[str, str], bool]:
    """Tool -> what is wrong with its source, by the rules and by the types; and whether nothing
    at all is."""
    source = environment.source
    try:
        parts = Parts(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UserError(f"is no Python: {error}", where="tools.py") from error
    functions = {tool.name: parts.function(tool.name) for tool in environment.tools}
    broken = check_source(source, [name for name, each in functions.items() if each is not None])
    found: dict[str, str] = {}
    for name, function in functions.items():
        if function is None:
            found[name] = f"there is no function {name!r}"
        elif broken and (own := _findings(broken, parts.lines(name))):
            found[name] = own[0]
    if not found:
        typed = type_findings(source)
        for tool in environment.tools:
            function = functions[tool.name]
            assert function is not None
            own = signature_of(function, tool)
            own = own or (typed and _findings(typed, parts.lines(tool.name)))
            found |= {tool.name: own[0]} if own else {}
    return found, not broken and not found


def _findings(findings: list[str], lines: Collection[int]) -> list[str]:
    """Those on these lines: "line 12: why"."""
    return [f for f in findings if int(f.split(":")[0].removeprefix("line ")) in lines]
