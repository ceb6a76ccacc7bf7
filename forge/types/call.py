"""A call of a tool and what came back."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from forge.types.data import Data, Json

Failure = Literal["invalid", "not_found", "forbidden", "conflict", "internal", "unavailable"]
"""`internal` is a bug of the tool; `unavailable` passes, and the same call made again goes through;
the others are the tool's own refusals."""


class Call(Data):
    tool: str
    arguments: dict[str, Json]


_written = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True)
class ToolResult:
    """`value` if `failure` is None, else a message that the agent can act on."""

    value: Json = None
    failure: Failure | None = None
    message: str = ""
    bug: str = ""
    """For the author's report, where `failure == "internal"`: never shown to the agent."""

    @cached_property
    def text(self) -> str:
        """As the agent reads it. Written once, since runs share results: `value` is not to be
        changed after that."""
        if self.failure is None:
            return _written(self.value)
        return _written({"error": self.failure, "message": self.message})
