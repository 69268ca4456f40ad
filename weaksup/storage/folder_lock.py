"""One process at a time in a folder, because two training runs or searches would mix their files.

The operating system holds the lock on the file `.lock` and releases it when the process ends, even if it is killed, so
no stale lock remains.  The file is removed together with the lock.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from mathcanon.files import AnyPath, is_unfinished, try_lock

from ..errors import ConfigError

__all__ = ["LOCK", "is_vacant", "lock_folder"]

LOCK = ".lock"
_TRIES = 100  # attempts to open the lock file while other processes remove it


@contextmanager
def lock_folder(folder: AnyPath) -> Iterator[None]:
    """Lock a folder, creating it if needed; `ConfigError` at once if another process has locked it.

    A folder that was created here and is empty at the end is removed.  On a file system without locks, or one that
    can't be written, nothing is locked.
    """
    place = Path(folder)
    made = not place.exists()
    if not made and not place.is_dir():
        raise ConfigError(f"{folder} is not a folder")
    held = _open_lock(place)
    try:
        yield
    finally:
        if held is not None:
            with held, suppress(OSError):
                os.unlink(held.name)  # before it is released: see `_open_lock`
        if made:
            with suppress(OSError):
                place.rmdir()


def is_vacant(folder: Path) -> bool:
    """Whether a folder is empty except for its lock and the unfinished files of killed writers."""
    return all(path.name == LOCK or is_unfinished(path) for path in folder.iterdir())


def _open_lock(folder: Path) -> IO[bytes] | None:
    for _ in range(_TRIES):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            file = open(folder / LOCK, "ab")  # noqa: SIM115 - the caller closes it
        except FileNotFoundError:
            continue  # the folder was removed meanwhile
        except OSError:
            return None  # writing the first file will raise the error
        if try_lock(file) is False:
            file.close()
            raise ConfigError(f"another process is using {folder}: wait until it ends, or choose another output")
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # the process that held the lock has removed the file meanwhile
    return None
