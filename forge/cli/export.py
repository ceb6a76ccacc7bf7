"""`forge export`: a data set written out again, without what is not wanted of it."""

from pathlib import Path
from typing import Annotated

import typer

from forge.cli.options import Json, Without


def export(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="A data set's folder.")],
    out: Annotated[Path, typer.Option(help="The new folder.", show_default=False)],
    without: Without = None,
    json: Json = False,
) -> None:
    """Write a data set into another folder, without what people marked bad if that is asked for."""
    from forge.cli.output import print_json
    from forge.dataset.export import export as written
    from forge.dataset.folder import read_dataset

    found = read_dataset(dataset)
    counts = written(found, out, without).manifest.counts
    gone = found.manifest.counts.tasks - counts.tasks
    if json:
        print_json({"dataset": str(out), "tasks": counts.tasks, "left_out": gone})
    else:
        typer.echo(f"{out}: {counts.tasks:,} tasks; {gone:,} were left out")
