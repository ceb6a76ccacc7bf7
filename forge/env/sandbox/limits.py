"""What one call of a tool may use before it is stopped."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call of a tool may use. `native` keeps none of them."""

    seconds: float = 2.0
    """Of running, and as many again of this process's work for it in the table API: of work, since
    other sessions may keep its thread waiting."""
    memory: int = 64 * 2**20
    """Bytes of the tool's own values."""
    recursion: int = 200
    """Nested calls."""
    calls: int = 5_000
    """Calls of the table API."""
    traffic: int = 16_000_000
    """Characters handed to the table API."""


DEFAULTS = Limits()
