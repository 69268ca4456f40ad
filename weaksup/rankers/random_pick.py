"""No ranking: each problem is labelled with a random candidate, drawn from the seed and the problem id.

The draw does not depend on other problems, so a problem gets the same label in a part of the corpus as in the whole.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from ..records import CandidateSet, Label
from .labels import make_label

__all__ = ["rank_random"]


def rank_random(sets: Iterable[CandidateSet], *, seed: int = 0) -> Iterator[Label]:
    """A random candidate of each problem, all equally likely: the baseline that every ranker should beat.

    Parameters
    ----------
    sets
        The candidate sets of the problems.
    seed
        The seed of the random choice.

    Yields
    ------
    Label
        For each problem with candidates, in order.
    """
    for candidates in sets:
        size = len(candidates.candidates)
        if size:
            pick = random.Random(f"{seed}:{candidates.id}").randrange(size)
            yield make_label(candidates, [1 / size] * size, ranker="random", pick=pick)
