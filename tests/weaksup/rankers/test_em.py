"""The EM ranker: against a plain implementation, on a case worked out by hand, and on Math23K as published."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np
import pytest

from weaksup.corpora import read_corpus
from weaksup.corpora.splits import split
from weaksup.measure.score import score_candidates, score_labels
from weaksup.rankers import rank_em
from weaksup.rankers.em import PLAIN, EMOptions, em_posteriors
from weaksup.records import Candidate, CandidateSet
from weaksup.search.batch import search_problems
from weaksup.search.plans import load_plan

from .problems import make_sets
from .slow_em import slow_posteriors


def set_of(id: str, values: tuple[str, ...], answer: str, *exprs: str) -> CandidateSet:
    candidates = tuple(Candidate(expr=expr, stage="all", value=answer) for expr in exprs)
    return CandidateSet(id=id, values=values, surfaces=values, answer=answer, candidates=candidates)


def test_a_template_that_explains_more_problems_wins() -> None:
    sure = [set_of(f"s{i}", ("8", "2"), "4", "N0/N1") for i in range(5)]
    doubtful = set_of("d", ("4", "2"), "2", "N0-N1", "N0/N1")
    label = list(rank_em([*sure, doubtful]))[-1]
    assert (label.expr, label.candidates) == ("N0/N1", 2)
    assert label.posterior > 0.6


def test_nothing_is_learnt_from_unseen_problems_but_they_are_judged() -> None:
    sure = [set_of(f"s{i}", ("8", "2"), "4", "N0/N1") for i in range(5)]
    doubtful = set_of("d", ("4", "2"), "2", "N0-N1", "N0/N1")
    against = [set_of(f"u{i}", ("9", "2"), "7", "N0-N1") for i in range(50)]
    few, many = (em_posteriors([*sure, doubtful], unseen=[doubtful, *against[:size]]) for size in (1, 50))
    assert len(many) == 6 + 51
    assert many[5].tolist() == pytest.approx(few[5].tolist())
    assert many[6].argmax() == 1  # as the seen ones say
    assert em_posteriors([*sure, *against, doubtful])[-1].argmax() == 0


def test_a_quantity_of_an_unusual_kind_speaks_against_a_template() -> None:
    percents = [set_of(f"p{i}", ("200", "3/10"), "60", "N0*N1") for i in range(5)]
    whole = [set_of(f"w{i}", ("2", "5"), "7", "N0+N1") for i in range(5)]
    percents = [msgspec.structs.replace(one, surfaces=("200", "30%")) for one in percents]
    doubtful = set_of("d", ("2", "2"), "4", "N0*N1", "N0+N1")
    believed = {
        kinds: em_posteriors([*percents, *whole, doubtful], EMOptions(kinds=kinds))[-1] for kinds in (False, True)
    }
    assert believed[True][1] > believed[False][1]


def test_two_rounds_of_the_plain_em_are_as_worked_out_by_hand() -> None:
    # One stage of two templates.  Round 1: each has 1/2 * 10/(2+10), so the second problem is at 1/2 : 1/2.
    # Round 2: counts 3/2 and 1/2, P = (3/2 + 5) : (1/2 + 5) = 13 : 11.
    sets = [set_of("a", ("3", "5"), "15", "N0*N1"), set_of("b", ("2", "4"), "8", "N0*N1", "N0/N1")]
    options = msgspec.structs.replace(PLAIN, rounds=2)
    beliefs = em_posteriors(sets, options)
    assert beliefs[0].tolist() == [1.0]
    assert beliefs[1].tolist() == pytest.approx([13 / 24, 11 / 24])


@pytest.mark.parametrize(
    "options",
    [
        PLAIN,
        EMOptions(kinds=False),
        EMOptions(pool=False),
        EMOptions(),
        EMOptions(readings=1),
    ],
    ids=["plain", "pool", "kinds", "all", "one reading"],
)
def test_beliefs_are_those_of_a_plain_implementation(options: EMOptions) -> None:
    sets = [candidates for candidates in make_sets(60, seed=1) if candidates.candidates]
    sets.sort(key=lambda candidates: candidates.id)
    options = msgspec.structs.replace(options, rounds=min(options.rounds, 8))
    for fast, slow in zip(em_posteriors(sets, options), slow_posteriors(sets, options), strict=True):
        assert fast.tolist() == pytest.approx(slow, rel=1e-6, abs=1e-9)


def test_a_quantity_of_value_one_may_be_the_constant() -> None:
    # N0-1 is the template of four problems; in the fifth it may be written N0-N1, as its N1 is 1.
    sure = [set_of(f"s{i}", (str(5 + i), "3"), str(4 + i), "N0-1") for i in range(4)]
    both = set_of("b", ("2", "1"), "1", "N0/N0", "N0-N1")
    assert em_posteriors([*sure, both])[-1].argmax() == 1


def test_the_order_of_problems_makes_no_difference() -> None:
    sets = make_sets(80, seed=2)
    shuffled = sets[:]
    random.Random(0).shuffle(shuffled)
    labels = {label.id: label for label in rank_em(sets)}
    assert labels == {label.id: label for label in rank_em(shuffled)}
    assert list(labels) == [candidates.id for candidates in sets if candidates.candidates]


def test_the_same_sets_give_the_same_labels() -> None:
    sets = make_sets(40, seed=3)
    assert list(rank_em(sets)) == list(rank_em(iter(sets)))


def test_beliefs_of_a_problem_sum_to_one() -> None:
    sets = make_sets(40, seed=4)
    for candidates, belief in zip(sets, em_posteriors(sets), strict=True):
        assert belief.sum() == pytest.approx(1.0 if candidates.candidates else 0.0)
        assert np.all(belief >= 0)


def test_nothing_to_rank_is_no_error() -> None:
    empty = CandidateSet(id="1", values=("3",), surfaces=("3",), answer="7", reason="no-match")
    assert list(rank_em([])) == []
    assert list(rank_em([empty])) == []


def test_powers_and_other_constants_are_templates_too() -> None:
    sets = [
        set_of("a", ("3", "2"), "471/25", "3.14*N0*N1"),
        set_of("b", ("3",), "9", "N0^2"),
        set_of("c", ("3", "100"), "300", "N0*100", "N0*N1"),
    ]
    for candidates, belief in zip(sets, em_posteriors(sets), strict=True):
        assert len(belief) == len(candidates.candidates)
        assert belief.sum() == pytest.approx(1)


@pytest.mark.slow
def test_the_figures_on_math23k(data_dir: Path) -> None:
    corpus = read_corpus("math23k", data_dir / "math23k" / "Math_23K.json.gz")
    train = split(corpus.problems, corpus="math23k", file=data_dir / "math23k" / "split.json")["train"]
    sets = list(search_problems(train, load_plan("full")))
    candidates = score_candidates(sets, train)
    assert candidates.gold_in_set is not None and candidates.gold_in_set > 0.974
    assert candidates.median is not None and candidates.median <= 5
    plain = score_labels(rank_em(sets, options=PLAIN), train)
    best = score_labels(rank_em(sets), train)
    assert len(train) == 21_162
    assert plain.micro is not None and plain.macro is not None
    assert best.micro is not None and best.macro is not None
    assert plain.micro >= 0.850 and plain.macro >= 0.842
    assert best.micro > plain.micro and best.macro > plain.macro
    assert Fraction(best.covered, len(train)) > Fraction(99, 100)
