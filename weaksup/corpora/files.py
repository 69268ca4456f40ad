"""Files to text: plain or gzipped (decided by content, not by name), UTF-8, and one clear error for everything else.

Whole files are read at once: the largest corpus here is 12 MB, and a record needs its line number anyway.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from pathlib import Path

from ..errors import DataError

__all__ = ["digest_files", "read_bytes", "read_text"]

MAX_BYTES = 1 << 31


def read_bytes(path: Path) -> bytes:
    """What the file holds, unpacked if it is gzip."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path=str(path)) from error
    if raw[:2] != b"\x1f\x8b":
        return raw
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as packed:
            unpacked = packed.read(MAX_BYTES + 1)
    except EOFError as error:
        raise DataError("the gzip data end too early: the file is cut", path=str(path)) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"damaged gzip data: {error}", path=str(path)) from error
    if len(unpacked) > MAX_BYTES:
        raise DataError(f"unpacks to more than {MAX_BYTES} bytes", path=str(path))
    return unpacked


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, with or without byte-order mark."""
    raw = read_bytes(path)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(f"not UTF-8 text: byte 0x{raw[error.start]:02x}", path=str(path), line=line) from error


def digest_files(paths: list[Path]) -> str:
    """SHA-256 over the unpacked content, so that a file and its gzip have the same digest."""
    digests = [hashlib.sha256(read_bytes(path)).hexdigest() for path in paths]
    return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()
