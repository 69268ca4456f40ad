"""No ranking: each problem is labelled with one of its candidates, drawn by seed and problem id.

The draw of a problem depends on no other problem, so a part of a corpus gets the same labels as the whole.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from ..labels import make_label
from ..records import CandidateSet, Label

__all__ = ["rank_random"]


def rank_random(sets: Iterable[CandidateSet], *, seed: int = 0) -> Iterator[Label]:
    """A label for each problem with candidates, in order, all candidates being equally likely."""
    for candidates in sets:
        size = len(candidates.candidates)
        if size:
            pick = random.Random(f"{seed}:{candidates.id}").randrange(size)
            yield make_label(candidates, [1 / size] * size, ranker="random", pick=pick)
