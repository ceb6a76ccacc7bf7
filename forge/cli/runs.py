"""`forge runs`: runs of training, listed, drawn, and side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forge.cli.options import Json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forge.dataset.rates import Difference, Rate
    from forge.train.compare import Group
    from forge.train.runs import Evaluation, Run

HOME = Path("runs")


def runs(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RUN]...", help="Runs, or folders with runs in them; several are compared."
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw rewards and held-out pass rates, as SVG.")
    ] = None,
    json: Json = False,
) -> None:
    """List the runs of training under runs/, or compare some."""
    from forge.cli.output import check_picture, print_json
    from forge.dataset.files import write_atomic
    from forge.train.compare import grouped
    from forge.train.picture import picture
    from forge.train.runs import read_run, runs_in

    if plot is not None:
        check_picture(plot)
    places = folders or ([HOME] if HOME.is_dir() else [])
    found = [read_run(run) for run in dict.fromkeys(run for at in places for run in runs_in(at))]
    groups = grouped(found)
    if plot is not None:
        write_atomic(plot, [picture(groups)])
    if json:
        print_json(as_json(found, groups if folders else ()))
    elif found:
        show(found, groups if folders else ())
    else:
        where = ", ".join(map(str, folders)) if folders else f"{HOME}/"
        typer.echo(f"there are no runs under {where}; make one with forge train")


def show(found: Sequence[Run], groups: Sequence[Group]) -> None:
    """A line a run; of groups, how much each gained and what is different between them."""
    from forge.cli.output import print_heading, print_table
    from forge.train.compare import differing

    headers = ["run", "algorithm", "model", "steps", "reward", "held out first", "last"]
    print_table([*headers, "s/step", "state"], [_row(run) for run in found])
    if gains := [group for group in groups if group.evaluations]:
        print_heading("Held-out pass rate, with its 95% interval over tasks")
        print_table(
            ["", "tasks", "first", "last", "gained"],
            [
                (
                    group.label,
                    len(group.evaluations[-1].tasks),
                    _rate(group.evaluations[0].rate),
                    _rate(group.evaluations[-1].rate),
                    _change(group.gain),
                )
                for group in gains
            ],
        )
        print_heading("By environment, at last")
        print_table(["environment", *(group.label for group in gains)], _by_environment(gains))
    if differences := _differences(groups):
        print_heading(f"At last, against {groups[0].label} on the same tasks")
        print_table(
            ["", "tasks", "difference"],
            [(label, told.tasks, _change(told)) for label, told in differences],
        )
    if len(groups) > 1:
        print_heading("What they were told")
        labels = [group.label for group in groups]
        print_table(["", *labels], [(key, *row) for key, row in differing(groups).items()])


def _row(run: Run) -> list[str]:
    from forge.train.runs import LAST

    evaluations = run.evaluations
    return [
        str(run.folder),
        run.head.kind,
        run.head.model,
        f"{run.steps}/{run.head.steps}",
        _number(run.mean("reward", LAST), 3),
        _rate(evaluations[0].rate) if evaluations else "-",
        _rate(evaluations[-1].rate) if evaluations else "-",
        _number(run.mean("seconds"), 2),
        run.state,
    ]


def _by_environment(groups: Sequence[Group]) -> list[list[str]]:
    last = [_by(group.evaluations[-1]) for group in groups]
    names = sorted({env for each in last for env in each})
    return [[env, *(_rate(each[env]) if env in each else "-" for each in last)] for env in names]


def _by(evaluation: Evaluation) -> dict[str, Rate]:
    from forge.dataset.rates import rate_of

    return {env: rate_of(list(each.values())) for env, each in evaluation.environments.items()}


def _differences(groups: Sequence[Group]) -> list[tuple[str, Difference]]:
    from forge.train.compare import difference

    if not groups or not groups[0].evaluations:
        return []
    first = groups[0].evaluations[-1]
    return [
        (group.label, difference(first, group.evaluations[-1]))
        for group in groups[1:]
        if group.evaluations
    ]


def _rate(rate: Rate) -> str:
    return f"{rate.value:.3f} ({rate.low:.3f} to {rate.high:.3f})"


def _change(change: Difference | None) -> str:
    if change is None:
        return "-"
    return f"{change.value:+.3f} ({change.low:+.3f} to {change.high:+.3f})"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def as_json(found: Sequence[Run], groups: Sequence[Group]) -> dict[str, Any]:
    from dataclasses import asdict

    from forge.train.compare import differing

    told: dict[str, Any] = {"runs": [_run(run) for run in found]}
    if groups:
        told["groups"] = [
            {
                "label": group.label,
                "runs": [str(run.folder) for run in group.runs],
                "evaluations": [_evaluation(each) for each in group.evaluations],
                "gain": None if group.gain is None else asdict(group.gain),
            }
            for group in groups
        ]
        told["differences"] = [
            {"from": groups[0].label, "to": label, **asdict(each)}
            for label, each in _differences(groups)
        ]
        told["told"] = {
            key: dict(zip([group.label for group in groups], row, strict=True))
            for key, row in differing(groups).items()
        }
    return told


def _run(run: Run) -> dict[str, Any]:
    from forge.train.runs import LAST

    return {
        "run": str(run.folder),
        "algorithm": run.head.kind,
        "model": run.head.model,
        "data": run.head.data,
        "steps": run.steps,
        "planned": run.head.steps,
        "reward": run.mean("reward", LAST),
        "seconds": run.mean("seconds"),
        "state": run.state,
        "evaluations": [_evaluation(each) for each in run.evaluations],
        "recipe": dict(run.recipe),
    }


def _evaluation(evaluation: Evaluation) -> dict[str, Any]:
    from dataclasses import asdict

    environments = {env: asdict(rate) for env, rate in _by(evaluation).items()}
    tasks = len(evaluation.tasks)
    told = {"step": evaluation.step, **asdict(evaluation.rate), "tasks": tasks}
    return {**told, "environments": environments}
