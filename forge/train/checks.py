"""Whether what is trained on is proven: a wrong task teaches a wrong thing for as long as it lasts.

Always holds: a task is believed only as forge sealed it, with a report that every gate of today
passed it, in an environment as forge last checked it. Where one task of an environment is not so,
all of that environment that are asked for are judged anew.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

from forge.dataset.folder import Dataset
from forge.dataset.hashes import is_edited
from forge.env.session import World
from forge.errors import UserError
from forge.gates.judge import GATES, judge_among
from forge.gates.unique import Seen
from forge.types.task import Task


def check_proven(dataset: Dataset, tasks: Iterable[Task]) -> None:
    """UserError with the first task that a gate refuses, as `forge verify` would name it. `tasks`:
    of the data set, none of a sequence of several."""
    by_env = sorted(tasks, key=lambda task: (task.env, task.id))
    for env, those in groupby(by_env, key=lambda task: task.env):
        environment, several = dataset.environment(env), list(those)
        if dataset.edited(environment) or not all(map(_is_believed, several)):
            with World(environment, sandbox="monty") as world:
                _judge(dataset, world, several)


def _is_believed(task: Task) -> bool:
    passed = {name for name, report in task.gates.items() if report.passed}
    return not is_edited(task) and passed == set(task.gates) and passed >= {*GATES, "unique"}


def _judge(dataset: Dataset, world: World, tasks: Sequence[Task]) -> None:
    seen = Seen()
    for task in tasks:
        if task.base not in world.bases:
            raise UserError(f"there is no base {task.base!r}", where=task.id)
        for gate, report in judge_among(world, (task,), seen)[0].items():
            if not report.passed:
                raise UserError(
                    f"{task.id} fails {gate}: {report.reason}",
                    where=str(dataset.folder),
                    mend=f"forge verify {dataset.folder} names all that fail; mend or remove them",
                )
