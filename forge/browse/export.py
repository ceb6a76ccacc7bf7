"""The same pages as files that open from disk and can be published as they are.

Always holds: an export that is made again has no page of the one before that is not in it, and
touches nothing else that was put beside it.
"""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from forge.browse.front import FRONT, front_values
from forge.browse.page import Asked, Missing, Page, address_of
from forge.browse.pages import PAGES
from forge.browse.render import render
from forge.browse.things import Site
from forge.browse.worlds import Worlds
from forge.dataset.files import read_text, remove, write_atomic, write_text
from forge.errors import UserError

MARK = ".forge-browse"
"""Tells a folder that an export may write into, and what the last one wrote: a line a file."""


def export(site: Site, out: Path) -> int:
    """Writes every page, and what they need; how many pages. UserError if the folder holds
    something else."""
    mark = out / MARK
    if out.exists() and not mark.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(
            "is not empty and holds no export", where=str(out), mend="choose another --export"
        )
    before = read_text(mark).splitlines() if mark.exists() else []
    write_text(mark, "".join(f"{address}\n" for address in before))
    written = set()
    for asset in files("forge.browse").joinpath("static").iterdir():
        write_atomic(out / "static" / asset.name, [asset.read_bytes()])
    for address, text in _pages(site):
        write_text(out / address, text)
        written.add(address)
    for address in set(before) - written:
        if (out / address).resolve().is_relative_to(out.resolve()):
            remove(out / address)
    write_text(mark, "".join(f"{address}\n" for address in sorted(written)))
    return sum(address.endswith(".html") for address in written)


def _pages(site: Site) -> Iterator[tuple[str, str]]:
    """Each address, and what is there."""
    yield FRONT, render("front.html.j2", FRONT, site, front_values(site), live=False)
    with Worlds() as worlds:
        for thing in site.things:
            for page in PAGES:
                for names in page.every(site, thing) if page.kind == thing.kind else ():
                    address = address_of(page.address, thing, names)
                    yield address, _text(page, Asked(site, thing, worlds, names), address)


def _text(page: Page, asked: Asked, address: str) -> str:
    try:
        return render(page.template, address, asked.site, page.show(asked), live=False)
    except (Missing, UserError) as error:
        values = {"title": "Cannot be shown", "why": str(error)}
        return render("refused.html.j2", address, asked.site, values, live=False)
