"""Templates filled in. Everything in them is escaped; a value that is not there is a bug.

Templates have, beside their values: `link(address)`, an address as seen from the page; `here`, the
page's own; `live`, whether a server answers; `site`, all that is browsed; and the test `plain`, for
what comes from a file and is to be part of an address.
"""

import json
from collections.abc import Callable
from posixpath import dirname, relpath

from jinja2 import Environment, PackageLoader, StrictUndefined

from forge.browse.drawing import shortened
from forge.browse.page import Values
from forge.browse.things import Site
from forge.dataset.files import SAFE_NAME
from forge.types.data import Json

TEMPLATES = Environment(
    loader=PackageLoader("forge.browse"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _shown(value: Json, indent: int | None = None) -> str:
    """JSON as text to read."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _cell(value: Json) -> str:
    """A value in a table: text as it is, nothing for null."""
    return "" if value is None else value if isinstance(value, str) else _shown(value)


def _is_plain(name: str) -> bool:
    """Whether it may be part of an address."""
    return SAFE_NAME.fullmatch(name) is not None


TEMPLATES.tests["plain"] = _is_plain
TEMPLATES.filters["shown"] = _shown
TEMPLATES.filters["cell"] = _cell
TEMPLATES.filters["shortened"] = shortened


def render(template: str, address: str, site: Site, values: Values, *, live: bool) -> str:
    """The page at `address`, whole. Half of a surrogate pair, which no page holds, is replaced."""
    page = TEMPLATES.get_template(template).render(
        values, site=site, link=links_from(address), here=address, live=live
    )
    return page.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def links_from(address: str) -> Callable[[str], str]:
    """Turns an address, with what follows it behind `?` or `#`, into one relative to the page."""
    home = dirname(address) or "."

    def link(target: str) -> str:
        cut = min((at for at in map(target.find, "?#") if at >= 0), default=len(target))
        return relpath(target[:cut], home) + target[cut:]

    return link
