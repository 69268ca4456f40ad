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
from weaksup.meaning.kinds import KINDS
from weaksup.measure.score import score_candidates, score_labels
from weaksup.rankers import rank_em
from weaksup.rankers.em import EMOptions, em_posteriors
from weaksup.rankers.prior_table import PriorTable, TableCorpus
from weaksup.records import Candidate, CandidateSet
from weaksup.search.batch import search_problems
from weaksup.search.plans import load_plan
from weaksup.wording.readings import ROLES

from .problems import make_sets
from .slow_em import slow_posteriors


def set_of(id: str, values: tuple[str, ...], answer: str, *exprs: str, reason: str | None = None) -> CandidateSet:
    candidates = tuple(Candidate(expr=expr, stage="all", value=answer) for expr in exprs)
    return CandidateSet(id=id, values=values, surfaces=values, answer=answer, candidates=candidates, reason=reason)


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


def test_the_first_round_of_one_problem_is_as_worked_out_by_hand() -> None:
    # No counts, no kinds, no table.  Both templates use two of two quantities: P(k | n) = 0.8, P(used | n) = 0.8, and
    # P(kind | k) = 0.8 for no extras, over 6 expressions of two leaves; with N0 again it is 0.8 * 0.2 / 3 over
    # 68 * 2 / 2 expressions of three.  So (0.8 / 6) : (0.8 * 0.2 / 3 / 68), that is 170 : 1.
    sets = [set_of("a", ("3", "5"), "15", "N0*N1", "N0*N1+N0")]
    [belief] = em_posteriors(sets, EMOptions(rounds=1, kinds=False, none=False), prior=None)
    assert belief.tolist() == pytest.approx([170 / 171, 1 / 171])


def test_a_problem_does_not_confirm_itself() -> None:
    # Without the others' counts, more rounds change nothing.
    sets = [set_of("a", ("3", "5"), "15", "N0*N1", "N0*N1+N0")]
    one, many = (em_posteriors(sets, EMOptions(rounds=rounds, none=False), prior=None)[0] for rounds in (1, 16))
    assert one.tolist() == pytest.approx(many.tolist())


def test_a_constant_is_never_an_explanation() -> None:
    sets = [set_of(f"s{i}", (str(7 + i), str(6 + i)), "1", "N0/N0", "N0-N1") for i in range(3)]
    for belief in em_posteriors(sets):
        assert belief[0] == 0 < belief[1]
    [label] = rank_em([set_of("a", ("3",), "1", "N0/N0")])
    assert (label.expr, label.posterior) == ("N0/N0", 0)


def test_the_answer_of_many_problems_is_weak_evidence() -> None:
    odd = set_of("x", ("31", "27"), "100", "(N0+1)*(N1-1-1)/(N1-N0/N0+1-1)")
    usual = [set_of(f"u{i}", ("7", str(i)), "100", reason="no-match") for i in range(3)]
    seldom = [set_of(f"u{i}", ("7", str(i + 2)), str(7 * (i + 2)), "N0*N1") for i in range(30)]
    often = [msgspec.structs.replace(one, answer="100") for one in seldom]
    beliefs = [em_posteriors([odd, *others], prior=None)[0].sum() for others in (seldom, often)]
    assert beliefs[0] > beliefs[1]
    unmatched = em_posteriors([odd, *seldom, *usual], prior=None)[0].sum()
    assert unmatched < beliefs[0]


TABLE = PriorTable(
    corpora=(
        TableCorpus(
            name="a",
            problems=10,
            templates={"2": {"N0*N1": 6.0, "N0*(1-N1)": 3.0}, "3": {"N0*N1+N2": 1.0}},
            roles=tuple(tuple(float((i * j) % 5) for j in range(KINDS)) for i in range(ROLES)),
        ),
        TableCorpus(
            name="b",
            problems=2,
            templates={"2": {"N0*N1": 0.5, "N0+N1": 1.5}},
            roles=tuple(tuple(float(i == j) for j in range(KINDS)) for i in range(ROLES)),
        ),
    )
)


@pytest.mark.parametrize(
    ("options", "prior"),
    [
        (EMOptions(kinds=False, none=False), None),
        (EMOptions(kinds=False), None),
        (EMOptions(), None),
        (EMOptions(), TABLE),
        (EMOptions(readings=1, prior_problems=7.0, template_strength=2.0, order_strength=1.0), TABLE),
    ],
    ids=["templates", "none", "kinds", "table", "one reading"],
)
def test_beliefs_are_those_of_a_plain_implementation(options: EMOptions, prior: PriorTable | None) -> None:
    sets = sorted(make_sets(40, seed=1), key=lambda candidates: candidates.id)
    found = [candidates for candidates in sets if candidates.candidates]
    options = msgspec.structs.replace(options, rounds=5)
    slow = slow_posteriors(found, options, prior, unmatched=len(sets) - len(found))
    for fast, expected in zip(
        [belief for belief in em_posteriors(sets, options, prior=prior) if len(belief)], slow, strict=True
    ):
        assert fast.tolist() == pytest.approx(expected, rel=1e-6, abs=1e-9)


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


def test_beliefs_of_a_problem_leave_room_for_none_of_the_candidates() -> None:
    sets = make_sets(40, seed=4)
    certain = em_posteriors(sets, EMOptions(none=False))
    for candidates, belief, sure in zip(sets, em_posteriors(sets), certain, strict=True):
        assert sure.sum() == pytest.approx(1.0 if candidates.candidates else 0.0)
        assert belief.sum() < 1
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
        assert 0 < belief.sum() < 1


@pytest.mark.slow
def test_the_figures_on_math23k(data_dir: Path) -> None:
    corpus = read_corpus("math23k", data_dir / "math23k" / "Math_23K.json.gz")
    train = split(corpus.problems, corpus="math23k", file=data_dir / "math23k" / "split.json")["train"]
    sets = list(search_problems(train, load_plan("full")))
    candidates = score_candidates(sets, train)
    assert candidates.gold_in_set is not None and candidates.gold_in_set > 0.974
    assert candidates.median is not None and candidates.median <= 5
    plain = score_labels(rank_em(sets, options=EMOptions(kinds=False), prior="none"), train)
    best = score_labels(rank_em(sets), train)
    assert len(train) == 21_162
    assert plain.micro is not None and plain.macro is not None
    assert best.micro is not None and best.macro is not None
    assert plain.micro >= 0.850 and plain.macro >= 0.842
    assert best.micro > plain.micro and best.macro > plain.macro
    assert Fraction(best.covered, len(train)) > Fraction(99, 100)
