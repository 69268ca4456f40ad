"""The rounds of em, with drafts that are told what to answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from weaksup.rankers import rank_em_draft, rank_em_rounds, rank_words
from weaksup.rankers.labels import without_none
from weaksup.rankers.words import word_chances
from weaksup.records import Label, Problem

from .problems import make_sets, problem_of

SETS = make_sets(40, seed=3)
UNSEEN = [found for found in make_sets(60, seed=3)[40:] if found.candidates]
PROBLEMS = {found.id: problem_of(found) for found in [*SETS, *UNSEEN]}


class LongerIsBetter:
    """A draft that likes long expressions, in its first round less than later."""

    def __init__(self, strength: float) -> None:
        self.strength = strength

    def score(self, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> list[list[float]]:
        return [[self.strength * len(expr) for expr in row] for row in exprs]

    def explore(self, problems: Sequence[Problem]) -> list[list[str]]:
        raise AssertionError("em does not explore")


class Trainer:
    """Keeps what it was asked to train with."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[Label], str, float]] = []

    def __call__(self, name: str, labels: Mapping[str, Label], *, soft: str, longer: float = 1.0) -> LongerIsBetter:
        assert all(id == label.id for id, label in labels.items())
        self.asked.append((name, list(labels.values()), soft, longer))
        return LongerIsBetter(0.1 * len(self.asked))


def test_without_rounds_it_is_the_pick_by_words() -> None:
    trainer = Trainer()
    assert rank_em_rounds(SETS, PROBLEMS, trainer, rounds=0) == list(rank_words(SETS, PROBLEMS))
    assert trainer.asked == []


def test_each_draft_learns_from_the_labels_before_it() -> None:
    trainer = Trainer()
    found = rank_em_rounds(SETS, PROBLEMS, trainer, rounds=2, unseen=UNSEEN)
    chances = word_chances(SETS, PROBLEMS, unseen=UNSEEN)
    first = rank_em_rounds(SETS, PROBLEMS, trainer, rounds=0, unseen=UNSEEN)
    unseen = (UNSEEN, chances[len(SETS) :])
    second, third = (
        list(rank_em_draft(SETS, PROBLEMS, LongerIsBetter(strength), chances=chances[: len(SETS)], unseen=unseen))
        for strength in (0.1, 0.2)
    )
    assert trainer.asked == [
        ("round-1", [without_none(label) for label in first], "marginal", 1.0),
        ("round-2", [without_none(label) for label in second], "marginal", pytest.approx(5 / 3)),
    ]
    assert first != second != third
    assert found == third
