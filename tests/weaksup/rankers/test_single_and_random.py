"""The rankers that do not rank."""

from __future__ import annotations

from collections import Counter

from weaksup.rankers import rank_random, rank_single
from weaksup.records import CandidateSet

from .problems import make_sets


def test_single_labels_the_problems_with_one_candidate() -> None:
    sets = make_sets(60, seed=5)
    labels = list(rank_single(sets))
    assert [label.id for label in labels] == [found.id for found in sets if len(found.candidates) == 1]
    assert {(label.posterior, label.candidates, label.ranker) for label in labels} == {(1.0, 1, "single")}


def test_random_labels_all_covered_problems_by_seed() -> None:
    sets = make_sets(60, seed=6)
    labels = list(rank_random(sets, seed=1))
    assert [label.id for label in labels] == [found.id for found in sets if found.candidates]
    assert labels == list(rank_random(sets, seed=1))
    assert labels != list(rank_random(sets, seed=2))


def test_a_random_pick_does_not_depend_on_other_problems() -> None:
    sets = make_sets(60, seed=7)
    whole = {label.id: label for label in rank_random(sets, seed=3)}
    assert all(whole[label.id] == label for label in rank_random(sets[::-3], seed=3))


def test_random_picks_are_uniform() -> None:
    some = max(make_sets(60, seed=8), key=lambda found: len(found.candidates))
    size = len(some.candidates)
    assert size > 2
    renamed = (
        CandidateSet(
            id=str(i), values=some.values, surfaces=some.surfaces, answer=some.answer, candidates=some.candidates
        )
        for i in range(500 * size)
    )
    picks = Counter(label.expr for label in rank_random(renamed))
    assert len(picks) == size
    assert all(400 < count < 600 for count in picks.values())
