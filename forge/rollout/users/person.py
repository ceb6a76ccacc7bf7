"""The user that is a person, who answers what the agent says."""

from collections.abc import Callable
from dataclasses import dataclass, field

from forge.rollout.users.user import Reply
from forge.types.task import Task

HELP = "Answer the agent. /done: you are served, /quit: you give up."


@dataclass(slots=True)
class Person:
    """`read`: the next line, None at the end; `tell`: shows a text."""

    read: Callable[[], str | None]
    tell: Callable[[str], None]
    name: str = "person"
    errs: bool = True

    def speaker(self, task: Task, seed: int) -> "PersonWhoAsks":
        return PersonWhoAsks(self.read, self.tell, task)

    async def close(self) -> None:
        pass


@dataclass(slots=True)
class PersonWhoAsks:
    read: Callable[[], str | None]
    tell: Callable[[str], None]
    task: Task
    _begun: bool = field(default=False)

    async def opening(self) -> str:
        return self.task.question

    async def reply(self, heard: str) -> Reply:
        if not self._begun:
            self._begun = True
            known = [
                f"{fact.about or fact.name}: {'told before' if fact.noted else fact.text}"
                for fact in self.task.facts
            ]
            self.tell("\n".join([HELP, f"you asked: {self.task.question}", "you know:", *known]))
        self.tell(f"agent: {heard}")
        line = self.read()
        while line is not None and not line.strip():
            line = self.read()
        if line is None or line.strip() == "/quit":
            return Reply("", "gave_up")
        if line.strip() == "/done":
            return Reply("", "done")
        return Reply(line.strip())
