"""The circumstances of a run: when, by which command and with which version of the code it was begun.

They are kept apart from the results, which do not depend on them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec

import mathcanon

from .json_files import read_json, write_json
from .provenance import versions

__all__ = ["Circumstances", "note_circumstances", "read_circumstances"]


class Circumstances(msgspec.Struct, frozen=True, kw_only=True):
    """How a run was begun; the content of made.json."""

    schema: str = "weaksup/made"
    version: int = 1
    begun: str  # date and time, UTC
    versions: dict[str, str]
    commit: str | None = None  # of the clone that the code is in
    command: str | None = None
    threads: int | None = None
    workers: int | None = None
    device: str | None = None


def note_circumstances(
    path: Path,
    *,
    command: str | None = None,
    threads: int | None = None,
    workers: int | None = None,
    device: str | None = None,
) -> None:
    """Write the circumstances, unless the file exists: a resumed run keeps those of its beginning."""
    if path.exists():
        return
    made = Circumstances(
        begun=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        versions=versions(),
        commit=_commit(Path(mathcanon.__file__).parent.parent / ".git"),
        command=command,
        threads=threads,
        workers=workers,
        device=device,
    )
    write_json(path, made, indent=1)


def read_circumstances(path: Path) -> Circumstances | None:
    """The circumstances of a run; None if they were not noted."""
    return read_json(path, Circumstances, what="the circumstances of a run") if path.exists() else None


def _commit(git: Path) -> str | None:
    """The commit that is checked out in a clone, read from its files; None if it can't be told."""
    try:
        head = (git / "HEAD").read_text("ascii").strip()
        if not head.startswith("ref: "):
            return head[:12]
        name = head.removeprefix("ref: ")
        if (git / name).is_file():
            return (git / name).read_text("ascii").strip()[:12]
        packed = (git / "packed-refs").read_text("ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    return next((line.split()[0][:12] for line in packed if line.endswith(f" {name}")), None)
