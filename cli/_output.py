"""What all commands share: exit codes, error lines, tables, JSON.

Exit codes: 0 done or yes, 1 a well-formed no, 2 bad usage or bad input, 70 a fault of this program, 130 interrupted by
Ctrl-C, 143 by SIGTERM.  Data goes to stdout, everything else to stderr, and no traceback reaches a user who does not
ask for it with MATHCANON_DEBUG=1.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mathcanon.errors import MathCanonError, ParseError
from weaksup.errors import WeakSupError

from ._terminal import echo, escape_json, one_line, warn

if TYPE_CHECKING:
    from weaksup.records import Limited

__all__ = ["Commands", "command_line", "error_line", "print_json", "print_limited", "print_table", "record_fields"]

# torch raises RuntimeError, not MemoryError, when memory runs out.
_TORCH_MEMORY = re.compile("can't allocate memory|not enough memory|out of memory")
_SHOWN = 400  # characters shown at either end of a long error message
_LISTED = 20  # problems that met a limit; --json lists all

YES, NO, BAD, FAULT, INTERRUPTED, TERMINATED = 0, 1, 2, 70, 130, 143  # 70 is EX_SOFTWARE of sysexits.h


class Commands(click.Group):
    """A group of commands whose return value is the exit code, and whose errors are one clear line."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        sys.set_int_max_str_digits(0)  # counts may have more digits than Python prints by default
        for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
            if getattr(sys, name) is None:  # closed by the caller (`>&-`)
                setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - stays open until exit
        extra["standalone_mode"] = False
        try:
            with _heeding_sigterm():
                code = super().main(args, prog_name, **extra)
                sys.stdout.flush()
        except SystemExit:
            raise
        except BaseException as error:  # noqa: BLE001 - the last resort; a panic in a Rust package is not an Exception
            code = _explain(error)
        sys.exit(code if isinstance(code, int) else YES)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _ending_with_the_reader():  # --help and --version are printed here
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _ending_with_the_reader():
            return super().invoke(ctx)


@contextmanager
def _ending_with_the_reader() -> Iterator[None]:
    """Exit with code 0 when the reader of stdout closes the pipe (`| head`); click itself would exit with 1."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that the flush at exit does not fail
        raise click.exceptions.Exit(YES) from None


def _explain(error: BaseException) -> int:
    """Print on stderr why a command ended, and return its exit code."""
    match error:
        case click.exceptions.NoArgsIsHelpError():
            warn(error.format_message())
        case click.UsageError():
            help_hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
            warn(f"error: {_short(error.format_message())}{help_hint}")
        case click.ClickException():
            warn(f"error: {_short(error.format_message())}")
        case KeyboardInterrupt() | click.Abort() if not isinstance(error.__cause__, EOFError):
            terminated = isinstance(error, Terminated) or isinstance(error.__cause__, Terminated)
            warn("terminated" if terminated else "interrupted")
            return TERMINATED if terminated else INTERRUPTED
        case MathCanonError() | WeakSupError():
            warn(f"error: {error_line(error)}")
        case MemoryError() | RuntimeError() if isinstance(error, MemoryError) or _TORCH_MEMORY.search(str(error)):
            warn("error: out of memory")
        case UnicodeEncodeError():
            warn(f"error: the output can't be written as {error.encoding}: set PYTHONUTF8=1 in the environment")
        case OSError():
            warn(f"error: {_short(f'{error.filename}: {error.strerror}' if error.filename else str(error))}")
        case _:
            return _explain_fault(error)
    return BAD


def _explain_fault(error: BaseException) -> int:
    """The same for an unexpected error, which is a bug of this program and not the user's mistake."""
    fault = error.__cause__ if isinstance(error, click.Abort) and error.__cause__ else error
    if os.environ.get("MATHCANON_DEBUG", "0") not in ("", "0"):
        traceback.print_exception(fault)
    what = _short(f"{type(fault).__name__}: {fault}").removesuffix(": ")
    warn(f"internal error: {what}. Please report it with the command; MATHCANON_DEBUG=1 shows the traceback")
    return FAULT


class Terminated(KeyboardInterrupt):
    """Raised on SIGTERM, so that a command ends as it does on Ctrl-C and keeps its finished work."""


@contextmanager
def _heeding_sigterm() -> Iterator[None]:
    """Raise `Terminated` on SIGTERM inside the block, unless the signal is already handled or ignored."""
    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if ours:
        signal.signal(signal.SIGTERM, _raise_terminated)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _raise_terminated(number: int, frame: FrameType | None) -> NoReturn:
    raise Terminated


def error_line(error: Exception) -> str:
    """The message of an error; for a `ParseError`, with the expression and a caret below it."""
    return error.pointed() if isinstance(error, ParseError) else _short(str(error))


def _short(text: str) -> str:
    """The text as one line; of a long text only the beginning and the end."""
    line = one_line(text)
    return line if len(line) <= 2 * _SHOWN else f"{line[:_SHOWN]} ... {line[-_SHOWN:]}"


def command_line() -> str:
    """The command that was given to the shell, for the records of a run."""
    return shlex.join([os.path.basename(sys.argv[0]), *sys.argv[1:]])


def print_json(value: Any) -> None:
    """Print a value as one line of JSON; it may contain msgspec records."""
    echo(escape_json(json.dumps(value, ensure_ascii=False, default=record_fields)))


def record_fields(record: Any) -> Any:
    """A msgspec record as builtin types that `json` can write."""
    import msgspec

    return msgspec.to_builtins(record)


def print_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table: columns aligned on the right, integers with thousands separators."""
    cells = [
        list(head),
        *[[f"{cell:,}" if isinstance(cell, int) else one_line(str(cell)) for cell in row] for row in rows],
    ]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    for row in cells:
        echo("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def print_limited(limited: Mapping[str, Sequence[Limited]], *, where: str) -> None:
    """Print the problems for which the search left out stages, by id, if there are any; `where` all of them are."""
    if limited:
        echo(f"{len(limited):,} without some stages, which met a limit (see --memory):")
    for id, limits in islice(limited.items(), _LISTED):
        echo(f"  {one_line(id)}: " + ", ".join(f"{one.stage} ({one.reason})" for one in limits))
    if len(limited) > _LISTED:
        echo(f"  ... and {len(limited) - _LISTED:,} more, see {where}")
