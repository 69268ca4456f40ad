"""Problems grouped by number of quantities, as in the rows of most tables."""

from __future__ import annotations

from ..records import Problem

__all__ = ["SIZES", "size_of"]

SIZES = ("1", "2", "3", "4", "5", "6+")


def size_of(problem: Problem) -> str:
    """The row of a problem: its number of printed quantities, "1" to "5" or "6+" ("0" if it has none)."""
    return "6+" if problem.printed >= 6 else str(problem.printed)
