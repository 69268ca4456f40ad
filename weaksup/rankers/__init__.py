"""Candidates -> pseudo labels: one ranker a file, one table.

The rankers of `RANKERS` read candidate sets and nothing else, neither text nor gold.  Those of `DRAFT_RANKERS` also ask
a draft model, which has read the texts and no gold either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..records import Label
from .basic import rank_basic, rank_beam
from .em import rank_em
from .em_draft import rank_em_draft
from .random_pick import rank_random
from .single import rank_single

__all__ = [
    "DRAFT_RANKERS",
    "RANKERS",
    "rank_basic",
    "rank_beam",
    "rank_em",
    "rank_em_draft",
    "rank_random",
    "rank_single",
]

#: Every ranker that needs no text: `RANKERS[name](sets, seed=0)`.
RANKERS: dict[str, Callable[..., Iterator[Label]]] = {
    "single": rank_single,
    "random": rank_random,
    "em": rank_em,
}

#: Every ranker that asks a draft: `DRAFT_RANKERS[name](sets, problems by id, draft)`.
DRAFT_RANKERS: dict[str, Callable[..., Iterator[Label]]] = {
    "basic": rank_basic,
    "beam": rank_beam,
    "em": rank_em_draft,
}
