"""A pool of processes that make environments side by side; where one would do, there is none.

Always holds: Ctrl-C reaches only this process, which then ends the others; when this process goes
away, however it does, they go too. Nothing is shared with them but what they are given, so the
number of processes changes no result.
"""

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from forge.errors import UserError
from forge.pipeline.garbage import RARELY, collected_rarely

Result = TypeVar("Result")


def run(calls: Mapping[str, Callable[[], Result]], jobs: int) -> Iterator[tuple[str, Result]]:
    """Names and results in the order they come. What a call raises is raised here, and ends the
    rest.

    Calls and results are pickled. Raises a `UserError` if a process is killed.
    """
    if not calls:
        return
    if min(jobs, len(calls)) == 1:  # another process would only have to begin first
        for name, call in calls.items():
            with collected_rarely():
                result = call()
            yield name, result
        return
    others = multiprocessing.active_children()
    pool = ProcessPoolExecutor(
        max_workers=min(jobs, len(calls)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
    )
    done = False
    try:
        with _no_interrupt():  # the processes started here inherit that
            futures = {pool.submit(call): name for name, call in calls.items()}
        for future in as_completed(futures):
            yield futures[future], future.result()
        done = True
    except BrokenProcessPool:
        raise UserError(
            "a worker process was killed; it may have run out of memory",
            mend="run the same command again, with a smaller --jobs",
        ) from None
    finally:
        if not done:
            with _no_interrupt():
                _end([child for child in multiprocessing.active_children() if child not in others])
        pool.shutdown(wait=done, cancel_futures=True)


def _end(children: Sequence[multiprocessing.process.BaseProcess]) -> None:
    for child in children:
        child.kill()
    for child in children:
        child.join()


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Ctrl-C waits until the end of the block."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    gc.set_threshold(*RARELY)
    os.setsid()  # Ctrl-C is not for the sandboxes of this process either
    threading.Thread(target=_watch_parent, daemon=True).start()


def _watch_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "runs in a worker"
    parent.join()
    os._exit(1)
