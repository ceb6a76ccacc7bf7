"""The back end for untrusted code: Monty, a Python interpreter in Rust, in worker processes.

Always holds: a worker has no access to the host but through calls that this module answers; it
runs one call at a time, to its end, in the thread of the caller; a worker that went over a limit,
was left in the middle of a call or died is never used again. What is passed in is bound to one
global that the next call overwrites, and the rules of `source.py` leave no other place to keep
anything.
"""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.util import find_spec
from queue import LifoQueue
from time import thread_time
from types import ModuleType, TracebackType
from typing import Self, cast

from pydantic_monty import (
    ExternalResult,
    FunctionSnapshot,
    Monty,
    MontyComplete,
    MontyCrashedError,
    MontyError,
    MontyRuntimeError,
    NameLookupSnapshot,
    OSPolicy,
    ResourceLimits,
    SyncSnapshot,
)

from forge.env.plain import weight
from forge.env.prelude import PRELUDE
from forge.env.sandbox import ahead
from forge.env.sandbox.ahead import foreseen, plain_name
from forge.env.sandbox.host import ANSWERS
from forge.env.sandbox.limits import Limits
from forge.env.sandbox.opening import Opening, openings
from forge.env.sandbox.source import python_name
from forge.env.store import Store
from forge.errors import SandboxLost, ToolBug, ToolError, UserError
from forge.types.data import Json

CALLS_PER_WORKER = 5_000
"""A worker keeps some 400 bytes of every call, so then it starts afresh, which takes 1 ms."""

GRACE = 0.5
"""Seconds over the limit after which a worker that does not stop by itself is killed."""

_POLICY: OSPolicy = {
    "datetime": datetime(2000, 1, 1, tzinfo=UTC),
    "sleep": "zero",
    "random_start": {"seed": 0},
}
_NO_LIMIT = 2**62

_CLOSED = "eval = exec = getattr = hash = id = locals = object = open = setattr = type = None"
"""What Monty has and the rules refuse, out of reach even of a name that slips through them."""

_SOURCE_FEED = "<python-input-1>"
"""The name in tracebacks of what is fed second, after the prelude: the tools."""


_TRACER = "opentelemetry.context"
"""What pydantic-monty tries to import at every call."""


def _absent(name: str) -> None:
    """If the package of a module is not installed, says so where it is looked for first: else the
    whole path is searched each time, which takes longer than many a call."""
    if find_spec(name.partition(".")[0]) is None:
        sys.modules[name] = cast(ModuleType, None)


class MontySandbox:
    """`workers` processes, each started and loaded when it is first needed."""

    def __init__(self, source: str, workers: int, limits: Limits) -> None:
        self._source, self._limits, self._closed = source, limits, False
        _absent(_TRACER)
        self._pool = Monty(
            min_processes=0, max_processes=workers, feed_duration_limit_grace=GRACE
        ).__enter__()
        self._idle: LifoQueue[_Worker | None] = LifoQueue()
        for _ in range(workers - 1):
            self._idle.put(None)
        try:
            self._openings = openings(source)
            self._idle.put(_Worker(self._pool, source, limits, self._openings))
        except (MontyError, SyntaxError) as error:
            self.close()
            raise UserError(f"does not load: {error}", where="tools.py") from error

    def extended(self, source: str) -> "MontySandbox":
        """Workers of its own: one function is never loaded over another in a used one."""
        return MontySandbox(f"{self._source}\n\n{source}", 1, self._limits)

    def run(self, tool: str, arguments: dict[str, Json], store: Store) -> Json:
        if self._closed:
            raise SandboxLost("the sandbox is closed")
        worker = self._idle.get()
        try:
            if worker is not None and worker.calls < CALLS_PER_WORKER:
                try:
                    with store.transaction():
                        return worker.call(tool, arguments, store)
                except _Full:
                    pass
            if worker is not None:
                worker.close()
                worker = None
            worker = _Worker(self._pool, self._source, self._limits, self._openings)
            return worker.call(tool, arguments, store)
        except MontyCrashedError as error:
            if error.timed_out:
                raise ToolBug(f"did not stop within {self._limits.seconds} s") from error
            raise SandboxLost(str(error)) from error
        finally:
            usable = worker is not None and not worker.busy
            self._idle.put(worker if usable else None)
            if worker is not None and not usable:
                worker.close()

    def close(self) -> None:
        """Ends the workers. No call may be running, and none can be made any more."""
        self._closed = True
        while not self._idle.empty():
            worker = self._idle.get()
            if worker is not None:
                worker.close()
        self._pool.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Full(Exception):
    """The memory is used up, maybe by what earlier calls left: Monty does not free values that
    hold themselves. So the call is to be run again, on a new worker."""


