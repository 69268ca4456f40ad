"""Which predictions the report shows, and how it calls them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from weaksup.measure.predictions import JudgedPrediction
from weaksup.records import Problem
from weaksup.report.shown_predictions import prediction_choices, sample_predictions, verdict_of

WRONG = JudgedPrediction(id="p", quantities="1", right_answer=False, right_equation=False)
FOUND = replace(WRONG, expr="N0", equation="x=3", value="3", probability=0.5)


@pytest.mark.parametrize(
    ("judged", "verdict"),
    [
        (WRONG, "none"),
        (FOUND, "wrong"),
        (replace(FOUND, right_answer=True), "match"),
        (replace(FOUND, right_answer=True, right_equation=True), "right"),
        (replace(FOUND, right_answer=True, right_equation=None), "answer"),
    ],
)
def test_the_verdict(judged: JudgedPrediction, verdict: str) -> None:
    assert verdict_of(judged) == verdict


def test_wrong_ones_are_chosen_more_often_and_the_order_stays() -> None:
    problems = [Problem(id=f"p{i}", text="3", tokens=("3",), quantities=(), answer="3") for i in range(500)]
    right = replace(FOUND, right_answer=True, right_equation=True)
    judged = [replace(FOUND if i < 20 else right, id=f"p{i}") for i in range(500)]
    shown = sample_predictions(problems, judged, limit=100)
    ids = [int(one.id[1:]) for one in shown]
    assert len(ids) == 100 and ids == sorted(ids)
    assert set(range(20)) <= set(ids)
    counts = {choice.value: choice.problems for choice in prediction_choices(shown)["verdict"]}
    assert counts == {"right": 80, "wrong": 20}
    assert sample_predictions(problems[:3], judged) == sample_predictions(problems[:3], judged[:3])
