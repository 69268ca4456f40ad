"""A trained solver as the draft model of a ranker (`weaksup.rankers.drafts.Draft`)."""

from __future__ import annotations

from collections.abc import Sequence

from ...records import Problem
from .scoring import log_probabilities
from .solver import Solver

__all__ = ["SolverDraft"]


class SolverDraft:
    """Scores equations, with a cache, and proposes those of its beam."""

    def __init__(self, solver: Solver, *, beam: int = 5) -> None:
        self.solver, self.beam = solver, beam
        self._known: dict[tuple[str, str], float] = {}  # scores by problem id and equation

    def score(self, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> list[list[float]]:
        given = list(zip(problems, exprs, strict=True))
        new = [[expr for expr in row if (problem.id, expr) not in self._known] for problem, row in given]
        asked = [(problem, row) for problem, row in zip(problems, new, strict=True) if row]
        scores = log_probabilities(self.solver, [problem for problem, _ in asked], [row for _, row in asked])
        for (problem, row), found in zip(asked, scores, strict=True):
            self._known.update(((problem.id, expr), score) for expr, score in zip(row, found, strict=True))
        return [[self._known[problem.id, expr] for expr in row] for problem, row in given]

    def explore(self, problems: Sequence[Problem]) -> list[list[str]]:
        found = self.solver.predict(problems, beam=self.beam)
        return [[prediction.expr for prediction in predictions] for predictions in found]
