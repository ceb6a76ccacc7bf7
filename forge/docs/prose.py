"""Pages of prose, Markdown or HTML, to an `ApiDoc`: several pages may be one document."""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forge.docs import commonmark, freeform, html, ownform
from forge.docs.blocks import Page
from forge.docs.drafts import Draft, Understood, operations_of
from forge.docs.names import document_name
from forge.docs.normal import Schemas
from forge.docs.refs import Documents, decode
from forge.errors import UserError
from forge.types.doc import ApiDoc, Skipped


@dataclass(frozen=True, slots=True)
class Form:
    """What prose is written in, how its blocks are read, and how many characters a page may have:
    the tree of the worst one takes less than 1 GB."""

    name: str
    page_of: Callable[[str], Page]
    longest: int


_MARKDOWN = Form("Markdown", commonmark.page_of, 1_300_000)
_HTML = Form("HTML", html.page_of, 8_000_000)
FORMS: Mapping[str, Form] = {
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".html": _HTML,
    ".htm": _HTML,
    ".html-fragment": _HTML,
}
"""By the ending of a file."""


@dataclass(frozen=True, slots=True)
class Read:
    """A page, called `name` in messages, and what it says by itself."""

    name: str
    form: str
    sha256: str
    page: Page
    is_free: bool
    said: Understood


def read_page(path: Path, name: str, encoding: str = "") -> Read:
    """What one file says; it may be no operation at all."""
    form = FORMS[path.suffix.lower()]
    text = decode(path, name, encoding)
    if len(text) > form.longest:
        told = f"is longer than {form.longest:,} characters"
        raise UserError(told, where=name, mend="split it into pages, in a folder with an index.md")
    page = form.page_of(text)
    is_free = freeform.is_free(page)
    said = freeform.understood([page])[0] if is_free else ownform.understood(page)
    return Read(name, form.name, hashlib.sha256(text.encode()).hexdigest(), page, is_free, said)


def is_one(pages: Sequence[Read]) -> bool:
    """Whether the pages of a folder are parts of one document: there is an index page among them,
    or all write the same URL before their paths, and no two describe the same operation."""
    telling = [page for page in pages if page.said.drafts]
    keys = [{(one.method, one.path, one.name) for one in page.said.drafts} for page in telling]
    apart = sum(len(one) for one in keys) == len(set().union(*keys))
    alike = len({page.form for page in pages}) == 1
    bases = {page.said.base for page in telling}
    shared = len(bases) == 1 and next(iter(bases)).startswith("http")
    return len(telling) > 1 and apart and alike and (shared or any(map(is_index, pages)))


def is_index(page: Read) -> bool:
    return page.name.rsplit("/", 1)[-1].split(".")[0].lower() in ("index", "_index")


def document_of(pages: Sequence[Read], taken: Collection[str]) -> ApiDoc:
    """The pages as one document, called after its index or the first. Raises UserError where none
    describes an operation."""
    pages = _together(sorted(pages, key=lambda page: not is_index(page)))
    first = pages[0]
    if not any(page.said.drafts for page in pages):
        raise UserError(
            "describes no operation",
            where=first.name,
            mend="give each a heading of its own: `### create_project` or `### GET /projects`",
        )
    stem = first.name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    title = first.said.title or stem
    objects = {name: raw for page in pages for name, raw in page.said.objects.items()}
    skipped: list[Skipped] = []
    sha256 = first.sha256
    if len(pages) > 1:
        lines = "".join(f"{page.name} {page.sha256}\n" for page in pages)
        sha256 = hashlib.sha256(lines.encode()).hexdigest()
    root = {"components": {"schemas": objects}}
    schemas = Schemas(Documents.of(first.name, root, sha256))
    for page in pages:
        skipped += [Skipped(f"{page.name}:{at}", reason) for at, reason in page.said.skipped]
        if not page.said.drafts:
            skipped.append(Skipped(page.name, "describes no operation"))
    operations = operations_of(
        [(page.name, one) for page in pages for one in _tagged(page, is_part=len(pages) > 1)],
        schemas,
        lambda where, reason: skipped.append(Skipped(where, reason)),
    )
    return ApiDoc(
        name=document_name(title, first.name, taken),
        title=title,
        description=first.said.description,
        operations=tuple(operations),
        schemas={
            name: schemas.whole({"$ref": reference}, first.name)
            for name, reference in schemas.components()
        },
        source=first.name.rsplit("/", 1)[-1],
        sha256=sha256,
        skipped=tuple(skipped),
        form=first.form,
    )


def _together(pages: Sequence[Read]) -> list[Read]:
    """The pages with what they say as one document."""
    if len(pages) == 1:
        return list(pages)
    said = iter(freeform.understood([one.page for one in pages if one.is_free]))
    return [replace(one, said=next(said)) if one.is_free else one for one in pages]


def _tagged(page: Read, *, is_part: bool) -> Sequence[Draft]:
    """The operations of a page; those of a part of a document belong to what the page is about."""
    if not is_part:
        return page.said.drafts
    return [one if one.tag else replace(one, tag=page.said.title) for one in page.said.drafts]
