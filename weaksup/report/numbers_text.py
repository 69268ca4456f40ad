"""Numbers as text: percentages with one decimal, thousands separators, mean ± deviation, a dash for unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, stdev

from ..measure.intervals import wilson_interval

__all__ = [
    "NOTHING",
    "Spread",
    "count_text",
    "interval_text",
    "percent",
    "spread_of",
    "step_text",
]

NOTHING = "–"


class Spread:
    """Mean and sample standard deviation over several runs.

    >>> spread = spread_of([0.6, 0.61, None])
    >>> spread.percent, spread.runs
    ('60.5 ± 0.7', 2)
    """

    def __init__(self, values: Sequence[float]) -> None:
        self.runs = len(values)
        self.mean = fmean(values) if values else None
        self.deviation = stdev(values) if len(set(values)) > 1 else None  # not shown if all runs agree

    @property
    def percent(self) -> str:
        return self._text(100, 1)

    @property
    def count(self) -> str:
        """The text of a count: a whole number if all runs agree, else with one decimal."""
        return self._text(1, 0 if self.deviation is None else 1)

    def _text(self, scale: float, decimals: int) -> str:
        if self.mean is None:
            return NOTHING
        text = f"{scale * self.mean:,.{decimals}f}"
        return text if self.deviation is None else f"{text} ± {scale * self.deviation:,.{decimals}f}"


def spread_of(values: Iterable[float | None]) -> Spread:
    """The spread of the known values."""
    return Spread([value for value in values if value is not None])


def percent(share: float | None, *, sign: bool = False, nothing: str = NOTHING) -> str:
    """
    >>> percent(0.9449), percent(0.5, sign=True), percent(None), percent(None, nothing="-")
    ('94.5', '50.0%', '–', '-')
    """
    return nothing if share is None else f"{100 * share:.1f}{'%' if sign else ''}"


def interval_text(share: float | None, of: int | None) -> str:
    """The 95% interval of a share in percent; nothing if it is unknown.

    >>> interval_text(0.8, 100), interval_text(None, 100)
    ('71.1 to 86.7', '')
    """
    found = wilson_interval(share, of)
    return f"{100 * found[0]:.1f} to {100 * found[1]:.1f}" if found else ""


def count_text(count: float | None) -> str:
    """
    >>> count_text(23162), count_text(3.5), count_text(None)
    ('23,162', '3.5', '–')
    """
    if count is None:
        return NOTHING
    return f"{count:,.0f}" if count == int(count) else f"{count:,.1f}"


def step_text(value: float) -> str:
    """The text of an axis tick, without trailing zeros.

    >>> [step_text(value) for value in (0, 0.25, 1.5, 400, 12000)]
    ['0', '0.25', '1.5', '400', '12,000']
    """
    text = f"{value:,.6f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
