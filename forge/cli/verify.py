"""`forge verify`: every gate again, on what is on disk."""

from pathlib import Path
from typing import Annotated

import typer

from forge.cli.options import Json, Sandbox


def verify(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="A data set's folder.")],
    sandbox: Sandbox = "monty",
    json: Json = False,
) -> None:
    """Run every gate again on every task, and say what was edited. Exit 1 if any fails."""
    from dataclasses import asdict

    from forge.cli.output import print_heading, print_json, print_lines, print_table
    from forge.dataset.folder import read_dataset
    from forge.gates.verify import verify

    found = verify(read_dataset(dataset), sandbox=sandbox)
    if json:
        print_json(asdict(found))
    else:
        print_table(
            ["gate", "passed", "failed"],
            [(gate, count.passed, count.failed) for gate, count in found.gates.items()],
        )
        print_heading(f"{found.passed} of {found.tasks} tasks pass every gate")
        print_lines(f"{each.task} fails {each.gate}: {each.reason}" for each in found.failures)
        edited = [*found.edited_environments, *found.edited_tasks]
        print_lines(f"{name} was edited" for name in edited)
    if found.failures:
        raise typer.Exit(1)
