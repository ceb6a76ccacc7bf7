"""The unit of work of `forge tasks`: more tasks of one environment that lies on disk.

Always holds: what is made is a pure function of the environment, of its tasks that are there, and
of what is asked for; each kept task is in a log at once, and what is in the log is not made again.
What someone edited is not believed: its tools are checked anew and its tasks judged anew. Nothing
in the data set itself is touched here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from time import perf_counter

from pydantic import Field

from forge import __version__
from forge.dataset.environments import Checks, read_checks, read_graph
from forge.dataset.files import (
    appending,
    compact,
    json_text,
    parse_json,
    parse_model,
    read_log,
    write_atomic,
    write_json,
)
from forge.dataset.folder import environment_folder, environment_of, lines
from forge.dataset.hashes import environment_hash, is_edited
from forge.dataset.sequences import in_sequence
from forge.dataset.write import task_line, task_row
from forge.env.sandbox.sandbox import SandboxKind
from forge.env.session import World
from forge.errors import UserError
from forge.gates.judge import judge_all
from forge.gates.keep import Stand, Tally, Wanted, more_tasks
from forge.gates.sequences import more_sequences
from forge.gates.unique import Seen, unique
from forge.synth.inspection import Inspection, inspect
from forge.tasks.dags.graph import tool_graph
from forge.types.data import Data, Json
from forge.types.environment import Environment, ToolGraph
from forge.types.task import Band, GateReport, Kind, Task

WORK = ".adding"
"""In the data set's folder, as long as tasks wait to be added."""
LOG, JUDGED, CHECKS, GRAPH = "log.jsonl", "judged.jsonl", "checks.json", "graph.json"
SET_ASIDE = "set_aside.jsonl"
"""In an environment's folder: tasks that no longer pass every gate, since somebody edited it."""


class Request(Data):
    """What is asked for, of each environment."""

    count: int
    seed: int
    kind: Kind | None = None
    difficulty: Band | None = None

    def wanted(self, there: int) -> Wanted:
        """With the same seed, other proposals than those that made the tasks that are there."""
        seed = f"{self.seed}+{there}" if there else self.seed
        return Wanted(self.count, seed, self.kind, self.difficulty)


class Header(Data):
    """The first line of a log: all that decides what comes after it."""

    forge: str
    environment: str
    """Its hash."""
    there: int
    request: Request


class Made(Data):
    """A line of a log: a task, or those of a sequence, and what became of the proposals since the
    line before; without any, that proposals stopped bearing fruit."""

    number: int
    """Of the next proposal."""
    in_vain: int = 0
    """Of all that were to be deep so far, those that came to nothing."""
    walks: int
    proposed: int
    unfit: dict[str, int] = Field(default_factory=dict)
    refused: dict[str, int] = Field(default_factory=dict)
    missed: dict[str, dict[str, int]] = Field(default_factory=dict)
    tasks: tuple[dict[str, Json], ...] = ()


@dataclass(slots=True)
class Addition:
    """What became of one environment."""

    environment: str
    there: int = 0
    kept: int = 0
    exhausted: bool = False
    tally: Tally = field(default_factory=Tally)
    resumed: int = 0
    """Of the kept tasks, those of an earlier run that was interrupted."""
    checked: bool = False
    """Whether its tools were checked anew: it is not as forge last checked it."""
    judged: bool = False
    """Whether its tasks were judged anew: it, or one of them, was edited."""
    failing_tools: dict[str, str] = field(default_factory=dict)
    """Tool -> the check that it fails, and why: no task is made with it."""
    set_aside: dict[str, str] = field(default_factory=dict)
    """Task -> the first gate that refuses it now, and why."""
    refused_by: Counter[str] = field(default_factory=Counter)
    """Gate -> how many of those it refuses."""
    unused: dict[str, dict[str, int]] = field(default_factory=dict)
    """Write tool that no task calls -> what kept proposals from it, and how often; most first."""
    unsound: str = ""
    """Why the environment cannot be used at all."""
    seconds: float = 0.0


def add_to(
    folder: Path,
    name: str,
    span: tuple[int, int] | None,
    request: Request,
    sandbox: SandboxKind,
) -> Addition:
    """`span`: where the environment's tasks are in `tasks.jsonl`. Raises a `UserError` where a task
    or the log cannot be read, or the log is of another request."""
    start = perf_counter()
    found = Addition(name)
    try:
        environment = environment_of(folder, name)
        checks, known = _checked(folder, environment, sandbox)
    except UserError as error:
        return Addition(name, unsound=str(error))
    found.checked = not known
    found.failing_tools = _failing(checks)
    stand = Stand()
    for task in _judged(folder, environment, span, found, sandbox):
        stand.add(task)
        found.there += 1
    _make(folder, environment, request, stand, found, sandbox)
    found.unused = unused_writes(environment, stand, found.tally)
    found.seconds = perf_counter() - start
    return found


