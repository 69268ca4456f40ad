"""Starts the commands of a run that are not done yet, one after the other, each as a process of its own.

A step whose closing file is there is left alone.  What a command prints is kept whole or not at all, progress goes
through to the terminal.  Beside the run a file says which code and which machine made it and what CPU time it took, as
far as it was made from here.  One process at a time is at a run: a second one waits, also for a command whose caller
was killed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from mathcanon.files import try_lock, whole_file

from .folders import MADE, Made, MadeStep, read, write
from .origin import Origin, origin
from .place import Place
from .runs import Step, command_text, place_of, steps_of

__all__ = ["RunFailed", "ensure_run"]

_PROGRAM = (sys.executable, "-c", "from mwp_cli.weak import main; main(prog_name='mwp-weak')")
_STDERR = 2


class RunFailed(Exception):
    """A command ended with another exit code than 0."""


def ensure_run(
    name: str,
    place: Place,
    *,
    say: Callable[[str], None],
    made_by: Callable[[], Origin] = origin,
    program: Sequence[str] = _PROGRAM,
) -> None:
    """Do what is missing of a run; `RunFailed` at the first command that fails, which leaves what was done before.

    `made_by` is asked before each command: the code may change while a run goes on.
    """
    steps = steps_of(name, place)
    if all(step.closing.exists() for step in steps):
        return
    with _alone_at(place_of(name, place).of(name), say) as lock:
        for step in steps:
            if step.closing.exists():
                continue
            arguments = step.arguments
            if step.begun is not None and step.begun.exists():
                arguments = (*arguments, "--resume")
            say(f"{name}: {command_text(arguments)}")
            step.closing.parent.mkdir(parents=True, exist_ok=True)
            made, before = made_by(), _children_seconds()
            try:
                _do(name, step, [*program, *arguments], lock)
            finally:
                _note(place, name, step, made, _children_seconds() - before)


@contextmanager
def _alone_at(folder: Path, say: Callable[[str], None]) -> Iterator[IO[bytes]]:
    """Lock a run.  Its commands inherit the open file, so that the lock is held until the last of them has ended."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_name(f"{folder.name}.lock"), "ab") as file:
        if try_lock(file) is False:
            say(f"{folder.name}: another process is at it, waiting for it to end")
            try_lock(file, wait=True)
        yield file


def _do(name: str, step: Step, command: Sequence[str], lock: IO[bytes]) -> None:
    if step.printed:
        with whole_file(step.closing) as file:
            _check(name, step, _wait_for(command, file, lock))
    else:
        _check(name, step, _wait_for(command, _STDERR, lock))
    if not step.closing.exists():
        raise RunFailed(f"run {name}: mwp-weak {step.arguments[0]} ended without {step.closing}")


def _check(name: str, step: Step, code: int) -> None:
    if code:
        kept = "what was done is kept, the same command goes on from there"
        raise RunFailed(f"run {name}: mwp-weak {step.arguments[0]} failed with exit code {code}; {kept}")


def _wait_for(command: Sequence[str], output: IO[bytes] | int, lock: IO[bytes]) -> int:
    """The exit code.  One thread: for networks of these sizes two are slower than one."""
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, stdout=output, env=one_thread, pass_fds=(lock.fileno(),))
    try:
        return process.wait()
    except KeyboardInterrupt:
        with suppress(KeyboardInterrupt):  # the child has had the signal as well, and is saving what it has
            process.wait()
        raise


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _note(place: Place, name: str, step: Step, by: Origin, seconds: float) -> None:
    """Add a command to what is known of the run; an interrupted one counts too."""
    path = place_of(name, place).beside(name, MADE)
    made = read(path, Made) or {}
    before = made.get(step.closing.name, MadeStep())
    made[step.closing.name] = MadeStep(
        commits=tuple(dict.fromkeys([*before.commits, by.commit])),
        machines=tuple(dict.fromkeys([*before.machines, by.machine])),
        cpu_seconds=round(before.cpu_seconds + seconds, 1),
    )
    write(path, made)
