"""The same calls on an environment and on a reference, each from the same state.

Always holds: before each call that is compared, the environment is in the state that the reference
is in, so that no call pays for an earlier one; calls of tools that are not compared run on the
reference alone. Equal arguments give equal reports. What "same" means is in `judge.py`.
"""

from collections.abc import Mapping, Sequence
from random import Random

from forge.env.base import Base
from forge.env.identity import copied
from forge.env.plain import weight
from forge.env.sandbox.sandbox import Sandbox, SandboxKind, open_sandbox
from forge.env.session import World
from forge.fidelity.draw import draw
from forge.fidelity.judge import Judge, Made, differing
from forge.fidelity.mapping import SchemaMapping, map_schema, written
from forge.fidelity.reference import Reference, Running, Scenario
from forge.fidelity.report import Fidelity, OfTool
from forge.fidelity.source import tables_of
from forge.fidelity.states import Loaded, are_same, loosened
from forge.synth.bench import Bench, Ground, grounds_of
from forge.types.call import Call
from forge.types.data import Json
from forge.types.environment import Environment

SAMPLES = 40
"""Scenarios whose data, before and after, show what records there are."""
ENOUGH = 4_000_000
"""Characters of them, about, after which no more are looked at."""
FILLED = 4
"""Calls of each tool that are made to show more of them."""
TURNS = 3
"""How often it is tried to draw a call of a tool that has no record to be called with."""
BASE = "reference"


def replay(
    environment: Environment,
    reference: Reference,
    *,
    sandbox: SandboxKind = "monty",
    scenarios: int | None = None,
    drawn: int = 0,
) -> Fidelity:
    """`scenarios`: the first so many of the reference's; `drawn`: random valid calls of each tool,
    made where a scenario's own calls have ended, in all scenarios in turn. UserError if the
    environment cannot be opened."""
    chosen = reference.scenarios[:scenarios]
    environment = loosened(environment)
    own = {tool.name for tool in environment.tools}
    golden = [call.tool for scenario in chosen for call in scenario.calls]
    shared = [name for name in reference.tools if name in own]
    samples = _samples(reference, chosen) if shared else []
    if samples and not golden:
        samples += _filled(environment, reference, chosen[0], shared, sandbox)
    mapping = map_schema(environment, samples)
    tools = [
        OfTool(
            name,
            covered=name in own,
            gold=golden.count(name),
            why=_uncompared(environment, mapping, name, arguments),
        )
        for name, arguments in reference.tools.items()
    ]
    compared = {tool.name: tool for tool in tools if not tool.why}
    if compared:
        with open_sandbox(environment.source, own, kind=sandbox, workers=1) as box:
            _Replay(environment, mapping, compared, box).run(reference, chosen, drawn)
    source = reference.source()
    return Fidelity(
        environment=environment.name,
        reference=reference.name,
        commit=source.commit,
        digest=source.digest,
        scenarios=len(chosen),
        tools=tools,
        more=sorted(own - reference.tools.keys()),
        tables={home.table: written(home.place) for home in mapping.homes},
        absent=mapping.absent,
        without=mapping.without,
        beside=mapping.beside,
        actor=mapping.actor,
    )


def _samples(reference: Reference, chosen: Sequence[Scenario]) -> list[dict[str, Json]]:
    """Before and after the scenarios' own calls."""
    found: list[dict[str, Json]] = []
    for scenario in chosen[:SAMPLES]:
        running = reference.open(scenario)
        found.append(running.state())
        for call in scenario.calls:
            running.call(call.tool, copied(call.arguments))
        found.append(running.state())
        if weight(found, ENOUGH) > ENOUGH:
            break
    return found


def _filled(
    environment: Environment,
    reference: Reference,
    scenario: Scenario,
    tools: Sequence[str],
    sandbox: SandboxKind,
) -> list[dict[str, Json]]:
    """After calls of each tool that the environment's own records suggest: where a reference's
    authors call nothing, this shows what it keeps."""
    running, found = reference.open(scenario), []
    with World(environment, sandbox=sandbox, workers=1) as world:
        ground = grounds_of(world)[0]
        for name in tools:
            for number in range(FILLED):
                arguments = draw(Bench(world, world.tools[name], ground), reference.name, number)
                if arguments is not None:
                    running.call(name, arguments)
            found.append(running.state())
    return found


