"""How good a solver is: answers compared by exact value, equations by a `Judge`, broken down by number of quantities.

A solver is any object with the method of `Predictor`; it need not come from this package.  This module itself does not
load torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Protocol

import msgspec

from mathcanon import MathCanonError, evaluate

from ..errors import WeakSupError
from ..meaning.operand_names import by_name
from ..meaning.writing import equation_text
from ..records import Problem
from .judge import Judge
from .metrics import Accuracy, Evaluation
from .shares import share
from .sizes import SIZES, size_of

__all__ = [
    "ForeignPrediction",
    "JudgedPrediction",
    "Predicted",
    "Predictor",
    "answer_accuracy",
    "evaluate_solver",
    "judge_all",
    "sum_up",
    "written",
]


_AT_ONCE = 640  # problems between two progress reports


class Predicted(Protocol):
    """An equation for a problem, such as `weaksup.solvers.decoding.solver.Prediction` or `ForeignPrediction`."""

    @property
    def expr(self) -> str:
        """The equation as an expression over N0, N1..."""

    @property
    def equation(self) -> str:
        """The equation in the problem's own numbers."""

    @property
    def value(self) -> str:
        """Its exact value: "3", "1/6"."""

    @property
    def probability(self) -> float:
        """How sure the solver is.  It is recorded only; no metric depends on it."""


class Predictor(Protocol):
    """The method that a solver needs to be evaluated."""

    def predict(self, problems: Sequence[Problem], *, beam: int) -> Sequence[Sequence[Predicted]]:
        """A list of equations for each problem, most likely first, possibly empty.  Only the first is evaluated."""
        ...


class ForeignPrediction(msgspec.Struct, frozen=True, kw_only=True):
    """An equation that a solver from outside this package predicts for a problem."""

    expr: str
    equation: str
    value: str
    probability: float


def written(problem: Problem, exprs: Iterable[str], *, probability: float = 1.0) -> list[ForeignPrediction]:
    """Expressions over N0, N1... as predictions for a problem, without those that can't be read or have no value.

    Parameters
    ----------
    problem
        The problem.
    exprs
        Expressions over N0, N1...
    probability
        The probability of each.

    Returns
    -------
    list of ForeignPrediction
        In order.
    """
    values = [quantity.exact for quantity in problem.quantities]
    surfaces = [quantity.surface for quantity in problem.quantities]
    named = by_name(values)
    found = []
    for expr in exprs:
        try:
            value = str(evaluate(expr, named))  # ValueError if it has thousands of digits
        except (MathCanonError, ValueError):
            continue
        equation = equation_text(expr, values, surfaces)
        found.append(ForeignPrediction(expr=expr, equation=equation, value=value, probability=probability))
    return found


class JudgedPrediction(msgspec.Struct, frozen=True, kw_only=True):
    """The first prediction for a problem, if there is one, and whether it is right."""

    id: str
    quantities: str  # their number, as in `SIZES`
    expr: str | None = None
    equation: str | None = None
    value: str | None = None
    probability: float | None = None
    right_answer: bool
    right_equation: bool | None  # None: the problem has no readable gold equation

    @property
    def is_false_match(self) -> bool:
        """Whether the answer is right although the equation is wrong."""
        return self.right_answer and self.right_equation is False


def answer_accuracy(
    solver: Predictor, problems: Sequence[Problem], *, beam: int, tolerance: Fraction = Fraction(0)
) -> float:
    """The fraction of problems whose first prediction has the value of the answer.

    Parameters
    ----------
    solver
        Anything that predicts equations, see `Predictor`.
    problems
        The problems to solve.
    beam
        The width of the beam.
    tolerance
        The largest difference at which values still agree.

    Returns
    -------
    float
        Between 0 and 1.
    """
    right = [_right_answer(found, problem, tolerance) for found, problem in _predicted(solver, problems, beam)]
    return round(sum(right) / len(right), 6)


