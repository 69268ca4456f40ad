"""How good a solver is: answers by exact value, equations by meaning, by number of quantities."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from ..oracle import SIZES, size_of
from ..records import Problem
from ..value_level import equation_function, expression_function
from .solver import Prediction, Solver

__all__ = ["Accuracy", "Evaluation", "answer_accuracy", "evaluate_solver", "judge"]


class Accuracy(msgspec.Struct, kw_only=True):
    """Of some problems."""

    problems: int = 0
    answer_accuracy: float | None = None
    equation_accuracy: float | None = None  # of those with a readable gold equation


class Evaluation(msgspec.Struct, kw_only=True):
    """Of a part of a corpus."""

    data: str = ""
    split: str = ""
    problems: int
    beam: int
    answer_accuracy: float | None
    equation_accuracy: float | None
    by_quantities: dict[str, Accuracy]


def answer_accuracy(
    solver: Solver, problems: Sequence[Problem], *, beam: int, tolerance: Fraction = Fraction(0)
) -> float:
    """The share of problems whose first prediction has the value of the answer."""
    right = [_right_answer(found, problem, tolerance) for found, problem in _predicted(solver, problems, beam)]
    return round(sum(right) / len(right), 6)


def evaluate_solver(
    solver: Solver, problems: Sequence[Problem], *, beam: int = 5, tolerance: Fraction = Fraction(0)
) -> Evaluation:
    """Answer and equation accuracy; gold is read here to measure with, nowhere else."""
    judged = [(problem, *judge(found, problem, tolerance)) for found, problem in _predicted(solver, problems, beam)]
    whole = _accuracy([(answer, equation) for _, answer, equation in judged])
    sizes = {
        size: _accuracy([(answer, equation) for problem, answer, equation in judged if size_of(problem) == size])
        for size in SIZES
    }
    return Evaluation(
        problems=whole.problems,
        beam=beam,
        answer_accuracy=whole.answer_accuracy,
        equation_accuracy=whole.equation_accuracy,
        by_quantities={size: accuracy for size, accuracy in sizes.items() if accuracy.problems},
    )


def judge(found: Sequence[Prediction], problem: Problem, tolerance: Fraction = Fraction(0)) -> tuple[bool, bool | None]:
    """Whether the first prediction has the right value, and whether it means the gold equation (None without gold)."""
    values = [quantity.exact for quantity in problem.quantities]
    gold = equation_function(problem.gold, values) if problem.gold is not None else None
    same = None if gold is None else bool(found) and expression_function(found[0].expr, values) == gold
    return _right_answer(found, problem, tolerance), same


def _predicted(solver: Solver, problems: Sequence[Problem], beam: int) -> list[tuple[list[Prediction], Problem]]:
    return list(zip(solver.predict(problems, beam=beam), problems, strict=True))


def _right_answer(found: Sequence[Prediction], problem: Problem, tolerance: Fraction) -> bool:
    return bool(found) and abs(found[0].exact - problem.exact_answer) <= tolerance


def _accuracy(judged: Sequence[tuple[bool, bool | None]]) -> Accuracy:
    equations = [equation for _, equation in judged if equation is not None]
    return Accuracy(
        problems=len(judged),
        answer_accuracy=_share([answer for answer, _ in judged]),
        equation_accuracy=_share(equations),
    )


def _share(right: Sequence[bool]) -> float | None:
    return round(sum(right) / len(right), 6) if right else None
