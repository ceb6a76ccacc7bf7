"""`forge list`: the data sets under a folder, or the environments of one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forge.cli.options import Json

if TYPE_CHECKING:
    from forge.dataset.folder import Dataset
    from forge.types.environment import Environment

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
            "bands": manifest.counts.bands,
        }
        for folder, manifest in manifests
    ]


def _environments(folder: Path) -> list[dict[str, object]]:
    from forge.dataset.folder import read_dataset
    from forge.dataset.hashes import is_held_out
    from forge.dataset.query import query

    dataset = read_dataset(folder)
    kinds, bands = (
        _counted(
            query(folder, f"select env, {column}, count(*) from tasks group by all order by all")
        )
        for column in ("kind", "band")
    )
    environments = [dataset.environment(name) for name in dataset.names()]
    return [
        {
            "environment": each.name,
            "title": each.title,
            "tools": len(each.tools),
            "left out": len(each.left_out),
            "tables": len(each.state_schema.tables),
            "tasks": sum(kinds.get(each.name, {}).values()),
            "kinds": kinds.get(each.name, {}),
            "bands": bands.get(each.name, {}),
            "split": "test" if is_held_out(each.name) else "train, test",
            "state": _state(dataset, each),
            "overlaps": list(each.overlaps),
        }
        for each in environments
    ]


def _counted(rows: list[tuple[Any, ...]]) -> dict[str, dict[str, int]]:
    """Environment -> how many there are of each."""
    found: dict[str, dict[str, int]] = {}
    for env, name, number in rows:
        found.setdefault(env, {})[name] = number
    return found


def _state(dataset: Dataset, environment: Environment) -> str:
    if dataset.edited(environment):
        return "edited"
    entry = dataset.manifest.environments[environment.name]
    return "edited, as checked" if entry.edited else "as checked"
