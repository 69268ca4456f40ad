"""From candidates to pseudo labels: the rankers, which choose one candidate per problem without seeing gold equations.

Reading order: `table` (the rankers by name), `labels` (posteriors -> a label), `single` and `random_pick` (the simplest
rankers), `drafts` (the interface of draft models, which score equations given the text), `basic` (the paper's rankers
with a draft), `em_loops`, `templates`, `prior_table`, `em_counts`, `em_prior`, `em_kinds`, `em_answers` and
`em` (EM over template frequencies, without text), `evidence` (whether the corpus is large enough),
`word_options` and `words` (the words of the texts too), `em_draft` and `em_rounds` (EM
with drafts), `rank_file` (files in, files out).  The functions are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..late_imports import late_attributes
from .table import RANKERS

if TYPE_CHECKING:
    from .basic import rank_basic, rank_beam
    from .em import rank_em
    from .em_draft import rank_em_draft
    from .em_rounds import rank_em_rounds
    from .random_pick import rank_random
    from .single import rank_single
    from .words import rank_words

__all__ = [
    "RANKERS",
    "rank_basic",
    "rank_beam",
    "rank_em",
    "rank_em_draft",
    "rank_em_rounds",
    "rank_random",
    "rank_single",
    "rank_words",
]

_functions = [
    place for ranker in RANKERS.values() for place in (ranker.plain, ranker.words, ranker.draft, ranker.rounds) if place
]
__getattr__ = late_attributes(__name__, {place.partition(":")[2]: place for place in _functions})
