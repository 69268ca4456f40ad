"""Counts of canonical classes for large n: a Newton iteration on exact power series (python-flint).

Let v be the exponential generating function of operands and sums, and y = e^v.  The classes are counted by
w = y^2 - y, and z is explicit in y (docs/proofs.md): z = ln(1 + k*w)/k - w + ln(y), with k = 2 if blocks carry
signs and k = 1 if nothing is subtracted.  Its derivative is rational in y, so y solves the differential equation

    y' * (1 + k*w*(1 - y - 2*w)) = y * (1 + k*w),    y(0) = 1,

and each Newton step doubles the number of correct terms at the cost of a few polynomial multiplications.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["class_counts"]


def class_counts(n: int, *, signs: int, progress: Callable[[int, int], None] | None = None) -> list[int]:
    """The number of canonical classes on 1, 2, ..., n operands: up to sign (signs=2), or without subtraction (signs=1).

    `progress(done, total)` is called before each Newton step with the number of terms known.

    >>> class_counts(7, signs=2)
    [1, 5, 47, 733, 15907, 443825, 15129599]
    >>> class_counts(7, signs=1)
    [1, 4, 26, 296, 4672, 94648, 2345072]
    """
    y = _solution(n + 1, signs, progress)
    w = y.mul_low(y, n + 1) - y
    counts: list[int] = []
    factorial = 1
    for i in range(1, n + 1):
        factorial *= i
        counts.append(int((w[i] * factorial).p))
    return counts


def _solution(length: int, k: int, progress: Callable[[int, int], None] | None) -> Any:
    """The first `length` coefficients of y, as a flint polynomial over the rationals."""
    from flint import fmpq_poly

    y, known = fmpq_poly([1]), 1
    while known < length:
        if progress:
            progress(known - 1, length - 1)
        target = min(2 * known, length)
        new = target - known
        w = y.mul_low(y, target) - y
        right = y.mul_low(w * k + 1, target)
        left = w.mul_low(1 - y - 2 * w, target) * k + 1
        # The error of z as a function of y.  It starts at z^known, so `new` terms of each other factor are enough.
        slope = (left.mul_low(y.derivative(), target - 1) - right.truncate(target - 1)).right_shift(known - 1)
        slope = slope.mul_low(_inverse(right, new), new)
        error = slope.left_shift(known - 1).integral().right_shift(known)
        step = error.mul_low(right.mul_low(_inverse(left, new), new), new)
        y, known = y - step.left_shift(known), target
    return y


def _inverse(series: Any, length: int) -> Any:
    """1 / series to `length` terms; the constant term must be 1."""
    inverse, known = series.truncate(1), 1
    while known < length:
        known = min(2 * known, length)
        product = inverse.mul_low(series.truncate(known), known)
        inverse = inverse.mul_low(2 - product, known)
    return inverse
