"""The numbers of a run by number of quantities; several runs of one arm are averaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..measure.metrics import Accuracy, ArmRun
from ..measure.score import Score
from .numbers_text import Spread, spread_of

__all__ = ["SizeRow", "size_rows"]


class SizeRow(NamedTuple):
    """The problems with some number of quantities."""

    size: str
    train: int | None  # problems of the train part
    labelled: int | None  # those of them with a label
    recall: float | None  # of the search, or of the labels if there was no search
    gold_in_set: float | None
    micro: Spread  # of the labels
    macro: Spread
    tested: int | None  # test problems, summed over the folds
    judged: int | None  # those of them with a gold equation
    answers: Spread
    equations: Spread


def _with_gold(accuracy: Accuracy) -> int:
    """The problems with a gold equation; old runs did not count them."""
    return accuracy.problems if accuracy.with_gold is None else accuracy.with_gold


def size_rows(candidates: Score | None, runs: Sequence[ArmRun]) -> list[SizeRow]:
    """One row for each number of quantities that occurs in any part."""
    labels = [run.oracle.by_quantities for run in runs if run.oracle]
    tests = [run.evaluation.by_quantities for run in runs]
    folds = {run.fold: run.evaluation.by_quantities for run in runs}
    found = candidates.by_quantities if candidates else labels[0] if labels else {}
    rows = []
    sizes = {*found, *[size for of in labels for size in of], *[size for of in tests for size in of]}
    for size in sorted(sizes):
        label = [of[size] for of in labels if size in of]
        test = [of[size] for of in tests if size in of]
        here = found.get(size)
        rows.append(
            SizeRow(
                size,
                train=here.problems if here else None,
                labelled=label[0].covered if label else None,
                recall=here.recall if here else None,
                gold_in_set=here.gold_in_set if here and candidates else None,
                micro=spread_of([of.micro for of in label]),
                macro=spread_of([of.macro for of in label]),
                tested=sum(of[size].problems for of in folds.values() if size in of) if test else None,
                judged=sum(_with_gold(of[size]) for of in folds.values() if size in of) if test else None,
                answers=spread_of([of.answer_accuracy for of in test]),
                equations=spread_of([of.equation_accuracy for of in test]),
            )
        )
    return rows