def _checked(folder: Path, environment: Environment, sandbox: SandboxKind) -> tuple[Checks, bool]:
    """The checks of the environment as it is, and whether they lay beside it. What is checked anew
    waits in the work folder."""
    home = environment_folder(folder, environment.name)
    digest = environment_hash(environment)
    checks = read_checks(home)
    if checks is not None and checks.hash == digest:
        return checks, True
    waiting = folder / WORK / environment.name
    again = read_checks(waiting)
    if again is not None and again.hash == digest:
        return again, False
    inspection = inspect(environment, sandbox=sandbox)
    if finding := _unsound(inspection):
        raise UserError(finding, where=str(home), mend=f"forge check {home} says all of it")
    again = Checks(hash=digest, edited=checks is not None, tools=compact(dict(inspection.tools)))
    write_json(waiting / GRAPH, compact(tool_graph(environment)))
    write_json(waiting / CHECKS, compact(again))
    return again, False


def _unsound(found: Inspection) -> str:
    """The first thing that keeps the tools from being run."""
    bases = [f"base {name}: {said}" for name, said in found.bases.items() if said != "pass"]
    return next(iter([*found.source, *found.effects, *bases]), "")


def _failing(checks: Checks) -> dict[str, str]:
    return {
        name: next(f"{each}: {said}" for each, said in check["checks"].items() if said != "pass")
        for name, check in checks.tools.items()
        if not check["passed"]
    }


def _judged(
    folder: Path,
    environment: Environment,
    span: tuple[int, int] | None,
    found: Addition,
    sandbox: SandboxKind,
) -> Iterator[Task]:
    """The environment's tasks that pass. Where it was edited, or one of them was, all are judged
    anew, those set aside earlier too, and wait with their reports in the work folder."""
    name = environment.name
    if not found.checked and not any(map(is_edited, _tasks(folder, span))):
        yield from _tasks(folder, span)
        return
    found.judged = True
    again = folder / WORK / name / JUDGED
    earlier = environment_folder(folder, name) / SET_ASIDE
    with World(environment, sandbox=sandbox, workers=1) as world:
        tasks = chain(_tasks(folder, span), _read(earlier))
        write_atomic(again, map(task_line, _reports(world, tasks)))
    for task in _read(again):
        gate = next((gate for gate, report in task.gates.items() if not report.passed), None)
        if gate is None:
            yield task
        else:
            found.set_aside[task.id] = f"{gate}: {task.gates[gate].reason}"
            found.refused_by[gate] += 1


def _reports(world: World, tasks: Iterable[Task]) -> Iterator[Task]:
    """The tasks with what the gates say of them now. A sequence stands or falls as a whole."""
    seen, ids = Seen(), set[str]()
    for group in in_sequence(tasks):
        strange = next((task.base for task in group if task.base not in world.bases), None)
        if strange is None:
            reports = judge_all(world, group)
        else:
            reports = [{"replay": _failed(f"no base {strange!r}")} for _ in group]
        sound = all(report.passed for each in reports for report in each.values())
        for task, each in zip(group, reports, strict=True):
            repeats = "its id is there twice" if task.id in ids else None
            if repeats is None and sound:
                repeats = unique(task, seen)
            ids.add(task.id)
            each["unique"] = GateReport(passed=repeats is None, reason=repeats or "")
        fallen = any(not report.passed for each in reports for report in each.values())
        for task, each in zip(group, reports, strict=True):
            if fallen and all(report.passed for report in each.values()):
                each["remembered"] = _failed("another task of the sequence does not pass")
            yield task.model_copy(update={"gates": each})


def _failed(reason: str) -> GateReport:
    return GateReport(passed=False, reason=reason)


def _tasks(folder: Path, span: tuple[int, int] | None) -> Iterator[Task]:
    if span is not None:
        for where, line in lines(folder / "tasks.jsonl", span):
            yield parse_model(Task, parse_json(line, where), where)


def _read(path: Path) -> Iterator[Task]:
    for row in read_log(path):
        yield parse_model(Task, row, str(path))


