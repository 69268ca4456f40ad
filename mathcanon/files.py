"""Atomic writing of files, protection against overwriting, and reading of lines up to a maximum length.

A file is written under a temporary name in the same folder, synced to disk, and only then renamed: readers never see
half a file, and a full disk or a killed process leaves the old file as it was.  A writer holds a lock on its
temporary file, which the system releases when the process ends in any way.  So a temporary file that can be locked was
left by a killed writer, and the next write to that folder removes it.

`check_output` is the one rule for what a command may replace.  `bounded_lines` and `bounded_text` read input that may
be far too long: a few compressed megabytes can hold a line of gigabytes.
"""

from __future__ import annotations

import gzip
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import IO, AnyStr, cast

from .errors import LimitError, OverwriteError

__all__ = [
    "MAX_LINE",
    "AnyPath",
    "bounded_lines",
    "bounded_text",
    "check_output",
    "is_named_pipe",
    "is_unfinished",
    "try_lock",
    "whole_file",
]

AnyPath = str | PathLike[str]

#: Maximum length of a line in bytes or characters, a hundred times the largest candidate set of Math23K.
MAX_LINE = 1 << 26

_UNFINISHED = re.compile(r"\.mathcanon-[0-9a-f]{16}\.tmp")


def bounded_lines(file: IO[AnyStr], name: str) -> Iterator[tuple[int, AnyStr]]:
    """Each line with its number; `LimitError` with file and line for one that is longer than `MAX_LINE`.

    >>> from io import StringIO
    >>> list(bounded_lines(StringIO("a+b\\nb+a\\n"), "stdin"))
    [(1, 'a+b\\n'), (2, 'b+a\\n')]
    """
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise LimitError(f"{name}:{number}: the length of the line", len(line), MAX_LINE)
        yield number, line


def bounded_text(file: IO[AnyStr], name: str) -> AnyStr:
    """The whole content of a file or pipe; `LimitError` if it is longer than `MAX_LINE`.

    >>> from io import StringIO
    >>> bounded_text(StringIO("a+b\\nb+a\\n"), "stdin")
    'a+b\\nb+a\\n'
    """
    text = file.read(MAX_LINE + 1)
    if len(text) > MAX_LINE:
        raise LimitError(f"{name}: the length of the text", len(text), MAX_LINE)
    return text


def is_named_pipe(path: AnyPath) -> bool:
    """Whether `path` is a named pipe: opening one waits, perhaps for ever, until another process opens it too.

    The shell's `<(...)` does not count: its other end is open already.
    """
    try:
        return stat.S_ISFIFO(os.lstat(os.path.realpath(path)).st_mode)
    except OSError:
        return False


def check_output(path: AnyPath, *, inputs: Iterable[AnyPath | None] = (), force: bool = False) -> None:
    """Raise `OverwriteError` if `path` must not be written; commands call it before their work begins.

    A file that is one of the `inputs`, by whatever path or link, is never replaced.  Any other existing file that is
    not empty is replaced only with `force`.  Devices and pipes hold nothing that could be lost.
    """
    if not os.path.exists(path):
        return
    if any(other is not None and os.path.exists(other) and os.path.samefile(path, other) for other in inputs):
        raise OverwriteError(f"{os.fspath(path)} is an input of this command: choose another output")
    if os.path.isfile(path) and os.path.getsize(path) and not force:
        raise OverwriteError(f"{os.fspath(path)} already exists: choose another output, or replace it (--force)")


@contextmanager
def whole_file(path: AnyPath, *, by_way_of: AnyPath | None = None) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears under its name only when it is complete; an error leaves the old file.

    If the name ends in .gz, the content is compressed.  `by_way_of` is the folder of the temporary file, in
    the same file system; by default that of `path`.  A device or a pipe is written directly.
    """
    with _whole_file(path, by_way_of) as file:
        if os.fspath(path).endswith(".gz"):
            # No time and no name in the gzip header, so that the same content gives the same bytes.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                yield cast(IO[bytes], packed)
        else:
            yield file


@contextmanager
def _whole_file(path: AnyPath, by_way_of: AnyPath | None) -> Iterator[IO[bytes]]:
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as straight:
            yield straight
        return
    target = Path(os.path.realpath(path))  # what a link points to
    folder = target.parent if by_way_of is None else Path(by_way_of)
    temporary = None
    try:
        _remove_unfinished(folder)
        with _temporary_file(folder) as file:
            temporary = file.name
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, target)
        _sync_folder(target.parent)
    except BaseException as error:
        if temporary is not None:
            with suppress(OSError):  # the first error is the one to report
                os.unlink(temporary)
        if isinstance(error, OSError) and _is_of(error, folder):
            error.filename, error.filename2 = str(path), None  # the error of a full disk names no file
        raise


def _is_of(error: OSError, folder: Path) -> bool:
    """Whether an error names no file, or a temporary one of this folder."""
    if error.filename is None:
        return True
    place = Path(os.fsdecode(error.filename))
    return place == folder or (place.parent == folder and is_unfinished(place))


def _temporary_file(folder: Path) -> IO[bytes]:
    """Create a temporary file and lock it."""
    while True:
        file = open(folder / f".mathcanon-{secrets.token_hex(8)}.tmp", "xb")  # noqa: SIM115 - the caller closes it
        try_lock(file, wait=True)
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # removed by another writer before it was locked: try again


def is_unfinished(path: Path) -> bool:
    """Whether a file is the temporary file of a writer that is still at work or was killed."""
    return _UNFINISHED.fullmatch(path.name) is not None


def _remove_unfinished(folder: Path) -> None:
    """Remove what killed writers left in a folder: temporary files that no process has locked."""
    for path in [Path(entry) for entry in os.scandir(folder) if _UNFINISHED.fullmatch(entry.name)]:
        with suppress(OSError), open(path, "rb+") as file:  # no permission, or already removed
            if try_lock(file):
                path.unlink()


def try_lock(file: IO[bytes], *, wait: bool = False) -> bool | None:
    """Lock a file until it is closed: True on success, False if another process has locked it, None if locks are not
    supported (Windows, some network file systems)."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def _sync_folder(folder: Path) -> None:
    """Make a renaming survive a power cut, on systems where folders can be synced."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
