"""The training rows of several runs -> one line per arm.

Runs may have been validated at different steps (folds differ in size).  Each run is therefore interpolated linearly
between its validations, at every step that some run has and that all runs cover.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from statistics import fmean

from ..measure.metrics import Arm, TrainingRow
from .charts import Line
from .palette import SERIES

__all__ = ["arm_style", "training_line"]

Points = Sequence[tuple[float, float]]


def arm_style(arms: Sequence[Arm], arm: Arm) -> int:
    """The series number of an arm; gold always gets the neutral one."""
    if arm.name == "gold":
        return SERIES - 1
    return [other.name for other in arms if other.name != "gold"].index(arm.name) % (SERIES - 1)


def training_line(arm: Arm, style: int, value: Callable[[TrainingRow], float | None]) -> Line | None:
    """The mean over the runs of an arm, with a band from minimum to maximum; None if there is nothing to draw."""
    runs = [_points(run.training, value) for run in arm.runs]
    runs = [points for points in runs if points]
    if not runs:
        return None
    first, last = max(points[0][0] for points in runs), min(points[-1][0] for points in runs)
    steps = sorted({step for points in runs for step, _ in points if first <= step <= last}) or [last]
    at = [(step, [value_at(points, step) for points in runs]) for step in steps]
    band = tuple([(step, min(values), max(values)) for step, values in at]) if len(runs) > 1 else ()
    mean = tuple([(step, fmean(values)) for step, values in at])
    return Line(arm.name, style, mean, band, dashed=arm.name == "gold")


def _points(rows: Sequence[TrainingRow], value: Callable[[TrainingRow], float | None]) -> list[tuple[float, float]]:
    """The known values by step; the later row counts if a step has two."""
    known = {float(row.step): value(row) for row in rows}
    return sorted([(step, found) for step, found in known.items() if found is not None])


def value_at(points: Points, step: float) -> float:
    """The value at a step, interpolated linearly.

    >>> value_at([(0, 1.0), (10, 2.0)], 5), value_at([(0, 1.0), (10, 2.0)], 99)
    (1.5, 2.0)
    """
    i = bisect_left(points, step, key=lambda point: point[0])
    if i == len(points):
        return points[-1][1]
    if i == 0 or points[i][0] == step:
        return points[i][1]
    (a, low), (b, high) = points[i - 1], points[i]
    return low + (high - low) * (step - a) / (b - a)
