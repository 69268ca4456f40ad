"""The likelihood of unseen answers, by which the strengths of the EM are chosen: it is that of a probability."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from weaksup.rankers.em import EMOptions, Model, em_posteriors
from weaksup.rankers.em_answers import universal
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
OPERATORS = ("N0*N1", "N0+N1", "N0-N1", "N1-N0", "N0/N1", "N1/N0")


def log_likelihood(em_strengths: ModuleType, unseen: Sequence[CandidateSet], options: EMOptions) -> float:
    sets = [*SEEN, *unseen]
    model = Model(sets, seen=np.arange(len(sets)) < len(SEEN))
    return float(em_strengths.unseen_log_likelihood(model, options))


def test_templates_share_a_probability_of_less_than_one(em_strengths: ModuleType) -> None:
    # Each template of two leaves, and the rest of the probability is that of templates with more leaves.
    options = EMOptions(kinds=False, none=False)
    shares = [
        math.exp(log_likelihood(em_strengths, [set_of(("30", "6"), template)], options)) for template in OPERATORS
    ]
    assert 0.5 < sum(shares) < 1
    assert max(shares) == shares[0]  # N0*N1, of which three problems are sure
    together = math.exp(log_likelihood(em_strengths, [set_of(("30", "6"), *OPERATORS)], options))
    assert together == pytest.approx(sum(shares))


def test_several_unseen_problems_count_by_their_mean(em_strengths: ModuleType) -> None:
    one, two, three = set_of(("30", "6"), "N0*N1"), set_of(("5", "60"), "N0-N1"), set_of(("7", "8", "9"), "N0+N1+N2")
    options = EMOptions()
    alone = [log_likelihood(em_strengths, [unseen], options) for unseen in (one, two, three)]
    assert log_likelihood(em_strengths, [one, two, three], options) == pytest.approx(sum(alone) / 3)


def test_steps_are_to_the_neighbours_on_the_grid(em_strengths: ModuleType) -> None:
    found = [step.number_strength for step in em_strengths.steps(EMOptions(number_strength=3.0), "number_strength")]
    assert found == [10.0, 1.0]


def test_the_defaults_are_on_the_grid(em_strengths: ModuleType) -> None:
    for strength in em_strengths.STRENGTHS:
        assert getattr(EMOptions(), strength) in em_strengths.GRID


def test_unseen_problems_teach_nothing() -> None:
    sets = sorted([found for found in make_sets(40, seed=5) if found.candidates], key=lambda found: found.id)
    others = [found for found in make_sets(60, seed=6) if found.candidates]
    options = EMOptions()
    alone, beside = (em_posteriors(sets, options, unseen=unseen)[: len(sets)] for unseen in ((), others))
    assert np.concatenate(beside) == pytest.approx(np.concatenate(alone))


def test_the_code_of_numbers_is_a_probability() -> None:
    whole = sum(universal(Fraction(sign * i)) for i in range(1, 5000) for sign in (1, -1)) + universal(Fraction(0))
    parts = sum(universal(Fraction(i, j)) for i in range(1, 60) for j in range(2, 60) if math.gcd(i, j) == 1)
    assert 0.5 < whole + parts < 1
    assert universal(Fraction(7)) > universal(Fraction(70)) > universal(Fraction(7, 3))
    assert universal(Fraction(10**5000)) > 0
