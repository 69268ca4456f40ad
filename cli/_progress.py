"""Progress of long commands, on stderr: live displays on a terminal, else a line now and then.

`Progress` is one bar, `StepsDisplay` the steps of a run, `working` a line while something takes its time.  At most one
of them is live at a time, and each ends its display, and shows the cursor again, when its `with` block is left.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from weaksup.watching import Watcher, duration_text

from ._terminal import one_line, warn

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["Progress", "StepsDisplay", "working"]

_BAR = 24  # characters


class Counter:
    """How many of how many are done, with rate and time left."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.done = self.total = self.before = 0
        self.called = False
        self._start = time.monotonic()

    def count(self, done: int, total: int) -> None:
        """Note that `done` of `total` are done; those of the first call come from an earlier run."""
        if not self.called:
            self.called, self.before, self._start = True, done, time.monotonic()
        self.done, self.total = done, total

    def __str__(self) -> str:
        rate = (self.done - self.before) / max(time.monotonic() - self._start, 1e-9)
        text = f"{self.done:,} of {self.total:,} {self.what}"
        if self.done == self.before:
            return text
        left = (self.total - self.done) / rate
        return f"{text}, {rate:,.0f} a second" + (
            f", {duration_text(round(left))} left" if self.done < self.total else ""
        )

    @property
    def bar(self) -> str:
        filled = _BAR * self.done // max(1, self.total)
        return "━" * filled + "─" * (_BAR - filled)


class _Live:
    """A region at the bottom of the terminal that is drawn again and again; nothing if stderr is no terminal."""

    def __init__(self, render: Callable[[], Group], *, transient: bool = False) -> None:
        self._render, self._transient = render, transient
        self._live: Any = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True, highlight=False)
            self._live = Live(
                console=console,
                get_renderable=self._render,
                refresh_per_second=4,
                transient=self._transient,
                redirect_stdout=sys.stdout.isatty(),  # lines printed meanwhile go above the region
            )
            self._live.start(refresh=True)
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    @property
    def on(self) -> bool:
        return self._live is not None

    def say(self, line: str) -> None:
        """Print a line above the region, or on stderr if there is none."""
        if self._live is None:
            warn(line)
        else:
            self._live.console.print(one_line(line), markup=False)


class Progress:
    """The progress of one piece of work, as a callback; to be used in a `with` block.

    `waiting` is shown on a terminal until something is done.
    """

    EVERY = 30.0  # seconds between lines where there is no terminal

    def __init__(self, what: str, *, waiting: str = "") -> None:
        self._counter, self._waiting = Counter(what), waiting
        self._entered = False
        self._last = time.monotonic()
        self._live = _Live(self._table)

    @property
    def called(self) -> bool:
        return self._counter.called

    def __call__(self, done: int, total: int) -> None:
        first = not self.called
        self._counter.count(done, total)
        if first and self._entered:
            self._live.__enter__()
        if first and done:
            self._live.say(f"{done:,} of {total:,} {self._counter.what} were done before")
        now = time.monotonic()
        if first:
            self._last = now
        elif not self._live.on and now - self._last >= self.EVERY:
            self._last = now
            warn(str(self._counter))

    def _table(self) -> Group:
        waits = self._waiting if self._counter.done == self._counter.before else ""
        return _grid([(self._counter.bar, str(self._counter), waits)] if self.called else [])

    def __enter__(self) -> Self:
        self._entered = True  # the display begins with the first call
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._entered = False
        self._live.__exit__()


class StepsDisplay:
    """The steps of a run: those done with their times, and the current one with its progress.

    To be used in a `with` block; `watcher` is what the run reports to.  Without a terminal, each message is a line that
    begins with the seconds since the start.
    """

    def __init__(self) -> None:
        self._start = self._last = time.monotonic()
        self._done: dict[str, float] = {}  # step -> seconds, summed over seeds and folds
        self._current: list[tuple[str, float]] = []  # the steps under way, outermost first, and when they began
        self._counter: Counter | None = None
        self._said = ""
        self._live = _Live(self._table)

    @property
    def watcher(self) -> Watcher:
        return Watcher(self._say, self._progress, self._step)

    def _say(self, line: str) -> None:
        self._said = line
        if not self._live.on:
            warn(f"[{time.monotonic() - self._start:4.0f} s] {line}")
        elif not self._current:
            self._live.say(line)

    def _progress(self, what: str) -> Callable[[int, int], None]:
        counter = self._counter = Counter(what)

        def progress(done: int, total: int) -> None:
            now = time.monotonic()
            if not counter.called:
                self._last = now
            counter.count(done, total)
            if not self._live.on and now - self._last >= Progress.EVERY:
                self._last = now
                warn(f"[{now - self._start:4.0f} s] {counter}")

        return progress

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        start = time.monotonic()
        self._current.append((name, start))
        self._done.setdefault(name, 0.0)
        self._counter, self._said = None, ""
        try:
            yield
        finally:
            self._current.pop()
            self._done[name] += time.monotonic() - start
            self._counter, self._said = None, ""

    def _table(self) -> Group:
        now = time.monotonic()
        open_steps = dict(self._current)
        rows = [("✓", name, duration_text(seconds)) for name, seconds in self._done.items() if name not in open_steps]
        for name, start in self._current:
            rows.append(("…", name, duration_text(now - start)))
        below = [self._said] if self._current and self._said else []
        if self._counter is not None and self._counter.called:
            below.append(f"{self._counter.bar} {self._counter}")
        return _grid(rows, below=below)

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.__exit__()


@contextmanager
def working(text: str) -> Iterator[None]:
    """Show on a terminal, while the block runs, what it does and for how long."""
    start = time.monotonic()
    with _Live(lambda: _grid([(f"{text} ... {duration_text(time.monotonic() - start)}",)]), transient=True):
        yield


def _grid(rows: Sequence[tuple[str, ...]], *, below: Sequence[str] = ()) -> Group:
    """The rows in columns, and whole lines below them."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1))
    for row in rows:
        table.add_row(*[Text(one_line(cell), no_wrap=False) for cell in row])
    return Group(table, *[Text(f"  {one_line(line)}") for line in below])
