"""Where figures come from: the commit of the code, and the machine that ran it."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import NamedTuple

from .place import HERE

__all__ = ["Origin", "is_clean", "machine_text", "origin"]

_ROOT = HERE.parents[1]
_DIRTY, _UNKNOWN = "-dirty", "unknown"
_CPU_FLAGS = Path("/proc/cpuinfo")
_EXTENSIONS = ("amx_tile", "avx512f", "avx2", "avx", "sve", "asimd")  # the widest first


class Origin(NamedTuple):
    """What a figure has to be compared with care for."""

    commit: str
    machine: str


def origin() -> Origin:
    """The code as it is now, and this machine."""
    return Origin(_commit(), machine_text())


def is_clean(commit: str) -> bool:
    """Whether a commit names the code that ran: nothing was changed since, and it is known.

    >>> [is_clean(commit) for commit in ("c0ffee", "c0ffee-dirty", "unknown")]
    [True, False, False]
    """
    return not commit.endswith(_DIRTY) and commit != _UNKNOWN


def machine_text() -> str:
    """Cores, architecture and the widest vector instructions, as far as the system tells.

    >>> "core" in machine_text()
    True
    """
    cores = os.cpu_count() or 1
    widest = next((name for name in _EXTENSIONS if name in _cpu_flags()), None)
    return f"{cores} core{'s' if cores != 1 else ''}, {platform.machine()}" + (f" with {widest}" if widest else "")


def _cpu_flags() -> frozenset[str]:
    try:
        lines = _CPU_FLAGS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    flags = next((line for line in lines if line.lower().startswith(("flags", "features"))), "")
    return frozenset(flags.partition(":")[2].split())


def _commit() -> str:
    """The commit, marked if a tracked file differs from it; results are no code, so they may differ."""
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!benchmarks/results")
    commit = _git("rev-parse", "--short", "HEAD")
    return _UNKNOWN if commit is None else commit + (_DIRTY if changed else "")


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=_ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
