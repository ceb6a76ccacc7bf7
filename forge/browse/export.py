"""The same pages as files that open from disk and can be published as they are."""

from importlib.resources import files
from pathlib import Path

from forge.browse.front import FRONT, front_values
from forge.browse.page import Asked, Missing, Page, address_of
from forge.browse.pages import PAGES
from forge.browse.render import render
from forge.browse.things import Site
from forge.browse.worlds import Worlds
from forge.dataset.files import write_atomic, write_text
from forge.errors import UserError

MARK = ".forge-browse"
"""A file that tells a folder which an export may write into."""


def export(site: Site, out: Path) -> int:
    """Writes every page, and what they need; how many pages. UserError if the folder holds
    something else."""
    if out.exists() and not (out / MARK).exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(
            "is not empty and holds no export", where=str(out), mend="choose another --export"
        )
    write_text(out / MARK, "")
    for asset in files("forge.browse").joinpath("static").iterdir():
        write_atomic(out / "static" / asset.name, [asset.read_bytes()])
    write_text(out / FRONT, render("front.html.j2", FRONT, site, front_values(site), live=False))
    with Worlds() as worlds:
        return 1 + _write_pages(site, out, worlds)


def _write_pages(site: Site, out: Path, worlds: Worlds) -> int:
    number = 0
    for thing in site.things:
        for page in PAGES:
            if page.kind == thing.kind:
                for names in page.every(site, thing):
                    address = address_of(page.address, thing, names)
                    write_text(
                        out / address, _text(page, Asked(site, thing, worlds, names), address)
                    )
                    number += 1
    return number


def _text(page: Page, asked: Asked, address: str) -> str:
    try:
        return render(page.template, address, asked.site, page.show(asked), live=False)
    except (Missing, UserError) as error:
        values = {"title": "Cannot be shown", "why": str(error)}
        return render("refused.html.j2", address, asked.site, values, live=False)
