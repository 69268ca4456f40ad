"""Records in JSON Lines files, written atomically and read one by one."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from mathcanon.errors import LimitError
from mathcanon.files import MAX_LINE, AnyPath, bounded_lines, whole_file

from ..errors import DataError
from .whole_files import open_unpacked

__all__ = ["encode_records", "numbered_lines", "read_records", "write_records"]

T = TypeVar("T")


def encode_records(records: Iterable[msgspec.Struct]) -> bytes:
    """The records as JSON Lines."""
    encoder = msgspec.json.Encoder()
    return b"".join([encoder.encode(record) + b"\n" for record in records])


def write_records(path: AnyPath, records: Iterable[msgspec.Struct]) -> int:
    """Write all records atomically, and return their number.

    Parameters
    ----------
    path
        The file to write; compressed if its name ends in .gz.
    records
        The records, which are written one by one.

    Returns
    -------
    int
        The number of records.

    Raises
    ------
    OSError
        If the file can't be written; an old file is then as it was.
    """
    encoder = msgspec.json.Encoder()
    count = 0
    with whole_file(path) as file:
        for record in records:
            file.write(encoder.encode(record) + b"\n")
            count += 1
    return count


def read_records(path: AnyPath, type: type[T]) -> Iterator[T]:
    """The records of a plain or gzip file, one by one.

    Parameters
    ----------
    path
        A JSON Lines file; gzip is told by its content.
    type
        The type of the records.

    Yields
    ------
    type
        Each record, in order.

    Raises
    ------
    DataError
        With the line number, if a record is invalid or the file is damaged.

    Notes
    -----
    One line is in memory at a time.
    """
    decoder = msgspec.json.Decoder(type)
    name = getattr(type, "__name__", str(type))
    for number, line in numbered_lines(path):
        try:
            yield decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            what = f"not a record of type {name}" if isinstance(error, msgspec.ValidationError) else "not JSON"
            raise DataError(f"{what}: {error}", path=str(path), line=number) from error


def numbered_lines(path: AnyPath) -> Iterator[tuple[int, bytes]]:
    """Each line of a plain or gzip file that is not blank, with its line number."""
    number = 0
    try:
        with open_unpacked(path) as file:
            for number, line in bounded_lines(file, os.fspath(path)):
                stripped = (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line).strip()
                if stripped:
                    yield number, stripped
    except LimitError as error:
        raise DataError(f"the line is longer than {MAX_LINE:,} bytes", path=os.fspath(path), line=number + 1) from error
    except DataError as error:
        if isinstance(error.__cause__, EOFError | gzip.BadGzipFile | zlib.error):
            error.line = number + 1
        raise
