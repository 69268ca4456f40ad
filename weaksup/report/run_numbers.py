"""The input of the page: metrics.json and examples.jsonl of a run folder."""

from __future__ import annotations

from pathlib import Path

from ..errors import DataError
from ..measure.metrics import Metrics
from ..storage.json_files import read_json
from ..storage.json_lines import read_records
from ..storage.run_files import EXAMPLES, METRICS
from .shown_problems import ShownExample

__all__ = ["read_run"]

_SCHEMA = "weaksup/metrics 1"  # the only version that the page supports


def read_run(folder: Path) -> tuple[Metrics, list[ShownExample]]:
    """The metrics and the examples of a run; raises `DataError` if a file is damaged."""
    path = folder / METRICS
    metrics = read_json(path, Metrics, what="the metrics of a run")
    if (found := f"{metrics.schema} {metrics.version}") != _SCHEMA:
        raise DataError(f"not the metrics of a run: {found}, expected {_SCHEMA}", path=str(path))
    return metrics, list(read_records(folder / EXAMPLES, ShownExample))
