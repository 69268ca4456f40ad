"""What all commands share: exit codes, error lines, tables, JSON.

Exit codes: 0 done or yes, 1 a well-formed no, 2 bad usage or bad input, 130 interrupted.  Data goes to stdout,
everything else to stderr, and no traceback reaches a user.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from mathcanon.errors import MathCanonError, ParseError

__all__ = ["Commands", "error_line", "print_json", "print_table", "warn"]

YES, NO, BAD, INTERRUPTED = 0, 1, 2, 130


class Commands(click.Group):
    """A group of commands whose return value is the exit code, and whose errors are one clear line."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        sys.set_int_max_str_digits(0)  # counts have as many digits as they have
        extra["standalone_mode"] = False
        try:
            code = super().main(args, prog_name, **extra)
            sys.stdout.flush()
        except click.ClickException as error:
            error.show()
            code = BAD
        except click.Abort:
            click.echo("interrupted", err=True)
            code = INTERRUPTED
        except MathCanonError as error:
            warn(f"error: {error_line(error)}")
            code = BAD
        except BrokenPipeError:
            # The reader has seen enough (`| head`): let nothing be written at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = YES
        except OSError as error:
            warn(f"error: {error.filename}: {error.strerror}" if error.filename else f"error: {error}")
            code = BAD
        except ValueError as error:
            warn(f"error: {error}")
            code = BAD
        sys.exit(code if isinstance(code, int) else YES)


def error_line(error: MathCanonError) -> str:
    """An error as a user reads it; an expression with a caret below it."""
    return error.pointed() if isinstance(error, ParseError) else str(error)


def warn(text: str) -> None:
    click.echo(text, err=True)


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))


def print_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Columns aligned on the right, numbers with thousands separators."""
    cells = [list(head), *[[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    for row in cells:
        click.echo("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
