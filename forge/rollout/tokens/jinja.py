"""Chat templates run as transformers runs them, but with the clock of the task.

Templates come with models, so from anywhere: they run in Jinja's sandbox.
"""

import json
from collections.abc import Callable
from functools import lru_cache

from jinja2 import Template, TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.nodes import Node, Scope
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from forge.types.data import Json


class Generation(Extension):
    """Some templates mark what is generated; it is written as it stands."""

    tags = frozenset({"generation"})  # type: ignore[assignment]

    def parse(self, parser: Parser) -> Node:
        line = next(parser.stream).lineno
        return Scope(
            parser.parse_statements(("name:endgeneration",), drop_needle=True), lineno=line
        )


@lru_cache(maxsize=64)
def compiled(source: str) -> Template:
    """TemplateError if it is no template."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    return environment.from_string(source)


def _to_json(
    value: Json,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Jinja's own would escape what HTML has for marks."""
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


def _refuse(message: str) -> Callable[[], None]:
    raise TemplateError(message)
