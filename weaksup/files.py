"""Records in JSON Lines files, written whole or not at all, and the sidecar that says how a file was made.

A file is written under another name in the same folder, brought to the disk, and only then given its name: whoever
finds it finds all of it, whatever was pulled or killed meanwhile.  `candidates.jsonl` has a sidecar
`candidates.jsonl.run.json` with the settings, the versions and the digests of input and output (`RunInfo`), so that a
run can be told from another one.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import platform
import re
import secrets
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from os import PathLike
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import msgspec

import mathcanon

from .errors import ConfigError, DataError

__all__ = [
    "AnyPath",
    "RunInfo",
    "check_same_run",
    "digest_file",
    "encode_records",
    "read_records",
    "read_run_info",
    "remove_unfinished",
    "run_info_path",
    "versions",
    "whole_file",
    "write_records",
    "write_run_info",
]

T = TypeVar("T")
AnyPath = str | PathLike[str]

_GZIP = b"\x1f\x8b"
_PACKAGES = ("numpy", "numba", "python-flint")
_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{8}\.tmp")
_NAMED = 3  # differences named in an error; the rest is counted


# --- whole files ------------------------------------------------------------------------------------------------------


@contextmanager
def whole_file(path: AnyPath, *, by_way_of: AnyPath | None = None) -> Iterator[IO[bytes]]:
    """A file to write that gets its name only when all of it is on the disk; an error leaves what was there before.

    A name that ends in .gz is packed.  `by_way_of` is the folder of the temporary file, in the same file system; by
    default that of `path`.  A device or a pipe is written straight.
    """
    with _whole_file(path, by_way_of) as file:
        if os.fspath(path).endswith(".gz"):
            # No time and no name in the gzip header: the same content is the same bytes.
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
    temporary = folder / f".{target.name}.{secrets.token_hex(4)}.tmp"
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except BaseException as error:
        with suppress(OSError):  # on a read-only disk it fails even where there is nothing: the first error counts
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            error.filename, error.filename2 = str(path), None  # a full disk does not say which file
        raise


def remove_unfinished(folder: AnyPath) -> None:
    """Remove what killed writers left under a folder: files that never got their names."""
    for path in Path(folder).rglob(".*.tmp"):
        if _UNFINISHED.fullmatch(path.name):
            path.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make a new name last through a power cut, where folders can be opened."""
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


# --- records ----------------------------------------------------------------------------------------------------------


def encode_records(records: Iterable[msgspec.Struct]) -> bytes:
    """Records as JSON, one a line."""
    encoder = msgspec.json.Encoder()
    return b"".join([encoder.encode(record) + b"\n" for record in records])


def write_records(path: AnyPath, records: Iterable[msgspec.Struct]) -> int:
    """How many records were written: all of them, or the file is as before."""
    encoder = msgspec.json.Encoder()
    count = 0
    with whole_file(path) as file:
        for record in records:
            file.write(encoder.encode(record) + b"\n")
            count += 1
    return count


def read_records(path: AnyPath, type: type[T]) -> Iterator[T]:
    """The records of a file one by one, plain or gzip; damage is a `DataError` with the line."""
    decoder = msgspec.json.Decoder(type)
    name = getattr(type, "__name__", str(type))
    for number, line in _lines(Path(path)):
        try:
            yield decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            what = f"not a record of type {name}" if isinstance(error, msgspec.ValidationError) else "not JSON"
            raise DataError(f"{what}: {error}", path=str(path), line=number) from error


@contextmanager
def _opened(path: AnyPath) -> Iterator[IO[bytes]]:
    """A file to read, unpacked if it is gzip: that is decided by content, not by name."""
    with open(path, "rb") as raw:
        packed = raw.read(2) == _GZIP
        raw.seek(0)
        yield cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if packed else raw


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Each line that is not blank, with its number."""
    number = 0
    try:
        with _opened(path) as file:
            for line in file:
                number += 1
                stripped = (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line).strip()
                if stripped:
                    yield number, stripped
    except EOFError as error:
        raise DataError("the gzip data end too early: the file is cut", path=str(path), line=number + 1) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"damaged gzip data: {error}", path=str(path), line=number + 1) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path=str(path)) from error


def digest_file(path: AnyPath) -> str:
    """SHA-256 of what a file holds, unpacked if it is gzip: a file and its gzip have the same digest."""
    digest = hashlib.sha256()
    try:
        with _opened(path) as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}", path=str(path)) from error
    return digest.hexdigest()


# --- how a file was made ----------------------------------------------------------------------------------------------


class RunInfo(msgspec.Struct, frozen=True, kw_only=True):
    """How a file was made: enough to make it again, and to see whether another run would make the same."""

    schema: str  # what the file holds: "weaksup/candidates", "weaksup/labels"
    version: int = 1  # of the schema
    config: dict[str, Any]  # every setting that the result depends on
    input: str  # SHA-256 of what was read
    seed: int | None = None
    versions: dict[str, str]
    output: str = ""  # SHA-256 of the file
    source: str | None = None  # the path of the corpus as it was given; it may have moved since
    counts: dict[str, int] = {}  # what is in it


def versions() -> dict[str, str]:
    """The versions that a result may depend on."""
    found = {"mathcanon": mathcanon.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = installed_version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def run_info_path(path: AnyPath) -> Path:
    """The sidecar of a file.

    >>> run_info_path("candidates.jsonl").name
    'candidates.jsonl.run.json'
    """
    path = Path(path)
    return path.with_name(path.name + ".run.json")


def write_run_info(sidecar: AnyPath, info: RunInfo) -> None:
    with whole_file(sidecar) as file:
        file.write(msgspec.json.format(msgspec.json.encode(info), indent=2) + b"\n")


def read_run_info(sidecar: AnyPath) -> RunInfo | None:
    """What the sidecar says; None if there is none."""
    try:
        content = Path(sidecar).read_bytes()
    except FileNotFoundError:
        return None
    try:
        return msgspec.json.decode(content, type=RunInfo)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"not the record of a run: {error}", path=str(sidecar)) from error


def check_same_run(old: RunInfo, new: RunInfo, *, what: str, advice: str) -> None:
    """`ConfigError` that names what differs, unless both runs make the same file."""
    different = list(_differences("", _decisive(old), _decisive(new)))
    if not different:
        return
    named = "; ".join(different[:_NAMED])
    more = f"; and {len(different) - _NAMED} more" if len(different) > _NAMED else ""
    raise ConfigError(f"{what} was made with other settings: {named}{more}. {advice}")


def _decisive(info: RunInfo) -> dict[str, Any]:
    """What decides over the result.  Of the versions only our own: the others compute the same numbers."""
    return {
        "schema": f"{info.schema} {info.version}",
        **info.config,
        "seed": info.seed,
        "mathcanon": info.versions.get("mathcanon"),
        "input": info.input[:12],
    }


def _differences(place: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        if old.get("name") != new.get("name"):
            yield from _differences(place, old.get("name"), new.get("name"))
            return  # what goes by another name differs in everything
        for key in dict.fromkeys([*old, *new]):
            yield from _differences(f"{place}.{key}".lstrip("."), old.get(key), new.get(key))
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple) and len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differences(f"{place}[{i}]", one, other)
    elif old != new:
        yield f"{place} was {_shown(old)}, now {_shown(new)}"


def _shown(value: Any) -> str:
    if value is None:
        return "not given"
    if isinstance(value, Mapping | list | tuple):
        return f"{len(value)} items"
    return str(value)
