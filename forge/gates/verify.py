"""Judging a whole data set anew, from what is on disk.

Always holds: nothing that the data set says of itself is believed; base states are checked against
their schema, every gate is run again, and what was changed since forge wrote it is named.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from forge.dataset.folder import Dataset, environment_folder
from forge.dataset.hashes import is_edited
from forge.dataset.sequences import in_sequence
from forge.env.sandbox.sandbox import SandboxKind
from forge.env.session import World
from forge.errors import UserError
from forge.gates.judge import judge_among
from forge.gates.unique import Seen
from forge.types.environment import Environment
from forge.types.task import GateReport, Task


@dataclass(frozen=True, slots=True)
class Failure:
    task: str
    gate: str
    reason: str


@dataclass(slots=True)
class GateCount:
    passed: int = 0
    failed: int = 0


@dataclass(slots=True)
class Verification:
    tasks: int = 0
    passed: int = 0
    """Tasks that pass every gate."""
    gates: dict[str, GateCount] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    edited_environments: list[str] = field(default_factory=list)
    """Not what forge last checked: `forge check` says whether they still hold."""
    edited_tasks: list[str] = field(default_factory=list)

    def add(self, task: Task, reports: dict[str, GateReport]) -> None:
        self.tasks += 1
        self.passed += all(report.passed for report in reports.values())
        for gate, report in reports.items():
            count = self.gates.setdefault(gate, GateCount())
            count.passed += report.passed
            count.failed += not report.passed
            if not report.passed:
                self.failures.append(Failure(task.id, gate, report.reason))
        if is_edited(task):
            self.edited_tasks.append(task.id)


def verify(dataset: Dataset, *, sandbox: SandboxKind = "monty") -> Verification:
    """Judges every task; they must lie environment by environment.

    Raises a `UserError` where an environment or a task cannot be read, or a task has no
    environment or base.
    """
    found = Verification()
    waiting = dataset.names()
    for name, tasks in groupby(dataset.tasks(), key=lambda task: task.env):
        if name not in waiting:
            what = "lie apart" if name in dataset.names() else "have no folder under envs/"
            raise UserError(f"tasks of environment {name!r} {what}", where=str(dataset.folder))
        waiting.remove(name)
        _verify_environment(dataset, name, tasks, sandbox, found)
    for name in waiting:
        _verify_environment(dataset, name, [], sandbox, found)
    return found


def _verify_environment(
    dataset: Dataset, name: str, tasks: Iterable[Task], sandbox: SandboxKind, found: Verification
) -> None:
    environment = dataset.environment(name)
    if dataset.edited(environment):
        found.edited_environments.append(name)
    seen = Seen()
    ids: set[str] = set()
    with _opened(dataset, environment, sandbox) as world:
        for group in in_sequence(tasks):
            for task in group:
                if task.base not in world.bases:
                    raise UserError(f"there is no base {task.base!r}", where=task.id)
            for task, reports in zip(group, judge_among(world, group, seen), strict=True):
                if task.id in ids:
                    reports["unique"] = GateReport(passed=False, reason="its id is there twice")
                ids.add(task.id)
                found.add(task, reports)


def _opened(dataset: Dataset, environment: Environment, sandbox: SandboxKind) -> World:
    """The world; what is wrong with it is said with its folder's name."""
    try:
        return World(environment, sandbox=sandbox)
    except UserError as error:
        home = environment_folder(dataset.folder, environment.name)
        place = f"{home}: {error.where}" if error.where else str(home)
        raise UserError(error.what, where=place, mend=error.mend) from None
