"""Drafts and solvers of other people in Python: what is asked of them, and what is said of wrong answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from math import inf, nan
from types import SimpleNamespace

import numpy as np
import pytest

from weaksup.corpora import read_corpus
from weaksup.errors import ConfigError, WeakSupError
from weaksup.rankers.draft import CheckedDraft, Draft, ScorerError, load_draft
from weaksup.records import Problem
from weaksup.solvers.evaluation import Predictor, Written, answer_accuracy, evaluate_solver, judge_all, written

PROBLEMS = read_corpus("stories", size=40).problems
EXPRS = [["N0", "N0+N1"][: len(problem.quantities)] for problem in PROBLEMS]


def scored(answer: object) -> Draft:
    return CheckedDraft(SimpleNamespace(score=lambda problems, exprs: answer), "mine:S")


def test_scores_may_be_any_numbers_in_any_rows() -> None:
    rows = [np.zeros(len(row), np.float32) for row in EXPRS]
    found = scored(tuple(rows)).score(PROBLEMS, EXPRS)
    assert found == [[0.0] * len(row) for row in EXPRS]
    assert {type(score) for row in found for score in row} == {float}


def test_nobody_is_asked_about_no_problems() -> None:
    draft = CheckedDraft(SimpleNamespace(score=lambda problems, exprs: 1 / 0), "mine:S")
    assert draft.score([], []) == []


def test_minus_infinity_is_a_score() -> None:
    assert scored([[-inf, -1]]).score(PROBLEMS[:1], [["N0", "N0+N0"]]) == [[-inf, -1.0]]


@pytest.mark.parametrize("bad", [nan, inf, "1", None, np.zeros(2)], ids=repr)
def test_what_is_no_score_is_told_with_problem_and_expression(bad: object) -> None:
    with pytest.raises(ScorerError, match=rf"^scorer mine:S gave .* for N0\*N1 of problem {PROBLEMS[0].id}, "):
        scored([[0.0, bad]]).score(PROBLEMS[:1], [["N0+N1", "N0*N1"]])


def test_the_error_of_a_scorer_is_the_cause_of_ours() -> None:
    def score(problems: object, exprs: object) -> None:
        raise KeyError("word")

    with pytest.raises(ScorerError, match=r"failed: KeyError: 'word' \(.*test_own_scorer\.py, line \d+\)") as caught:
        CheckedDraft(SimpleNamespace(score=score), "mine:S").score(PROBLEMS[:1], [["N0"]])
    assert isinstance(caught.value.__cause__, KeyError)


def test_an_interruption_is_no_fault_of_the_scorer() -> None:
    def score(problems: object, exprs: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CheckedDraft(SimpleNamespace(score=score), "mine:S").score(PROBLEMS[:1], [["N0"]])


def test_a_draft_is_found_by_its_name() -> None:
    with pytest.raises(ConfigError, match="can't be called without arguments"):
        load_draft("weaksup.solvers.draft:SolverDraft")
    with pytest.raises(ConfigError, match="has no method score"):
        load_draft("weaksup.rankers:RANKERS")


# --- solvers ----------------------------------------------------------------------------------------------------------


class Adds:
    """Adds the first two quantities."""

    def predict(self, problems: Sequence[Problem], *, beam: int) -> list[list[Written]]:
        return [written(problem, ["N0+N1", "N0*N1"][:beam]) for problem in problems]


class Knows:
    """Writes the gold equation, where it is one over the quantities."""

    def predict(self, problems: Sequence[Problem], *, beam: int) -> list[list[Written]]:
        found = []
        for problem in problems:
            text = (problem.gold or "").removeprefix("x=")
            found.append([Written(expr=text, equation=f"x={text}", value=problem.answer, probability=1.0)])
        return found


def test_a_solver_needs_one_method() -> None:
    solver: Predictor = Adds()
    result = evaluate_solver(solver, PROBLEMS, beam=1)
    sums = [sum(quantity.exact for quantity in problem.quantities[:2]) for problem in PROBLEMS]
    right = [
        len(problem.quantities) > 1 and total == problem.exact_answer
        for problem, total in zip(PROBLEMS, sums, strict=True)
    ]
    assert result.problems == len(PROBLEMS)
    assert result.answer_accuracy == pytest.approx(sum(right) / len(right), abs=1e-6)
    assert 0 < result.answer_accuracy < 1
    assert answer_accuracy(solver, PROBLEMS, beam=1) == result.answer_accuracy
    assert answer_accuracy(Knows(), PROBLEMS, beam=1) == 1.0


def test_the_first_prediction_is_kept_with_its_judgement() -> None:
    judged = judge_all(Adds(), PROBLEMS, beam=2)
    for one, problem in zip(judged, PROBLEMS, strict=True):
        if len(problem.quantities) > 1:
            assert (one.expr, one.probability) == ("N0+N1", 1.0)
            assert one.equation is not None and one.equation.startswith("x=")
        else:
            assert (one.expr, one.equation, one.value, one.probability) == (None, None, None, None)
            assert not one.right_answer


def test_written_leaves_out_what_has_no_value() -> None:
    problem = next(problem for problem in PROBLEMS if len(problem.quantities) == 2)
    found = written(problem, ["N0/(N1-N1)", "N7", "2+", "N0-N0", "(N0+N1)/2"], probability=0.5)
    assert [(one.expr, one.probability) for one in found] == [("N0-N0", 0.5), ("(N0+N1)/2", 0.5)]
    assert found[0].value == "0"


def test_a_solver_with_too_few_lists_is_told() -> None:
    solver = SimpleNamespace(predict=lambda problems, beam: [[]])
    with pytest.raises(WeakSupError, match=r"^the solver gave predictions for 1 problems instead of 40$"):
        evaluate_solver(solver, PROBLEMS)


def test_measuring_somebody_elses_solver_loads_no_torch() -> None:
    code = "import sys, weaksup.solvers.evaluation, weaksup.rankers.draft; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