def _uncompared(
    environment: Environment, mapping: SchemaMapping, name: str, arguments: Sequence[str]
) -> str:
    """Why a tool of the reference, with these arguments, cannot be compared; "" if it can."""
    if not any(tool.name == name for tool in environment.tools):
        reasons = [each.reason for each in environment.left_out if each.operation == name]
        return reasons[0] if reasons else "the environment has no such tool"
    (tool,) = [tool for tool in environment.tools if tool.name == name]
    other = [each for each in tool.parameters.get("properties", {}) if each not in arguments]
    if other:
        return f"its arguments are others: the reference has no {', '.join(other)}"
    for table in tables_of(environment.source, name):
        if table in mapping.absent:
            return f"its table {table} is not mapped: {mapping.absent[table]}"
    return ""


class _Replay:
    """`tools`: those that are compared."""

    def __init__(
        self,
        environment: Environment,
        mapping: SchemaMapping,
        tools: Mapping[str, OfTool],
        box: Sandbox,
    ) -> None:
        now = next(iter(environment.nows.values()))
        self._environment = environment.model_copy(
            update={"nows": {BASE: now}, "bases": {BASE: {}}}
        )
        self._judge = Judge(environment, mapping)
        self._tools, self._box = tools, box
        self._now: tuple[dict[str, Json], Loaded] | None = None
        """The reference's data as they were last loaded; None where they may have changed since."""

    def run(self, reference: Reference, chosen: Sequence[Scenario], drawn: int) -> None:
        share = -(-drawn // len(chosen)) if chosen else 0
        for scenario in chosen:
            running, self._now = reference.open(scenario), None
            for call in scenario.calls:
                if call.tool in self._tools:
                    self._call(running, call, scenario.name, drawn=False)
                else:
                    running.call(call.tool, copied(call.arguments))
                    self._now = None
            left = {
                name: min(share, drawn - tool.drawn.calls)
                for name, tool in self._tools.items()
                if name in running.tools
            }
            self._draw_calls(running, scenario.name, left, reference.name)

    def _draw_calls(self, running: Running, scenario: str, left: dict[str, int], seed: str) -> None:
        """So many of each tool, all in another order each time: what one of them takes away,
        another may have made before."""
        for turn in range(TURNS * max(left.values(), default=0)):
            order = sorted(name for name, count in left.items() if count)
            Random(f"{seed}/{scenario}/{turn}").shuffle(order)
            for name in order:
                arguments = self._draw(running, self._tools[name], seed)
                if arguments is not None:
                    call = Call(tool=name, arguments=arguments)
                    self._call(running, call, scenario, drawn=True)
                    left[name] -= 1

    def _draw(self, running: Running, tool: OfTool, seed: str) -> dict[str, Json] | None:
        _, loaded = self._loaded(running)
        if self._judge.touched(tool.name, loaded):
            return None
        world = self._world(loaded.base)
        ground = Ground(self._environment.state_schema, BASE, loaded.base)
        return draw(Bench(world, world.tools[tool.name], ground), seed, tool.drawn.calls)

    def _loaded(self, running: Running) -> tuple[dict[str, Json], Loaded]:
        if self._now is None:
            data = running.state()
            self._now = (data, self._judge.load(data))
        return self._now

    def _world(self, base: Base) -> World:
        return World(self._environment, bases={BASE: base}, box=self._box)

    def _call(self, running: Running, call: Call, scenario: str, *, drawn: bool) -> None:
        tool = self._tools[call.tool]
        before, start = self._loaded(running)
        unfit = self._judge.touched(call.tool, start)
        if unfit:
            tool.unloaded += 1
            tool.unloaded_why = tool.unloaded_why or unfit
            running.call(call.tool, copied(call.arguments))
            self._now = None
            return
        actor = self._judge.actor(before, start.base)
        session = self._world(start.base).open(BASE, actor=actor)
        theirs = running.call(call.tool, copied(call.arguments))
        ours = session.call(call.tool, copied(call.arguments))
        after = running.state()
        end = start if are_same(before, after) else self._judge.load(after)
        self._now = (after, end)
        made = Made(
            call=call,
            theirs=theirs,
            ours=ours,
            before=before,
            after=after,
            start=start,
            end=end,
            overlay=session.overlay(),
        )
        verdict, why = self._judge.verdict(made)
        (tool.drawn if drawn else tool.golden).add(verdict)
        tool.bugs += verdict.bug
        for each in verdict.beside:
            tool.beside[each] = tool.beside.get(each, 0) + 1
        if not verdict.same and tool.first is None:
            tool.first = differing(made, scenario, drawn, verdict, why)
