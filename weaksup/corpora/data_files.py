"""Files -> text: UTF-8, plain or gzip (told by content, not by name); anything else is a `DataError`.

Files are read whole: the largest corpus here is 12 MB, and errors need line numbers.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..errors import DataError
from ..storage.whole_files import read_file

__all__ = ["digest_files", "read_bytes", "read_text"]

MAX_BYTES = 1 << 29  # several times Ape210K, the largest corpus here


def read_bytes(path: Path) -> bytes:
    """The content of the file, decompressed if it is gzip."""
    return read_file(path, limit=MAX_BYTES)


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, with or without byte-order mark."""
    raw = read_bytes(path)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"not UTF-8 text: byte 0x{raw[error.start]:02x}; save the file as UTF-8", path=str(path), line=line
        ) from error


def digest_files(paths: list[Path]) -> str:
    """SHA-256 of the decompressed content, so that a file and its gzip have the same digest."""
    digests = [hashlib.sha256(read_bytes(path)).hexdigest() for path in paths]
    return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()
