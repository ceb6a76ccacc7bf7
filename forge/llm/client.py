"""Chat completions from any OpenAI-compatible endpoint, by many rollouts at once.

Always holds: what passes (429, 5xx, a cut connection, an unusable answer) is asked again a bounded
number of times, with pauses that grow; what the user can mend is a `UserError` that says how, and
comes at once; a setting is wrong only as long as no request got past it. As many requests are open
as there are callers. The key is printed, logged and written nowhere.
"""

from __future__ import annotations

import asyncio
import math
import os
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import get_close_matches
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Literal

from forge.errors import ContextFull, EndpointGone, EndpointLost, Filtered, UserError
from forge.llm.completion import Completion, Unusable, clip, completion_of, error_of
from forge.llm.refusals import Refusal, meaning_of
from forge.llm.sizes import head_of
from forge.types.data import Json

if TYPE_CHECKING:
    from openai import AsyncOpenAI

NO_KEY = "none"
"""What is sent to a server of one's own, which asks for no key."""
POOL = 32
"""Connections."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`base_url`: ends in `/v1` mostly; None: `OPENAI_BASE_URL`, else OpenAI's own. `seconds`: that
    one request may take. `tries`: of one request. `pause`, `longest`: seconds before the second
    try, and at most before any. `whose`: what the options that set it begin with, for errors that
    name them. `held`: by the server of a file that this process started, what tells the file from
    others; such a server is gone once it takes no connection."""

    model: str
    base_url: str | None = None
    key: str | None = field(default=None, repr=False)
    seconds: float = 300
    tries: int = 8
    pause: float = 0.5
    longest: float = 60
    whose: Literal["", "user-"] = ""
    held: str = ""

    @property
    def place(self) -> str:
        """Where the model is, as it stays from run to run."""
        return self.held or self.base_url or ""

    def flag(self, name: str) -> str:
        return f"--{self.whose}{name}"


class FormatRefused(UserError):
    """The server knows no `response_format` of the kind that was asked for."""


