"""EM that listens to the text: the text-free beliefs of `em.py`, sharpened by drafts that have read the problems.

For each problem the shortlist of the likeliest candidates by templates is scored by a draft;
log-belief = log P(equation | text) + weight * log(belief by templates).  The draft itself is trained on beliefs, by the
marginal likelihood of each problem's shortlist: it decides among the candidates while it learns, and is not taught the
errors of the pick.  The next draft is trained on the result.  Weight and lengths of the lists were fixed in advance.

A draft remembers the problems that it was trained with, so it is too sure of them.  How sure it may be is seen on
problems that it was not trained with (the valid part, of which the answers are known): the log-beliefs are divided by
the temperature at which it is as sure of its own problems as of those.  That changes no pick.
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

__all__ = ["PRIOR_WEIGHT", "rank_em_draft", "shortlist", "temperature"]

PRIOR_WEIGHT = 0.3
_SHORT, _LONG = 10, 30  # candidates kept for problems of up to three quantities, and of more
_LEAST = 1e-9
_HOTTEST = 100.0


def rank_em_draft(
    sets: Sequence[CandidateSet],
    problems: Mapping[str, Problem],
    draft: Draft,
    *,
    weight: float = PRIOR_WEIGHT,
    posteriors: Sequence[Array] | None = None,
    unseen: tuple[Sequence[CandidateSet], Sequence[Array]] | None = None,
) -> Iterator[Label]:
    """A label for each problem with candidates, in order; `posteriors` are those of `em_posteriors`, where known.

    `unseen` are candidates, with their posteriors, of problems that the draft was not trained with.  With them the
    beliefs are tempered: on average the draft may be as sure of what it was trained with as it is of those.
    """
    known = em_posteriors(sets) if posteriors is None else posteriors
    given = [found for found in sets if found.candidates]
    short = shortlist(given, [belief for found, belief in zip(sets, known, strict=True) if found.candidates])
    evidence, scores = _listen(short, problems, draft, weight)
    heat = 1.0
    if unseen is not None:
        others = [(found, belief) for found, belief in zip(*unseen, strict=True) if found.candidates]
        others = shortlist([found for found, _ in others], [belief for _, belief in others])
        heat = temperature(evidence, _listen(others, problems, draft, weight)[0])
    for (found, _), logs, row, whole in zip(short, evidence, scores, given, strict=True):
        label = make_label(found, beliefs(logs / heat).tolist(), ranker="em", scores=row)
        yield msgspec.structs.replace(label, candidates=len(whole.candidates))


def _listen(
    short: Sequence[tuple[CandidateSet, Array]], problems: Mapping[str, Problem], draft: Draft, weight: float
) -> tuple[list[Array], list[list[float]]]:
    """The log-beliefs in the candidates of each problem, and the draft's scores."""
    scores = draft.score(
        [problems[found.id] for found, _ in short],
        [[candidate.expr for candidate in found.candidates] for found, _ in short],
    )
    return [
        np.asarray(row) + weight * np.log(np.maximum(prior, _LEAST))
        for (_, prior), row in zip(short, scores, strict=True)
    ], scores


def temperature(own: Sequence[Array], unseen: Sequence[Array]) -> float:
    """What log-beliefs must be divided by to be as sure, on average, as those of unseen problems; at least 1.

    >>> sure, unsure = np.log([0.9, 0.1]), np.log([0.75, 0.25])
    >>> round(temperature([sure], [unsure]), 6), temperature([unsure], [sure])
    (2.0, 1.0)
    """
    own, unseen = ([logs for logs in rows if len(logs) > 1] for rows in (own, unseen))
    if not own or not unseen:
        return 1.0
    wanted = _sureness(unseen, 1.0)
    low, high = 1.0, _HOTTEST
    if _sureness(own, low) <= wanted:
        return low
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _sureness(own, middle) > wanted else (low, middle)
    return (low + high) / 2


def _sureness(rows: Sequence[Array], heat: float) -> float:
    """The mean belief in the best candidate."""
    return float(np.mean([beliefs(logs / heat).max() for logs in rows]))


def shortlist(sets: Sequence[CandidateSet], posteriors: Sequence[Array]) -> list[tuple[CandidateSet, Array]]:
    """The candidates of each problem that the templates find likeliest, in the order of the set, with their beliefs."""
    found = []
    for candidates, belief in zip(sets, posteriors, strict=True):
        size = _SHORT if len(candidates.values) <= 3 else _LONG
        kept = np.sort(np.argsort(-belief, kind="stable")[:size])
        chosen = tuple(candidates.candidates[i] for i in kept)
        found.append((msgspec.structs.replace(candidates, candidates=chosen), belief[kept]))
    return found
