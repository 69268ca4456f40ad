"""The likelihood of unseen answers, which the strengths of the EM are chosen by: it is a probability."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from weaksup.rankers.em import EMOptions, Model, em_posteriors
from weaksup.rankers.readings import read_candidates
from weaksup.rankers.templates import find_templates
from weaksup.records import Candidate, CandidateSet

from .problems import make_sets


@pytest.fixture
def em_strengths(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "benchmarks"))
    import em_strengths

    assert em_strengths is sys.modules["em_strengths"]
    return em_strengths


def set_of(values: tuple[str, ...], *exprs: str) -> CandidateSet:
    candidates = tuple(Candidate(expr=expr, stage="all", value="1") for expr in exprs)
    return CandidateSet(id="x", values=values, surfaces=values, answer="1", candidates=candidates)


SEEN = [
    *[set_of(("30", "5"), "N0*N1") for _ in range(3)],
    *[set_of(("3", "50"), "N0+N1", "N0*N1") for _ in range(2)],
    set_of(("4", "5"), "N0-N1", "N0/N1", "N0+N1"),
    set_of(("4", "5", "6"), "N0+N1+N2"),
]
EVERY_TEMPLATE_OF_TWO = ("N0*N1", "N0+N1", "N0-N1", "N0/N1")
OPTIONS = [EMOptions(), EMOptions(kinds=False), EMOptions(kind_weight=0.5, kind_backoff=2.0)]


def log_likelihood(em_strengths: ModuleType, unseen: Sequence[CandidateSet], options: EMOptions) -> float:
    sets = [*SEEN, *unseen]
    readings = read_candidates(sets)
    templates = find_templates(readings)
    seen = np.arange(len(sets)) < len(SEEN)
    model = Model(sets, readings, templates, options, seen=seen)
    return float(em_strengths.unseen_log_likelihood(model, readings, templates))


@pytest.mark.parametrize("options", OPTIONS)
def test_an_answer_that_every_template_gives_is_certain(em_strengths: ModuleType, options: EMOptions) -> None:
    certain = set_of(("30", "6"), *EVERY_TEMPLATE_OF_TWO)
    assert log_likelihood(em_strengths, [certain], options) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("options", OPTIONS)
def test_the_answers_of_a_problem_share_a_probability_of_one(em_strengths: ModuleType, options: EMOptions) -> None:
    shares = [
        math.exp(log_likelihood(em_strengths, [set_of(("30", "6"), template)], options))
        for template in EVERY_TEMPLATE_OF_TWO
    ]
    assert sum(shares) == pytest.approx(1)
    assert max(shares) == shares[0]  # N0*N1, of which three problems are sure


def test_several_unseen_problems_count_by_their_mean(em_strengths: ModuleType) -> None:
    options = EMOptions(kinds=False)  # kinds know how many problems there are
    one, two, three = set_of(("30", "6"), "N0*N1"), set_of(("5", "60"), "N0-N1"), set_of(("7", "8", "9"), "N0+N1+N2")
    alone = [log_likelihood(em_strengths, [unseen], options) for unseen in (one, two, three)]
    assert log_likelihood(em_strengths, [one, two, three], options) == pytest.approx(sum(alone) / 3)


def test_steps_are_to_the_neighbours_on_the_grid(em_strengths: ModuleType) -> None:
    found = [step.kind_backoff for step in em_strengths.steps(EMOptions(kind_backoff=3.0), "kind_backoff")]
    assert found == [10.0, 1.0]


def test_unseen_problems_teach_nothing() -> None:
    sets = sorted([found for found in make_sets(40, seed=5) if found.candidates], key=lambda found: found.id)
    twice = [*sets, *sets]
    readings = read_candidates(twice)
    seen = np.arange(len(twice)) < len(sets)
    options = EMOptions()
    weights = Model(twice, readings, find_templates(readings), options, seen=seen).fit()
    beliefs = np.bincount(readings.candidate, weights)
    expected = np.concatenate(em_posteriors(sets, options))
    assert beliefs == pytest.approx(np.concatenate([expected, expected]))
