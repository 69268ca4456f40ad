"""Confidence intervals of shares, by Wilson's score method (1927), at 95%.

Unlike the usual share ± 1.96 deviations, the interval stays between 0 and 1 and keeps its level for small numbers and
for shares near 0 or 1.
"""

from __future__ import annotations

from math import sqrt

__all__ = ["LEVEL", "wilson_interval"]

LEVEL = 0.95
_Z = 1.959963984540054  # the 97.5% quantile of the normal distribution


def wilson_interval(share: float | None, of: int | None) -> tuple[float, float] | None:
    """The 95% interval of a share of `of` independent cases; None if the share is unknown or there are no cases.

    >>> low, high = wilson_interval(0.8, 100)
    >>> round(low, 3), round(high, 3)
    (0.711, 0.867)
    """
    if share is None or not of:
        return None
    shrunk = 1 + _Z**2 / of
    middle = (share + _Z**2 / (2 * of)) / shrunk
    half = _Z * sqrt(share * (1 - share) / of + _Z**2 / (4 * of**2)) / shrunk
    return max(0.0, middle - half), min(1.0, middle + half)
