"""The queue: what is missing, in an order of value, one run on each core.

A run is missing unless its folder is whole, or a record says that it is done and by which code and machine (see
`RunFacts.accounted`).  A run that has got more steps since it was recorded is missing too.  What a missing run needs
comes before it.  Each run is a process of its own with the lowest priority; what it prints goes to WORK/RUN.log.  When
it ends well it is recorded and all tables are written again, so the queue may be stopped at any moment: the same
command goes on.  If it is killed, the runs that it started go on, and the next queue waits for them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from weaksup.storage.folder_lock import lock_folder

from .folders import run_facts
from .place import SEEDS, Place, run_name
from .records import read_record
from .runs import EQUAL, RUNS, place_of, with_needs

__all__ = ["QUEUE", "Task", "missing_tasks", "run_queue"]

_LOWEST_PRIORITY = 19
_WAIT_SECONDS = 0.2


class Task(NamedTuple):
    """A run with one seed."""

    run: str
    seed: int = 0

    @property
    def name(self) -> str:
        return run_name(self.run, self.seed)

    @property
    def needs(self) -> list[Task]:
        return [_task(need, self.seed) for need in RUNS[self.run].needs]


def _task(run: str, seed: int) -> Task:
    return Task(run, seed if RUNS[run].seeded else 0)


def _each(runs: Sequence[str], seeds: Sequence[int] = (0,)) -> Iterator[Task]:
    """All runs with the first seed, then all with the next."""
    return (Task(run, seed) for seed in seeds for run in runs)


#: Every run that is worth its time, the most valuable first.
QUEUE: tuple[Task, ...] = (
    *_each(("search-released", "search-paper", "search-full")),
    *_each(("middle-gts-em", "middle-gts-gold", "middle-gts-paper"), SEEDS),
    *_each(("middle-gts-basic", "middle-gts-random", "middle-gts-single")),
    *_each(("middle-g2t-gold-published",)),
    *_each(("middle-g2t-em", "middle-g2t-gold"), SEEDS),
    *_each(("lbf", "lbf-memory", "warm", "warm-beam", "warm-beam-g2t")),
    *_each(("folds-em", "folds-lbf-memory")),
    *_each(("published-gts",)),
    *_each(("middle-g2t-paper", "warm-g2t", EQUAL, "folds-paper")),
)


def missing_tasks(place: Place, results: Path, wanted: Iterable[Task] = QUEUE) -> list[Task]:
    """What has to be run, in order: the wanted runs that are missing, each after those that it needs."""
    found: dict[Task, None] = {}
    for task in wanted:
        if _is_there(task, place) or _is_recorded(task, place, results):
            continue
        tasks = (_task(run, task.seed) for run in with_needs([task.run]))
        found.update(dict.fromkeys(one for one in tasks if not _is_there(one, place)))
    return list(found)


def _is_there(task: Task, place: Place) -> bool:
    return run_facts(place._replace(seed=task.seed), task.run).state == "done"


def _is_recorded(task: Task, place: Place, results: Path) -> bool:
    facts = run_facts(place_of(task.run, place._replace(seed=task.seed)), task.run)
    record = read_record(results, facts)
    return record is not None and record.facts.accounted and record.facts.steps == facts.steps


def run_queue(
    tasks: Sequence[Task],
    place: Place,
    *,
    command: Callable[[Task], Sequence[str]],
    cores: int,
    say: Callable[[str], None],
    done: Callable[[Task], None],
) -> list[Task]:
    """Run the `command` of each task, `cores` at a time, and return those that failed or lack a need.

    `done` is called after each that ended well.  When this process is interrupted or terminated, those that it started
    get the interrupt of a terminal, save what they have, and are waited for.
    """
    waiting, running, failed = list(tasks), dict[Task, subprocess.Popen[bytes]](), list[Task]()
    os.nice(_LOWEST_PRIORITY)  # of the processes that are started from here, too
    with lock_folder(place.work), _terminate_as_interrupt():
        try:
            while waiting or running:
                # One after the other, because what needs such a task is one too.
                while task := next((one for one in waiting if not set(failed).isdisjoint(one.needs)), None):
                    say(f"{task.name} is not started: a run that it needs failed")
                    waiting.remove(task)
                    failed.append(task)
                while len(running) < cores and (task := _first_ready(waiting, running)) is not None:
                    waiting.remove(task)
                    running[task] = _start(command(task), place.work / f"{task.name}.log")
                    say(f"{task.name} is started, {len(waiting)} wait; see {place.work / f'{task.name}.log'}")
                for task, code in _ended(running).items():
                    say(f"{task.name} is done" if code == 0 else f"{task.name} failed with exit code {code}")
                    if code == 0:
                        done(task)
                    else:
                        failed.append(task)
                time.sleep(_WAIT_SECONDS)
        finally:
            _stop(running.values())
    return failed


def _first_ready(waiting: Sequence[Task], running: Iterable[Task]) -> Task | None:
    """The first whose needs are done, that is neither wait nor run."""
    busy = {*waiting, *running}
    return next((task for task in waiting if busy.isdisjoint(task.needs)), None)


def _start(command: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    """In a session of its own, so that it gets one interrupt: that of `_stop`.

    A queue that a script started in the background ignores interrupts, and so would what it starts.
    """
    with open(log, "ab") as file:
        return subprocess.Popen(
            command,
            stdout=file,
            stderr=file,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )


def _ended(running: dict[Task, subprocess.Popen[bytes]]) -> Mapping[Task, int]:
    """Exit codes of those that ended, which run no more."""
    ended = {task: code for task, process in running.items() if (code := process.poll()) is not None}
    for task in ended:
        del running[task]
    return ended


def _stop(processes: Iterable[subprocess.Popen[bytes]]) -> None:
    live = [process for process in processes if process.poll() is None]
    for process in live:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
    for process in live:
        with suppress(KeyboardInterrupt):  # an impatient second one: they are saving
            process.wait()


@contextmanager
def _terminate_as_interrupt() -> Iterator[None]:
    """Termination is an interrupt too: `kill` leaves no process behind."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
