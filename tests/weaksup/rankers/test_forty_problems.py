"""Forty problems of our own: a corpus too small for an EM that had to learn everything from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from weaksup.corpora import read_corpus
from weaksup.measure.judge import Judge
from weaksup.rankers import rank_em
from weaksup.records import CandidateSet, Problem
from weaksup.search.batch import search_problems
from weaksup.search.plans import load_plan

FORTY = Path(__file__).parent / "forty_problems.jsonl"


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    return list(read_corpus("jsonl", FORTY).problems)


@pytest.fixture(scope="module")
def sets(problems: list[Problem]) -> list[CandidateSet]:
    return list(search_problems([problem.without_gold() for problem in problems], load_plan("full")))


def test_the_problems_have_many_candidates(problems: list[Problem], sets: list[CandidateSet]) -> None:
    assert len(problems) == 40
    assert sum(len(found.candidates) > 1 for found in sets) > 25


@pytest.mark.parametrize(("prior", "least"), [("shipped", 34), ("none", 32)])
def test_most_labels_are_right_without_text(
    problems: list[Problem], sets: list[CandidateSet], prior: str, least: int
) -> None:
    judge = Judge(problems)
    labels = list(rank_em(sets, prior=prior))
    right = [judge.judge_label(label) for label in labels]
    assert sum(map(bool, right)) >= least
    wrong = [label.posterior for label, is_right in zip(labels, right, strict=True) if not is_right]
    assert all(posterior < 0.95 for posterior in wrong)
