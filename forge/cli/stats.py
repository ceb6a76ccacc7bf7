"""`forge stats`: what files of trajectories say."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from forge.cli.options import Json

if TYPE_CHECKING:
    from forge.dataset.stats import Report, Statistics, TaskRate


def stats(
    files: Annotated[list[Path], typer.Argument(help="Files of trajectories.", show_default=False)],
    by: Annotated[
        Literal["env", "kind", "difficulty", "policy", "context", "task"] | None,
        typer.Option(help="A line for each."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the pass rates, as SVG.")] = None,
    rates: Annotated[
        Path | None, typer.Option(help="Write the pass rate of each task, as JSON Lines.")
    ] = None,
    json: Json = False,
) -> None:
    """Pass rates, outcomes and errors of rollouts."""
    from forge.cli.output import check_picture, print_json
    from forge.dataset.files import json_text, write_atomic
    from forge.dataset.plot import plot as drawn
    from forge.dataset.stats import report_on

    if plot is not None:
        check_picture(plot)
    report = report_on(files, by)
    if rates is not None:
        lines = (f"{json_text(_rate(each))}\n".encode() for each in report.tasks)
        write_atomic(rates, lines)
    if plot is not None:
        groups = report.groups[1:] or report.groups
        write_atomic(plot, [drawn(groups, f"Pass rate by {by}" if by else "Pass rate").encode()])
    if json:
        print_json(as_json(report))
    else:
        show(report)


def show(report: Report) -> None:
    """A table of the groups, and what is to be known beside it."""
    from forge.cli.output import print_lines, print_table

    powers = sorted({k for group in report.groups for k in group.powers if k > 1})
    headers = ["", "tasks", "rollouts", "pass rate", "95% interval"]
    headers += [f"pass^{k}" for k in powers] + ["steps", "tokens read", "written"]
    print_table(headers, [_row(group, powers) for group in report.groups])
    whole = report.groups[0]
    print_lines(
        [
            f"outcomes: {_counted(whole.outcomes)}",
            f"calls that failed: {_counted(whole.errors) or 'none'}",
        ],
        indent="",
    )
    if whole.slips:
        rate = whole.unslipped
        told = f"the user erred in {whole.slipped} of {whole.scored} rollouts"
        without = f"without them {rate.value:.3f} ({rate.low:.3f} to {rate.high:.3f})"
        rules = f"user errors: {_counted(whole.slips)}"
        print_lines([rules, f"{told}; the pass rate {without}"], indent="")
    if unscored := whole.rollouts - whole.scored:
        print_lines([f"{unscored} rollouts could not be scored and are in no rate"], indent="")
    for each in report.quarantine:
        told = f"quarantine {each.task}: a tool broke in {each.buggy} of {each.attempts} rollouts"
        print_lines([told], indent="")


def _row(group: Statistics, powers: list[int]) -> list[object]:
    rate = group.rate
    shown = f"{rate.value:.3f}" if group.tasks else "-"
    span = f"{rate.low:.3f} to {rate.high:.3f}" if group.tasks else "-"
    every = [f"{group.powers[k]:.3f}" if k in group.powers else "-" for k in powers]
    tokens = [f"{each:,.0f}" for each in (group.prompt_tokens, group.completion_tokens)]
    return [
        group.group,
        group.tasks,
        group.rollouts,
        shown,
        span,
        *every,
        f"{group.steps:.1f}",
        *tokens,
    ]


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in numbers.items())


def as_json(report: Report) -> dict[str, Any]:
    groups = [
        {**asdict(group), "powers": {str(k): value for k, value in group.powers.items()}}
        for group in report.groups
    ]
    return {
        "groups": groups,
        "tasks": [_rate(each) for each in report.tasks],
        "quarantine": [each.task for each in report.quarantine],
    }


def _rate(each: TaskRate) -> dict[str, Any]:
    return {
        "task": each.task,
        "env": each.env,
        "policy": each.policy,
        "attempts": each.attempts,
        "passed": each.passed,
        "rate": each.rate,
    }
