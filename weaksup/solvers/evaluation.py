"""How good a solver is: answers by exact value, equations by meaning, by number of quantities.

A solver is anything with the method of `Predictor`, also one that is no part of this package: then nothing here loads
torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Protocol

import msgspec

from mathcanon import MathCanonError, evaluate

from ..errors import WeakSupError
from ..labels import equation_text
from ..oracle import SIZES, size_of
from ..records import Problem
from ..run_folder import Accuracy, Evaluation
from ..value_level import equation_function, expression_function

__all__ = [
    "Judged",
    "Predicted",
    "Predictor",
    "Written",
    "answer_accuracy",
    "evaluate_solver",
    "judge",
    "judge_all",
    "sum_up",
    "written",
]


_AT_ONCE = 640  # problems between two signs of life


class Predicted(Protocol):
    """An equation for a problem, such as `weaksup.solvers.solver.Prediction` or `Written`."""

    @property
    def expr(self) -> str:
        """Over N0, N1..."""

    @property
    def equation(self) -> str:
        """In the problem's own numbers."""

    @property
    def value(self) -> str:
        """Exact: "3", "1/6"."""

    @property
    def probability(self) -> float:
        """How sure the solver is; it is kept, and nothing depends on it."""


class Predictor(Protocol):
    """What is needed of a solver to measure it."""

    def predict(self, problems: Sequence[Problem], *, beam: int) -> Sequence[Sequence[Predicted]]:
        """For each problem its equations, likeliest first; an empty list where there is none.  The first one counts."""
        ...


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """An equation that somebody else's solver wrote for a problem."""

    expr: str
    equation: str
    value: str
    probability: float


def written(problem: Problem, exprs: Iterable[str], *, probability: float = 1.0) -> list[Written]:
    """Expressions over N0, N1... as predictions for a problem; what can't be read or has no value is left out."""
    values = [quantity.exact for quantity in problem.quantities]
    surfaces = [quantity.surface for quantity in problem.quantities]
    named = {f"N{i}": value for i, value in enumerate(values)}
    found = []
    for expr in exprs:
        try:
            value = str(evaluate(expr, named))  # a ValueError where it has thousands of digits
        except (MathCanonError, ValueError):
            continue
        equation = equation_text(expr, values, surfaces)
        found.append(Written(expr=expr, equation=equation, value=value, probability=probability))
    return found


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """The first prediction for a problem, and whether it is right; without one its fields are None."""

    id: str
    quantities: str  # how many, as tables have it
    expr: str | None = None
    equation: str | None = None
    value: str | None = None
    probability: float | None = None
    right_answer: bool
    right_equation: bool | None  # None: no readable gold

    @property
    def is_false_match(self) -> bool:
        """The right value by another equation than gold."""
        return self.right_answer and self.right_equation is False


def answer_accuracy(
    solver: Predictor, problems: Sequence[Problem], *, beam: int, tolerance: Fraction = Fraction(0)
) -> float:
    """The share of problems whose first prediction has the value of the answer."""
    right = [_right_answer(found, problem, tolerance) for found, problem in _predicted(solver, problems, beam)]
    return round(sum(right) / len(right), 6)


def evaluate_solver(
    solver: Predictor, problems: Sequence[Problem], *, beam: int = 5, tolerance: Fraction = Fraction(0)
) -> Evaluation:
    """Answer and equation accuracy; gold is read here to measure with, nowhere else."""
    return sum_up(judge_all(solver, problems, beam=beam, tolerance=tolerance), beam=beam)


def judge_all(
    solver: Predictor,
    problems: Sequence[Problem],
    *,
    beam: int = 5,
    tolerance: Fraction = Fraction(0),
    progress: Callable[[int, int], None] | None = None,
) -> list[Judged]:
    """The first prediction for each problem, judged; `progress` hears how many are done, and of how many."""
    judged: list[Judged] = []
    if progress:
        progress(0, len(problems))
    for start in range(0, len(problems), _AT_ONCE):
        for found, problem in _predicted(solver, problems[start : start + _AT_ONCE], beam):
            judged.append(_judged(found, problem, tolerance))
        if progress:
            progress(len(judged), len(problems))
    return judged


def sum_up(judged: Sequence[Judged], *, beam: int) -> Evaluation:
    """The accuracies of judged predictions."""
    whole = _accuracy(judged)
    sizes = {size: _accuracy([one for one in judged if one.quantities == size]) for size in SIZES}
    return Evaluation(
        problems=whole.problems,
        beam=beam,
        answer_accuracy=whole.answer_accuracy,
        equation_accuracy=whole.equation_accuracy,
        false_matches=sum(one.is_false_match for one in judged),
        by_quantities={size: accuracy for size, accuracy in sizes.items() if accuracy.problems},
    )


def judge(found: Sequence[Predicted], problem: Problem, tolerance: Fraction = Fraction(0)) -> tuple[bool, bool | None]:
    """Whether the first prediction has the right value, and whether it means the gold equation (None without gold)."""
    values = [quantity.exact for quantity in problem.quantities]
    gold = equation_function(problem.gold, values) if problem.gold is not None else None
    same = None if gold is None else bool(found) and expression_function(found[0].expr, values) == gold
    return _right_answer(found, problem, tolerance), same


def _predicted(solver: Predictor, problems: Sequence[Problem], beam: int) -> list[tuple[Sequence[Predicted], Problem]]:
    found = solver.predict(problems, beam=beam)
    if len(found) != len(problems):
        raise WeakSupError(f"the solver gave predictions for {len(found):,} problems instead of {len(problems):,}")
    return list(zip(found, problems, strict=True))


def _judged(found: Sequence[Predicted], problem: Problem, tolerance: Fraction) -> Judged:
    answer, equation = judge(found, problem, tolerance)
    judged = Judged(id=problem.id, quantities=size_of(problem), right_answer=answer, right_equation=equation)
    if not found:
        return judged
    best = found[0]
    return msgspec.structs.replace(
        judged, expr=best.expr, equation=best.equation, value=best.value, probability=best.probability
    )


def _right_answer(found: Sequence[Predicted], problem: Problem, tolerance: Fraction) -> bool:
    return bool(found) and abs(Fraction(found[0].value) - problem.exact_answer) <= tolerance


def _accuracy(judged: Sequence[Judged]) -> Accuracy:
    equations = [one.right_equation for one in judged if one.right_equation is not None]
    return Accuracy(
        problems=len(judged),
        answer_accuracy=_share([one.right_answer for one in judged]),
        equation_accuracy=_share(equations),
    )


def _share(right: Sequence[bool]) -> float | None:
    return round(sum(right) / len(right), 6) if right else None
