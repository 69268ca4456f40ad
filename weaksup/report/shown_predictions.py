"""The predictions that the report shows: test problems, each with the solver's equation and whether it is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from ..measure.predictions import JudgedPrediction
from ..measure.shares import Share
from ..records import Problem
from ..settings import Natural
from .browser import Choice, Trees, size_choices, text_parts
from .shown_problems import choose_problems

__all__ = ["ShownPrediction", "browsed_prediction", "prediction_choices", "sample_predictions", "verdict_of"]

#: What a prediction may be, with the words of the filter.
VERDICTS = {
    "right": "right",
    "answer": "right answer, not judged",
    "match": "false match",
    "wrong": "wrong",
    "none": "no prediction",
}


class ShownPrediction(msgspec.Struct, frozen=True, kw_only=True):
    """A test problem and its prediction as the report shows them."""

    id: str
    text: str
    marks: list[tuple[int, int]]  # spans of the quantities in the text
    quantities: Natural
    answer: str
    gold: str | None = None
    equation: str | None = None
    expr: str | None = None
    value: str | None = None
    probability: Share | None = None
    right_answer: bool
    right_equation: bool | None = None


def verdict_of(shown: ShownPrediction | JudgedPrediction) -> str:
    """The key of `VERDICTS` that fits a prediction."""
    if shown.equation is None:
        return "none"
    if not shown.right_answer:
        return "wrong"
    return {True: "right", False: "match", None: "answer"}[shown.right_equation]


def sample_predictions(
    problems: Iterable[Problem], predictions: Iterable[JudgedPrediction], *, limit: int = 1000, seed: int = 0
) -> list[ShownPrediction]:
    """Up to `limit` predictions in the order of the problems.

    If there are more, half of them are chosen from all and half from those that are not right.
    """
    found = {prediction.id: prediction for prediction in predictions}
    known = [problem for problem in problems if problem.id in found]
    chosen = choose_problems(
        known, lambda problem: verdict_of(found[problem.id]) not in ("right", "answer"), limit=limit, seed=seed
    )
    return [_shown(problem, found[problem.id]) for problem in chosen]


def _shown(problem: Problem, found: JudgedPrediction) -> ShownPrediction:
    return ShownPrediction(
        id=problem.id,
        text=problem.text,
        marks=[(quantity.start, quantity.end) for quantity in problem.quantities],
        quantities=len(problem.quantities),
        answer=problem.answer,
        gold=problem.gold,
        equation=found.equation,
        expr=found.expr,
        value=found.value,
        probability=None if found.probability is None else min(1.0, found.probability),
        right_answer=found.right_answer,
        right_equation=found.right_equation,
    )


def browsed_prediction(shown: ShownPrediction, trees: Trees) -> dict[str, Any]:
    """A prediction as the script of the page reads it."""
    return {
        "id": shown.id,
        "parts": text_parts(shown.text, shown.marks),
        "quantities": shown.quantities,
        "answer": shown.answer,
        "gold": shown.gold,
        "equation": shown.equation,
        "expr": shown.expr,
        "value": shown.value,
        "probability": shown.probability,
        "verdict": verdict_of(shown),
        "tree": None if shown.expr is None else trees.place(shown.expr),
    }


def prediction_choices(predictions: Sequence[ShownPrediction]) -> dict[str, list[Choice]]:
    """The choices of each filter; a choice that no prediction has is left out."""
    verdicts = Counter(map(verdict_of, predictions))
    return {
        "quantities": size_choices([shown.quantities for shown in predictions]),
        "verdict": [Choice(key, name, verdicts[key]) for key, name in VERDICTS.items() if verdicts[key]],
    }
