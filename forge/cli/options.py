"""Options that several commands have, so that they are named and explained alike."""

from typing import Annotated, Literal

import typer

Sandbox = Annotated[
    Literal["monty", "native"],
    typer.Option(help="Where tools run: native is for tools you trust, and faster."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
