"""What a page is made of: metrics.json and examples.jsonl of a run folder.

The metrics of a baseline are those of its one arm; what else the page says of it is in its config.toml.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from ..errors import DataError
from ..files import read_records
from ..run_folder import CONFIG, EXAMPLES, METRICS, Arm, Metrics, ShownExample
from .examples import sample_rule

__all__ = ["read_run"]

_SCHEMA = "weaksup/metrics 1"  # what the page is made for


def read_run(folder: Path) -> tuple[Metrics, list[ShownExample]]:
    """The numbers and the examples of a run, of a pipeline or of a baseline; what is damaged is a `DataError`."""
    path = folder / METRICS
    try:
        text = path.read_bytes()
        is_arm = "runs" in msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        if is_arm:
            metrics = _of_baseline(msgspec.json.decode(text, type=Arm), folder / CONFIG)
        else:
            metrics = msgspec.json.decode(text, type=Metrics)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path=str(path)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"not the metrics of a run: {error}", path=str(path)) from error
    if (found := f"{metrics.schema} {metrics.version}") != _SCHEMA:
        raise DataError(f"not the metrics of a run: {found}, expected {_SCHEMA}", path=str(path))
    return metrics, list(read_records(folder / EXAMPLES, ShownExample))


def _of_baseline(arm: Arm, config: Path) -> Metrics:
    """The metrics of a run without a search and with one arm."""
    score = next((run.oracle for run in arm.runs if run.oracle), None)
    seed = arm.runs[0].seed if arm.runs else 0
    return Metrics(
        config=_read_settings(config),
        split="",
        sizes={},
        covered=score.covered if score else 0,
        distribution={},
        arms=[arm],
        examples_rule=sample_rule(score.problems, seed=seed) if score else "",
    )


def _read_settings(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path=str(path)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"not the settings of a run: {error}", path=str(path)) from error
