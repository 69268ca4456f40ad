"""The calibration of labels: beliefs against gold."""

from __future__ import annotations

import random
from itertools import pairwise
from statistics import fmean

import pytest

from weaksup.measure.calibration import EDGES, calibration
from weaksup.measure.judge import Judge
from weaksup.records import Label, Problem, Quantity


def problem(id: str, gold: str | None = "x=2*50") -> Problem:
    quantities = tuple(Quantity(value=v, surface=v, start=i, end=i + 1, token=i) for i, v in enumerate(("2", "50")))
    return Problem(id=id, text="", tokens=(), quantities=quantities, answer="100", gold=gold)


def label(id: str, posterior: float, *, right: bool = True, candidates: int = 2) -> Label:
    expr, equation = ("N0*N1", "x=2*50") if right else ("N1+N1", "x=50+50")
    return Label(
        id=id,
        expr=expr,
        equation=equation,
        posterior=posterior,
        candidates=candidates,
        stage="all",
        ranker="em",
    )


def test_calibration_compares_beliefs_with_gold() -> None:
    labels = [label("0", 0.97), label("1", 0.96, right=False), label("2", 0.5)]
    low, high = calibration(labels, Judge([problem(label.id) for label in labels]))
    assert (low.low, low.high, low.labels, low.posterior, low.right) == (0.5, 0.6, 1, 0.5, 1.0)
    assert (high.low, high.high, high.labels, high.posterior, high.right) == (0.95, 0.99, 2, 0.965, 0.5)


def test_labels_without_gold_or_without_a_choice_do_not_count() -> None:
    judge = Judge([problem("none", gold=None), problem("unreadable", gold="x=("), problem("lone")])
    labels = [label("none", 0.5), label("unreadable", 0.5), label("lone", 1.0, candidates=1), label("elsewhere", 0.5)]
    assert calibration(labels, judge) == []


def test_every_label_is_in_the_bin_of_its_belief() -> None:
    rng = random.Random(5)
    beliefs = [*EDGES, *[rng.random() for _ in range(300)]]
    labels = [label(str(i), belief, right=rng.random() < belief) for i, belief in enumerate(beliefs)]
    bins = calibration(labels, Judge([problem(label.id) for label in labels]))
    assert [(bin.low, bin.high) for bin in bins] == list(pairwise(EDGES))
    for bin in bins:  # an edge belongs to the bin above it, 1 to the last one
        inside = [one for one in labels if bin.low <= one.posterior < bin.high or one.posterior == bin.high == 1.0]
        assert bin.labels == len(inside)
        assert bin.posterior == pytest.approx(fmean(one.posterior for one in inside), abs=1e-6)
        assert bin.right == pytest.approx(fmean(one.expr == "N0*N1" for one in inside), abs=1e-6)
