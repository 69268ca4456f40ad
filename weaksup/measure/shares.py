"""Shares: fractions between 0 and 1, or None if the denominator is 0."""

from __future__ import annotations

from typing import Annotated

import msgspec

__all__ = ["Share", "share"]

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


def share(some: float, of: float, *, digits: int | None = None) -> float | None:
    """`some` divided by `of`, rounded to `digits` decimals if given; None if `of` is 0.

    >>> share(2, 3, digits=6), share(0, 0)
    (0.666667, None)
    """
    if not of:
        return None
    return some / of if digits is None else round(some / of, digits)
