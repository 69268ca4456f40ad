"""Posteriors by wrong answers: the decoys themselves, the calibration where the truth is known, and the whole way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathcanon import equivalent, evaluate
from weaksup.errors import DataError
from weaksup.rankers.decoys import calibrated, decoy_problems, rising, without_equation
from weaksup.rankers.rank_file import rank_file
from weaksup.rankers.words import _cross_fit, rank_words
from weaksup.records import CandidateSet, Problem
from weaksup.search.batch import search_problems
from weaksup.storage.json_lines import write_records
from weaksup.wording.readings import Array

from .problems import PLAN
from .test_words import QUICK, told


def search(problems: Iterable[Problem]) -> Iterator[CandidateSet]:
    return search_problems(problems, PLAN)


@pytest.fixture(scope="module")
def shops() -> tuple[dict[str, Problem], list[CandidateSet]]:
    """Problems of two kinds, which their words tell apart."""
    rng = np.random.default_rng(3)
    problems = []
    for i in range(60):
        a, b = (int(number) for number in rng.integers(2, 30, 2))
        if i % 2:
            problems.append(told(f"{i:02}", f"He buys {a} boxes of {b} pens each . How many pens ?", a * b))
        else:
            problems.append(told(f"{i:02}", f"He had {a} pens and finds {b} more . How many pens ?", a + b))
    return {problem.id: problem for problem in problems}, list(search(problems))


# --- wrong answers ----------------------------------------------------------------------------------------------------


def test_a_decoy_is_the_value_of_an_equation_of_another_problem_and_never_the_answer(
    shops: tuple[dict[str, Problem], list[CandidateSet]],
) -> None:
    problems = shops[0]
    equations = {id: "N0*N1" if int(id) % 2 else "N0+N1" for id in problems}
    decoys = list(decoy_problems(list(problems.values()), equations))
    assert len(decoys) > 50 and len({problem.id for problem, _ in decoys}) == len(decoys)
    for decoy, expr in decoys:
        values = {f"N{i}": quantity.exact for i, quantity in enumerate(decoy.quantities)}
        assert decoy.exact_answer == evaluate(expr, values) != problems[decoy.id].exact_answer
        assert decoy.text == problems[decoy.id].text
    assert decoys == list(decoy_problems(list(reversed(problems.values())), equations)), "the order makes no difference"


def test_a_decoy_is_of_the_kind_of_the_answer() -> None:
    problems = [told(str(i), f"{i + 3} nuts for {i + 8} girls", 1) for i in range(30)]
    equations = {problem.id: ("N0/N1", "N0-N1", "N1-N0")[i % 3] for i, problem in enumerate(problems)}
    for decoy, expr in decoy_problems(problems, equations):
        assert expr == "N1-N0" and decoy.exact_answer == 5


def test_equations_that_have_no_value_lend_none() -> None:
    problems = [told(str(i), "0 nuts and 0 more", 1) for i in range(5)]
    assert list(decoy_problems(problems, {problem.id: "N0/N1" for problem in problems})) == []
    assert list(decoy_problems(problems, {})) == []


def test_what_means_the_same_as_the_borrowed_equation_is_not_a_false_match() -> None:
    problem = told("1", "6 2 3", 12)
    (found,) = search([problem])
    kept = without_equation(found, "N0*N1")
    assert 0 < len(kept.candidates) < len(found.candidates)
    assert not [one.expr for one in kept.candidates if equivalent(one.expr, "N0*N1")]


# --- the calibration --------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 5)), min_size=1, max_size=9))
def test_rising_is_the_largest_of_the_smallest_means(pairs: list[tuple[int, int]]) -> None:
    values, weights = (np.array(column, float) for column in zip(*pairs, strict=True))

    def mean(j: int, k: int) -> float:
        return float(np.average(values[j : k + 1], weights=weights[j : k + 1]))

    n = len(values)
    slow = [max(min(mean(j, k) for k in range(i, n)) for j in range(i + 1)) for i in range(n)]
    assert rising(values, weights) == pytest.approx(slow)


def _simulated(count: int, seed: int, *, found: float) -> tuple[list[Array], list[Array], list[int | None]]:
    """Chances of candidates and of decoys, and which candidate is right: false ones come about in the same way."""
    rng = np.random.default_rng(seed)

    def false() -> list[float]:
        return [float(x) for x in np.exp(rng.normal(-6, 1.5, rng.poisson(4)))]

    rows, right = [], []
    for _ in range(count):
        row = false()
        place = int(rng.integers(len(row) + 1)) if rng.random() < found else None
        if place is not None:
            row.insert(place, float(np.exp(rng.normal(-3.5, 1.5))))
        rows.append(np.array(row))
        right.append(place)
    return rows, [np.array(false()) for _ in range(count)], right


@pytest.mark.parametrize("found", [0.4, 0.9])
def test_posteriors_are_right_as_often_as_they_say(found: float) -> None:
    rows, decoys, right = _simulated(6000, 1, found=found)
    posteriors = calibrated(rows, decoys)
    belief = np.array([belief for row in posteriors for belief in row])
    truth = np.array([i == place for row, place in zip(posteriors, right, strict=True) for i in range(len(row))])
    parts = [(belief >= low) & (belief < high) for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.6), (0.6, 1))]
    for here in parts:
        assert here.sum() > 50
        assert abs(belief[here].mean() - truth[here].mean()) < 0.05


def test_believing_the_chances_themselves_would_be_wrong_there() -> None:
    rows, _, right = _simulated(6000, 1, found=0.4)
    best = [
        (row.max() / row.sum(), int(row.argmax()) == place) for row, place in zip(rows, right, strict=True) if len(row)
    ]
    sure = [truth for belief, truth in best if belief > 0.9]
    assert np.mean(sure) < 0.8


def test_the_order_of_candidates_stays_and_posteriors_add_up_to_less_than_one() -> None:
    rows, decoys, _ = _simulated(500, 2, found=0.7)
    for row, posterior in zip(rows, calibrated(rows, decoys), strict=True):
        assert len(row) == len(posterior) and posterior.sum() < 1
        assert (np.diff(posterior[np.argsort(row)]) >= 0).all()


def test_without_decoys_or_candidates_nothing_is_believed() -> None:
    assert [row.tolist() for row in calibrated([np.array([0.2]), np.zeros(0)], [])] == [[0.0], []]
    assert [row.tolist() for row in calibrated([np.zeros(0)], [np.zeros(0)])] == [[]]


# --- the whole way ----------------------------------------------------------------------------------------------------


def test_labels_are_those_of_words_with_other_posteriors(
    shops: tuple[dict[str, Problem], list[CandidateSet]],
) -> None:
    problems, sets = shops
    plain = list(rank_words(sets, problems, options=QUICK))
    checked = list(rank_words(sets, problems, options=QUICK, search=search))
    assert [(label.id, label.expr) for label in plain] == [(label.id, label.expr) for label in checked]
    assert [label.posterior for label in plain] != [label.posterior for label in checked]


def test_a_decoy_is_judged_by_the_model_that_has_not_seen_its_problem() -> None:
    """With a learner whose weights say which problems it was trained on."""
    same = np.array([0, 1, 2, 3, 4, 5, 0, 3, -1])  # six problems, decoys of the first and the fourth, and a new problem
    seen = np.arange(len(same)) < 6

    class Learner:
        choices = SimpleNamespace(form=same)
        ends = (0, len(same))

        def fit(self, problems: Array, options: object, rng: object) -> Array:
            return np.bincount(problems, minlength=len(same)).astype(float)

        def judge(self, problems: Array, weights: Array, logs: Array) -> None:
            logs[problems] = 1 + weights[same[problems]]

    logs = _cross_fit(cast("Any", Learner()), seen, np.ones(len(same), bool), same, QUICK)
    assert logs[:8].tolist() == [1.0] * 8, "judged once, by a model without the problem"
    assert logs[8] == 1, "no model was trained on the new problem"


def test_a_file_of_candidates_without_the_record_of_its_search_is_refused(
    tmp_path: Path, shops: tuple[dict[str, Problem], list[CandidateSet]]
) -> None:
    problems, sets = shops
    write_records(tmp_path / "candidates.jsonl", sets)
    with pytest.raises(DataError, match="record of the search"):
        rank_file(
            tmp_path / "candidates.jsonl",
            tmp_path / "labels.jsonl",
            words=True,
            decoys=True,
            problems=problems.values(),
        )
    assert not (tmp_path / "labels.jsonl").exists()
