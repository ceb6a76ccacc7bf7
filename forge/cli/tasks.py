"""`forge tasks`: more tasks for a data set."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from forge.cli.options import Json, Sandbox
from forge.errors import UserError

if TYPE_CHECKING:
    from forge.pipeline.more import Addition
    from forge.pipeline.tasks import Adding, Progress
    from forge.types import data

SHOWN = 5
"""Tasks that no longer pass, and tools that fail their checks, of each environment."""


def tasks(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="A data set's folder.")],
    env: Annotated[
        list[str] | None,
        typer.Option("--env", help="The environment; may be repeated.", show_default="all"),
    ] = None,
    number: Annotated[
        int,
        typer.Option(
            "-n",
            "--number",
            min=0,
            help="How many for each environment; of sequences, the tasks in them, or one more.",
        ),
    ] = 20,
    seed: Annotated[int, typer.Option(help="Another seed, other tasks.")] = 0,
    difficulty: Annotated[
        Literal["easy", "medium", "hard"] | None,
        typer.Option(help="Only such tasks.", show_default="any"),
    ] = None,
    kind: Annotated[
        Literal["change", "answer", "mixed", "refuse", "sequence"] | None,
        typer.Option(
            help="Only such tasks. Those of a sequence share a state and notes, and a later one"
            " needs what an earlier one told; they are made only if asked for.",
            show_default="any but sequence",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes at work.", show_default="one a processor"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--no-resume", help="Go on from an interrupted run.")
    ] = True,
    sandbox: Sandbox = "monty",
    json: Json = False,
) -> None:
    """Make more tasks from environments on disk, and judge those of edited ones anew."""
    from forge.cli.output import print_json, unknown
    from forge.dataset.folder import environment_names
    from forge.pipeline.more import Request
    from forge.pipeline.tasks import add_tasks

    names = environment_names(dataset)
    for name in env or []:
        if name not in names:
            raise unknown("environment", name, names, str(dataset))
    found = add_tasks(
        dataset,
        Request(count=number, seed=seed, kind=kind, difficulty=difficulty),
        names=sorted(set(env)) if env else names,
        jobs=jobs or os.cpu_count() or 1,
        resume=resume,
        sandbox=sandbox,
        tell=_tell,
    )
    if json:
        print_json(_as_json(found))
    else:
        _show(found)
    for each in found.environments:
        if each.unsound:
            raise UserError(each.unsound)
    if number and not any(each.kept for each in found.environments):
        raise typer.Exit(1)


def _tell(progress: Progress) -> None:
    from forge.cli.output import clean

    each = progress.result
    done = "cannot be used" if each.unsound else f"{each.kept} tasks, {each.seconds:.0f} s"
    typer.echo(clean(f"{progress.done}/{progress.total} {each.environment}: {done}"), err=True)


def _show(found: Adding) -> None:
    from forge.cli.output import print_lines, print_table

    print_table(
        ["environment", "asked", "made", "there now", "proposed", "refused"],
        [
            [
                each.environment,
                found.request.count,
                each.kept,
                each.there + each.kept,
                each.tally.proposed,
                sum(each.tally.refused.values()),
            ]
            for each in found.environments
        ],
    )
    for each in found.environments:
        print_lines(_remarks(each, found.request.count), indent="")
    total = sum(each.kept for each in found.environments)
    print_lines([f"{total} tasks were added: {found.folder}"], indent="")


def _remarks(found: Addition, asked: int) -> Iterator[str]:
    """What is worth knowing of one environment: what was edited, what is missing, and why."""
    from forge.pipeline.advice import advice, reasons

    name, tally = found.environment, found.tally
    if found.checked:
        yield f"{name} is new to forge, or was edited: its tools were checked"
        for tool, finding in list(found.failing_tools.items())[:SHOWN]:
            yield f"  no task is made with {tool}, which fails a check: {finding}"
    if found.judged:
        yield f"{name}: its tasks were judged anew, {found.there} of them pass"
    if found.set_aside:
        gates = ", ".join(f"{gate} {count}" for gate, count in found.refused_by.most_common())
        yield f"{name}: {len(found.set_aside)} tasks no longer pass and are set aside: {gates}"
        for task, reason in list(found.set_aside.items())[:SHOWN]:
            yield f"  {task}: {reason}"
    if found.exhausted:
        kept = f"only {found.kept} of {asked}" if found.kept else "no task"
        yield f"{name}: {kept}: the space is exhausted"
        for reason, count in reasons(tally.unfit, tally.refused):
            yield f"  {count} proposals: {reason}"
    if found.exhausted and not found.kept:
        yield "to change that:"
        yield from (f"  {piece}" for piece in advice(tally.unfit, tally.refused))


def _as_json(found: Adding) -> data.Json:
    from forge.pipeline.advice import advice

    return {
        "dataset": str(found.folder),
        "request": found.request.model_dump(mode="json"),
        "environments": [
            {
                "environment": each.environment,
                "there": each.there,
                "kept": each.kept,
                "resumed": each.resumed,
                "exhausted": each.exhausted,
                "walks": each.tally.walks,
                "proposed": each.tally.proposed,
                "unfit": dict(sorted(each.tally.unfit.items())),
                "refused": dict(sorted(each.tally.refused.items())),
                "advice": advice(each.tally.unfit, each.tally.refused) if each.exhausted else [],
                "unused": each.unused,
                "checked": each.checked,
                "judged": each.judged,
                "failing_tools": each.failing_tools,
                "set_aside": each.set_aside,
                "unsound": each.unsound,
                "seconds": round(each.seconds, 2),
            }
            for each in found.environments
        ],
        "seconds": round(found.seconds, 2),
    }
