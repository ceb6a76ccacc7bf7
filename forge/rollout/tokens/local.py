"""A model in this process, for many rollouts at once: it works on a thread while they wait.

Always holds: a request that nobody waits for any more holds nothing up; what goes wrong is told to
all who wait for it.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from forge.errors import ContextFull, UserError
from forge.rollout.tokens.decode import Decoder, Draw, Row
from forge.rollout.tokens.load import context_of, generation_of, load_model
from forge.rollout.tokens.talk import Sampled
from forge.rollout.tokens.template import TEXTS
from forge.types.data import Json

DRAWN = ("temperature", "top_p", "top_k", "max_tokens", "seed")
KNOWN = frozenset({"messages", "tools", "chat_template_kwargs", "stop", *DRAWN})
FULL = "-c, --turn-tokens, or --context summary"


def local_at(path: Path, ends: frozenset[int], text: Callable[[Sequence[int]], str]) -> "Local":
    """The model at a path. UserError if it cannot be loaded."""
    usual = generation_of(path)
    return Local(load_model(path), ends, text, usual=None if usual is None else usual.to_dict())


@dataclass(frozen=True, slots=True)
class _Asked:
    row: Row
    answer: asyncio.Future[Sampled]
    loop: asyncio.AbstractEventLoop

    def tell(self, found: Sampled | BaseException) -> None:
        """From the thread. A loop that has ended has nobody who waits."""
        try:
            self.loop.call_soon_threadsafe(self._settle, found)
        except RuntimeError:
            self.row.dropped = True

    def _settle(self, found: Sampled | BaseException) -> None:
        if self.answer.done():
            return
        if isinstance(found, BaseException):
            self.answer.set_exception(found)
        else:
            self.answer.set_result(found)


class Local:
    """`model`: one of transformers'; `ends`: ids that end a response; `text`: that ids stand for;
    `usual`: how it is sampled from where a request does not say; `most`: ids of a conversation, not
    more than the model can have."""

    def __init__(
        self,
        model: Any,
        ends: frozenset[int],
        text: Callable[[Sequence[int]], str],
        *,
        usual: Mapping[str, Json] | None = None,
        most: int | None = None,
    ) -> None:
        self._usual = usual or {}
        self._context = min(context_of(model), most or context_of(model))
        self._decoder = Decoder(model, ends, text)
        self._thread = ThreadPoolExecutor(1, "model")
        self._lock = threading.Lock()
        self._waiting: list[_Asked] = []
        self._works = False

    async def sample(self, prompt: list[int], body: Mapping[str, Json]) -> Sampled:
        unknown = sorted(body.keys() - KNOWN)
        if unknown:
            mend = TEXTS if unknown == ["response_format"] else "leave it out of --extra"
            raise UserError(f"a local model does not know {unknown[0]!r}", mend=mend)
        room = self._context - len(prompt)
        if room <= 0:
            raise ContextFull(
                f"the conversation no longer fits the model: {len(prompt)} ids of {self._context}"
            )
        loop = asyncio.get_running_loop()
        asked = _Asked(Row(prompt, self._draw(body, room)), loop.create_future(), loop)
        with self._lock:
            self._waiting.append(asked)
            begins, self._works = not self._works, True
        if begins:
            loop.run_in_executor(self._thread, self._work)
        try:
            return await asked.answer
        finally:
            asked.row.dropped = True

    def forget(self) -> None:
        """What was kept of conversations: the model's weights have changed. Nobody waits."""
        self._decoder.clear()

    async def close(self) -> None:
        await asyncio.to_thread(self._thread.shutdown)

    def _draw(self, body: Mapping[str, Json], room: int) -> Draw:
        """As the request has it, else as the model is meant to be sampled from."""
        most = body.get("max_tokens")
        return Draw(
            seed=body["seed"],
            temperature=self._setting(body, "temperature", 1.0),
            top_p=self._setting(body, "top_p", 1.0),
            top_k=int(self._setting(body, "top_k", 0)),
            most=room if most is None else min(room, most),
            stop=tuple(body.get("stop") or ()),
        )

    def _setting(self, body: Mapping[str, Json], name: str, neutral: float) -> float:
        for given in (body, self._usual):
            if given.get(name) is not None:
                return float(given[name])
        return neutral

    def _work(self) -> None:
        """In the thread, until nobody waits."""
        open_: list[_Asked] = []
        while True:
            with self._lock:
                new, self._waiting = self._waiting, []
                if not (new or open_):
                    self._works = False
                    return
            open_ += new
            try:
                rows = [asked.row for asked in new]
                with torch.inference_mode():
                    ended = set(self._decoder.join(rows) if rows else self._decoder.step())
            except Exception as error:  # the boundary: whoever waits is told
                self._decoder.clear()
                for asked in open_:
                    asked.tell(_told(error, len(open_)))
                open_ = []
                continue
            for asked in [each for each in open_ if each.row in ended]:
                asked.tell(self._sampled(asked.row))
                open_.remove(asked)

    def _sampled(self, row: Row) -> Sampled:
        finish = "stop" if self._decoder.has_stopped(row) else "length"
        return Sampled(tuple(row.ids), tuple(row.logprobs), finish)


def _told(error: Exception, rows: int) -> Exception:
    if isinstance(error, torch.OutOfMemoryError | MemoryError) or "allocate memory" in str(error):
        side = "1 rollout" if rows == 1 else f"{rows} rollouts side by side"
        return UserError(f"the memory is too small for {side}", mend=FULL)
    return error
