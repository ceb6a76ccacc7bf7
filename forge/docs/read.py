"""Files and folders to `ApiDoc`s: the one way in.

A file given by name must be an API document; in a folder what is none is reported as skipped, and
only a folder with none at all is an error. The order of the result is that of the paths given,
files of a folder by name, so it never depends on the machine.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from forge.docs.markdown import read_markdown
from forge.docs.openapi import is_openapi, read_openapi
from forge.docs.refs import Documents
from forge.errors import UserError
from forge.types.doc import ApiDoc, Skipped

_STRUCTURED = (".json", ".yaml", ".yml")
_PROSE = (".md", ".markdown")
_KNOWN = "OpenAPI 2.0 to 3.1 (.json, .yaml) or Markdown (.md)"


def read(paths: Sequence[Path]) -> list[ApiDoc]:
    """Every API document under `paths` (files, and folders searched to the bottom).

    Raises UserError: a path that is not there, a folder with no document, a file that is none.
    What a folder holds besides is in `skipped` of the first document read from it.
    """
    if not paths:
        raise UserError("no document is given", mend=f"name a file or a folder of {_KNOWN}")
    for path in paths:
        if not path.exists():
            raise UserError("is not there", where=str(path), mend="check the path")
    taken: dict[str, ApiDoc] = {}
    for path in paths:
        if path.is_dir():
            _read_folder(path, taken)
        else:
            document = _read_file(path, path.parent, taken)
            taken[document.name] = document
    return list(taken.values())


def _read_folder(folder: Path, taken: dict[str, ApiDoc]) -> None:
    files = sorted(
        (path for path in folder.rglob("*") if path.is_file() and not _is_hidden(path, folder)),
        key=lambda path: path.relative_to(folder).as_posix(),
    )
    candidates = [path for path in files if path.suffix.lower() in (*_STRUCTURED, *_PROSE)]
    if not candidates:
        raise UserError("holds no document", where=str(folder), mend=f"put {_KNOWN} into it")
    made: list[str] = []
    parts: set[str] = set()
    failed: list[tuple[str, UserError]] = []
    for path in candidates:
        try:
            document = _read_file(path, folder, taken, parts)
        except UserError as error:
            failed.append((path.relative_to(folder).as_posix(), error))
        else:
            taken[document.name] = document
            made.append(document.name)
    failed = [(name, error) for name, error in failed if name not in parts]
    if not made:
        if len(failed) == 1:
            raise failed[0][1]
        raise UserError(
            f"none of its {len(candidates)} files can be read; the first: {failed[0][1]}",
            where=str(folder),
            mend=f"put {_KNOWN} into it",
        )
    if failed:
        first = taken[made[0]]
        skipped = tuple(
            Skipped(error.where or name, f"is no API document: {error.what}")
            for name, error in failed
        )
        taken[made[0]] = replace(first, skipped=(*first.skipped, *skipped))


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _read_file(
    path: Path, root: Path, taken: dict[str, ApiDoc], parts: set[str] | None = None
) -> ApiDoc:
    """One file; the other files it refers to are added to `parts`. An error names the file as the
    user did."""
    try:
        return _read_known(path, root, taken, parts)
    except UserError as error:
        raise UserError(error.what, where=str(root / error.where), mend=error.mend) from None
    except RecursionError:
        raise UserError(
            "is nested too deeply to read", where=str(path), mend="flatten it"
        ) from None


def _read_known(path: Path, root: Path, taken: dict[str, ApiDoc], parts: set[str] | None) -> ApiDoc:
    name = path.relative_to(root).as_posix()
    if path.suffix.lower() in _PROSE:
        return read_markdown(path, name, taken)
    if path.suffix.lower() not in _STRUCTURED:
        raise UserError("is not a kind of file that forge reads", where=name, mend=_KNOWN)
    documents = Documents(path, root)
    main = documents.load(documents.main)
    if not is_openapi(main):
        raise UserError(
            "is no API document: it has neither `openapi` nor `swagger` nor `paths`",
            where=name,
            mend=_KNOWN,
        )
    document = read_openapi(documents, taken)
    if parts is not None:
        parts |= set(documents.files) - {documents.main}
    return document
