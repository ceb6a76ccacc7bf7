"""Options that several commands have, so that they are named and explained alike."""

from typing import Annotated, Literal

import typer

Sandbox = Annotated[
    Literal["monty", "native"],
    typer.Option(help="Where tools run: native is for tools you trust, and faster."),
]
OneDoc = Annotated[
    bool | None,
    typer.Option(
        "--one-doc/--per-file",
        help="Pages of Markdown or HTML in a folder are one document, or each is its own.",
        show_default="what they look like",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Of the documents.", show_default="told by their bytes"),
]
Without = Annotated[
    Literal["marked-bad"] | None,
    typer.Option(help="Leave out the tasks that people marked bad (forge browse)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Threads = Annotated[
    int | None,
    typer.Option(min=1, help="Of a model from a file, that compute.", show_default="one a core"),
]
Slots = Annotated[
    int | None,
    typer.Option(
        min=1, max=256, help="Conversations at once, of a model from a file.", show_default="1"
    ),
]
ModelContext = Annotated[
    int | None,
    typer.Option(
        min=256,
        max=2**20,
        help="Tokens that a model from a file reads and writes at most.",
        show_default="16384",
    ),
]
