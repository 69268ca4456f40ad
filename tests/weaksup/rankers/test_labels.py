"""Labels: which candidate is picked, and what is kept of the beliefs."""

from __future__ import annotations

from weaksup.rankers.labels import filter_labels, make_label, without_none
from weaksup.records import Candidate, CandidateSet


def three() -> CandidateSet:
    candidates = tuple(Candidate(expr=e, stage="all", value="4") for e in ("N0+N1", "N0*N1", "N0*(N1+N1-N0)"))
    return CandidateSet(id="7", values=("2", "2"), surfaces=("2", "2"), answer="4", candidates=candidates)


def test_a_label_is_the_likeliest_candidate_and_keeps_the_others() -> None:
    label = make_label(three(), [0.2, 0.5, 0.3], ranker="em")
    assert (label.id, label.expr, label.equation, label.posterior) == ("7", "N0*N1", "x=2*2", 0.5)
    assert (label.candidates, label.stage, label.ranker) == (3, "all", "em")
    assert [(other.expr, other.posterior) for other in label.others] == [("N0*(N1+N1-N0)", 0.3), ("N0+N1", 0.2)]


def test_equal_beliefs_go_to_the_simplest_candidate() -> None:
    assert make_label(three(), [0.3 + 1e-12, 0.4 - 1e-13, 0.4], ranker="em").expr == "N0*N1"


def test_only_so_many_others_are_kept_and_none_that_nobody_believes_in() -> None:
    assert len(make_label(three(), [0.2, 0.5, 0.3], ranker="em", kept=1).others) == 1
    assert make_label(three(), [0.0, 1.0, 0.0], ranker="em").others == ()


def test_labels_are_filtered_by_belief() -> None:
    labels = [make_label(three(), [share, 1 - share, 0.0], ranker="em") for share in (0.95, 0.6, 0.9)]
    assert [label.posterior for label in filter_labels(labels, posterior=0.9)] == [0.95, 0.9]


def test_without_none_the_posteriors_of_a_label_add_up_to_one() -> None:
    label = without_none(make_label(three(), [0.1, 0.2, 0.1], ranker="em"))
    assert (label.expr, label.posterior) == ("N0*N1", 0.5)
    assert [other.posterior for other in label.others] == [0.25, 0.25]
    assert without_none(make_label(three(), [0.0, 0.0, 0.0], ranker="em")).posterior == 1
