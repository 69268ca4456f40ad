"""Solvers of any origin: their answers by value, their equations by meaning."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace

import pytest

from weaksup.corpora import read_corpus
from weaksup.errors import ConfigError, WeakSupError
from weaksup.measure.predictions import (
    ForeignPrediction,
    Predictor,
    answer_accuracy,
    evaluate_solver,
    judge_all,
    written,
)
from weaksup.records import Problem, Quantity

STORIES = read_corpus("stories", size=40).problems


def problem_of(values: list[str], answer: str, gold: str | None = None) -> Problem:
    quantities = tuple(Quantity(value=v, surface=v, start=i, end=i + 1, token=i) for i, v in enumerate(values))
    return Problem(id="1", text=" ".join(values), tokens=(), quantities=quantities, answer=answer, gold=gold)


def predicted(expr: str, value: str) -> ForeignPrediction:
    return ForeignPrediction(expr=expr, equation="x=0", value=value, probability=1.0)


def says(*found: list[ForeignPrediction]) -> Predictor:
    """A solver with these predictions for its problems."""
    solver: Predictor = SimpleNamespace(predict=lambda problems, beam: list(found))
    return solver


# --- judging ----------------------------------------------------------------------------------------------------------


def judged(
    found: list[ForeignPrediction], problem: Problem, *, tolerance: Fraction = Fraction(0), law: str = "value"
) -> tuple[bool, bool | None]:
    [one] = judge_all(says(found), [problem], tolerance=tolerance, law=law)
    return one.right_answer, one.right_equation


@pytest.mark.parametrize(
    ("found", "gold", "expected"),
    [
        ([("N0*N1", "4")], "x=2*2", (True, True)),  # both numbers are 2
        ([("N0+N1", "4")], "x=2*2", (True, False)),  # the right answer by a false method
        ([("N0-N1", "0")], "x=2*2", (False, False)),
        ([("N0-N1", "0"), ("N0*N1", "4")], "x=2*2", (False, False)),  # the first one counts
        ([("N1*N0", "4")], None, (True, None)),
        ([("N1*N0", "4")], "x=(2", (True, None)),
        ([("N1*", "4")], "x=2*2", (True, False)),  # an equation that can't be read is not right
        ([], "x=2*2", (False, False)),
        ([], None, (False, None)),
    ],
)
def test_answers_and_methods_are_judged_apart(
    found: list[tuple[str, str]], gold: str | None, expected: tuple[bool, bool | None]
) -> None:
    assert judged([predicted(*pair) for pair in found], problem_of(["2", "2"], "4", gold)) == expected


def test_a_tolerance_is_taken_as_given() -> None:
    problem = problem_of(["1", "3"], "33/100")
    third = [predicted("N0/N1", "1/3")]
    assert judged(third, problem) == (False, None)
    assert judged(third, problem, tolerance=Fraction(1, 100)) == (True, None)
    assert judged(third, problem, tolerance=Fraction(1, 3) - Fraction("0.33")) == (True, None)
    assert judged(third, problem, tolerance=Fraction(1, 1000)) == (False, None)


def test_the_law_says_which_equations_are_right() -> None:
    problem = problem_of(["2", "1", "3"], "6", "x=2*3")
    needless, factored = [predicted("N0*N2/N1", "6")], [predicted("N0*N1+N0*2", "6")]
    by_law = {law: judged(needless, problem, law=law)[1] for law in ("value", "mentioned", "structure")}
    assert by_law["value"] and not by_law["mentioned"]
    assert judged(factored, problem)[1] is False
    expanded = problem_of(["2", "5", "3"], "16", "x=2*(5+3)")
    by_law = {law: judged([predicted("N0*N1+N0*N2", "16")], expanded, law=law)[1] for law in by_law}
    assert by_law == {"value": True, "mentioned": True, "structure": False}
    with pytest.raises(ConfigError, match="unknown law 'nix'"):
        judged(needless, problem, law="nix")


def test_an_evaluation_counts_by_number_of_quantities() -> None:
    problems = [
        problem_of(["2", "2"], "4", "x=2*2"),
        problem_of(["2", "3"], "6", "x=2*3"),
        problem_of(["5"], "5", None),
        problem_of(["5"], "6", "x=5+1"),
    ]
    solver = says([predicted("N0+N1", "4")], [predicted("N0*N1", "6")], [predicted("N0", "5")], [])
    found = evaluate_solver(solver, problems, beam=3)
    assert (found.problems, found.beam, found.false_matches) == (4, 3, 1)
    assert found.answer_accuracy == 0.75 and found.equation_accuracy == pytest.approx(1 / 3, abs=1e-6)
    by_size = {size: (a.problems, a.answer_accuracy, a.equation_accuracy) for size, a in found.by_quantities.items()}
    assert by_size == {"1": (2, 0.5, 0.0), "2": (2, 1.0, 0.5)}
    assert answer_accuracy(solver, problems, beam=1) == 0.75


# --- solvers ----------------------------------------------------------------------------------------------------------


class Adds:
    """Adds the first two quantities."""

    def predict(self, problems: Sequence[Problem], *, beam: int) -> list[list[ForeignPrediction]]:
        return [written(problem, ["N0+N1", "N0*N1"][:beam]) for problem in problems]


class Knows:
    """Writes the gold equation, where it is one over the quantities."""

    def predict(self, problems: Sequence[Problem], *, beam: int) -> list[list[ForeignPrediction]]:
        found = []
        for problem in problems:
            text = (problem.gold or "").removeprefix("x=")
            found.append([ForeignPrediction(expr=text, equation=f"x={text}", value=problem.answer, probability=1.0)])
        return found


def test_a_solver_needs_one_method() -> None:
    solver: Predictor = Adds()
    result = evaluate_solver(solver, STORIES, beam=1)
    sums = [sum(quantity.exact for quantity in problem.quantities[:2]) for problem in STORIES]
    right = [
        len(problem.quantities) > 1 and total == problem.exact_answer
        for problem, total in zip(STORIES, sums, strict=True)
    ]
    assert result.problems == len(STORIES)
    assert result.answer_accuracy == pytest.approx(sum(right) / len(right), abs=1e-6)
    assert 0 < result.answer_accuracy < 1
    assert answer_accuracy(solver, STORIES, beam=1) == result.answer_accuracy
    assert answer_accuracy(Knows(), STORIES, beam=1) == 1.0


def test_the_first_prediction_is_kept_with_its_judgement() -> None:
    judged = judge_all(Adds(), STORIES, beam=2)
    for one, problem in zip(judged, STORIES, strict=True):
        if len(problem.quantities) > 1:
            assert (one.expr, one.probability) == ("N0+N1", 1.0)
            assert one.equation is not None and one.equation.startswith("x=")
        else:
            assert (one.expr, one.equation, one.value, one.probability) == (None, None, None, None)
            assert not one.right_answer


def test_written_leaves_out_what_has_no_value() -> None:
    problem = next(problem for problem in STORIES if len(problem.quantities) == 2)
    found = written(problem, ["N0/(N1-N1)", "N7", "2+", "N0-N0", "(N0+N1)/2"], probability=0.5)
    assert [(one.expr, one.probability) for one in found] == [("N0-N0", 0.5), ("(N0+N1)/2", 0.5)]
    assert found[0].value == "0"


def test_a_solver_with_too_few_lists_is_told() -> None:
    solver = SimpleNamespace(predict=lambda problems, beam: [[]])
    with pytest.raises(WeakSupError, match=r"^the solver gave predictions for 1 problems instead of 40$"):
        evaluate_solver(solver, STORIES)


def test_measuring_somebody_elses_solver_loads_no_torch() -> None:
    modules = "weaksup.measure.predictions, weaksup.measure.metrics, weaksup.corpora.parts, weaksup.rankers.drafts"
    code = f"import sys, {modules}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
