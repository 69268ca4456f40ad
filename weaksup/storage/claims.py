"""Which run owns an output folder: a run takes an empty folder, or resumes a run with the same settings.

A run first writes a record of its settings.  Whatever else a killed run leaves behind, that record identifies it: a run
with the same settings resumes it, any other is refused, and the error names the settings that differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import ConfigError
from .folder_lock import is_vacant

__all__ = ["check_same", "claim_folder", "differences"]

_NAMED = 3  # differences that an error names; the others are only counted


def claim_folder(
    folder: Path,
    record: str,
    settings: Mapping[str, Any],
    *,
    kind: str,
    read: Callable[[Path], Mapping[str, Any]],
    write: Callable[[Path], None],
    advice: str,
) -> bool:
    """Claim the folder for a run; True if it has a run with the same settings to resume, False if it is new or empty.

    `record` is the name of the file with the settings, which `read` reads and `write` writes; `kind` says what such a
    folder contains.  `ConfigError`, ending with `advice`, if the folder has a run with other settings or anything else.
    """
    known = folder / record
    if known.exists():
        check_same(read(known), settings, what=str(folder), advice=advice)
        return True
    if folder.exists() and (not folder.is_dir() or not is_vacant(folder)):
        raise ConfigError(f"{folder} exists and holds no {kind}. {advice}")
    folder.mkdir(parents=True, exist_ok=True)
    write(known)
    return False


def check_same(old: Mapping[str, Any], new: Mapping[str, Any], *, what: str, advice: str) -> None:
    """Raise `ConfigError` if `what` was made with other settings; the message names those that differ."""
    different = list(differences(old, new))
    if not different:
        return
    named = "; ".join(different[:_NAMED])
    more = f"; and {len(different) - _NAMED} more" if len(different) > _NAMED else ""
    raise ConfigError(f"{what} was made with other settings: {named}{more}. {advice}")


def differences(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Each setting that differs, with both values; mappings and lists of equal length are compared item by item.

    >>> list(differences({"plan": "full", "training": {"epochs": 2}}, {"plan": "full", "training": {"epochs": 3}}))
    ['training.epochs was 2, now 3']
    """
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        if old.get("name") != new.get("name"):
            # Things with different names differ in everything: report the names only.
            yield from differences(old.get("name"), new.get("name"), place or "name")
            return
        for key in dict.fromkeys([*old, *new]):
            yield from differences(old.get(key), new.get(key), f"{place}.{key}".lstrip("."))
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple) and len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{place}[{i}]")
    elif old != new:
        yield f"{place} was {_shown(old)}, now {_shown(new)}"


def _shown(value: Any) -> str:
    if value is None:
        return "not given"
    if not isinstance(value, Mapping | list | tuple):
        return str(value)
    if isinstance(value, Mapping) or not all(isinstance(one, str) for one in value):
        return f"{len(value)} items"
    return ", ".join(value) or "none"