class Client:
    """Closed by `close`. `troubles`: what was asked again, by kind (`429`, `timeout`, …)."""

    def __init__(self, endpoint: Endpoint) -> None:
        """UserError if openai is not installed, or there is neither an address nor a key."""
        try:
            import httpx2
            from openai import AsyncOpenAI, DefaultAsyncHttpxClient
        except ImportError:
            raise UserError(
                "models need the package openai", mend="pip install 'forge-envs[llm]'"
            ) from None
        base_url = endpoint.base_url or os.environ.get("OPENAI_BASE_URL")
        key = endpoint.key or os.environ.get("OPENAI_API_KEY")
        if not (base_url or key):
            raise UserError(
                "it is not said where the model is",
                mend=f"{endpoint.flag('base-url')} http://localhost:8000/v1, OPENAI_BASE_URL, or "
                "for OpenAI's own models OPENAI_API_KEY",
            )
        if base_url is not None and not base_url.startswith(("http://", "https://")):
            raise UserError(
                f"{base_url!r} is not the address of an endpoint",
                mend=f"{endpoint.flag('base-url')} http://localhost:8000/v1",
            )
        self.endpoint = endpoint
        self.troubles: Counter[str] = Counter()
        self._address = base_url or "https://api.openai.com/v1"
        self._answered = self._formatted = False
        self._reached = False
        self._jitter = random.Random()  # spreads requests in time; no result depends on it
        self._response = httpx2.Response
        self._refused = httpx2.ConnectError
        certificates = httpx2.create_ssl_context()

        def connect() -> AsyncOpenAI:
            return AsyncOpenAI(
                api_key=key or NO_KEY,
                base_url=base_url,
                max_retries=0,  # they are ours: the library asks again for no unusable answer
                http_client=DefaultAsyncHttpxClient(
                    timeout=None,  # `seconds` holds for the whole of a request
                    limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
                    verify=certificates,
                ),
            )

        self._connect = connect
        self._pools = [connect()]
        self._open = self._asked = 0

    @property
    def name(self) -> str:
        return f"model:{self.endpoint.model}"

    def talk(self, now: str) -> Client:
        """Itself: a server is told everything each time."""
        return self

    def head(self, text: str, tokens: int) -> str:
        return head_of(text, tokens)

    async def complete(self, body: Mapping[str, Json]) -> Completion:
        """One completion; `body` is a request's, without the model: of a chat, or of a `prompt`.

        EndpointLost when there was none after `tries`, Filtered if there never will be one;
        ContextFull; UserError; of these, FormatRefused where no
        request with a `response_format` was ever answered."""
        for attempt in range(1, self.endpoint.tries + 1):
            try:
                completion = await self._ask(body)
            except _Again as again:
                self.troubles[again.kind] += 1
                # A server of one's own that is slow would begin the same answer again.
                slow = again.kind == "timeout" and bool(self.endpoint.held)
                if slow or attempt == self.endpoint.tries:
                    tries = f"{attempt} tries" if attempt > 1 else "1 try"
                    raise EndpointLost(f"{self._address}: {again.trouble} ({tries})") from None
                await asyncio.sleep(self._pause(attempt, again.after))
            else:
                self._answered = True
                self._formatted |= "response_format" in body
                return completion
        raise ValueError("an endpoint is tried at least once")

    async def models(self) -> list[str]:
        """The names the server knows; empty if it does not tell."""
        from openai import OpenAIError

        try:
            async with asyncio.timeout(self.endpoint.seconds):
                page = await self._pools[0].models.list()
        except (OpenAIError, ValueError, TimeoutError):
            return []
        return sorted(str(model.id) for model in page.data or ())

    async def close(self) -> None:
        for pool in self._pools:
            await pool.close()

    def _pool(self) -> AsyncOpenAI:
        """One of as many pools of connections as the open requests need. In one of a thousand
        connections each request would look at all of them."""
        if self._open > POOL * len(self._pools):
            self._pools.append(self._connect())
        self._asked += 1
        return self._pools[self._asked % len(self._pools)]

    async def _ask(self, body: Mapping[str, Json]) -> Completion:
        """One try."""
        from openai import APIConnectionError, APIStatusError

        self._open += 1
        try:
            async with asyncio.timeout(self.endpoint.seconds):
                response = await self._pool().post(
                    "/completions" if "prompt" in body else "/chat/completions",
                    cast_to=self._response,
                    body={"model": self.endpoint.model, **body},
                )
        except TimeoutError:
            raise _Again(
                "timeout", f"no answer in {self.endpoint.seconds:g} s, --timeout"
            ) from None
        except APIConnectionError as error:
            refused = isinstance(error.__cause__, self._refused)
            if refused and self.endpoint.held:
                raise EndpointGone(f"{self._address}: the server is gone") from None
            if refused and not self._reached:
                raise UserError(
                    f"no server answers at {self._address}",
                    mend=f"start it, or {self.endpoint.flag('base-url')}",
                ) from None
            cause = type(error.__cause__).__name__
            raise _Again("connection", f"the connection was lost: {cause}") from None
        except APIStatusError as error:
            self._reached = True
            await self._judge(
                Refusal(
                    error.status_code,
                    f"{error.code or ''} {error.type or ''}",
                    clip(error_of(error.body) or error.response.text),
                ),
                "response_format" in body,
            )
            raise _Again(
                str(error.status_code),
                f"HTTP {error.status_code}, {clip(error_of(error.body) or error.response.text)}",
                _retry_after(error.response.headers),
            ) from None
        finally:
            self._open -= 1
        self._reached = True
        try:
            return completion_of(response.text)
        except Unusable as unusable:
            raise _Again("unusable", str(unusable)) from None

    async def _judge(self, refusal: Refusal, formatted: bool) -> None:
        """Raises unless it passes. `formatted`: whether the answer was to have a form."""
        status, said = refusal.status, refusal.message
        meaning = meaning_of(refusal)
        if meaning == "passes":
            return
        if meaning == "context":
            raise ContextFull(f"the conversation no longer fits the model: {said}")
        if meaning == "filter":
            raise Filtered(f"{self._address}: HTTP {status}, {said}")
        if meaning == "format" and formatted and not self._formatted:
            raise FormatRefused(
                f"the server refuses structured output: {said}",
                mend="--format hermes, --format react or --format native",
            )
        if self._answered:  # others got past
            raise EndpointLost(f"{self._address}: HTTP {status}, {said}")
        if meaning == "model":
            raise await self._no_model(said)
        if meaning == "key":
            raise UserError(f"HTTP {status} from {self._address}: {said}", mend=_KEY)
        if meaning == "quota":
            raise UserError(f"{self._address}: {said}", mend=f"another {_KEY}")
        if meaning == "format":
            raise UserError(
                f"the server refuses this way of calling tools: {said}",
                mend="--format json, --format hermes, --format react or --format native",
            )
        mend = "--temperature, --top-p, --turn-tokens or --extra"
        if self.endpoint.whose:
            mend = f"{self.endpoint.flag('temperature')} or {self.endpoint.flag('extra')}"
        raise UserError(f"the server refuses the request: {said}", mend=mend)

    async def _no_model(self, said: str) -> UserError:
        known = await self.models()
        wanted, model = self.endpoint.model, self.endpoint.flag("model")
        if not known:
            return UserError(
                f"{self._address} has no chat completions: {said}",
                mend=f"{self.endpoint.flag('base-url')}, which mostly ends in /v1",
            )
        if wanted in known:
            return UserError(f"{self._address} refuses {wanted!r}: {said}", mend=model)
        close = get_close_matches(wanted, known, n=3, cutoff=0.3) or known[:5]
        return UserError(
            f"{self._address} has no model {wanted!r}", mend=f"{model} {' or '.join(close)}"
        )

    def _pause(self, attempt: int, after: float | None) -> float:
        """Seconds: twice as long each time, or what the server asked for; spread by a quarter."""
        wait = self.endpoint.pause * 2 ** (attempt - 1) if after is None else after
        return min(wait, self.endpoint.longest) * self._jitter.uniform(1, 1.25)


_KEY = "OPENAI_API_KEY"


class _Again(Exception):
    """It may go through the next time, not before `after` seconds."""

    def __init__(self, kind: str, trouble: str, after: float | None = None) -> None:
        self.kind, self.trouble, self.after = kind, trouble, after
        super().__init__(trouble)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds; the header gives them, or a date."""
    given = headers.get("retry-after", "")
    try:
        seconds = float(given)
    except ValueError:
        try:
            date = parsedate_to_datetime(given)
        except ValueError:
            return None
        seconds = (date.astimezone(UTC) - datetime.now(UTC)).total_seconds()
    return max(seconds, 0) if math.isfinite(seconds) else None
