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
from typing import Protocol

import torch

from forge.errors import ContextFull, UserError
from forge.rollout.tokens.decode import Decoder, Draw, Row
from forge.rollout.tokens.load import context_of, generation_of, load_model
from forge.rollout.tokens.talk import Sampled
from forge.rollout.tokens.template import TEXTS
from forge.types.data import Json

DRAWN = ("temperature", "top_p", "top_k", "max_tokens", "seed")
KNOWN = frozenset({"messages", "tools", "chat_template_kwargs", "stop", *DRAWN})
JOIN = 8
"""Who asks waits until one in so many joins: the whole batch is copied for them, however few."""
FULL = "-c, --turn-tokens, or --context summary"


def local_at(path: Path, ends: frozenset[int], text: Callable[[Sequence[int]], str]) -> "Local":
    """The model at a path. UserError if it cannot be loaded."""
    usual, model = generation_of(path), load_model(path)
    return Local(
        Decoder(model, ends, text),
        model.device,
        context_of(model),
        usual=None if usual is None else usual.to_dict(),
    )


class Writer(Protocol):
    """What writes many responses, side by side."""

    def join(self, rows: Sequence[Row]) -> list[Row]:
        """Begins with these. Those that have ended, all with what was written."""
        ...

    def step(self) -> list[Row]:
        """Goes on with all. Those that have ended with it."""
        ...

    def clear(self) -> None:
        """Lets go of all rows, and of what was kept of others."""
        ...


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
    """`device`: where the writer's model is; `context`: ids that a conversation may have; `usual`:
    how the model is sampled from where a request does not say."""

    def __init__(
        self,
        writer: Writer,
        device: torch.device,
        context: int,
        *,
        usual: Mapping[str, Json] | None = None,
    ) -> None:
        self._usual = usual or {}
        self._context = context
        self._writer = writer
        self._thread = ThreadPoolExecutor(1, "model", _work_on, (device,))
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
        self._writer.clear()

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
                new: list[_Asked] = []
                if JOIN * len(self._waiting) >= len(open_):
                    new, self._waiting = self._waiting, []
                if not (new or open_):
                    self._works = False
                    return
            open_ += new
            try:
                rows = [asked.row for asked in new]
                with torch.inference_mode():
                    ended = set(self._writer.join(rows) if rows else self._writer.step())
            except Exception as error:  # the boundary: whoever waits is told
                self._writer.clear()
                for asked in open_:
                    asked.tell(_told(error, len(open_)))
                open_ = []
                continue
            for asked in [each for each in open_ if each.row in ended]:
                finish = "stop" if asked.row.stopped else "length"
                asked.tell(Sampled(tuple(asked.row.ids), tuple(asked.row.logprobs), finish))
                open_.remove(asked)


def _work_on(device: torch.device) -> None:
    """Each thread has a GPU of its own."""
    if device.type == "cuda":
        torch.cuda.set_device(device)


def _told(error: Exception, rows: int) -> Exception:
    if isinstance(error, torch.OutOfMemoryError | MemoryError) or "allocate memory" in str(error):
        side = "1 rollout" if rows == 1 else f"{rows} rollouts side by side"
        return UserError(f"the memory is too small for {side}", mend=FULL)
    return error
