"""The ranker `em` with drafts of its own: each round trains a draft on the current posteriors and updates them with it.

The first draft learns from the posteriors of `words.py`, which trains no network.  Drafts are trained by marginal
likelihood (`em_draft.py`), as if one of the candidates were right.  Problems that no draft was trained on decide in
each round how much the draft counts and how confident the result is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..records import CandidateSet, Label, Problem
from .drafts import TrainDraft
from .em_draft import rank_em_draft
from .labels import make_label, without_none
from .prior_table import SHIPPED
from .words import word_chances

__all__ = ["rank_em_rounds"]

_LATER = 5 / 3  # later drafts train this much longer than the first one, because their labels are better


def rank_em_rounds(
    sets: Sequence[CandidateSet],
    problems: Mapping[str, Problem],
    train_draft: TrainDraft,
    *,
    rounds: int,
    unseen: Sequence[CandidateSet] = (),
    prior: str = SHIPPED,
) -> list[Label]:
    """Labels after several drafts, each trained on the posteriors of the one before.

    Parameters
    ----------
    sets
        The candidate sets of the problems.
    problems
        The problems by id, whose texts are read.
    train_draft
        Called with lessons; returns a trained draft.
    rounds
        The number of drafts; with 0, the labels are those of `rank_words`.
    unseen
        The candidate sets of problems that no draft is trained on; `problems` must have these problems too.
    prior
        "shipped", "none" or the path of a prior table.

    Returns
    -------
    list of Label
        A label for each problem with candidates, in order.

    Notes
    -----
    Nearly all of the cost is that of training the drafts.
    """
    chances = word_chances(sets, problems, unseen=unseen, prior=prior)  # nothing is learnt from the unseen problems
    own, others = chances[: len(sets)], chances[len(sets) :]
    labels = [
        make_label(found, (row[:-1] / row.sum()).tolist(), ranker="em")
        for found, row in zip(sets, own, strict=True)
        if found.candidates
    ]
    for round_ in range(1, rounds + 1):
        draft = train_draft(
            f"round-{round_}",
            {label.id: without_none(label) for label in labels},
            soft="marginal",
            longer=1.0 if round_ == 1 else _LATER,
        )
        labels = list(rank_em_draft(sets, problems, draft, chances=own, unseen=(unseen, others)))
    return labels
