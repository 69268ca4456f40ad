"""What rankers ask of a draft model, and beliefs from its scores.

A draft is anything with the two methods of `Draft`; `weaksup.solvers.draft.SolverDraft` makes one of a trained solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..errors import WeakSupError
from ..records import Problem

__all__ = ["Draft", "beliefs"]


class Draft(Protocol):
    """A model that has read the problems' texts."""

    def score(self, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> list[list[float]]:
        """The log-probability of each expression (over N0, N1...) of each problem; -inf for one it can't write."""
        ...

    def explore(self, problems: Sequence[Problem]) -> list[list[str]]:
        """Expressions that the model itself proposes for each problem, likeliest first."""
        ...


def beliefs(scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Scores in logarithms as beliefs that add up to 1; equal ones where nothing has a score."""
    given = np.asarray(scores, np.float64)
    if not len(given):
        raise WeakSupError("no candidate to believe in")
    best = given.max()
    if best == -inf:
        return np.full(len(given), 1 / len(given))
    shares = np.exp(given - best)
    return np.asarray(shares / shares.sum())
