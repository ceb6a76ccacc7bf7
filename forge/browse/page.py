"""What a page is: an address, a template, and the function that finds what it is filled with.

Always holds: an address is that of a file (`sample/tasks/ID.html`), on the server and on disk;
names in braces stand for what picks the page, and `{thing}` for the thing it is of.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from forge.browse.things import Kind, Site, Thing
from forge.browse.worlds import Worlds

Names = Mapping[str, str]
Values = Mapping[str, Any]


class Missing(Exception):
    """There is no such page: what is missing, in words."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`thing`: what the page is of; `names`: those in its address, without the thing's; `query`:
    what was asked with it, by the query of the address or by a form. `live`: a server answers,
    which can do more than show; `worlds`: where tools run."""

    site: Site
    thing: Thing
    worlds: Worlds
    names: Names = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    live: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """`show` raises Missing where there is no such page, and UserError where what it is of cannot
    be read. `every`: the names of each such page that a thing has, for the export."""

    kind: Kind
    address: str
    template: str
    show: Callable[[Asked], Values]
    every: Callable[[Site, Thing], Iterable[Names]]


@dataclass(frozen=True, slots=True)
class Action:
    """What a form does by POST, while served. `act` gives the address to go to then, as that of a
    page; it raises as `show` does."""

    kind: Kind
    address: str
    act: Callable[[Asked], str]


def only(site: Site, thing: Thing) -> Iterable[Names]:
    """Of a page that a thing has one of."""
    return ({},)


def address_of(address: str, thing: Thing, names: Names) -> str:
    """With the names filled in."""
    return address.format(thing=thing.name, **names)
