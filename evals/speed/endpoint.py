"""A small OpenAI-compatible server with scripted answers: for tests, and to measure callers by.

    python evals/speed/endpoint.py --slots 64 --seconds 1     # prints its address, and serves

Always holds: it listens on 127.0.0.1 only, has no model, and keeps what it was asked. With `slots`
it works like a server that batches: so many answers are under way at once, others wait.
"""

import argparse
import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

Json = Any


@dataclass(frozen=True, slots=True)
class Request:
    path: str
    headers: Mapping[str, str]
    body: Json


@dataclass(frozen=True, slots=True)
class Reply:
    """`body`: JSON, or bytes as they are. `seconds`: before it; `drip`: between two bytes. `cut`:
    the connection ends after so many bytes of the body."""

    body: Json
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0
    drip: float = 0
    cut: int | None = None


Answer = Callable[[Request], Reply]


def completion(message: Json, finish: str = "stop", prompt: int = 7, written: int = 5) -> Json:
    """The body of a chat completion."""
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", **message},
                "finish_reason": finish,
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": written,
            "total_tokens": prompt + written,
        },
    }


def tells(prompt: Sequence[int], ids: Sequence[int], text: str, chat: bool = True) -> Reply:
    """As vLLM answers who asks for token ids and log-probs: of a chat, or of a prompt. Each id has
    the log-prob -1, -2, …, in order."""
    logprobs = [-float(number + 1) for number in range(len(ids))]
    body = completion({"content": text}, prompt=len(prompt), written=len(ids))
    (choice,) = body["choices"]
    choice["token_ids"] = list(ids)
    if chat:
        body["prompt_token_ids"] = list(prompt)
        choice["logprobs"] = {"content": [{"token": "", "logprob": each} for each in logprobs]}
    else:
        del choice["message"]
        choice["text"] = text
        choice["prompt_token_ids"] = list(prompt)
        choice["logprobs"] = {"tokens": [""] * len(ids), "token_logprobs": logprobs}
    return Reply(body)


def says(text: str, **more: Json) -> Reply:
    return Reply(completion({"content": text, **more}))


def calls(*made: tuple[str, Json], **more: Json) -> Reply:
    """Calls as chat completions have them; arguments that are no text become one."""
    native = [
        {
            "id": f"c{number}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": given if isinstance(given, str) else json.dumps(given),
            },
        }
        for number, (name, given) in enumerate(made)
    ]
    return Reply(completion({"content": None, "tool_calls": native, **more}, "tool_calls"))


def refuses(
    status: int, message: str, code: str = "", headers: Mapping[str, str] | None = None
) -> Reply:
    error = {"error": {"message": message, "type": "error", "code": code}}
    return Reply(error, status=status, headers=headers or {})


def one_by_one(replies: Sequence[Reply]) -> Answer:
    """Each once, in order; the last again and again."""
    left = list(replies)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


class Server:
    """`asked`: every request for a completion, in order. `usage`: (seconds since the first request,
    slots that are busy from then on)."""

    def __init__(self, answer: Answer, models: Sequence[str], slots: int | None) -> None:
        self.answer = answer
        self.models = models
        self.slots = slots
        self.asked: list[Request] = []
        self.usage: list[tuple[float, int]] = []
        self.open = 0
        self.most_open = 0
        self.url = ""
        self._busy = 0
        self._free: asyncio.Semaphore | None = None
        self._began: float | None = None

    async def serve(self, port: int = 0, ready: Callable[[], None] = lambda: None) -> None:
        self._free = asyncio.Semaphore(self.slots) if self.slots else None
        server = await asyncio.start_server(self._connection, "127.0.0.1", port, backlog=4096)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        ready()
        try:
            await asyncio.Event().wait()
        finally:
            server.close()  # without waiting for clients, who may hold their connections for good

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            while (request := await _read(reader)) is not None:
                reply = await self._reply(request)
                if not await _write(writer, reply):
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the caller went away
        finally:
            self.open -= 1
            writer.close()

    async def _reply(self, request: Request) -> Reply:
        if request.path.endswith("/models"):
            data = [{"id": name, "object": "model", "created": 0} for name in self.models]
            return Reply({"object": "list", "data": data})
        self.asked.append(request)
        if not request.path.endswith("/completions"):
            return refuses(404, "no such path")
        if request.body.get("model") not in self.models:
            return refuses(404, f"The model `{request.body.get('model')}` does not exist.")
        reply = self.answer(request)
        if self._free is None:
            await asyncio.sleep(reply.seconds)
            return reply
        async with self._free:
            self._note(1)
            try:
                await asyncio.sleep(reply.seconds)
            finally:
                self._note(-1)
        return reply

    def _note(self, change: int) -> None:
        now = asyncio.get_running_loop().time()
        if self._began is None:
            self._began = now
        self._busy += change
        self.usage.append((now - self._began, self._busy))


def busy_share(usage: Sequence[tuple[float, int]], slots: int, until: float) -> float:
    """How much of its slots a server had at work from the first request to second `until`."""
    busy = 0.0
    for (at, count), (following, _) in zip(usage, [*usage[1:], (until, 0)], strict=True):
        busy += count * max(0.0, min(following, until) - min(at, until))
    return busy / (slots * until) if until else 0.0


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in head[1:] if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(head[0].split(" ")[1], headers, json.loads(body) if body else None)


async def _write(writer: asyncio.StreamWriter, reply: Reply) -> bool:
    """False when the connection is to be closed."""
    body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
    headers = {"content-type": "application/json", "content-length": len(body), **reply.headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {reply.status} Scripted\r\n{lines}\r\n".encode())
    sent = body[: reply.cut]
    if reply.drip:
        for number in range(len(sent)):
            writer.write(sent[number : number + 1])
            await writer.drain()
            await asyncio.sleep(reply.drip)
    else:
        writer.write(sent)
    await writer.drain()
    return reply.cut is None


@contextmanager
def serving(
    answer: Answer | Reply | Sequence[Reply],
    models: Sequence[str] = ("scripted",),
    slots: int | None = None,
) -> Iterator[Server]:
    """A server in a thread of its own, until the block is left."""
    if isinstance(answer, Reply):
        answer = [answer]
    server = Server(one_by_one(answer) if isinstance(answer, Sequence) else answer, models, slots)
    ready = threading.Event()
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]]] = []

    async def serve() -> None:
        task = asyncio.ensure_future(server.serve(ready=ready.set))
        running.append((asyncio.get_running_loop(), task))
        await asyncio.wait([task])

    def run() -> None:
        asyncio.run(serve())  # which ends the connections that are still open

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait()
    try:
        yield server
    finally:
        ((loop, task),) = running
        loop.call_soon_threadsafe(task.cancel)
        thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--slots", type=int)
    parser.add_argument("--seconds", type=float, default=1, help="before each answer")
    parser.add_argument("--say", default="All done.", help="what it always answers")
    parser.add_argument("--model", default="scripted")
    chosen = parser.parse_args()
    reply = Reply(completion({"content": chosen.say}), seconds=chosen.seconds)
    server = Server(lambda request: reply, [chosen.model], chosen.slots)
    with suppress(KeyboardInterrupt):
        asyncio.run(server.serve(chosen.port, lambda: print(server.url, flush=True)))


if __name__ == "__main__":
    main()
