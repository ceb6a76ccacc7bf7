"""The base of every model that is read from or written to a file, and the JSON aliases."""

from typing import Any

from pydantic import BaseModel, ConfigDict

Json = Any
"""None, bool, int, float (finite), str, list or dict with string keys."""

JsonSchema = dict[str, Any]
"""A JSON Schema (2020-12) with no `$ref` but to its own `$defs`."""

Path = tuple[str | int, ...]
"""Steps into a JSON value: `("data", 0, "id")`."""


class Data(BaseModel):
    """Immutable; an unknown field is an error that names it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
