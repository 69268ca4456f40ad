"""What answer models and equation models add to the log-probabilities of a decoder's predictions.

An answer model sees only the value of an equation, an equation model only the equation and the words; the decoder knows
neither.  Several solvers that answer as one give the mean of their opinions; a solver without a model of a kind has no
say in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mathcanon import Expr

from ...records import Problem
from . import answer_model, equation_model

__all__ = ["Judging", "plausibility"]


class Judging(Protocol):
    """What a solver says of values and equations, if it has the models."""

    def judge_values(self, problem: Problem, values: Sequence[Fraction]) -> list[float] | None: ...

    def judge_equations(self, problem: Problem, exprs: Sequence[Expr]) -> list[float] | None: ...


def plausibility(
    members: Sequence[Judging], problem: Problem, found: Sequence[tuple[Expr, Fraction]]
) -> npt.NDArray[np.float64]:
    """What to add to the log-probability of each equation with its value, by all members."""
    exprs, values = [expr for expr, _ in found], [value for _, value in found]
    total = np.zeros(len(found))
    for weight, given in (
        (answer_model.WEIGHT, [member.judge_values(problem, values) for member in members]),
        (equation_model.WEIGHT, [member.judge_equations(problem, exprs) for member in members]),
    ):
        scores = [row for row in given if row is not None]
        if scores:
            total += weight * np.array([fsum(column) / len(scores) for column in zip(*scores, strict=True)])
    return total
