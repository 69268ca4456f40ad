"""Axes: from values to positions in a picture, with ticks at round numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from .numbers_text import step_text

__all__ = ["Axis", "category_axis", "share_axis", "value_axis"]


class Axis(NamedTuple):
    """An axis: its label, its range and its ticks."""

    label: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def place(self, value: float, start: float, end: float) -> float:
        """The position of a value on an axis that runs from `start` to `end`."""
        return start + (value - self.low) / (self.high - self.low) * (end - start)


def nice_step(span: float, most: int) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that divides `span` into at most `most` parts.

    >>> [nice_step(span, 5) for span in (10, 7, 0.9, 1200)]
    [2.0, 2.0, 0.2, 250.0]
    """
    if span <= 0:
        return 1.0
    unit = 10.0 ** floor(log10(span / most))
    return next(factor * unit for factor in (1, 2, 2.5, 5, 10, 20) if span / (factor * unit) <= most * (1 + 1e-9))


def value_axis(
    label: str,
    values: Sequence[float],
    *,
    most: int = 5,
    zero: bool = True,
    tight: bool = False,
    write: Callable[[float], str] = step_text,
) -> Axis:
    """An axis that covers the values and begins and ends at a tick, or exactly at the values if `tight`.

    >>> value_axis("steps", [120, 940]).ticks[-1]
    (1000.0, '1,000')
    """
    low, high = min(values, default=0.0), max(values, default=1.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low <= 1e-9 * max(1.0, abs(low), abs(high)):  # all values are equal
        low, high = (0.0, 1.0) if zero else (low - 0.5, high + 0.5)
    step = nice_step(high - low, most)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    if tight:
        ticks = [i * step for i in range(first, last + 1) if low - 1e-9 <= i * step <= high + 1e-9]
        return Axis(label, low, high, tuple([(tick, write(tick)) for tick in ticks]))
    ticks = [i * step for i in range(first, last + 1)]
    return Axis(label, first * step, last * step, tuple([(tick, write(tick)) for tick in ticks]))


def share_axis(label: str, values: Sequence[float] = (0.0, 1.0), *, zero: bool = True) -> Axis:
    """An axis in percent: from 0 to 100, or fitted to the values if not `zero`.

    >>> [text for _, text in share_axis("right").ticks]
    ['0', '25', '50', '75', '100%']
    """
    if zero:
        low, high, step = 0.0, 1.0, 0.25
    else:
        low, high = min(values, default=0.0), max(values, default=1.0)
        step = max(nice_step(max(high - low, 0.05), 5), 0.01)
        low, high = max(0.0, floor(low / step) * step), min(1.0, ceil(high / step - 1e-9) * step)
        low, high = (low, high) if high > low + step / 2 else (low - step, low) if low >= 1 else (low, low + step)
    count = round((high - low) / step)
    ticks = [(low + i * step, step_text(round(100 * (low + i * step), 3))) for i in range(count + 1)]
    return Axis(label, low, high, (*ticks[:-1], (ticks[-1][0], ticks[-1][1] + "%")))


def category_axis(label: str, names: Sequence[str]) -> Axis:
    """An axis with the names at the values 0, 1, 2..."""
    return Axis(label, -0.35, max(len(names), 1) - 0.65, tuple([(float(i), name) for i, name in enumerate(names)]))
