"""The one place that prints: untrusted text can't move the cursor, set the terminal's title or reorder letters.

Ids, questions, answers, field names, file names and expressions come from files that nobody has checked.  Control
characters, direction marks and undecodable bytes in them are printed as escapes: `\\x1b`, `\\u202e`.  Data that
passes through unchanged (`echo_data`) is escaped on a terminal only: files and pipes get the original bytes.
"""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress

import click

__all__ = ["echo", "echo_data", "escape_json", "one_line", "warn"]

# C0 without tab and newline, DEL, C1, direction marks and overrides, line separators, undecodable bytes.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def echo(text: object = "", *, nl: bool = True) -> None:
    """Print a result."""
    click.echo(_escape(str(text)), nl=nl)


def echo_data(text: str) -> None:
    """Print a line of input unchanged, or escaped if stdout is a terminal."""
    click.echo(_escape(text) if sys.stdout.isatty() else text.encode(errors="surrogateescape"))


def warn(text: str, *, nl: bool = True) -> None:
    """Print a message on stderr, apart from the result."""
    with suppress(OSError):  # a closed stderr is no reason to stop
        click.echo(_escape(text), nl=nl, err=True)


def one_line(text: str) -> str:
    """The text with its lines joined into one, and escaped.

    >>> one_line("two\\nlines")
    'two lines'
    """
    return _escape(" ".join(text.splitlines()))


def escape_json(text: str) -> str:
    """JSON text with unsafe characters as JSON escapes, so that it still reads back as the same value."""
    return _UNSAFE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def _escape(text: str) -> str:
    return _UNSAFE.sub(lambda found: ascii(found[0])[1:-1], text)
