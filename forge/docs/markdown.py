"""Markdown API documents."""

from pathlib import Path

from forge.errors import UserError
from forge.types.doc import ApiDoc


def read_markdown(path: Path, taken: dict[str, ApiDoc]) -> ApiDoc:
    raise UserError("is Markdown without operations", where=str(path), mend="")
