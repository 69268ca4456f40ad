"""EM that listens to the text: the text-free beliefs of `em.py`, sharpened by drafts that have read the problems.

For each problem the shortlist of the likeliest candidates by templates is scored by a draft;
log-belief = log P(equation | text) + weight * log(belief by templates).  The draft itself is trained on beliefs, by the
marginal likelihood of each problem's shortlist: it decides among the candidates while it learns, and is not taught the
errors of the pick.  The next draft is trained on the result.  Weight and lengths of the lists were fixed in advance
(DESIGN.md, section 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from ..labels import make_label
from ..records import CandidateSet, Label, Problem
from .draft import Draft, beliefs
from .em import em_posteriors
from .readings import Array

__all__ = ["PRIOR_WEIGHT", "rank_em_draft", "shortlist"]

PRIOR_WEIGHT = 0.3
_SHORT, _LONG = 10, 30  # candidates kept for problems of up to three quantities, and of more
_LEAST = 1e-9


def rank_em_draft(
    sets: Sequence[CandidateSet],
    problems: Mapping[str, Problem],
    draft: Draft,
    *,
    weight: float = PRIOR_WEIGHT,
    posteriors: Sequence[Array] | None = None,
) -> Iterator[Label]:
    """A label for each problem with candidates, in order; `posteriors` are those of `em_posteriors`, where known."""
    known = em_posteriors(sets) if posteriors is None else posteriors
    paired = [(found, belief) for found, belief in zip(sets, known, strict=True) if found.candidates]
    given = [found for found, _ in paired]
    short = shortlist(given, [belief for _, belief in paired])
    scores = draft.score(
        [problems[found.id] for found, _ in short],
        [[candidate.expr for candidate in found.candidates] for found, _ in short],
    )
    for (found, prior), row, whole in zip(short, scores, given, strict=True):
        belief = beliefs(np.asarray(row) + weight * np.log(np.maximum(prior, _LEAST)))
        label = make_label(found, belief.tolist(), ranker="em", scores=row)
        yield msgspec.structs.replace(label, candidates=len(whole.candidates))


def shortlist(sets: Sequence[CandidateSet], posteriors: Sequence[Array]) -> list[tuple[CandidateSet, Array]]:
    """The candidates of each problem that the templates find likeliest, in the order of the set, with their beliefs."""
    found = []
    for candidates, belief in zip(sets, posteriors, strict=True):
        size = _SHORT if len(candidates.values) <= 3 else _LONG
        kept = np.sort(np.argsort(-belief, kind="stable")[:size])
        chosen = tuple(candidates.candidates[i] for i in kept)
        found.append((msgspec.structs.replace(candidates, candidates=chosen), belief[kept]))
    return found
