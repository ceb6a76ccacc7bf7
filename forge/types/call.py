"""A call of a tool and what came back."""

from dataclasses import dataclass
from typing import Literal

from forge.types.data import Data, Json

Failure = Literal["invalid", "not_found", "forbidden", "conflict", "internal", "unavailable"]
"""`internal` is a bug of the tool; `unavailable` passes, and the same call made again goes through;
the others are the tool's own refusals."""


class Call(Data):
    tool: str
    arguments: dict[str, Json]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`value` if `failure` is None, else a message that the agent can act on."""

    value: Json = None
    failure: Failure | None = None
    message: str = ""
    bug: str = ""
    """For the author's report, where `failure == "internal"`: never shown to the agent."""