class _Worker:
    """One process with the tools loaded. `busy` if the last call did not come to its end."""

    def __init__(
        self, pool: Monty, source: str, limits: Limits, openings: Mapping[str, Opening]
    ) -> None:
        self._limits, self._openings = limits, openings
        self.calls = 0
        self.busy = False
        within: ResourceLimits = {
            "max_feed_duration_secs": limits.seconds,
            "max_memory": limits.memory,
            "max_recursion_depth": limits.recursion,
            "max_suspensions": _NO_LIMIT,
        }
        self._session = pool.checkout(limits=within, os_policy=_POLICY).__enter__()
        try:
            self._session.feed_run(f"{PRELUDE}\n{ahead.SOURCE}\n{_CLOSED}", print_callback=_discard)
            self._session.feed_run(source, print_callback=_discard)
        except MontyError:
            self.close()
            raise

    def close(self) -> None:
        self._session.__exit__(None, None, None)

    def call(self, tool: str, arguments: dict[str, Json], store: Store) -> Json:
        passed = {python_name(name): each for name, each in arguments.items()}
        opening = self._openings.get(tool)
        known = foreseen(opening, passed, store) if opening is not None else []
        refusals = {str(each.refusal): each.refusal for each in known if each.refusal is not None}
        self.calls += 1
        self.busy = True
        try:
            snapshot = self._session.feed_start(
                f"{tool}(**_passed)",
                inputs={"_passed": passed, "_foreseen": [each.sent() for each in known]},
                print_callback=_discard,
            )
            value: Json = self._drive(snapshot, store, refusals).output
        except MontyRuntimeError as error:
            raised = error.exception()
            self.busy = isinstance(raised, TimeoutError | MemoryError)
            if isinstance(raised, MemoryError) and self.calls > 1:
                raise _Full from None
            text = str(raised)
            if type(raised) is Exception and text in refusals:
                raise refusals[text] from None
            raise ToolBug(f"{type(raised).__name__}: {text[:400]}{_line(error)}") from None
        self.busy = False
        return value

    def _drive(
        self, snapshot: SyncSnapshot, store: Store, refusals: dict[str, ToolError]
    ) -> MontyComplete:
        """Answers the calls of the table API, until the tool is done. What the tool is refused is
        noted in `refusals`, by its text, so that it can be told from what the tool raises."""
        limits = self._limits
        calls = traffic = 0
        spent = 0.0
        while not isinstance(snapshot, MontyComplete):
            calls += 1
            if calls > limits.calls:
                raise ToolBug(f"more than {limits.calls} calls of the table API")
            if isinstance(snapshot, NameLookupSnapshot):
                snapshot = snapshot.resume()
                continue
            if not isinstance(snapshot, FunctionSnapshot):
                raise ToolBug("waits for something that never comes")
            if snapshot.is_os_function:
                snapshot = snapshot.resume_not_handled()
                continue
            name, args, named = snapshot.function_name, snapshot.args, snapshot.kwargs
            traffic += weight((args, named), limits.traffic)
            if traffic > limits.traffic:
                raise ToolBug(f"hands more than {limits.traffic} characters to the table API")
            start = thread_time()
            answer = _answer(store, name, args, named, refusals)
            spent += thread_time() - start
            if spent > limits.seconds:
                raise ToolBug(f"keeps the table API busy for more than {limits.seconds} s")
            snapshot = snapshot.resume(answer)
        return snapshot


def _answer(
    store: Store,
    name: str,
    args: tuple[Json, ...],
    named: dict[str, Json],
    refusals: dict[str, ToolError],
) -> ExternalResult:
    """What the store says, or what it raises: raised in the tool, as it would be in `native`."""
    answer = ANSWERS.get(plain_name(name))
    if answer is None:
        return {"exc_type": "NameError", "message": f"name {name!r} is not defined"}
    try:
        return {"return_value": answer(store, *args, **named)}
    except ToolBug:
        raise
    except ToolError as error:
        refusals[str(error)] = error
        return {"exc_type": "Exception", "message": str(error)}
    except Exception as error:  # the boundary: values from the tool may be anything
        return {"exception": error}


def _line(error: MontyRuntimeError) -> str:
    """Where in the source it was raised."""
    lines = [frame.line for frame in error.traceback() if frame.filename == _SOURCE_FEED]
    return f" (line {lines[-1]})" if lines else ""


def _discard(_stream: str, _text: str) -> None:
    """What tools print goes nowhere."""
