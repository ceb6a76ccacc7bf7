"""Links: which answer of one operation is an argument of another."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

from forge.docs.refs import Documents, Unresolved, escape, unescape
from forge.types.data import Json
from forge.types.doc import Link, Operation

_OPERATION = re.compile(r"#/paths/([^/]+)/([a-z]+)$")


class Targets:
    """The operations that a link may lead to, by operationId and by path and method."""

    def __init__(self, read: list[tuple[str, Operation]]) -> None:
        self.by_id = {identifier: one for identifier, one in read if identifier}
        self.by_place = {(one.path, one.method): one for _, one in read}

    def target(self, link: Json) -> Operation | None:
        """The operation that a link object names; None if there is none of that name."""
        if not isinstance(link, dict):
            return None
        if isinstance(link.get("operationId"), str):
            return self.by_id.get(link["operationId"])
        found = _OPERATION.search(str(link.get("operationRef", "")))
        if found is None:
            return None
        return self.by_place.get((unescape(unquote(found[1])), found[2].upper()))


def links_in(
    responses: list[tuple[dict[str, Any], str]],
    targets: Targets,
    documents: Documents,
    skip: Callable[[str, str], None],
) -> Iterator[Link]:
    """The links of an operation's success responses (each with its file), none of them twice.
    `skip(name, reason)` reports one that leads nowhere."""
    seen = set()
    for response, file in responses:
        found = response.get("links")
        for name, raw in found.items() if isinstance(found, dict) else ():
            try:
                link, _ = documents.follow(raw, file)
            except Unresolved as error:
                skip(escape(name), str(error))
                continue
            target = targets.target(link)
            if target is None:
                skip(escape(name), "a link to no operation of this document")
                continue
            for made in _carried(link, target):
                if made not in seen:
                    seen.add(made)
                    yield made


def _carried(link: dict[str, Any], target: Operation) -> Iterator[Link]:
    """The arguments of the target that come out of the response body."""
    by_field = {(one.location, one.field): one.name for one in target.parameters}
    places: list[tuple[str, Json]] = []
    parameters = link.get("parameters")
    for key, value in parameters.items() if isinstance(parameters, dict) else ():
        location, _, field = key.partition(".")
        for place in ("path", "query", "header", "cookie"):
            exact = (place, field) if location == place and field else (place, key)
            if exact in by_field:
                places.append((by_field[exact], value))
                break
    body = link.get("requestBody")
    for key, value in body.items() if isinstance(body, dict) else (("body", body),):
        if ("body", key) in by_field:
            places.append((by_field["body", key], value))
    for name, value in places:
        if isinstance(value, str) and value.startswith("$response.body"):
            yield Link(target.name, name, value.removeprefix("$response.body").removeprefix("#"))
