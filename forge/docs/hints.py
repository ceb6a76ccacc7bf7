"""What MCP's annotations say of a tool, and how forge writes them into OpenAPI."""

from collections.abc import Mapping
from dataclasses import asdict

from forge.types.data import Json
from forge.types.doc import Hints

TOOL = "x-forge-tool"
"""Marks an operation of an OpenAPI document as a tool, which has no path; it holds its hints."""
NAMES = {"reads": "readOnlyHint", "destroys": "destructiveHint", "repeats": "idempotentHint"}


def hints_in(notes: Mapping[str, Json]) -> Hints | None:
    """The hints among annotations; None where there are none."""
    said = {name: notes[key] for name, key in NAMES.items() if isinstance(notes.get(key), bool)}
    return Hints(**said) if said else None


def hints_in_mcp(hints: Hints) -> dict[str, bool]:
    """Hints as annotations."""
    return {NAMES[name]: value for name, value in asdict(hints).items() if value is not None}
