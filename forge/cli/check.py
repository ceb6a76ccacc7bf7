"""`forge check`: one environment, whoever wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.options import Json, Sandbox
from forge.errors import UserError

if TYPE_CHECKING:
    from forge.synth.inspection import Inspection


def check(
    folder: Annotated[
        Path, typer.Argument(metavar="ENV", help="An environment's folder, or a data set's.")
    ],
    name: Annotated[
        str | None, typer.Argument(help="The environment, if the folder is a data set's.")
    ] = None,
    sandbox: Sandbox = "monty",
    json: Json = False,
) -> None:
    """Check an environment: its rules, states and tools. Exit 1 if any check fails."""
    from forge.cli.output import print_json, unknown
    from forge.dataset.environments import read_environment
    from forge.dataset.folder import environment_folder, environment_names
    from forge.synth.inspection import inspect

    names = environment_names(folder)
    if name is not None:
        if name not in names:
            raise unknown("environment", name, names, str(folder))
        folder = environment_folder(folder, name)
    elif names:
        raise UserError("a data set", where=str(folder), mend=f"say which: {', '.join(names)}")
    found = inspect(read_environment(folder), sandbox=sandbox)
    if json:
        print_json(found.model_dump(mode="json"))
    else:
        _print(found)
    if not found.passed:
        raise typer.Exit(1)


def _print(found: Inspection) -> None:
    from forge.cli.output import print_heading, print_lines, print_table

    states = [f"base {name}: {finding}" for name, finding in found.bases.items()]
    sections = {
        "source of the tools": list(found.source) or ["pass"],
        "declared effects": list(found.effects) or ["pass"],
        "base states": states,
    }
    for title, lines in sections.items():
        print_heading(title, gap=title != "source of the tools")
        print_lines(lines)
    if not found.tools:
        print_heading("the tools were not run")
        return
    print_heading("tools")
    print_table(
        ["tool", "verdict", "checks", "broken versions noticed"],
        [
            (
                name,
                "pass" if check.passed else "FAIL",
                f"{list(check.checks.values()).count('pass')} of {len(check.checks)}",
                f"{check.killed} of {check.mutants}",
            )
            for name, check in found.tools.items()
        ],
    )
    failures = [
        f"{name} fails {each}: {finding}"
        for name, check in found.tools.items()
        for each, finding in check.checks.items()
        if finding != "pass"
    ]
    if failures:
        print_heading("failures")
        print_lines(failures)
