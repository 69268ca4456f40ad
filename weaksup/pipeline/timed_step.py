"""A step of a run: the files that it reads, the file that it makes, and the time that it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError
from ..storage.json_files import read_json, write_json
from ..watching import Watcher, watch_nothing

__all__ = ["PipelineStep", "Times"]


class PipelineStep(NamedTuple):
    """A piece of work that reads some files and writes another one."""

    name: str  # in times.json
    reads: tuple[Path, ...]
    makes: Path
    work: Callable[[], None]
    resumes: bool = False  # whether the work itself checks what exists, and resumes from there

    def run(self, times: Times) -> None:
        """Do the work, unless its output exists; raises DataError if an input is missing."""
        if missing := [path for path in self.reads if not path.exists()]:
            raise DataError(f"this file is missing, and the step {self.name} needs it", path=str(missing[0]))
        if self.resumes or not self.makes.exists():
            with times.of(self.name):
                self.work()


class Times:
    """The seconds that each step took, summed over resumed runs; `watch` sees each step begin and end."""

    def __init__(self, path: Path, watch: Watcher = watch_nothing) -> None:
        self.path, self.watch = path, watch
        known = path.exists()
        self.seconds = read_json(path, dict[str, float], what="the times of a run") if known else {}

    @contextmanager
    def of(self, step: str) -> Iterator[None]:
        start = time.monotonic()
        try:
            with self.watch.step(step):
                yield
        finally:
            self.seconds[step] = round(self.seconds.get(step, 0.0) + time.monotonic() - start, 1)
            write_json(self.path, self.seconds, indent=1)
