"""`forge docs`: what was read from API documents, and what was not."""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.options import Encoding, Json, OneDoc
from forge.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forge.types import data
    from forge.types.doc import ApiDoc, Operation, Skipped


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
    openapi: Annotated[
        bool,
        typer.Option(
            "--openapi",
            help="Print what was read as OpenAPI 3.1, to be corrected by hand and read again.",
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="A folder: --openapi writes NAME.json into it, one for each document."),
    ] = None,
    one_doc: OneDoc = None,
    encoding: Encoding = None,
    json: Json = False,
) -> None:
    """Show what is read from API documents, and every part that was skipped or changed."""
    from forge.cli.output import print_json
    from forge.docs.encoding import known
    from forge.docs.read import read

    found = read(paths, validate=validate, one_doc=one_doc, encoding=known(encoding))
    if openapi or out is not None:
        _export(found, out)
    elif json:
        print_json([_as_json(doc) for doc in found])
    else:
        _print(found, operations)
    if any(doc.invalid for doc in found):
        raise typer.Exit(1)


def _export(found: Sequence[ApiDoc], out: Path | None) -> None:
    from forge.cli.output import print_json
    from forge.docs.export import openapi_of

    if out is None and len(found) > 1:
        told = f"{len(found)} documents make as many files of OpenAPI"
        raise UserError(told, mend="--out FOLDER")
    for doc in found:
        written = openapi_of(doc)
        if out is None:
            print_json(written)
        else:
            out.mkdir(parents=True, exist_ok=True)
            text = dumps(written, ensure_ascii=False, indent=2) + "\n"
            (out / f"{doc.name}.json").write_text(text, encoding="utf-8")


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
                ["method", "path", "name", "kind", "about", "takes", "where"],
                [
                    [
                        one.method,
                        one.path,
                        one.name,
                        _kind(one),
                        _about(one),
                        _takes(one),
                        one.where,
                    ]
                    for one in doc.operations
                ],
            )
        if doc.skipped:
            print_heading(f"{doc.source}: skipped or changed")
            print_lines(_told(one) for one in doc.skipped)
        if doc.invalid is not None:
            print_heading(f"{doc.source}: against its specification")
            print_lines([_told(one) for one in doc.invalid] or ["pass"])


def _kind(one: Operation) -> str:
    """read or write, where the document says it."""
    if one.method:
        return "read" if one.method == "GET" else "write"
    reads = one.hints.reads if one.hints is not None else None
    return "" if reads is None else "read" if reads else "write"


def _about(one: Operation) -> str:
    """What it is about, as its schema or its path calls it."""
    from forge.docs.names import noun_of

    return one.entity or one.body_entity or noun_of(one.path)


def _takes(one: Operation) -> str:
    """Its arguments; those in brackets need not be given."""
    return ", ".join(p.name if p.required else f"[{p.name}]" for p in one.parameters)


def _told(part: Skipped) -> str:
    return f"{part.where}: {part.reason}"


def _as_json(doc: ApiDoc) -> data.Json:
    invalid = {} if doc.invalid is None else {"invalid": [_part(one) for one in doc.invalid]}
    return {
        "document": doc.source,
        "title": doc.title,
        "form": doc.form,
        "operations": [
            {
                "name": one.name,
                "method": one.method,
                "path": one.path,
                "kind": _kind(one),
                "about": _about(one),
                "takes": [
                    {"name": each.name, "field": each.field, "in": each.location}
                    | ({"required": True} if each.required else {})
                    for each in one.parameters
                ],
                "where": one.where,
            }
            for one in doc.operations
        ],
        "skipped": [_part(one) for one in doc.skipped],
        **invalid,
    }


def _part(part: Skipped) -> data.Json:
    return {"where": part.where, "reason": part.reason}
