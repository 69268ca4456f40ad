"""Rankers that ask a draft, against a draft whose scores are known."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log

import numpy as np
import pytest

from weaksup.rankers import rank_basic, rank_beam, rank_em_draft
from weaksup.rankers.drafts import beliefs
from weaksup.rankers.em import em_chances, em_posteriors
from weaksup.rankers.em_draft import shortlist
from weaksup.rankers.words import word_chances
from weaksup.records import Candidate, CandidateSet, Problem, Quantity


def problem(id: str, values: Sequence[str], answer: str) -> Problem:
    text = " ".join(values)
    tokens = tuple(text.split())
    starts = [text.index(value) for value in values]
    quantities = tuple(
        Quantity(value=value, surface=value, start=start, end=start + len(value), token=i)
        for i, (value, start) in enumerate(zip(values, starts, strict=True))
    )
    return Problem(id=id, text=text, tokens=tokens, quantities=quantities, answer=answer)


def candidates(id: str, values: Sequence[str], answer: str, *exprs: str) -> CandidateSet:
    found = tuple(Candidate(expr=expr, stage="all", value=answer) for expr in exprs)
    return CandidateSet(id=id, values=tuple(values), surfaces=tuple(values), answer=answer, candidates=found)


class KnownDraft:
    """Scores from a table, and what it was asked about."""

    def __init__(self, scores: dict[str, float], proposals: dict[str, list[str]] | None = None) -> None:
        self.scores, self.proposals = scores, proposals or {}
        self.asked: list[str] = []
        self.calls: list[list[tuple[str, ...]]] = []  # the expressions of each

    def score(self, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> list[list[float]]:
        self.asked += [problem.id for problem in problems]
        self.calls.append([tuple(row) for row in exprs])
        return [[self.scores.get(expr, -inf) for expr in row] for row in exprs]

    def explore(self, problems: Sequence[Problem]) -> list[list[str]]:
        return [self.proposals.get(problem.id, []) for problem in problems]


TWO_WAYS = candidates("a", ["2", "4"], "8", "N0*N1", "N1+N1")
ONE_WAY = candidates("b", ["3", "4"], "7", "N0+N1")
NOTHING = candidates("c", ["3", "4"], "99")
PROBLEMS = {
    "a": problem("a", ["2", "4"], "8"),
    "b": problem("b", ["3", "4"], "7"),
    "c": problem("c", ["3", "4"], "99"),
}


def test_basic_picks_what_the_draft_finds_likeliest_and_asks_about_several_candidates_only() -> None:
    draft = KnownDraft({"N0*N1": log(0.1), "N1+N1": log(0.3)})
    labels = list(rank_basic([TWO_WAYS, ONE_WAY, NOTHING], PROBLEMS, draft))
    assert [(label.id, label.expr, label.ranker) for label in labels] == [
        ("a", "N1+N1", "basic"),
        ("b", "N0+N1", "basic"),
    ]
    assert draft.asked == ["a"]
    assert labels[0].posterior == pytest.approx(0.75)
    assert labels[0].score == pytest.approx(log(0.3), abs=1e-4)
    assert labels[0].others[0].score == pytest.approx(log(0.1), abs=1e-4)
    assert labels[1].posterior == 1 and labels[1].score is None


def test_a_candidate_that_the_draft_cannot_write_loses_and_with_none_the_simplest_is_taken() -> None:
    assert next(rank_basic([TWO_WAYS], PROBLEMS, KnownDraft({"N1+N1": -50.0}))).expr == "N1+N1"
    assert next(rank_basic([TWO_WAYS], PROBLEMS, KnownDraft({}))).expr == "N0*N1"


def test_beam_adds_new_right_valued_equations_of_the_draft_and_no_others() -> None:
    # 4+2+2 is new and right; N1*N0 means N0*N1; N0+N1 is wrong; N0/(N1-N1) has no value.
    proposals = {"a": ["N1+N0+N0", "N1*N0", "N0+N1", "N0/(N1-N1)"]}
    draft = KnownDraft({"N0*N1": -3.0, "N1+N1": -4.0, "N1+N0+N0": -1.0}, proposals)
    (label,) = rank_beam([TWO_WAYS], PROBLEMS, draft)
    assert label.expr in ("N0+N1+N0", "N0+N0+N1") and label.stage == "beam"
    assert label.candidates == 3


def test_beam_asks_first_what_basic_asks_and_then_about_its_own_equations_only() -> None:
    draft = KnownDraft({}, {"a": ["N1+N0+N0"], "b": ["N1*1+N0+N0-N0"], "c": ["N1*N1*N0*(N0-1)+N0"]})
    list(rank_basic([TWO_WAYS, ONE_WAY, NOTHING], PROBLEMS, draft))
    list(rank_beam([TWO_WAYS, ONE_WAY, NOTHING], PROBLEMS, draft))
    basic, first, second = draft.calls
    assert first == basic == [("N0*N1", "N1+N1")]
    assert second == [("N1+N0+N0",)]  # b's means what is there, c's is single then


def test_beam_asks_about_a_lone_candidate_once_there_is_another() -> None:
    lone = candidates("a", ["2", "4"], "8", "N0*N1")
    draft = KnownDraft({"N0*N1": -3.0, "N1+N1": -4.0}, {"a": ["N1+N1"]})
    (label,) = rank_beam([lone], PROBLEMS, draft)
    assert draft.calls == [[], [("N0*N1", "N1+N1")]]
    assert (label.expr, label.score) == ("N0*N1", pytest.approx(-3.0))


def test_beam_can_label_a_problem_that_the_search_found_nothing_for() -> None:
    draft = KnownDraft({}, {"c": ["N1*N1*N0*(N0-1)+N0", "N0*N0*N1+N1*N0*N1+N0*N1+N0"]})
    labels = list(rank_beam([NOTHING], PROBLEMS, draft))
    assert [label.stage for label in labels] == ["beam"]


def test_em_mixes_words_and_draft_by_how_well_they_predict_the_answers() -> None:
    many = [candidates(str(i), ["2", str(i)], str(2 * i), "N0*N1") for i in range(5, 20)]
    sets = [*many, TWO_WAYS]
    scores = {"N0*N1": -2.0, "N1+N1": -1.0}
    problems = {found.id: problem(found.id, found.values, found.answer) for found in sets}
    chances = word_chances(sets, problems)
    *_, label = rank_em_draft(sets, problems, KnownDraft(scores))

    def fit(share: float) -> float:  # the log-likelihood of all answers
        drafted = [sum(exp(scores[candidate.expr]) for candidate in found.candidates) for found in sets]
        return sum(log(share * own + (1 - share) * row.sum()) for own, row in zip(drafted, chances, strict=True))

    share = max((i / 10_000 for i in range(1, 10_000)), key=fit)
    weights = [
        share * exp(score) + (1 - share) * chance for score, chance in zip(scores.values(), chances[-1], strict=False)
    ]
    shares = [weight / (sum(weights) + (1 - share) * chances[-1][-1]) for weight in weights]
    assert label.posterior == pytest.approx(max(shares), abs=1e-3)
    assert label.expr == ("N0*N1" if shares[0] > shares[1] else "N1+N1")


@pytest.mark.parametrize("score", [-inf, -80.0])
def test_a_draft_that_predicts_no_answer_is_not_listened_to(score: float) -> None:
    [label] = rank_em_draft([TWO_WAYS], PROBLEMS, KnownDraft({"N0*N1": -inf, "N1+N1": score}))
    [row] = word_chances([TWO_WAYS], PROBLEMS)
    assert label.posterior == pytest.approx(row[:-1].max() / row.sum(), abs=1e-5)


def test_the_chances_of_a_problem_are_its_posteriors_times_the_probability_of_the_answer() -> None:
    sets = [TWO_WAYS, NOTHING, ONE_WAY]
    for belief, chance in zip(em_posteriors(sets), em_chances(sets), strict=True):
        assert len(chance) == len(belief) + 1
        assert chance[:-1].tolist() == pytest.approx((belief * chance.sum()).tolist())
        assert chance.sum() < 1


def test_the_shortlist_keeps_the_likeliest_in_the_order_of_the_set() -> None:
    import numpy as np

    exprs = [f"N0+N{i % 2}*{i}" for i in range(40)]
    found = candidates("x", ["1", "2"], "3", *exprs)
    belief = np.asarray([(7 * i) % 40 + 1.0 for i in range(40)])
    ((short, kept),) = shortlist([found], [np.append(belief, 5.0)])
    best = sorted(sorted(range(40), key=lambda i: -belief[i])[:10])
    assert [candidate.expr for candidate in short.candidates] == [exprs[i] for i in best]
    assert kept[:-1].tolist() == [belief[i] for i in best]
    assert kept.sum() == belief.sum() + 5  # what is not on the list counts as "none of it"


def test_beliefs_are_shares_and_equal_where_nothing_is_known() -> None:
    assert beliefs([log(1), log(3)]).tolist() == pytest.approx([0.25, 0.75])
    assert beliefs([-inf, -inf]).tolist() == [0.5, 0.5]
    assert beliefs([-10_000.0, -10_001.0]).sum() == pytest.approx(1)


UNSEEN = candidates("u", ["2", "4"], "8", "N1*N0", "N0+N1+N0")
UNSEEN_PROBLEMS = PROBLEMS | {"u": problem("u", ["2", "4"], "8")}


def test_em_is_no_surer_of_what_its_draft_was_trained_with_than_of_unseen_problems() -> None:
    flat = [np.array([1e-9, 1e-9, 0.0]), np.array([1e-9, 0.0])]  # so the draft decides alone
    draft = KnownDraft({"N0*N1": log(0.96), "N1+N1": log(0.04), "N1*N0": log(0.3), "N0+N1+N0": log(0.1)})
    sure, single = rank_em_draft([TWO_WAYS, ONE_WAY], PROBLEMS, draft, chances=flat)
    assert sure.posterior == pytest.approx(0.96, abs=1e-4) and single.posterior == 1
    tempered, single = rank_em_draft(
        [TWO_WAYS, ONE_WAY], UNSEEN_PROBLEMS, draft, chances=flat, unseen=([UNSEEN], flat[:1])
    )
    assert tempered.posterior == pytest.approx(0.75, abs=1e-3)  # 0.3 of 0.4
    assert (tempered.expr, tempered.score) == (sure.expr, sure.score)
    assert single.posterior == pytest.approx(1, abs=1e-2)


def test_em_stays_as_it_is_where_unseen_problems_say_nothing() -> None:
    flat = [np.array([1e-9, 1e-9, 0.0])]
    draft = KnownDraft({"N0*N1": log(0.6), "N1+N1": log(0.4), "N1*N0": log(0.9), "N0+N1+N0": log(0.1)})
    [plain] = rank_em_draft([TWO_WAYS], PROBLEMS, draft, chances=flat)
    [surer] = rank_em_draft([TWO_WAYS], UNSEEN_PROBLEMS, draft, chances=flat, unseen=([UNSEEN], flat))
    assert surer == plain
    without = ([NOTHING], [np.zeros(1)])
    assert list(rank_em_draft([TWO_WAYS], PROBLEMS, draft, chances=flat, unseen=without)) == [plain]
