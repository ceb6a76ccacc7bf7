"""Pages: the arguments that only choose a part of a list, and a page that holds all there is."""

from forge.types.dag import Default, Origin
from forge.types.environment import Effect, Tool

DEFAULT_PAGE = 20


class NoWay(Exception):
    """No tools lead there."""


def whole_page(tool: Tool, effect: Effect, there: int) -> dict[str, Origin]:
    """The arguments for a page large enough for all `there` are, where the tool has pages. Raises
    NoWay."""
    limit = effect.paging.limit
    if limit is None:
        return {}
    schema = tool.parameters["properties"].get(limit, {})
    if there <= schema.get("default", DEFAULT_PAGE):
        return {}
    largest = schema.get("maximum", 100)
    if there > largest:
        raise NoWay(f"one page of {tool.name} is not enough")
    return {limit: Default(value=min(largest, 50 if there <= 50 else 100))}


def paging_arguments(effect: Effect) -> list[str]:
    paging = effect.paging
    parts = (paging.limit, paging.offset, paging.page, paging.cursor, paging.after, paging.before)
    return [part for part in parts if part is not None]
