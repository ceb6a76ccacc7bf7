"""The first page: everything that is browsed."""

from forge.browse.page import Values
from forge.browse.things import Site

FRONT = "index.html"


def front_values(site: Site) -> Values:
    return {"title": "forge"}
