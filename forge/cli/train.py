"""`forge train`: a policy is trained by a recipe, on tasks of a data set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import environ
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forge.cli.options import Json, Without

if TYPE_CHECKING:
    from forge.train.fit import Progress, Tell
    from forge.train.plan import Plan
    from forge.train.recipe import Recipe, Sft
    from forge.train.runs import Run
    from forge.train.shown import Shows

RUNS = Path("runs")
COLD_START = "sft"
EVERY = 5.0
"""Seconds between lines of progress, where they are piped."""


def train(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[sft] RECIPE.yaml",
            help="A recipe; after the word sft, one of a cold start on rollouts that earned 1.",
            show_default=False,
        ),
    ],
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Instead of what the recipe says."),
    ] = None,
    without: Without = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The run's folder.", show_default="runs/, and the recipe's name"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last checkpoint in the folder.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be trained on, and train nothing.")
    ] = False,
    print_launch: Annotated[
        bool,
        typer.Option("--print-launch", help="Print the line that runs it on many GPUs, and end."),
    ] = False,
    machines: Annotated[int, typer.Option(min=1, help="For --print-launch.")] = 1,
    gpus: Annotated[int, typer.Option(min=1, help="Of each machine, for --print-launch.")] = 8,
    config: Annotated[
        Path | None,
        typer.Option(
            help="Of accelerate, for --print-launch: train/accelerate/ has some.",
            show_default="a whole model on each GPU",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Train a policy as a recipe says."""
    from forge.cli.output import print_json
    from forge.errors import UserError, lacks_package
    from forge.rollout.tokens.load import TRAIN
    from forge.train.launch import launch_line
    from forge.train.recipe import Recipe, Sft, read_recipe
    from forge.train.runs import read_run

    sft = words[0] == COLD_START and len(words) > 1
    if len(words) != 1 + sft:
        raise UserError(f"{words[-1]!r} is one too many", mend="forge train [sft] RECIPE.yaml")
    path = Path(words[-1])
    changed = [*(changes or ()), *([f"tasks.without={without}"] if without else [])]
    recipe: Recipe | Sft = read_recipe(path, Sft if sft else Recipe, changed)
    if print_launch:
        more = [part for change in changed for part in ("--set", change)]
        more += ["--out", str(out)] if out is not None else []
        more += ["--resume"] if resume else []
        typer.echo(launch_line([*words, *more], config, machines, gpus))
        return
    if dry_run:
        from forge.train.plan import planned

        plan = planned(recipe)
        if json:
            print_json(plan.as_json())
        else:
            _print_plan(plan)
        return
    try:
        from forge.train import fit
    except ImportError as error:
        raise lacks_package("training", error, TRAIN) from None
    folder = out or RUNS / path.stem
    with _progress() as tell:
        shows = fit.fit(recipe, folder, resume=resume, tell=tell)
    if int(environ.get("RANK", "0")):  # another process of the run says how it ended
        return
    run = read_run(folder)
    if json:
        print_json(_as_json(run, shows))
    else:
        _print_run(run, shows)


def _print_plan(plan: Plan) -> None:
    from forge.cli.output import print_lines

    tasks = ", ".join(f"{count} of {env}" for env, count in plan.tasks.items())
    steps = "as many steps as the passes have" if plan.steps is None else f"{plan.steps} steps"
    fitting = sum(length <= plan.room for length in plan.lengths)
    print_lines(
        [
            f"{plan.algorithm}: {steps} of {plan.rollouts} rollouts",
            f"trained on: {tasks}; measured by {plan.held_out} held-out tasks",
            f"weights: {plan.weights / 1e6:,.0f} MB",
            f"the oracle's rollouts of {len(plan.lengths)} tasks: {plan.lengths[0]:,} to"
            f" {plan.lengths[-1]:,} tokens, of which at most {plan.begins:,} come before the first"
            f" turn; {fitting} fit into {plan.room:,}",
        ],
        indent="",
    )


def _as_json(run: Run, shows: Shows | None) -> dict[str, Any]:
    rates = [
        {"step": each.step, "value": each.rate.value, "low": each.rate.low, "high": each.rate.high}
        for each in run.evaluations
    ]
    learned = None
    if shows is not None:
        learned = {"rollouts": len(shows.rows), "too_long": shows.long, "earned_0": shows.missed}
    return {
        "run": str(run.folder),
        "steps": run.steps,
        "state": run.state,
        "held_out": rates,
        "learned_from": learned,
    }


def _print_run(run: Run, shows: Shows | None) -> None:
    from forge.cli.output import print_lines

    lines = [f"{run.folder}: {run.steps} steps; the weights are in {run.folder / 'model'}"]
    if shows is not None:
        lines.append(
            f"learned from {len(shows.rows)} rollouts; {shows.long} longer ones and"
            f" {shows.missed} that earned 0 were left out"
        )
    for each in {e.step: e for e in (*run.evaluations[:1], *run.evaluations[-1:])}.values():
        rate = each.rate
        lines.append(
            f"held out after step {each.step}: {rate.value:.1%}"
            f" ({rate.low:.1%} to {rate.high:.1%}) of {len(each.tasks)} tasks"
        )
    print_lines(lines, indent="")


@contextmanager
def _progress() -> Iterator[Tell]:
    """On stderr: a bar at a terminal, else a line every few seconds, and for every measurement."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if not console.is_terminal:
        last = -EVERY

        def tell(progress: Progress) -> None:
            nonlocal last
            ended = progress.step == progress.steps or progress.passed is not None
            _warn(progress)
            if ended or monotonic() - last >= EVERY:
                last = monotonic()
                typer.echo(f"{progress.step}/{progress.steps} {_line(progress)}", err=True)

        yield tell
        return
    columns: tuple[Any, ...] = (
        TextColumn("training"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(progress: Progress) -> None:
            _warn(progress)
            if progress.passed is not None:
                bar.console.print(f"{progress.step}/{progress.steps} {_line(progress)}")
            bar.update(
                task,
                total=progress.steps,
                completed=progress.step,
                description=_line(progress),
            )

        yield show


def _warn(progress: Progress) -> None:
    if progress.alarm:
        typer.echo(f"forge: after step {progress.step}, {progress.alarm}", err=True)


def _line(progress: Progress) -> str:
    if progress.passed is not None:
        return f"held out: {progress.passed:.1%} passed"
    shown = {"reward": "reward", "loss": "loss", "rollouts/trained": "trained on"}
    found = progress.numbers
    parts = [f"{name} {found[key]:.3f}" for key, name in shown.items() if key in found]
    return ", ".join([*parts, f"{found['seconds']:.1f} s"])
