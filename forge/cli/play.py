"""`forge play`: a person in the terminal, as the agent or as the user, in the loop of rollouts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from forge.cli.options import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forge.dataset.folder import Dataset
    from forge.types.rollout import Verdict
    from forge.types.task import Task


def play(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="A data set's folder.")],
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task's id, or how it begins.")],
    as_: Annotated[Literal["agent", "user"], typer.Option("--as", help="Who you are.")] = "agent",
    policy: Annotated[str, typer.Option(help="The agent, where you are the user.")] = "oracle",
    sandbox: Sandbox = "monty",
) -> None:
    """Play a task yourself, and those that follow it in its sequence."""
    import asyncio

    from forge.dataset.folder import read_dataset
    from forge.env.session import World
    from forge.pipeline.policies import cast
    from forge.rollout.course import Course
    from forge.rollout.loop import Limits, rollout
    from forge.rollout.policies.person import Person as Agent
    from forge.rollout.policies.person import Quit
    from forge.rollout.users.person import Person as User
    from forge.rollout.users.scripted import Scripted

    read = read_dataset(dataset)
    found = _task(read, task)
    agent = Agent(_read, _tell) if as_ == "agent" else cast(policy, seed=0).policy
    user = Scripted() if as_ == "agent" else User(_read, _tell)
    with World(read.environment(found.env), sandbox=sandbox) as plain:
        world = plain.of(found.kind)
        course = Course(world)
        for each in _from(found, read.sequence(found.id)):
            stage, measured = course.enter(each)
            if each is not found:
                _tell(f"\n{each.now}: the user is back")
            try:
                played = asyncio.run(
                    rollout(
                        world,
                        measured,
                        agent.seat(world, measured, 0),
                        user.speaker(measured, 0),
                        policy=agent.name,
                        user=user.name,
                        seed=0,
                        limits=Limits(steps=1000),
                        stage=stage,
                    )
                )
            except Quit:
                _tell("left: nothing was scored")
                return
            last = played.steps[-1].user if played.steps else None
            if as_ == "agent" and last:
                _tell(f"user: {last}")
            if played.verdict is None:
                _tell(f"not scored: {played.reason}")
            else:
                _tell("\n".join(_lines(played.verdict)))


def _from(task: Task, sequence: tuple[Task, ...]) -> tuple[Task, ...]:
    """The task, and those that follow it in its sequence."""
    return (task, *sequence[[each.id for each in sequence].index(task.id) + 1 :])


def _task(dataset: Dataset, id: str) -> Task:
    """The task of that id, or the only one whose id begins so."""
    from forge.cli.output import unknown
    from forge.dataset.query import query
    from forge.errors import UserError

    ids = [str(found) for (found,) in query(dataset.folder, "select id from tasks")]
    meant = [each for each in ids if each == id] or [each for each in ids if each.startswith(id)]
    if len(meant) > 1:
        raise UserError(
            f"{len(meant)} tasks begin with {id!r}",
            where=str(dataset.folder),
            mend="write more of it",
        )
    task = dataset.task(meant[0]) if meant else None
    if task is None:
        raise unknown("task", id, ids, str(dataset.folder))
    return task


def _read() -> str | None:
    """The next line, or None. A prompt only where someone types."""
    import sys

    try:
        return input("> ") if sys.stdin.isatty() else input()
    except EOFError:
        return None


def _tell(text: str) -> None:
    from forge.cli.output import print_lines

    print_lines(text.splitlines(), indent="")


def _lines(verdict: Verdict) -> Iterator[str]:
    """The reward, and why it is not 1."""
    from forge.rollout.reasons import reasons

    yield f"reward {verdict.reward}"
    for reason in reasons(verdict):
        yield f"  {reason}"
