"""`forge docs`: what was read from API documents, and what was not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.options import Encoding, Json, OneDoc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forge.types import data
    from forge.types.doc import ApiDoc, Skipped


def docs(
    paths: Annotated[
        list[Path], typer.Argument(help="API documents, and folders of them.", show_default=False)
    ],
    operations: Annotated[bool, typer.Option("--operations", help="List each operation.")] = False,
    validate: Annotated[
        bool,
        typer.Option(
            "--validate", help="Hold each whole document against its specification; exit 1 if not."
        ),
    ] = False,
    one_doc: OneDoc = None,
    encoding: Encoding = None,
    json: Json = False,
) -> None:
    """Show what is read from API documents, and every part that was skipped or changed."""
    from forge.cli.output import print_json
    from forge.docs.encoding import known
    from forge.docs.read import read

    found = read(paths, validate=validate, one_doc=one_doc, encoding=known(encoding))
    if json:
        print_json([_as_json(doc) for doc in found])
    else:
        _print(found, operations)
    if any(doc.invalid for doc in found):
        raise typer.Exit(1)


def _print(found: Sequence[ApiDoc], operations: bool) -> None:
    from forge.cli.output import print_heading, print_lines, print_table

    print_table(
        ["document", "title", "form", "operations", "reports"],
        [[d.source, d.title, d.form, len(d.operations), len(d.skipped)] for d in found],
    )
    for doc in found:
        if operations:
            print_heading(f"{doc.source}: operations")
            print_table(
                ["method", "path", "name"],
                [[one.method, one.path, one.name] for one in doc.operations],
            )
        if doc.skipped:
            print_heading(f"{doc.source}: skipped or changed")
            print_lines(_told(one) for one in doc.skipped)
        if doc.invalid is not None:
            print_heading(f"{doc.source}: against its specification")
            print_lines([_told(one) for one in doc.invalid] or ["pass"])


def _told(part: Skipped) -> str:
    return f"{part.where}: {part.reason}"


def _as_json(doc: ApiDoc) -> data.Json:
    invalid = {} if doc.invalid is None else {"invalid": [_part(one) for one in doc.invalid]}
    return {
        "document": doc.source,
        "title": doc.title,
        "form": doc.form,
        "operations": [
            {"name": one.name, "method": one.method, "path": one.path, "where": one.where}
            for one in doc.operations
        ],
        "skipped": [_part(one) for one in doc.skipped],
        **invalid,
    }


def _part(part: Skipped) -> data.Json:
    return {"where": part.where, "reason": part.reason}
