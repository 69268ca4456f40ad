"""Posteriors of candidates -> label records: the chosen candidate, and the runners-up that are kept with it.

Every label is evaluated exactly before it is returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import isinf

from msgspec.structs import replace

from mathcanon import evaluate, parse_equation

from ..errors import WeakSupError
from ..meaning.writing import equation_text, write_expr
from ..records import CandidateSet, Label, Scored

__all__ = ["KEPT", "filter_labels", "make_label", "most_likely", "without_none"]

#: The most runners-up that a label keeps.
KEPT = 30

_LEAST = 1e-6  # the least posterior of a runner-up, and the unit to which posteriors are rounded
_TIE = 1e-9  # posteriors this close (relatively) are a tie, and the simplest candidate is chosen


def make_label(
    candidates: CandidateSet,
    posteriors: Sequence[float],
    *,
    ranker: str,
    pick: int | None = None,
    scores: Sequence[float] | None = None,
    kept: int = KEPT,
) -> Label:
    """The label of a problem: the most likely candidate, or candidate number `pick`.

    Parameters
    ----------
    candidates
        The candidates of the problem.
    posteriors
        The probability of each.
    ranker
        The name of the ranker.
    pick
        The candidate to take instead of the most likely one.
    scores
        The draft's scores, which the label keeps.
    kept
        The most runners-up that the label keeps, written as the search wrote them.

    Returns
    -------
    Label
        The label.

    Raises
    ------
    WeakSupError
        If the chosen equation does not have the value of its candidate.
    """
    if pick is None:
        pick = most_likely(posteriors)
    chosen = candidates.candidates[pick]
    values = [Fraction(value) for value in candidates.values]
    expr = write_expr(chosen.expr, values)
    equation = equation_text(expr, values, candidates.surfaces)
    if evaluate(parse_equation(equation)) != Fraction(chosen.value):
        raise WeakSupError(f"problem {candidates.id}: {equation} does not have the value {chosen.value}")
    score = [None if scores is None or isinf(scores[i]) else round(scores[i], 4) for i in range(len(posteriors))]
    others = [i for i, belief in enumerate(posteriors) if i != pick and belief >= _LEAST]
    others.sort(key=lambda i: (-round(posteriors[i], 6), i))
    return Label(
        id=candidates.id,
        expr=expr,
        equation=equation,
        posterior=round(posteriors[pick], 6),
        candidates=len(posteriors),
        stage=chosen.stage,
        ranker=ranker,
        others=tuple(
            [
                Scored(expr=candidates.candidates[i].expr, posterior=round(posteriors[i], 6), score=score[i])
                for i in others[:kept]
            ]
        ),
        score=score[pick],
    )


def most_likely(posteriors: Sequence[float]) -> int:
    """The place of the highest posterior, of the first one if there are several: candidates are simplest first.

    >>> most_likely([0.2, 0.4, 0.4])
    1
    """
    best = max(posteriors)
    return next(i for i, belief in enumerate(posteriors) if belief >= best * (1 - _TIE))


def without_none(label: Label) -> Label:
    """The label with posteriors that add up to 1, as if one of its candidates were right."""
    whole = label.posterior + sum(other.posterior for other in label.others)
    if whole <= 0:
        return replace(label, posterior=1.0)
    others = [replace(other, posterior=round(other.posterior / whole, 6)) for other in label.others]
    return replace(label, posterior=round(label.posterior / whole, 6), others=tuple(others))


def filter_labels(labels: Iterable[Label], *, posterior: float) -> Iterator[Label]:
    """The labels whose posterior is at least `posterior`.

    Parameters
    ----------
    labels
        Labels.
    posterior
        The smallest posterior to keep.

    Yields
    ------
    Label
        Each that is kept, in order.
    """
    return (label for label in labels if label.posterior >= posterior)
