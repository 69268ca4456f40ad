"""What all commands share: exit codes, error lines, tables, JSON.

Exit codes: 0 done or yes, 1 a well-formed no, 2 bad usage or bad input, 130 interrupted.  Data goes to stdout,
everything else to stderr, and no traceback reaches a user.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import click

from mathcanon.errors import MathCanonError, ParseError
from weaksup.errors import WeakSupError

__all__ = ["Commands", "Progress", "error_line", "print_json", "print_table", "record_fields", "warn"]

_SURROGATE = re.compile("[\ud800-\udfff]")

YES, NO, BAD, INTERRUPTED = 0, 1, 2, 130


class Commands(click.Group):
    """A group of commands whose return value is the exit code, and whose errors are one clear line."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        sys.set_int_max_str_digits(0)  # counts have as many digits as they have
        for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
            if getattr(sys, name) is None:  # closed by the caller (`>&-`)
                setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open to the end
        extra["standalone_mode"] = False
        try:
            code = super().main(args, prog_name, **extra)
            sys.stdout.flush()
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)
            code = BAD
        except click.UsageError as error:
            help_hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
            warn(f"error: {error.format_message()}{help_hint}")
            code = BAD
        except click.ClickException as error:
            warn(f"error: {error.format_message()}")
            code = BAD
        except click.Abort:
            click.echo("interrupted", err=True)
            code = INTERRUPTED
        except (MathCanonError, WeakSupError) as error:
            warn(f"error: {error_line(error)}")
            code = BAD
        except MemoryError:
            warn("error: out of memory")
            code = BAD
        except OSError as error:
            warn(f"error: {error.filename}: {error.strerror}" if error.filename else f"error: {error}")
            code = BAD
        except ValueError as error:
            warn(f"error: {error}")
            code = BAD
        sys.exit(code if isinstance(code, int) else YES)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # The reader has seen enough (`| head`): let nothing be written at exit. click itself would exit with 1.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return YES


def error_line(error: Exception) -> str:
    """An error as a user reads it; an expression with a caret below it."""
    return error.pointed() if isinstance(error, ParseError) else str(error)


def warn(text: str, *, nl: bool = True) -> None:
    click.echo(text, nl=nl, err=True)


def print_json(value: Any) -> None:
    """A value as one line; records may stand anywhere in it."""
    text = json.dumps(value, ensure_ascii=False, default=record_fields)
    # Undecodable bytes were read as lone surrogates, which only JSON's own escapes can write.
    click.echo(text if text.isascii() or not _SURROGATE.search(text) else json.dumps(value, default=record_fields))


def record_fields(record: Any) -> Any:
    """A record as JSON has it."""
    import msgspec

    return msgspec.to_builtins(record)


def print_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Columns aligned on the right, numbers with thousands separators."""
    cells = [list(head), *[[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    for row in cells:
        click.echo("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


class Progress:
    """How far a long command is, with rate and time left, on stderr: a bar on a terminal, else a line now and then."""

    EVERY = 30.0  # seconds between lines

    def __init__(self, what: str) -> None:
        self.what = what
        self.called = False
        self._start, self._last, self._before = time.monotonic(), 0.0, 0
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: int, total: int) -> None:
        """Say that `done` of `total` are done; those of the first call were done before."""
        now = time.monotonic()
        if not self.called:
            self.called = True
            self._start, self._last, self._before = now, now, done
            if done:
                warn(f"{done:,} of {total:,} {self.what} were done before")
            if sys.stderr.isatty():
                self._start_bar(done, total)
        if self._bar is not None:
            self._bar.update(self._task, completed=done)
        elif now - self._last >= self.EVERY:
            self._last = now
            warn(self._line(done, total, now - self._start))

    def _line(self, done: int, total: int, seconds: float) -> str:
        rate = (done - self._before) / seconds if seconds else 0.0
        left = f", {(total - done) / rate:,.0f} s left" if rate else ""
        return f"{done:,} of {total:,} {self.what}, {rate:,.0f} a second{left}"

    def _start_bar(self, done: int, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TimeRemainingColumn
        from rich.text import Text

        before = self._before

        class Rate(ProgressColumn):
            def render(self, task: Task) -> Text:
                rate = (task.completed - before) / task.elapsed if task.elapsed else 0.0
                return Text(f"{rate:,.0f} a second")

        columns = (BarColumn(), MofNCompleteColumn(), self.what, Rate(), TimeRemainingColumn(), "left")
        self._bar = Progress(*columns, console=Console(stderr=True))
        self._task = self._bar.add_task(self.what, total=total, completed=done)
        self._bar.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
