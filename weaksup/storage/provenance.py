"""Sidecar files that record how a file was made: the settings, the versions and the digests of input and output.

The sidecar of `candidates.jsonl` is `candidates.jsonl.run.json`.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

import msgspec

import mathcanon
from mathcanon import files
from mathcanon.files import AnyPath

from ..errors import ConfigError
from .json_files import read_json

__all__ = [
    "RunInfo",
    "check_output",
    "check_same_corpus",
    "digest_records",
    "read_run_info",
    "run_info_path",
    "versions",
]

_PACKAGES = ("numpy", "numba", "python-flint")


class RunInfo(msgspec.Struct, frozen=True, kw_only=True):
    """How a file was made: enough to make it again, and to tell whether another run would make the same file."""

    schema: str  # the kind of file: "weaksup/candidates", "weaksup/labels"
    version: int = 1  # of the schema
    config: dict[str, Any]  # every setting that the result depends on
    input: str  # SHA-256 of the input
    seed: int | None = None
    versions: dict[str, str]
    output: str = ""  # SHA-256 of the file
    source: str | None = None  # the path of the corpus as given to the run; the corpus may have moved since
    counts: dict[str, int] = {}  # of the records in the file

    @property
    def decisive(self) -> dict[str, Any]:
        """What the result depends on.  Of the versions, only our own: the other packages do not change the numbers."""
        return {
            "schema": f"{self.schema} {self.version}",
            **self.config,
            "seed": self.seed,
            "mathcanon": self.versions.get("mathcanon"),
            "input": self.input[:12],
        }

    @property
    def corpus(self) -> str:
        """The corpus that the file was made from, by its name, path and options; more stories are the same corpus."""
        options = dict(self.config.get("corpus") or {"name": "an unknown corpus"})
        options.pop("size", None)
        named = [options.pop("name", ""), self.source, *[f"{option} {value}" for option, value in options.items()]]
        return ", ".join(part for part in named if part)


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that a result may depend on."""
    found = {"mathcanon": mathcanon.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = installed_version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def run_info_path(path: AnyPath) -> Path:
    """The path of the sidecar of a file.

    Parameters
    ----------
    path
        The path of a file.

    Returns
    -------
    Path
        The path of its sidecar, in the same folder.

    Examples
    --------
    >>> run_info_path("candidates.jsonl").name
    'candidates.jsonl.run.json'
    """
    return Path(f"{Path(path)}.run.json")


def read_run_info(sidecar: AnyPath) -> RunInfo | None:
    """The content of a sidecar; None if the file does not exist.

    Parameters
    ----------
    sidecar
        The path of the sidecar, see `run_info_path`.

    Returns
    -------
    RunInfo or None
        How the file was made.

    Raises
    ------
    DataError
        If the sidecar is damaged.
    """
    return read_json(sidecar, RunInfo, what="the record of a run") if os.path.exists(sidecar) else None


def digest_records(records: Iterable[Any]) -> str:
    """SHA-256 of the records as JSON."""
    digest = hashlib.sha256()
    for record in records:
        digest.update(msgspec.json.encode(record))
    return digest.hexdigest()


def check_same_corpus(path: AnyPath, other: AnyPath, *, advice: str) -> None:
    """Raise `ConfigError`, ending with `advice`, if the sidecars of two files name different corpora."""
    one, two = read_run_info(run_info_path(path)), read_run_info(run_info_path(other))
    if one is not None and two is not None and one.corpus != two.corpus:
        message = f"{os.fspath(path)} belongs to another corpus ({one.corpus}) than {os.fspath(other)} ({two.corpus})"
        raise ConfigError(f"{message}. {advice}")


def check_output(
    path: AnyPath, *, inputs: Sequence[AnyPath | None] = (), force: bool = False, schema: str | None = None
) -> None:
    """`mathcanon.files.check_output` for a file and its sidecar.

    With `schema`, a file whose sidecar has it is replaced without `force`, if it was made from the same corpus as the
    first of the `inputs`.
    """
    read = [file for one in inputs if one is not None for file in (one, run_info_path(one))]
    if schema is None:
        files.check_output(path, inputs=read, force=force)
        return
    made = None if force else read_run_info(run_info_path(path))
    ours = force or (made is not None and made.schema == schema)
    for output in (path, run_info_path(path)):
        files.check_output(output, inputs=read, force=ours)
    if made is not None and os.path.exists(path) and inputs and inputs[0] is not None:
        check_same_corpus(path, inputs[0], advice="Choose another output, or replace it (--force)")
