"""Shards of problems -> their candidates, through `concurrent.futures.Executor`.

A shard is searched in this process (one worker), in worker processes on this machine, or on a Dask cluster, whose
client provides an executor.  It is sent as msgspec bytes without text and gold, and comes back as the JSON lines of its
candidate sets.  These depend on the shard only: every worker returns the same bytes.  If a worker dies, its shards are
searched again: Dask gives them to other workers, and a broken process pool is replaced by a new one.

Processes are spawned, so a script that calls this needs `if __name__ == "__main__":`, as always with multiprocessing.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from threading import Lock
from typing import Any, Literal, get_args

import msgspec
from msgspec.structs import replace

import mathcanon
from mathcanon.batches import collection_paused
from mathcanon.errors import install_command
from mathcanon.processes import open_pool

from ..errors import ConfigError, WeakSupError
from ..records import Problem
from ..storage.json_lines import encode_records
from .budget import DEFAULT_MEMORY
from .plans import Plan

__all__ = ["ENGINES", "Engine", "available_cores", "search_shard", "search_shards"]

Engine = Literal["local", "dask"]
ENGINES: tuple[str, ...] = get_args(Engine)

_LOSSES = 3  # give up after this many broken pools in a row without a finished shard
_AHEAD = 2  # shards submitted per worker: one running, one waiting
_PATIENCE = 30  # seconds to wait for a scheduler and its first worker
_DASK_AHEAD = 256  # shards submitted to a cluster, which may gain workers at any time


def available_cores() -> int:
    """The number of CPU cores that this process may use: the default number of workers."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def search_shards(
    shards: Mapping[int, Sequence[Problem]],
    plan: Plan,
    *,
    limit: int | None = None,
    memory: int = DEFAULT_MEMORY,
    strict: bool = False,
    engine: Engine = "local",
    workers: int = 1,
    scheduler: str | None = None,
) -> Generator[tuple[int, bytes], None, None]:
    """The number of each shard with the JSON lines of its candidate sets, in the order in which they finish.

    `limit`, `memory` (of each worker) and `strict` are those of `search_problems`.  `scheduler` is the address of a
    Dask scheduler; without one, Dask runs `workers` processes on this machine.
    Closing the iterator early ends the workers.
    """
    if engine not in ENGINES:
        raise ConfigError(f"unknown engine {engine!r}; one of {', '.join(ENGINES)}")
    if workers < 1:
        raise ConfigError(f"at least one worker is needed, not {workers}")
    if scheduler is not None and engine != "dask":
        raise ConfigError("only the engine dask has a scheduler")
    work = partial(
        search_shard,
        plan=msgspec.msgpack.encode(plan),
        limit=limit,
        memory=memory,
        strict=strict,
        version=mathcanon.__version__,
    )
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
                message = f"worker processes died {losses} times in a row (out of memory?)"
                message += ": try fewer workers, or less memory for each"
                raise WeakSupError(message) from error


def search_shard(
    problems: bytes,
    *,
    plan: bytes,
    limit: int | None,
    version: str,
    memory: int = DEFAULT_MEMORY,
    strict: bool = False,
) -> bytes:
    """The JSON lines of a shard's candidate sets; this function runs in the workers."""
    from .batch import search_problems  # so that only workers load numba

    if mathcanon.__version__ != version:
        raise ConfigError(f"a worker has mathcanon {mathcanon.__version__}, this machine {version}")
    shard = msgspec.msgpack.decode(problems, type=list[Problem])
    with _ONE_AT_A_TIME, collection_paused():  # a search makes many objects that stay, and no cycles
        chosen = msgspec.msgpack.decode(plan, type=Plan)
        return encode_records(search_problems(shard, chosen, limit=limit, memory=memory, strict=strict))


_ONE_AT_A_TIME = Lock()  # a Dask worker may have several threads, which do not speed up the search


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
    """The problems as bytes, reduced to what the search needs: no text, no gold."""
    needed = [replace(problem, text="", tokens=(), gold=None, gold_missing=None, scheme=None) for problem in problems]
    return msgspec.msgpack.encode(needed)


def _result(future: Future[bytes]) -> bytes:
    try:
        return future.result()
    except ModuleNotFoundError as error:
        raise WeakSupError(f"a worker lacks a package: {error}; install mathcanon there too") from error
    except CancelledError as error:
        raise WeakSupError("the scheduler cancelled a shard: is it still running?") from error


# --- executors --------------------------------------------------------------------------------------------------------


@contextmanager
def _open_executor(engine: Engine, workers: int, scheduler: str | None) -> Iterator[tuple[Executor, int]]:
    """An executor, and how many shards to keep submitted; leaving the context by an exception kills its workers."""
    if engine == "dask":
        with _dask_executor(workers, scheduler) as executor:
            yield executor, _DASK_AHEAD
    elif workers == 1:
        yield _InProcess(), 1
    else:
        with open_pool(workers) as executor:
            yield executor, _AHEAD * workers


class _InProcess(Executor):
    """An executor that runs each call at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextmanager
def _dask_executor(workers: int, scheduler: str | None) -> Iterator[Executor]:
    try:
        distributed: Any = import_module("distributed")
    except ModuleNotFoundError as error:
        raise ConfigError(f"the engine dask needs the package {error.name}: {install_command('dask')}") from error
    for name in list(logging.root.manager.loggerDict):  # it logs every worker that joins or leaves
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)
    unusable = f"the Dask scheduler {scheduler or 'here'} can't be used"
    with ExitStack() as stack:
        try:
            if scheduler is None:
                local = distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,  # errors of a shard are raised here, not logged by the workers
                )
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
            message = "Dask workers died repeatedly on the same shard (out of memory?)"
            raise WeakSupError(message) from error
        finally:
            executor.shutdown(wait=False)
