"""The session that the tasks of a sequence share, and what each of them is measured by.

Always holds: a task begins where the one before was left, right or wrong, at its own time; it is
held against where the golden ways of all so far lead from where the first began.
"""

from forge.env.session import Session, World
from forge.env.store import Store
from forge.types.task import Task


class Course:
    """For one attempt at one sequence, in the world that its tasks are played in."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._session: Session | None = None
        self._golden: Store | None = None

    def enter(self, task: Task) -> tuple[Session, Task]:
        """The session at the task's start, and the task with the golden state as it is seen from
        the session's own start. UserError if it does not start in this world."""
        if self._session is None or self._golden is None:
            self._session = self._world.open(
                task.base, actor=task.actor, now=task.now, setup=task.setup
            )
            self._golden = self._session.store.fork()
        else:
            self._session = self._session.later(task.now)
        self._golden.apply(task.golden)
        return self._session, task.model_copy(update={"golden": self._golden.overlay()})
