"""Files and folders to `ApiDoc`s: the one way in.

A file given by name must be an API document; in a folder what is none is reported as skipped, and
only a folder with none at all is an error. The order of the result is that of the paths given,
files of a folder by name, so it never depends on the machine.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from forge.docs.jsonlines import ENDINGS
from forge.docs.markdown import read_markdown
from forge.docs.openapi import is_openapi, read_openapi
from forge.docs.overlaps import overlaps_of
from forge.docs.refs import Documents
from forge.docs.toollist import read_tools, tools_in
from forge.docs.validate import violations
from forge.errors import UserError
from forge.types.doc import ApiDoc, Skipped

_STRUCTURED = (".json", ".yaml", ".yml", *ENDINGS)
_PROSE = (".md", ".markdown")
_KNOWN = "OpenAPI 2.0 to 3.1 (.json, .yaml), tool lists (.json, .jsonl) or Markdown (.md)"


def read(paths: Sequence[Path], *, validate: bool = False) -> list[ApiDoc]:
    """Every API document under `paths` (files, and folders searched to the bottom), each once;
    `validate`: held against its specification as a whole, too.

    Raises UserError: a path that is not there, a folder with no document, a file that is none.
    What a folder holds besides is in `skipped` of the first document read from it.
    """
    if not paths:
        raise UserError("no document is given", mend=f"name a file or a folder of {_KNOWN}")
    for path in paths:
        if not path.exists():
            raise UserError("is not there", where=str(path), mend="check the path")
    found: dict[Path, ApiDoc] = {}
    for path in paths:
        if path.is_dir():
            _read_folder(path, found, validate)
        elif path.resolve() not in found:
            real = path.resolve() if path.is_symlink() else path
            found[path.resolve()] = _read_file(real, real.parent, _names(found), validate)
    return list(found.values())


def _names(found: dict[Path, ApiDoc]) -> set[str]:
    return {document.name for document in found.values()}


def _read_folder(folder: Path, found: dict[Path, ApiDoc], validate: bool) -> None:
    candidates = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in (*_STRUCTURED, *_PROSE)
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    if not candidates:
        raise UserError("holds no document", where=str(folder), mend=f"put {_KNOWN} into it")
    made: list[Path] = []
    parts: set[str] = set()
    failed: list[tuple[str, UserError]] = []
    for path in candidates:
        if path.resolve() in found:
            made.append(path.resolve())
            continue
        try:
            document = _read_file(path, folder, _names(found), validate, parts)
        except UserError as error:
            failed.append((path.relative_to(folder).as_posix(), error))
        else:
            found[path.resolve()] = document
            made.append(path.resolve())
    failed = [(name, error) for name, error in failed if name not in parts]
    if not made and len(failed) == 1:
        raise failed[0][1]
    if not made:
        raise UserError(
            f"none of its {len(candidates)} files can be read; the first: {failed[0][1]}",
            where=str(folder),
            mend=f"put {_KNOWN} into it",
        )
    if failed:
        first = found[made[0]]
        skipped = (Skipped(name, error.what) for name, error in failed)
        found[made[0]] = replace(first, skipped=(*first.skipped, *skipped))


def _read_file(
    path: Path,
    root: Path,
    taken: Collection[str],
    validate: bool,
    parts: set[str] | None = None,
) -> ApiDoc:
    """One file; the other files it refers to are added to `parts`. An error names the file as the
    user did."""
    try:
        document = _read_known(path, root, taken, validate, parts)
        return replace(document, overlaps=overlaps_of(one.name for one in document.operations))
    except UserError as error:
        raise UserError(error.what, where=str(root / error.where), mend=error.mend) from None
    except RecursionError:
        raise UserError(
            "is nested too deeply to read", where=str(path), mend="flatten it"
        ) from None


def _read_known(
    path: Path, root: Path, taken: Collection[str], validate: bool, parts: set[str] | None
) -> ApiDoc:
    name = path.relative_to(root).as_posix()
    if not path.resolve().is_relative_to(root.resolve()):
        raise UserError("is a link out of its folder", where=name, mend="name the file itself")
    if path.suffix.lower() in _PROSE:
        return read_markdown(path, name, taken)
    if path.suffix.lower() not in _STRUCTURED:
        raise UserError("is not a kind of file that forge reads", where=name, mend=_KNOWN)
    documents = Documents(path, root)
    value = documents.load(documents.main)
    if not is_openapi(value):
        if tools_in(value) is not None:
            return read_tools(documents, taken)
        raise UserError(
            "is no API document: it has neither `openapi` nor `swagger` nor `paths`, nor tools",
            where=name,
            mend=_KNOWN,
        )
    document = read_openapi(documents, taken)
    if validate:
        document = replace(document, invalid=tuple(violations(documents)))
    if parts is not None:
        parts |= set(documents.files) - {documents.main}
    return document
