"""What models are asked, one template a pass. The first line of each says its version, which is
raised whenever the words change: what was made with it says by which it was made."""

import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

_VERSION = re.compile(r"\{#-? version (\d+):")


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("forge.authors.llm", "prompts"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def prompt(name: str, **values: object) -> str:
    """The text of `NAME.j2` with the values."""
    return _templates().get_template(f"{name}.j2").render(values).strip()


@cache
def version(name: str) -> str:
    """`tool/1`: as it stands in what was made with it."""
    loader = _templates().loader
    assert loader is not None
    source, _, _ = loader.get_source(_templates(), f"{name}.j2")
    match = _VERSION.match(source)
    assert match is not None, f"{name}.j2 does not say its version"
    return f"{name}/{match[1]}"
