"""Files and folders to `ApiDoc`s: the one way in.

A file given by name must be an API document; in a folder what is none is reported as skipped, and
only a folder with none at all is an error. The order of the result is that of the paths given,
files of a folder by name, so it never depends on the machine.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from forge.docs.jsonlines import ENDINGS
from forge.docs.openapi import is_openapi, read_openapi
from forge.docs.overlaps import overlaps_of
from forge.docs.prose import FORMS, Read, document_of, is_one, read_page
from forge.docs.refs import Documents
from forge.docs.toollist import read_tools, tools_in
from forge.docs.validate import violations
from forge.errors import UserError
from forge.types.doc import ApiDoc, Skipped

_STRUCTURED = (".json", ".yaml", ".yml", *ENDINGS)
_KNOWN = "OpenAPI 2.0 to 3.1 (.json, .yaml), tool lists (.json, .jsonl), Markdown (.md) or HTML"


def read(
    paths: Sequence[Path],
    *,
    validate: bool = False,
    one_doc: bool | None = None,
    encoding: str = "",
) -> list[ApiDoc]:
    """Every API document under `paths` (files, and folders searched to the bottom), each once.

    `validate`: held against its specification as a whole, too. `one_doc`: the pages of prose in a
    folder are one document (True), each its own (False), or what they look like (None).
    `encoding`: that of all the files, where it cannot be told.

    Raises UserError: a path that is not there, a folder with no document, a file that is none.
    What a folder holds besides is in `skipped` of the first document read from it.
    """
    if not paths:
        raise UserError("no document is given", mend=f"name a file or a folder of {_KNOWN}")
    for path in paths:
        if not path.exists():
            raise UserError("is not there", where=str(path), mend="check the path")
    reading = _Reading(validate, one_doc, encoding)
    for path in paths:
        if path.is_dir():
            reading.folder(path)
        elif path.resolve() not in reading.seen:
            real = path.resolve() if path.is_symlink() else path
            reading.take([path], reading.file(real, real.parent), real.parent)
    return reading.told_apart()


class _Reading:
    def __init__(self, validate: bool, one_doc: bool | None, encoding: str) -> None:
        self.validate, self.one_doc, self.encoding = validate, one_doc, encoding
        self.found: dict[Path, ApiDoc] = {}
        self.seen: dict[Path, Path] = {}
        """Each file that was read, with the one that its document is kept under."""
        self.pages: dict[Path, Read] = {}
        self.roots: dict[Path, Path] = {}
        """The folder that each document tells its places from."""

    def take(self, paths: Sequence[Path], document: ApiDoc, root: Path) -> None:
        first = paths[0].resolve()
        self.found[first] = document
        self.roots[first] = root.resolve()
        self.seen |= {path.resolve(): first for path in paths}

    def told_apart(self) -> list[ApiDoc]:
        """The documents; those whose files have one name are called by their folders too, as far
        as it takes."""
        names = Counter(document.source for document in self.found.values())
        alike = [path for path, document in self.found.items() if names[document.source] > 1]
        return [
            _called(document, path.relative_to(self.roots[path]).as_posix(), _short(path, alike))
            if path in alike
            else document
            for path, document in self.found.items()
        ]

    def folder(self, folder: Path) -> None:
        candidates = sorted(
            path
            for path in folder.rglob("*")
            if path.suffix.lower() in (*_STRUCTURED, *FORMS)
            and path.is_file()
            and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        )
        if not candidates:
            raise UserError("holds no document", where=str(folder), mend=f"put {_KNOWN} into it")
        made: list[Path] = []
        parts: set[str] = set()
        failed: list[tuple[str, UserError]] = []
        together = self._together(candidates, folder)
        for path in candidates:
            if path.resolve() in self.seen:
                made.append(self.seen[path.resolve()])
                continue
            try:
                if path in together:
                    paths, pages = together[path]
                    join = partial(document_of, pages, self._names())
                    self.take(paths, _named(folder, path, join), folder)
                else:
                    self.take([path], self.file(path, folder, parts), folder)
            except UserError as error:
                failed.append((path.relative_to(folder).as_posix(), error))
            else:
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
            first = self.found[made[0]]
            skipped = (Skipped(name, error.what) for name, error in failed)
            self.found[made[0]] = replace(first, skipped=(*first.skipped, *skipped))

    def _together(
        self, candidates: Sequence[Path], folder: Path
    ) -> dict[Path, tuple[list[Path], list[Read]]]:
        """The pages of prose that are parts of one document, under the first of them."""
        prose = [path for path in candidates if path.suffix.lower() in FORMS]
        groups: dict[Path, list[Path]] = {}
        for path in prose if self.one_doc is not False else ():
            groups.setdefault(folder if self.one_doc else path.parent, []).append(path)
        together = {}
        for paths in groups.values():
            pages = {}
            for path in paths if len(paths) > 1 else ():
                try:
                    pages[path] = self._page(path, folder)
                except (UserError, RecursionError):
                    continue  # it is told when its turn comes
            if len(pages) > 1 and (self.one_doc or is_one(list(pages.values()))):
                together[next(iter(pages))] = list(pages), list(pages.values())
        return together

    def _page(self, path: Path, root: Path) -> Read:
        name = path.relative_to(root).as_posix()
        _inside(path, root)
        if path not in self.pages:
            self.pages[path] = read_page(path, name, self.encoding)
        return self.pages[path]

    def file(self, path: Path, root: Path, parts: set[str] | None = None) -> ApiDoc:
        """One file; the other files it refers to are added to `parts`. An error names the file as
        the user did."""
        return _named(root, path, partial(self._known, path, root, parts))

    def _known(self, path: Path, root: Path, parts: set[str] | None) -> ApiDoc:
        name = path.relative_to(root).as_posix()
        _inside(path, root)
        if path.suffix.lower() in FORMS:
            return document_of([self._page(path, root)], self._names())
        if path.suffix.lower() not in _STRUCTURED:
            raise UserError("is not a kind of file that forge reads", where=name, mend=_KNOWN)
        documents = Documents(path, root, self.encoding)
        value = documents.load(documents.main)
        if not is_openapi(value):
            if tools_in(value) is not None:
                return read_tools(documents, self._names())
            raise UserError(
                "is no API document: it has neither `openapi` nor `swagger` nor `paths`, nor tools",
                where=name,
                mend=_KNOWN,
            )
        document = read_openapi(documents, self._names())
        if self.validate:
            document = replace(document, invalid=tuple(violations(documents)))
        if parts is not None:
            parts |= set(documents.files) - {documents.main}
        return document

    def _names(self) -> set[str]:
        return {document.name for document in self.found.values()}


def _short(path: Path, others: Sequence[Path]) -> str:
    """The shortest end of the path that is the end of no other."""
    for length in range(1, len(path.parts)):
        end = path.parts[-length:]
        if not any(other != path and other.parts[-length:] == end for other in others):
            return "/".join(end)
    return "/".join(path.parts[1:])


def _called(document: ApiDoc, name: str, short: str) -> ApiDoc:
    """Under a name that no other has. `name`: the file in the places that it tells."""
    skipped = (
        replace(part, where=short + part.where.removeprefix(name))
        if part.where.startswith(name) and len(short) > len(name)
        else part
        for part in document.skipped
    )
    return replace(document, source=short, skipped=tuple(skipped))


def _inside(path: Path, root: Path) -> None:
    if not path.resolve().is_relative_to(root.resolve()):
        name = path.relative_to(root).as_posix()
        raise UserError("is a link out of its folder", where=name, mend="name the file itself")


def _named(root: Path, path: Path, read: Callable[[], ApiDoc]) -> ApiDoc:
    """A document, or an error that names the file as the user did."""
    try:
        document = read()
    except UserError as error:
        raise UserError(error.what, where=str(root / error.where), mend=error.mend) from None
    except RecursionError:
        raise UserError(
            "is nested too deeply to read", where=str(path), mend="flatten it"
        ) from None
    return replace(document, overlaps=overlaps_of(one.name for one in document.operations))