def _make(
    folder: Path,
    environment: Environment,
    request: Request,
    stand: Stand,
    found: Addition,
    sandbox: SandboxKind,
) -> None:
    log = folder / WORK / environment.name / LOG
    header = Header(
        forge=__version__,
        environment=environment_hash(environment),
        there=found.there,
        request=request,
    )
    begun = next(read_log(log), None) is not None
    found.exhausted = _resume(log, header, stand, found) if begun else False
    if found.exhausted or found.kept >= request.count:
        return
    graph = None if found.checked else read_graph(environment_folder(folder, environment.name))
    sound = _without(environment, set(found.failing_tools))
    with appending(log) as add, World(sound, sandbox=sandbox, workers=1) as world:
        if not begun:
            add(compact(header))
        tally, before = found.tally, _copied(found.tally)
        tally.kept = found.kept
        wanted = request.wanted(found.there)
        for made in _more(world, graph or tool_graph(sound), wanted, stand, tally):
            add(compact(_line(stand, before, tally, made)))
            before = _copied(tally)
        found.kept = tally.kept
        found.exhausted = tally.kept < request.count
        if found.exhausted:
            add(compact(_line(stand, before, tally, ())))


def _more(
    world: World, graph: ToolGraph, wanted: Wanted, stand: Stand, tally: Tally
) -> Iterator[tuple[Task, ...]]:
    """One task after the other, or one sequence."""
    if wanted.kind == "sequence":
        yield from more_sequences(world, graph, wanted, stand, tally)
        return
    for task in more_tasks(world, graph, wanted, stand, tally):
        yield (task,)


def _resume(log: Path, header: Header, stand: Stand, found: Addition) -> bool:
    """Takes up what an earlier run made; whether it found that there is no more."""
    rows = read_log(log)
    if parse_model(Header, next(rows), str(log)) != header:
        raise UserError(
            "holds tasks of an unfinished run that asked for something else, or of files that"
            " have changed since",
            where=str(log.parent),
            mend="run that again, or drop them with --no-resume",
        )
    for row in rows:
        made = parse_model(Made, row, str(log))
        stand.number, stand.in_vain = made.number, made.in_vain
        found.tally.walks += made.walks
        found.tally.proposed += made.proposed
        found.tally.unfit.update(made.unfit)
        found.tally.refused.update(made.refused)
        for tool, reasons in made.missed.items():
            found.tally.missed.setdefault(tool, Counter()).update(reasons)
        if not made.tasks:
            return True
        for task in made.tasks:
            stand.add(parse_model(Task, task, str(log)))
            found.kept += 1
            found.resumed += 1
    return False


def unused_writes(
    environment: Environment, stand: Stand, tally: Tally
) -> dict[str, dict[str, int]]:
    """The write tools that no task calls, and why."""
    undeclared = Counter({"its effect is not declared": 1})
    return {
        tool.name: dict(
            (tally.missed.get(tool.name, Counter()) if tool.effect else undeclared).most_common()
        )
        for tool in environment.tools
        if tool.kind == "write" and not stand.used[tool.name]
    }


def _line(stand: Stand, before: Tally, now: Tally, tasks: Sequence[Task]) -> Made:
    return Made(
        number=stand.number,
        in_vain=stand.in_vain,
        walks=now.walks - before.walks,
        proposed=now.proposed - before.proposed,
        unfit=dict(sorted((now.unfit - before.unfit).items())),
        refused=dict(sorted((now.refused - before.refused).items())),
        missed={
            tool: dict(sorted(since.items()))
            for tool, reasons in sorted(now.missed.items())
            if (since := reasons - before.missed.get(tool, Counter()))
        },
        tasks=tuple(map(task_row, tasks)),
    )


def _copied(tally: Tally) -> Tally:
    missed = {tool: Counter(reasons) for tool, reasons in tally.missed.items()}
    return replace(tally, unfit=Counter(tally.unfit), refused=Counter(tally.refused), missed=missed)


def _without(environment: Environment, failing: set[str]) -> Environment:
    """The environment in which what these tools are declared to do is not believed."""
    if not failing:
        return environment
    tools = tuple(
        tool.model_copy(update={"effect": None}) if tool.name in failing else tool
        for tool in environment.tools
    )
    return environment.model_copy(update={"tools": tools})


def made_lines(folder: Path, name: str) -> Iterator[bytes]:
    """The tasks in the log, as they go into `tasks.jsonl`."""
    rows = read_log(folder / WORK / name / LOG)
    next(rows, None)
    for row in rows:
        for task in parse_model(Made, row, name).tasks:
            yield json_text(task).encode() + b"\n"


def judged_rows(folder: Path, name: str) -> Iterator[tuple[bool, bytes]]:
    """The tasks judged anew: whether they pass, and the line."""
    for task in _read(folder / WORK / name / JUDGED):
        yield all(report.passed for report in task.gates.values()), task_line(task)