def evaluate_solver(
    solver: Predictor,
    problems: Sequence[Problem],
    *,
    beam: int = 5,
    tolerance: Fraction = Fraction(0),
    law: str = "value",
) -> Evaluation:
    """Answer and equation accuracy of a solver.

    Parameters
    ----------
    solver
        Any object with `predict(problems, *, beam)`, see `Predictor`.
    problems
        The problems to solve, with their answers; without a gold equation, a problem has no equation accuracy.
    beam
        The number of predictions to ask for; only the best is judged.
    tolerance
        Values that differ from the answer by no more than this are right.
    law
        When an equation is right, see `Judge`.

    Returns
    -------
    Evaluation
        Accuracies and the number of false matches, in all and by number of quantities.
    """
    return sum_up(judge_all(solver, problems, beam=beam, tolerance=tolerance, law=law), beam=beam)


def judge_all(
    solver: Predictor,
    problems: Sequence[Problem],
    *,
    beam: int = 5,
    tolerance: Fraction = Fraction(0),
    law: str = "value",
    progress: Callable[[int, int], None] | None = None,
) -> list[JudgedPrediction]:
    """The first prediction for each problem, judged.

    Parameters
    ----------
    solver
        Anything that predicts equations, see `Predictor`.
    problems
        The problems to solve.
    beam
        The width of the beam.
    tolerance
        The largest difference at which values still agree.
    law
        When an equation is right, see `Judge`.
    progress
        Called with the number done and the total.

    Returns
    -------
    list of JudgedPrediction
        For each problem, in order.
    """
    judge = Judge(problems, law=law)
    judged: list[JudgedPrediction] = []
    if progress:
        progress(0, len(problems))
    for start in range(0, len(problems), _AT_ONCE):
        for found, problem in _predicted(solver, problems[start : start + _AT_ONCE], beam):
            judged.append(_judged(found, problem, judge, tolerance))
        if progress:
            progress(len(judged), len(problems))
    return judged


def sum_up(judged: Sequence[JudgedPrediction], *, beam: int) -> Evaluation:
    """The accuracies of judged predictions.

    Parameters
    ----------
    judged
        Judged predictions.
    beam
        The width of the beam, for the record.

    Returns
    -------
    Evaluation
        Accuracies, in all and by number of quantities.
    """
    whole = _accuracy(judged)
    sizes = {size: _accuracy([one for one in judged if one.quantities == size]) for size in SIZES}
    return Evaluation(
        problems=whole.problems,
        beam=beam,
        answer_accuracy=whole.answer_accuracy,
        equation_accuracy=whole.equation_accuracy,
        with_gold=whole.with_gold,
        false_matches=None if whole.equation_accuracy is None else sum(one.is_false_match for one in judged),
        by_quantities={size: accuracy for size, accuracy in sizes.items() if accuracy.problems},
    )


def _predicted(solver: Predictor, problems: Sequence[Problem], beam: int) -> list[tuple[Sequence[Predicted], Problem]]:
    found = solver.predict(problems, beam=beam)
    if len(found) != len(problems):
        raise WeakSupError(f"the solver gave predictions for {len(found):,} problems instead of {len(problems):,}")
    return list(zip(found, problems, strict=True))


def _judged(found: Sequence[Predicted], problem: Problem, judge: Judge, tolerance: Fraction) -> JudgedPrediction:
    has_gold = judge.gold(problem) is not None
    judged = JudgedPrediction(
        id=problem.id,
        quantities=size_of(problem),
        right_answer=_right_answer(found, problem, tolerance),
        right_equation=False if has_gold else None,
    )
    if not found:
        return judged
    best = found[0]
    return msgspec.structs.replace(
        judged,
        expr=best.expr,
        equation=best.equation,
        value=best.value,
        probability=best.probability,
        right_equation=judge.judge_expr(best.expr, problem),
    )


def _right_answer(found: Sequence[Predicted], problem: Problem, tolerance: Fraction) -> bool:
    return bool(found) and abs(Fraction(found[0].value) - problem.exact_answer) <= tolerance


def _accuracy(judged: Sequence[JudgedPrediction]) -> Accuracy:
    equations = [one.right_equation for one in judged if one.right_equation is not None]
    return Accuracy(
        problems=len(judged),
        answer_accuracy=share(sum(one.right_answer for one in judged), len(judged), digits=6),
        equation_accuracy=share(sum(equations), len(equations), digits=6),
        with_gold=len(equations),
    )
