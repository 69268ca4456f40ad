"""Drafts of other people in Python: what is asked of them, and what is said of wrong answers."""

from __future__ import annotations

from math import inf, nan
from types import SimpleNamespace

import numpy as np
import pytest

from weaksup.corpora import read_corpus
from weaksup.errors import ConfigError
from weaksup.rankers.drafts import CheckedDraft, Draft, ScorerError, load_draft

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
        load_draft("weaksup.solvers.decoding.solver_draft:SolverDraft")
    with pytest.raises(ConfigError, match="has no method score"):
        load_draft("weaksup.rankers:RANKERS")
