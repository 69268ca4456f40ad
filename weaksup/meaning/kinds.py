"""The kind of a quantity, by its notation and size: a hint at its role that needs none of the surrounding text."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

__all__ = ["KINDS", "kind_of"]

_SIZES = (1, 2, 10, 100, 1000)

#: How many kinds there are.
KINDS = 3 + len(_SIZES) + 1


def kind_of(value: str, surface: str) -> int:
    """0 for a percent, 1 for a fraction, 2 for a decimal; 3 and more for whole numbers up to 1, 2, 10, 100, 1000...

    >>> [kind_of(*pair) for pair in [("2/5", "40%"), ("1/6", "(1/6)"), ("3/2", "1.5"), ("1", "1"), ("12", "12")]]
    [0, 1, 2, 3, 6]
    """
    if "%" in surface:
        return 0
    exact = Fraction(value)
    if exact.denominator > 1:
        return 1 if "/" in surface else 2
    return 3 + bisect_left(_SIZES, exact)
