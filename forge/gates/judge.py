"""All gates that judge one task."""

from collections.abc import Callable, Sequence

from forge.env.rehearsal import Rehearsal
from forge.env.session import World
from forge.gates.changes import changes
from forge.gates.deterministic import deterministic
from forge.gates.form import malformed
from forge.gates.grounded import grounded
from forge.gates.meaning import meaning
from forge.gates.necessary import necessary
from forge.gates.order_free import order_free
from forge.gates.remembered import remembered
from forge.gates.replay import replay
from forge.gates.sensitive import sensitive
from forge.gates.solvable import solvable
from forge.gates.start import Trial
from forge.gates.unambiguous import unambiguous
from forge.gates.unguessable import unguessable
from forge.gates.unique import Seen, unique
from forge.types.task import GateReport, Task

Gate = Callable[[Trial], str | None]

GATES: dict[str, Gate] = {
    "replay": replay,
    "deterministic": deterministic,
    "meaning": meaning,
    "changes": changes,
    "grounded": grounded,
    "unambiguous": unambiguous,
    "necessary": necessary,
    "sensitive": sensitive,
    "order_free": order_free,
    "solvable": solvable,
    "unguessable": unguessable,
}


COSTLY = ("deterministic", "solvable", "unguessable")
"""Gates that call many tools anew: looked at last where the first refusal is enough."""


def judge(world: World, task: Task) -> dict[str, GateReport]:
    """Every gate's verdict but that of `unique`; a task that cannot be judged passes none."""
    return judge_all(world, (task,))[0]


def judge_all(world: World, tasks: Sequence[Task]) -> list[dict[str, GateReport]]:
    """The same of one task, or of the tasks of a sequence in their order; of these `remembered`
    too, which looks at all of them."""
    faults = [malformed(world, task) for task in tasks]
    trials = [
        Trial(world, task) if fault is None else None
        for task, fault in zip(tasks, faults, strict=True)
    ]
    reports = [
        {name: _report(gate(trial)) for name, gate in GATES.items()}
        if trial is not None
        else dict.fromkeys(GATES, _report(fault))
        for trial, fault in zip(trials, faults, strict=True)
    ]
    sound = [trial for trial in trials if trial is not None]
    for place, task in enumerate(tasks):
        if task.kind == "sequence":
            whole = len(sound) == len(tasks)
            reason = remembered(sound, place) if whole else "a task of the sequence is malformed"
            reports[place]["remembered"] = _report(reason)
    return reports


def judge_among(world: World, tasks: Sequence[Task], seen: Seen) -> list[dict[str, GateReport]]:
    """The verdict of every gate on a task, or on those of a sequence, `unique` among those of
    `seen`; one that is, is remembered."""
    reports = judge_all(world, tasks)
    for task, report in zip(tasks, reports, strict=True):
        report["unique"] = _report(malformed(world, task) or unique(task, seen))
    return reports


def first_refusal(world: World, task: Task, rehearsal: Rehearsal | None = None) -> str | None:
    """The name of the first gate that refuses the task; the rest are not run. `rehearsal`: of runs
    from the task's start, made earlier."""
    return _first_refusal(Trial(world, task, rehearsal))


def first_reason(world: World, task: Task) -> tuple[str, str] | None:
    """The name of the first gate that refuses the task, and why; the rest are not run."""
    fault = malformed(world, task)
    return ("form", fault) if fault is not None else _first(Trial(world, task))


def first_refusal_among(world: World, tasks: Sequence[Task]) -> str | None:
    """The same of the tasks of a sequence."""
    trials = [Trial(world, task) for task in tasks]
    for trial in trials:
        if refusal := _first_refusal(trial):
            return refusal
    several = range(len(trials))
    return next(("remembered" for place in several if remembered(trials, place)), None)


def _first_refusal(trial: Trial) -> str | None:
    found = _first(trial)
    return None if found is None else found[0]


def _first(trial: Trial) -> tuple[str, str] | None:
    costly = [name for name in GATES if name in COSTLY]
    order = [name for name in GATES if name not in COSTLY] + costly
    found = ((name, GATES[name](trial)) for name in order)
    return next(((name, reason) for name, reason in found if reason is not None), None)


def _report(reason: str | None) -> GateReport:
    return GateReport(passed=reason is None, reason=reason or "")
