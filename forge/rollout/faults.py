"""Tool errors that pass, injected by seed, so that agents learn to try again.

Always holds: a call that is struck does nothing, and the same call made again goes through; so a
fault changes no end state and no reward of an agent that tries again.
"""

import hashlib
import json
from dataclasses import dataclass, field

from forge.types.call import ToolResult
from forge.types.data import Json

STRUCK = ToolResult(
    failure="unavailable",
    message="the service did not answer, and nothing was done; try the same call again",
)


@dataclass(slots=True)
class Faults:
    """Of one rollout. `rate`: the share of calls that are struck, 0 to 1; `seed`: the rollout's."""

    rate: float
    seed: int
    _calls: int = 0
    _struck: set[str] = field(default_factory=set)

    def strike(self, tool: str, arguments: dict[str, Json]) -> ToolResult | None:
        """The error that the call gets instead of being made, if any."""
        if not self.rate:
            return None
        self._calls += 1
        call = json.dumps([tool, arguments], sort_keys=True)
        if call in self._struck:
            self._struck.remove(call)
            return None
        if _share(self.seed, self._calls) >= self.rate:
            return None
        self._struck.add(call)
        return STRUCK


def _share(*parts: object) -> float:
    """A number in [0, 1) that follows from the parts."""
    text = " ".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) / 2**64
