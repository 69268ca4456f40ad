"""Shards of problems -> their candidates, through `concurrent.futures.Executor`.

In this process (one worker), in processes of this machine, or on a Dask cluster, whose client hands out such an
executor.  A shard goes out as msgspec bytes without text and gold, and comes back as the JSON lines of its candidate
sets, which depend on the shard alone: the bytes are the same whoever worked on it.  A worker that dies costs time, not
results: Dask gives its shards to the others, and a broken pool of processes is replaced by a new one.

Processes are spawned, so a script of your own needs `if __name__ == "__main__":`, as always with multiprocessing.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from concurrent.futures.process import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from multiprocessing.connection import wait as wait_for
from threading import Lock, Thread
from typing import Any, Literal, get_args

import msgspec

import mathcanon

from ..errors import ConfigError, WeakSupError
from ..files import encode_records
from ..records import Problem
from .plans import Plan

__all__ = ["ENGINES", "Engine", "search_shard", "search_shards"]

Engine = Literal["local", "dask"]
ENGINES: tuple[str, ...] = get_args(Engine)

_LOSSES = 3  # pools in a row that may break before any shard is finished
_AHEAD = 2  # shards under way for each worker: one at work, one at hand
_PATIENCE = 30  # seconds for a scheduler and its first worker to answer
_DASK_AHEAD = 256  # on a cluster, to which workers may be added at any time


def search_shards(
    shards: Mapping[int, Sequence[Problem]],
    plan: Plan,
    *,
    limit: int | None = None,
    engine: Engine = "local",
    workers: int = 1,
    scheduler: str | None = None,
) -> Generator[tuple[int, bytes], None, None]:
    """The number of each shard with the JSON lines of its candidate sets, as they are finished.

    `scheduler` is the address of a Dask scheduler; without one, Dask runs `workers` processes on this machine.
    Close the iterator to end the workers before it is through.
    """
    if engine not in ENGINES:
        raise ConfigError(f"unknown engine {engine!r}; one of {', '.join(ENGINES)}")
    if workers < 1:
        raise ConfigError(f"at least one worker is needed, not {workers}")
    if scheduler is not None and engine != "dask":
        raise ConfigError("a scheduler is for the engine dask")
    work = partial(search_shard, plan=msgspec.msgpack.encode(plan), limit=limit, version=mathcanon.__version__)
    left = dict(shards)
    losses = 0
    while left:
        try:
            with _open_executor(engine, workers, scheduler) as (executor, ahead):
                for number, lines in _as_finished(executor, work, dict(left), ahead):
                    losses = 0
                    del left[number]
                    yield number, lines
        except BrokenExecutor as error:
            losses += 1
            if losses >= _LOSSES:
                message = f"worker processes died {losses} times in a row (out of memory?): try fewer workers"
                raise WeakSupError(message) from error


def search_shard(problems: bytes, *, plan: bytes, limit: int | None, version: str) -> bytes:
    """The JSON lines of a shard's candidate sets: what a worker does."""
    from .batch import search_problems  # numba is loaded where the work is done

    if mathcanon.__version__ != version:
        raise ConfigError(f"a worker has mathcanon {mathcanon.__version__}, this machine {version}")
    shard = msgspec.msgpack.decode(problems, type=list[Problem])
    with _ONE_AT_A_TIME:
        return encode_records(search_problems(shard, msgspec.msgpack.decode(plan, type=Plan), limit=limit))


_ONE_AT_A_TIME = Lock()  # a Dask worker may have several threads; the search gains nothing from them


def _as_finished(
    executor: Executor, work: Callable[[bytes], bytes], shards: Mapping[int, Sequence[Problem]], ahead: int
) -> Iterator[tuple[int, bytes]]:
    waiting = iter(shards.items())
    under_way: dict[Future[bytes], int] = {}
    while True:
        while len(under_way) < ahead and (shard := next(waiting, None)):
            under_way[executor.submit(work, _encoded(shard[1]))] = shard[0]
        if not under_way:
            return
        for future in wait(under_way, return_when=FIRST_COMPLETED).done:
            yield under_way.pop(future), _result(future)


def _encoded(problems: Sequence[Problem]) -> bytes:
    """What the search needs of the problems: neither text nor gold."""
    needed = [
        Problem(id=problem.id, text="", tokens=(), quantities=problem.quantities, answer=problem.answer)
        for problem in problems
    ]
    return msgspec.msgpack.encode(needed)


def _result(future: Future[bytes]) -> bytes:
    try:
        return future.result()
    except ModuleNotFoundError as error:
        raise WeakSupError(f"a worker lacks a package: {error}; install mathcanon there too") from error
    except CancelledError as error:
        raise WeakSupError("the scheduler took back a shard: is it still running?") from error


# --- executors --------------------------------------------------------------------------------------------------------


@contextmanager
def _open_executor(engine: Engine, workers: int, scheduler: str | None) -> Iterator[tuple[Executor, int]]:
    """An executor, and how many shards to keep under way in it; leaving by an exception ends its workers at once."""
    if engine == "dask":
        with _dask_executor(workers, scheduler) as executor:
            yield executor, _DASK_AHEAD
    elif workers == 1:
        yield _InProcess(), 1
    else:
        with _processes(workers) as executor:
            yield executor, _AHEAD * workers


class _InProcess(Executor):
    """Runs what is submitted here and now."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"), initializer=_start_worker)
    try:
        with _deaf_children():
            for _ in range(workers):
                pool.submit(os.getpid)  # starts a worker
        yield pool
    except BaseException:
        for process in list((pool._processes or {}).values()):  # kill_workers() from Python 3.14 on
            process.kill()
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes that are started meanwhile do not hear Ctrl-C, not even before `_start_worker`."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and never outlive it: a killed parent can't end its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)


@contextmanager
def _dask_executor(workers: int, scheduler: str | None) -> Iterator[Executor]:
    try:
        distributed: Any = import_module("distributed")
    except ModuleNotFoundError as error:
        advice = "pip install distributed"
        raise ConfigError(f"the engine dask needs the package {error.name}: {advice}") from error
    for name in list(logging.root.manager.loggerDict):  # it tells of every worker that comes and goes
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)
    unusable = f"the Dask scheduler {scheduler or 'here'} can't be used"
    with ExitStack() as stack:
        try:
            if scheduler is None:
                local = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
                cluster: Any = stack.enter_context(local)
            client = stack.enter_context(distributed.Client(scheduler or cluster, timeout=_PATIENCE))
        except (OSError, ValueError) as error:
            raise WeakSupError(f"{unusable}: {error}") from error
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError as error:
            raise WeakSupError(f"{unusable}: it has no workers") from error
        executor = client.get_executor(pure=False, retries=_LOSSES)
        try:
            yield executor
        except distributed.KilledWorker as error:
            message = "Dask workers died again and again on the same shard (out of memory?)"
            raise WeakSupError(message) from error
        finally:
            executor.shutdown(wait=False)
