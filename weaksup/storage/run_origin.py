"""The corpus and split that a file or model was made from, which later commands take from its sidecar.

A sidecar (`RunInfo`) keeps every setting of a run for comparison with other runs.  The settings here are used again, so
their types and ranges are checked like those of any other settings.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from mathcanon.files import AnyPath

from ..errors import DataError
from ..settings import FilePath, Fold, Folds, SourceOptions
from .provenance import read_run_info
from .run_files import ORIGIN

__all__ = ["CorpusOptions", "RunOrigin", "SplitOptions", "read_origin", "read_run_origin"]


class CorpusOptions(SourceOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The name of a corpus and the options it was read with."""

    name: str


class SplitOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a corpus was split."""

    split_file: FilePath | None = None
    folds: Folds | None = None
    fold: Fold | None = None


class RunOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """The corpus and split that a run read."""

    corpus: CorpusOptions | None = None
    split: SplitOptions = SplitOptions()
    source: FilePath | None = None  # the path of the corpus


def read_run_origin(sidecar: AnyPath) -> RunOrigin | None:
    """The origin recorded in a sidecar; None if there is no sidecar, `DataError` if its settings are invalid."""
    made = read_run_info(sidecar)
    if made is None:
        return None
    try:
        return msgspec.convert({**made.config, "source": made.source}, RunOrigin)
    except msgspec.ValidationError as error:
        raise DataError(f"not the record of a run: {error}", path=str(sidecar)) from error


def read_origin(folder: AnyPath) -> RunOrigin | None:
    """The record of where the model of a folder comes from, or None if there is none."""
    made = read_run_origin(Path(folder) / ORIGIN)
    if made is not None and made.corpus is None:
        raise DataError("the record names no corpus", path=str(Path(folder) / ORIGIN))
    return made
