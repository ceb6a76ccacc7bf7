"""`forge list`: the data sets under a folder, or the environments of one."""

from pathlib import Path
from typing import Annotated

import typer

from forge.cli.options import Json

HOME = Path("generated")


def list_(
    dataset: Annotated[
        Path | None, typer.Argument(metavar="DATASET", help="A data set's folder.")
    ] = None,
    json: Json = False,
) -> None:
    """List the data sets under generated/, or the environments of one."""
    from forge.cli.output import print_json, print_table

    rows = _datasets() if dataset is None else _environments(dataset)
    if json:
        print_json(rows)
    elif rows:
        print_table(list(rows[0]), [[_cell(value) for value in row.values()] for row in rows])
    else:
        typer.echo(f"there are no data sets under {HOME}/; make one with forge synth")


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name}:{number}" for name, number in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def _datasets() -> list[dict[str, object]]:
    from forge.dataset.folder import read_dataset

    manifests = [
        (path.parent, read_dataset(path.parent).manifest)
        for path in sorted(HOME.glob("*/dataset.json"))
    ]
    return [
        {
            "dataset": str(folder),
            "environments": manifest.counts.environments,
            "tools": manifest.counts.tools,
            "tasks": manifest.counts.tasks,
            "kinds": manifest.counts.kinds,
        }
        for folder, manifest in manifests
    ]


def _environments(folder: Path) -> list[dict[str, object]]:
    from forge.dataset.folder import read_dataset
    from forge.dataset.query import query

    dataset = read_dataset(folder)
    kinds: dict[str, dict[str, int]] = {name: {} for name in dataset.names()}
    for env, kind, number in query(
        folder, "select env, kind, count(*) from tasks group by all order by all"
    ):
        kinds.setdefault(env, {})[kind] = number
    environments = [dataset.environment(name) for name in dataset.names()]
    return [
        {
            "environment": each.name,
            "title": each.title,
            "tools": len(each.tools),
            "left out": len(each.left_out),
            "tables": len(each.state_schema.tables),
            "tasks": sum(kinds[each.name].values()),
            "kinds": kinds[each.name],
            "state": "edited" if dataset.edited(each) else "as checked",
            "overlaps": list(each.overlaps),
        }
        for each in environments
    ]
