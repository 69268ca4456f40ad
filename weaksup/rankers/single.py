"""The paper's `single` data: a problem with one candidate is labelled with it, the others are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..records import CandidateSet, Label
from .labels import make_label

__all__ = ["rank_single"]


def rank_single(sets: Iterable[CandidateSet], *, seed: int = 0) -> Iterator[Label]:
    """The labels of the problems that have one candidate, in order.

    Parameters
    ----------
    sets
        The candidate sets of the problems.
    seed
        Not used, as nothing is random.

    Yields
    ------
    Label
        For each problem with one candidate.

    References
    ----------
    Liu et al., *ComSearch*, EACL 2023.
    """
    for candidates in sets:
        if len(candidates.candidates) == 1:
            yield make_label(candidates, [1.0], ranker="single")
