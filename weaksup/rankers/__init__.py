"""Candidates -> pseudo labels: one ranker a file, one table.

The rankers of `RANKERS` read candidate sets and nothing else, neither text nor gold.  Those that ask a draft model
(basic, beam) come with the solvers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..records import Label
from .em import rank_em
from .random_pick import rank_random
from .single import rank_single

__all__ = ["RANKERS", "rank_em", "rank_random", "rank_single"]

#: Every ranker that needs no text: `RANKERS[name](sets, seed=0)`.
RANKERS: dict[str, Callable[..., Iterator[Label]]] = {
    "single": rank_single,
    "random": rank_random,
    "em": rank_em,
}
