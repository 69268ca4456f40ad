"""What rankers ask of a draft model, and beliefs from its scores.

A draft is anything with the two methods of `Draft`; `weaksup.solvers.draft.SolverDraft` makes one of a trained solver.
A problem must not be judged by a model that has learnt its label by heart: `CrossFitted` asks, for each problem, the
model that was trained without it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from math import inf
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..errors import WeakSupError
from ..records import Problem

__all__ = ["CrossFitted", "Draft", "beliefs", "fold_of"]


class Draft(Protocol):
    """A model that has read the problems' texts."""

    def score(self, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> list[list[float]]:
        """The log-probability of each expression (over N0, N1...) of each problem; -inf for one it can't write."""
        ...

    def explore(self, problems: Sequence[Problem]) -> list[list[str]]:
        """Expressions that the model itself proposes for each problem, likeliest first."""
        ...


class CrossFitted:
    """Drafts of which number k was trained without the problems of fold k."""

    def __init__(self, drafts: Sequence[Draft], *, seed: int = 0) -> None:
        self.drafts, self.seed = drafts, seed

    def score(self, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> list[list[float]]:
        found: list[list[float]] = [[] for _ in problems]
        for draft, places in self._shares(problems):
            scores = draft.score([problems[i] for i in places], [exprs[i] for i in places])
            for i, row in zip(places, scores, strict=True):
                found[i] = row
        return found

    def explore(self, problems: Sequence[Problem]) -> list[list[str]]:
        found: list[list[str]] = [[] for _ in problems]
        for draft, places in self._shares(problems):
            for i, row in zip(places, draft.explore([problems[i] for i in places]), strict=True):
                found[i] = row
        return found

    def _shares(self, problems: Sequence[Problem]) -> list[tuple[Draft, list[int]]]:
        shares: list[list[int]] = [[] for _ in self.drafts]
        for i, problem in enumerate(problems):
            shares[fold_of(problem.id, len(self.drafts), seed=self.seed)].append(i)
        return list(zip(self.drafts, shares, strict=True))


def fold_of(id: str, folds: int, *, seed: int = 0) -> int:
    """The fold of a problem, by its id and the seed alone."""
    digest = hashlib.sha256(f"fold:{seed}:{id}".encode()).digest()
    return int.from_bytes(digest[:8]) % folds


def beliefs(scores: Sequence[float]) -> npt.NDArray[np.float64]:
    """Scores in logarithms as beliefs that add up to 1; equal ones where nothing has a score."""
    given = np.asarray(scores, np.float64)
    if not len(given):
        raise WeakSupError("no candidate to believe in")
    best = given.max()
    if best == -inf:
        return np.full(len(given), 1 / len(given))
    shares = np.exp(given - best)
    return np.asarray(shares / shares.sum())
