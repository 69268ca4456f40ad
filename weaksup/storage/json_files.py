"""Files with one JSON record each, written atomically."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from mathcanon.files import AnyPath, whole_file

from ..errors import DataError
from .whole_files import read_file

__all__ = ["decode_json", "read_json", "write_json"]

T = TypeVar("T")


def write_json(path: AnyPath, record: Any, *, indent: int = 2) -> None:
    """Write a record to a file, atomically."""
    with whole_file(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(record), indent=indent) + b"\n")


def read_json(path: AnyPath, type: type[T], *, what: str) -> T:
    """The record in a file; if it is not one of this type, a `DataError` says that the file is not `what`."""
    return decode_json(read_file(path), type, path=path, what=what)


def decode_json(text: bytes | str, type: type[T], *, path: AnyPath, what: str) -> T:
    """The record in a text that comes from the file `path`; errors as for `read_json`."""
    try:
        return msgspec.json.decode(text, type=type)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"not {what}: {error}", path=str(path)) from error
