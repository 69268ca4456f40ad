"""Calibration of a ranker: how many of the labels with a given posterior probability are right."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from math import fsum

import msgspec

from ..records import Label
from ..settings import Natural
from .judge import Judge
from .shares import Share, share

__all__ = ["EDGES", "Bin", "calibration", "calibration_error"]

#: Edges of the bins, finer where most labels are.
EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """Labels of similar posterior, and the fraction of them that is right."""

    low: Share
    high: Share
    labels: Natural
    posterior: Share  # mean
    right: Share | None


def calibration(labels: Iterable[Label], judge: Judge) -> list[Bin]:
    """Labels binned by posterior, with the fraction of right ones; empty bins are left out.

    Counts only labels that were chosen among several candidates (the posterior of a lone candidate is 1 by definition)
    and whose problems have a readable gold equation.
    """
    found: dict[int, list[tuple[float, bool]]] = {}
    for label in labels:
        right = judge.judge_label(label) if label.candidates > 1 and label.id in judge.problems else None
        if right is not None:
            place = min(bisect_right(EDGES, label.posterior), len(EDGES) - 1) - 1
            found.setdefault(max(place, 0), []).append((label.posterior, right))
    return [
        Bin(
            low=EDGES[place],
            high=EDGES[place + 1],
            labels=len(inside),
            posterior=round(fsum(belief for belief, _ in inside) / len(inside), 6),
            right=share(sum(right for _, right in inside), len(inside), digits=6),
        )
        for place, inside in sorted(found.items())
    ]


def calibration_error(bins: Iterable[Bin]) -> float | None:
    """The expected calibration error: how far the mean posterior of a bin is from the fraction right, on average.

    >>> one = Bin(low=0.9, high=0.95, labels=3, posterior=0.92, right=0.9)
    >>> two = Bin(low=0.5, high=0.6, labels=1, posterior=0.5, right=0.6)
    >>> round(calibration_error([one, two]), 6)
    0.04
    """
    known = [(bin.labels, abs(bin.posterior - bin.right)) for bin in bins if bin.right is not None]
    labels = sum(count for count, _ in known)
    return fsum(count * off for count, off in known) / labels if labels else None
