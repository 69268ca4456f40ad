"""The input of the page: the metrics of a run folder, its examples, and how it was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ..errors import DataError
from ..measure.metrics import Metrics
from ..storage.circumstances import Circumstances, read_circumstances
from ..storage.json_files import read_json
from ..storage.json_lines import read_records
from ..storage.run_files import EXAMPLES, MADE, METRICS, TEST_EXAMPLES, TIMES
from .shown_predictions import ShownPrediction
from .shown_problems import ShownExample

__all__ = ["RunNumbers", "read_run"]

_SCHEMA = "weaksup/metrics 1"  # the only version that the page supports


class RunNumbers(NamedTuple):
    """What the page shows."""

    metrics: Metrics
    examples: Sequence[ShownExample] = ()
    predictions: Sequence[ShownPrediction] = ()
    made: Circumstances | None = None
    times: Mapping[str, float] = MappingProxyType({})  # seconds by step


def read_run(folder: Path) -> RunNumbers:
    """The files of a run; raises `DataError` if one is damaged.  Only the metrics and the examples are required."""
    path = folder / METRICS
    if not path.exists():
        raise DataError("no such file: this is not the folder of a finished run of mwp-weak pipeline", path=str(path))
    metrics = read_json(path, Metrics, what="the metrics of a run")
    if (found := f"{metrics.schema} {metrics.version}") != _SCHEMA:
        raise DataError(f"not the metrics of a run: {found}, expected {_SCHEMA}", path=str(path))
    tested, times = folder / TEST_EXAMPLES, folder / TIMES
    return RunNumbers(
        metrics,
        list(read_records(folder / EXAMPLES, ShownExample)),
        list(read_records(tested, ShownPrediction)) if tested.exists() else [],
        read_circumstances(folder / MADE),
        read_json(times, dict[str, float], what="the times of a run") if times.exists() else {},
    )
