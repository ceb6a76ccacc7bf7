"""Where a command's models answer: at their addresses, or here for as long as the command runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from forge.llm.client import Endpoint
    from forge.llm.local import Local

Reach = Callable[[str, str | None], "Endpoint"]
"""The endpoint of a model, by its name and address."""


def reaching(running: typer.Context, files: Mapping[str, Local], seconds: float) -> Reach:
    """`files`: the models that are files; each is served once, whoever asks for it. `seconds`: that
    a request may take."""
    from rich.console import Console

    from forge.errors import UserError
    from forge.llm.client import Endpoint
    from forge.llm.local import serving

    served: dict[str, Endpoint] = {}

    def reach(model: str, base_url: str | None) -> Endpoint:
        local = files.get(model)
        if local is None:
            return Endpoint(model, base_url, os.environ.get("OPENAI_API_KEY"), seconds)
        if base_url is not None and base_url != os.environ.get("OPENAI_BASE_URL"):
            raise UserError(f"{model} is served here, not at {base_url}", mend="leave one out")
        if model not in served:
            with Console(stderr=True).status(f"loading {local.name}"):
                served[model] = running.with_resource(serving(local, seconds))
        return served[model]

    return reach
