"""A model that many ask at once: so many requests at a time, within a budget, and none twice.

Always holds: what was answered is in the cache before it is handed out, so that a run that stops
pays for nothing a second time; with the answers of an earlier run a later one gives the same bytes,
however the requests overlap.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter

from forge.errors import Filtered
from forge.llm.budget import Purse, Usage
from forge.llm.cache import Cache, key_of
from forge.llm.client import Client
from forge.llm.completion import Completion
from forge.types.data import Json

BYTES = 3
"""Of a prompt's token, at least: what is set aside for a request is rather too much."""
LONGEST = 4096
"""Tokens of an answer, where a request does not say."""


@dataclass(slots=True)
class Tally:
    """What one kind of request came to. `cached`: answered from earlier, which had cost `kept`;
    `seconds`: waited for the server, all requests together."""

    asked: int = 0
    cached: int = 0
    used: Usage = field(default_factory=Usage)
    kept: Usage = field(default_factory=Usage)
    seconds: float = 0.0


class Model:
    """`cache`: None keeps nothing; `tallies`: by use, counted on. Closes the client, not the
    cache."""

    def __init__(
        self,
        client: Client,
        purse: Purse,
        *,
        cache: Cache | None = None,
        concurrency: int = 16,
        tallies: dict[str, Tally] | None = None,
    ) -> None:
        self.client, self.purse, self.cache = client, purse, cache
        self.tallies: dict[str, Tally] = {} if tallies is None else tallies
        self._slots = asyncio.Semaphore(concurrency)

    @property
    def name(self) -> str:
        return self.client.endpoint.model

    async def complete(self, body: Mapping[str, Json], *, use: str, sample: int = 0) -> Completion:
        """One completion; `use`: what it is for, as it is counted; `sample`: which of several to
        the same request.

        BudgetSpent, Filtered of an answer that was held back, and what the client raises."""
        tally = self.tallies.setdefault(use, Tally())
        request = {"max_tokens": LONGEST, **body}
        key = key_of(self.name, self.client.endpoint.place, request, sample)
        known = self.cache.get(key) if self.cache is not None else None
        if known is not None:
            tally.cached += 1
            tally.kept += Usage(known.prompt_tokens, known.completion_tokens)
            return _whole(known)
        size = len(json.dumps(request, ensure_ascii=False).encode()) // BYTES
        most = request["max_tokens"]
        async with self._slots, self.purse.holding(size, most):
            began = perf_counter()
            answer = await self.client.complete(request)
            tally.seconds += perf_counter() - began
            if self.cache is not None:
                self.cache.put(key, answer)
            counted = answer.prompt_tokens + answer.completion_tokens > 0
            written = len(answer.message.text.encode()) // BYTES
            tally.used += self.purse.pay(
                answer.prompt_tokens if counted else size,
                answer.completion_tokens if counted else written,
            )
            tally.asked += 1
        return _whole(answer)

    async def close(self) -> None:
        await self.client.close()


def _whole(answer: Completion) -> Completion:
    if answer.finish_reason == "content_filter":
        raise Filtered("the answer was held back by the endpoint's filter")
    return answer
