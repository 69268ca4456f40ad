"""A pool of worker processes that ends at once on an error, prints no traceback, and never outlives its parent.

Ctrl-C reaches every process of a terminal.  The workers ignore it, and SIGTERM: their parent ends them.  If the
parent is killed, they end by themselves.  Processes are spawned, so a script of your own needs
`if __name__ == "__main__":`, as always with multiprocessing.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait as wait_for
from threading import Thread
from typing import Any, TypeVar

__all__ = ["in_order", "open_pool"]

_TO_PARENT = {signal.SIGINT, signal.SIGTERM}  # signals that only the parent handles
_AHEAD = 4  # items in flight per process

S = TypeVar("S")
T = TypeVar("T")


@contextmanager
def open_pool(workers: int, start: Callable[[], None] | None = None) -> Iterator[ProcessPoolExecutor]:
    """Open a pool of `workers` processes, each of which begins with `start`; an exception in the block kills them."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker, initargs=(start,))
    try:
        with _deaf_children():
            for _ in range(workers):
                pool.submit(os.getpid)  # starts a worker
        yield pool
    except BaseException:
        for process in list((pool._processes or {}).values()):  # kill_workers() from Python 3.14 on
            process.kill()
        # A killed worker may have sent half a result: without this the pool would wait for the rest for ever.
        results: Any = pool._result_queue
        results._writer.close()
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()


def in_order(pool: ProcessPoolExecutor, workers: int, job: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
    """What `job` makes of each item in the `workers` processes of a pool, in order; only a few items are read ahead."""
    waiting: deque[Future[T]] = deque()
    for item in items:
        waiting.append(pool.submit(job, item))
        if len(waiting) > _AHEAD * workers:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Block Ctrl-C and SIGTERM in processes started inside the block, so that they are safe until `_start_worker`."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _TO_PARENT)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker(start: Callable[[], None] | None) -> None:
    """Leave Ctrl-C and SIGTERM to the parent, and never outlive it: a killed parent can't end its workers."""
    for number in _TO_PARENT:
        signal.signal(number, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    if start is not None:
        start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)
