"""How good a solver is: answers by exact value, equations by meaning, by number of quantities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import msgspec

from ..oracle import SIZES, size_of
from ..records import Problem
from ..run_folder import Accuracy, Evaluation
from ..value_level import equation_function, expression_function
from .solver import Prediction, Solver

__all__ = ["Judged", "answer_accuracy", "evaluate_solver", "judge", "judge_all", "sum_up"]


_AT_ONCE = 640  # problems between two signs of life


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
    solver: Solver, problems: Sequence[Problem], *, beam: int, tolerance: Fraction = Fraction(0)
) -> float:
    """The share of problems whose first prediction has the value of the answer."""
    right = [_right_answer(found, problem, tolerance) for found, problem in _predicted(solver, problems, beam)]
    return round(sum(right) / len(right), 6)


def evaluate_solver(
    solver: Solver, problems: Sequence[Problem], *, beam: int = 5, tolerance: Fraction = Fraction(0)
) -> Evaluation:
    """Answer and equation accuracy; gold is read here to measure with, nowhere else."""
    return sum_up(judge_all(solver, problems, beam=beam, tolerance=tolerance), beam=beam)


def judge_all(
    solver: Solver,
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
            answer, equation = judge(found, problem, tolerance)
            best = msgspec.structs.asdict(found[0]) if found else {}
            judged.append(
                Judged(id=problem.id, quantities=size_of(problem), **best, right_answer=answer, right_equation=equation)
            )
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


def _accuracy(judged: Sequence[Judged]) -> Accuracy:
    equations = [one.right_equation for one in judged if one.right_equation is not None]
    return Accuracy(
        problems=len(judged),
        answer_accuracy=_share([one.right_answer for one in judged]),
        equation_accuracy=_share(equations),
    )


def _share(right: Sequence[bool]) -> float | None:
    return round(sum(right) / len(right), 6) if right else None
