"""A trained solver as the draft of a ranker (`weaksup.rankers.draft.Draft`)."""

from __future__ import annotations

from collections.abc import Sequence

from ..records import Problem
from .scoring import log_probabilities
from .solver import Solver

__all__ = ["SolverDraft"]


class SolverDraft:
    """Scores equations, and proposes those of its beam."""

    def __init__(self, solver: Solver, *, beam: int = 5) -> None:
        self.solver, self.beam = solver, beam

    def score(self, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> list[list[float]]:
        return log_probabilities(self.solver, problems, exprs)

    def explore(self, problems: Sequence[Problem]) -> list[list[str]]:
        found = self.solver.predict(problems, beam=self.beam)
        return [[prediction.expr for prediction in predictions] for predictions in found]
