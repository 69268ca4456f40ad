"""EM with text: the posteriors of `em.py`, refined by a draft model that reads the problems.

For each problem the draft scores a shortlist of the most likely candidates by templates;
log-posterior = log(posterior by templates) + weight * log P(equation | text).  The weight is 1, as if the two were
independent, and not fitted to anything; docs/results.md shows what other weights do.  About the case that no candidate
is right the draft says nothing: it counts like the best candidate.  The draft itself is trained on posteriors, by the
marginal likelihood of each problem's shortlist: it chooses among the candidates while it learns, and does not copy the
errors of a single pick.  The next draft is trained on the result.

A draft has memorized its training problems, so it is overconfident on them.  Problems that it was not trained on (the
valid part, whose answers are known) show how confident it should be: the log-posteriors are divided by the temperature
at which it is as confident on its training problems as on those.  That changes no pick.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from ..records import CandidateSet, Label, Problem
from .drafts import Draft, beliefs
from .em import em_posteriors
from .labels import make_label
from .prior_table import SHIPPED
from .readings import Array

__all__ = ["DRAFT_WEIGHT", "rank_em_draft", "shortlist", "temperature"]

DRAFT_WEIGHT = 1.0
_SHORT, _LONG = 10, 30  # the length of the shortlist, for problems of up to three quantities and for larger ones
_LEAST = 1e-9
_HOTTEST = 100.0


def rank_em_draft(
    sets: Sequence[CandidateSet],
    problems: Mapping[str, Problem],
    draft: Draft,
    *,
    weight: float = DRAFT_WEIGHT,
    posteriors: Sequence[Array] | None = None,
    unseen: tuple[Sequence[CandidateSet], Sequence[Array]] | None = None,
    prior: str = SHIPPED,
) -> Iterator[Label]:
    """Yield a label for each problem with candidates, in order; `posteriors` are those of `em_posteriors`, if known.

    `unseen` has candidate sets and posteriors of problems that the draft was not trained on.  If it is given, a
    temperature makes the labels, on average, as confident as the draft is on those problems.
    """
    known = em_posteriors(sets, prior=prior) if posteriors is None else posteriors
    given = [found for found in sets if found.candidates]
    short = shortlist(given, [belief for found, belief in zip(sets, known, strict=True) if found.candidates])
    evidence, scores = _add_scores(short, problems, draft, weight)
    heat = 1.0
    if unseen is not None:
        others = [(found, belief) for found, belief in zip(*unseen, strict=True) if found.candidates]
        others = shortlist([found for found, _ in others], [belief for _, belief in others])
        own, new = evidence, _add_scores(others, problems, draft, weight)[0]
        heat = temperature(*[[logs for logs in rows if len(logs) > 2] for rows in (own, new)])  # a choice, and "none"
    for (found, _), logs, row, whole in zip(short, evidence, scores, given, strict=True):
        label = make_label(found, beliefs(logs / heat)[:-1].tolist(), ranker="em", scores=row)
        yield msgspec.structs.replace(label, candidates=len(whole.candidates))


def _add_scores(
    short: Sequence[tuple[CandidateSet, Array]], problems: Mapping[str, Problem], draft: Draft, weight: float
) -> tuple[list[Array], list[list[float]]]:
    """The unnormalized log-posteriors of each problem's shortlist and of "none of it", and the draft's scores alone."""
    scores = draft.score(
        [problems[found.id] for found, _ in short],
        [[candidate.expr for candidate in found.candidates] for found, _ in short],
    )
    return [_evidence(prior, np.asarray(row), weight) for (_, prior), row in zip(short, scores, strict=True)], scores


def _evidence(prior: Array, scores: Array, weight: float) -> Array:
    """Prior and scores together, for the candidates and then for "none"; a draft that can write none says nothing."""
    known = np.log(np.maximum(np.append(prior, 1 - prior.sum()), _LEAST))
    best = scores.max()
    return known if np.isinf(best) else np.asarray(known + weight * np.append(scores, best))


def temperature(own: Sequence[Array], unseen: Sequence[Array]) -> float:
    """The divisor that makes log-posteriors as confident, on average, as those of unseen problems; at least 1.

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
    """The mean posterior of the best candidate."""
    return float(np.mean([beliefs(logs / heat).max() for logs in rows]))


def shortlist(sets: Sequence[CandidateSet], posteriors: Sequence[Array]) -> list[tuple[CandidateSet, Array]]:
    """The most likely candidates of each problem by templates, in the order of the set, with their posteriors."""
    found = []
    for candidates, belief in zip(sets, posteriors, strict=True):
        size = _SHORT if len(candidates.values) <= 3 else _LONG
        kept = np.sort(np.argsort(-belief, kind="stable")[:size])
        chosen = tuple(candidates.candidates[i] for i in kept)
        found.append((msgspec.structs.replace(candidates, candidates=chosen), belief[kept]))
    return found
