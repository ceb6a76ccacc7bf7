"""A model from a file, served on this machine for as long as a block runs.

Always holds: the server is a process of its own that only this one can use; it has loaded the model
when the block begins, and is gone when the block is left, or soon after this process, however that
ends. Ctrl-C at a terminal does not reach it, so that what is under way can be finished or dropped
here. What keeps a model from loading is one line.
"""

import json
import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from forge.errors import EndpointGone, UserError
from forge.llm.client import Endpoint

PREFIX = "local:"
SLOTS = 1
CONTEXT = 16_384
MAGIC = b"GGUF"
SERVER = Path(__file__).with_name("llama.py")
SMALLER = "a smaller --model-context, fewer --slots, or a smaller model"


@dataclass(frozen=True, slots=True)
class Local:
    """`threads`: that compute; None: one a core. `slots`: conversations at once; `context`: tokens
    of each."""

    file: Path
    threads: int | None = None
    slots: int = SLOTS
    context: int = CONTEXT

    @property
    def name(self) -> str:
        return self.file.name


def files_of(
    models: Iterable[str | None],
    *,
    threads: int | None = None,
    slots: int | None = None,
    context: int | None = None,
) -> dict[str, Local]:
    """Those of the models that are `local:FILE`, by that name, with what the flags say of them all.
    UserError if a flag is given and none is."""
    files = [model for model in models if model is not None and model.startswith(PREFIX)]
    flags = {"--threads": threads, "--slots": slots, "--model-context": context}
    for flag, value in flags.items():
        if value is not None and not files:
            raise UserError(f"{flag} is for a model {PREFIX}FILE.gguf", mend="leave it out")
    if PREFIX in files:
        raise UserError(f"{PREFIX} names no file", mend=f"{PREFIX}FILE.gguf")
    return {
        name: Local(
            Path(name.removeprefix(PREFIX)).expanduser(),
            threads,
            SLOTS if slots is None else slots,
            CONTEXT if context is None else context,
        )
        for name in files
    }


@contextmanager
def serving(local: Local, seconds: float) -> Iterator[Endpoint]:
    """A server of the model, until the block is left. UserError if there is none, or it ended."""
    _check(local.file)
    key = secrets.token_urlsafe()
    with TemporaryFile() as log, _started(log) as child:
        address = _address(child, local, key)
        if address is None:
            raise _ended(child, log, local, "the model cannot be served")
        size = local.file.stat().st_size
        held = f"{PREFIX}{local.name} {size}"
        try:
            yield Endpoint(local.name, f"{address}/v1", key, seconds, held=held)
        except EndpointGone:
            if child.poll() is None:
                raise
        if child.poll() is not None:
            raise _ended(child, log, local, "the model's server ended before its time")


def _check(file: Path) -> None:
    if not file.is_file():
        raise UserError("there is no such file", where=str(file), mend="forge models has some")
    try:
        with file.open("rb") as opened:
            found = opened.read(len(MAGIC))
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(file)) from None
    if found != MAGIC:
        raise UserError("this is no GGUF file", where=str(file), mend="forge models has some")
    if find_spec("xllamacpp") is None:
        raise UserError(
            "models from files need the package xllamacpp",
            mend="pip install 'forge-envs[local]'",
        )


@contextmanager
def _started(log: IO[bytes]) -> Iterator[subprocess.Popen[str]]:
    """In a session of its own, which a terminal's Ctrl-C does not reach; `-P`: modules come from
    where Python has them, whatever lies beside the file or in the working folder."""
    child = subprocess.Popen(
        [sys.executable, "-P", str(SERVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        env={**os.environ, "GGML_NO_BACKTRACE": "1"},
        start_new_session=True,
    )
    with child:
        try:
            yield child
        finally:
            child.kill()  # it has nothing to put in order


def _address(child: subprocess.Popen[str], local: Local, key: str) -> str | None:
    """Where it serves, once it does; None if it ended instead."""
    settings = {
        "parent": os.getpid(),
        "file": str(local.file),
        "name": local.name,
        "key": key,
        "threads": local.threads,
        "slots": local.slots,
        "context": local.context,
    }
    assert child.stdin is not None and child.stdout is not None
    try:
        child.stdin.write(json.dumps(settings) + "\n")
        child.stdin.flush()
    except BrokenPipeError:
        return None
    return child.stdout.readline().strip() or None


def _ended(child: subprocess.Popen[str], log: IO[bytes], local: Local, what: str) -> UserError:
    """What is told of a server that is gone."""
    code = child.wait()
    log.seek(0)
    lines = [line for line in log.read().decode(errors="replace").splitlines() if line.strip()]
    if any(_NO_MEMORY.search(line) for line in lines):
        return UserError(f"{what}: out of memory", where=str(local.file), mend=SMALLER)
    if code == -signal.SIGKILL:
        killed = f"{what}: it was killed, and may have run out of memory"
        return UserError(killed, where=str(local.file), mend=SMALLER)
    reason = _cause(lines) or f"it ended with code {code}"
    return UserError(f"{what}: {reason}", where=str(local.file))


def _cause(lines: Sequence[str]) -> str:
    """llama.cpp's first error, of which the others come; else the last line of all."""
    errors = [line for line in lines if _ERROR.match(line)]
    return _ERROR.sub("", errors[0]) if errors else (lines[-1] if lines else "")


_ERROR = re.compile(r"[\d.]+ E (.*error loading model: )?")
_NO_MEMORY = re.compile("bad_alloc|insufficient memory|failed to allocate|MemoryError")
