"""Reading files: regular files only, plain or gzip, up to a limit of bytes.  `mathcanon.files` writes them."""

from __future__ import annotations

import gzip
import hashlib
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, cast

from mathcanon.files import MAX_LINE, AnyPath

from ..errors import DataError

__all__ = ["digest_file", "open_regular", "open_unpacked", "read_file"]

_GZIP = b"\x1f\x8b"


def open_regular(path: AnyPath) -> IO[bytes]:
    """Open a regular file for reading; `DataError` if it is anything else, because files are read more than once.

    It never blocks, as opening a named pipe does until a writer opens it too.
    """
    file = open(path, "rb", opener=_open_at_once)  # noqa: SIM115 - the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise DataError("not a regular file, so it can't be read twice: save it to a file", path=os.fspath(path))
    return file


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


@contextmanager
def open_unpacked(path: AnyPath) -> Iterator[IO[bytes]]:
    """Open a file, decompressing gzip (told by content, not by name); `DataError` if it is damaged or unreadable."""
    try:
        with open_regular(path) as raw:
            packed = raw.read(2) == _GZIP
            raw.seek(0)
            yield cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if packed else raw
    except EOFError as error:
        raise DataError("the gzip data end too early: the file is truncated", path=os.fspath(path)) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"damaged gzip data: {error}", path=os.fspath(path)) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path=os.fspath(path)) from error


def read_file(path: AnyPath, *, limit: int = MAX_LINE) -> bytes:
    """The content of a file, decompressed if it is gzip; `DataError` if it has more than `limit` bytes."""
    with open_unpacked(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise DataError(f"the file has more than {limit:,} bytes", path=os.fspath(path))
    return content


def digest_file(path: AnyPath) -> str:
    """SHA-256 of the decompressed content, so that a file and its gzip have the same digest."""
    digest = hashlib.sha256()
    with open_unpacked(path) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
