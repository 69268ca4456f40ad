"""EM with drafts: the model of `words.py` and a draft model, a network that reads the problems, as one mixture.

Both say how likely each equation is before the answer is known: the words by templates and by the words around each
quantity, the draft by the whole text.  The mixture

    P(equation) = share P(equation | text, by the draft) + (1 - share) P(equation | text, by words)

has one free number, the draft's share.  It is the one that best predicts the answers of problems that the draft was not
trained on (the valid part): P(answer) is the sum over the candidates, and over the case that none of them is right,
which only the model of words has.  So a good draft decides nearly alone, one that has learnt nothing from a small
corpus is not listened to, and where a good draft has no idea, the words decide.  Nothing is fitted to gold.

The draft itself is trained on posteriors, by the marginal likelihood of each problem's shortlist, the most likely
candidates by words: it chooses among the candidates while it learns, and does not copy the errors of a single pick.
The next draft is trained on the result.

A draft has memorized its training problems, so it is overconfident on them.  The unseen problems also show how sure it
should be: the log-posteriors are divided by the temperature at which it is as confident on its training problems as on
those.  That changes no pick.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from ..records import CandidateSet, Label, Problem
from ..wording.readings import Array
from .drafts import Draft, beliefs
from .labels import make_label
from .prior_table import SHIPPED
from .words import word_chances

__all__ = ["draft_share", "rank_em_draft", "shortlist", "temperature"]

_SHORT, _LONG = 10, 30  # the length of the shortlist, for problems of up to three quantities and for larger ones
_HOTTEST = 100.0
_STEPS = 200  # of the EM for the share
_LEAST_SHARE = 1e-6


class _Experts(msgspec.Struct, frozen=True):
    """The log-probabilities of a problem's shortlist, and last of "none of it", by words and by the draft."""

    found: CandidateSet
    words: Array
    draft: Array  # -inf for "none": the draft always writes some equation

    def mixed(self, share: float) -> Array:
        """The unnormalized log-posteriors if the draft has this share."""
        return np.asarray(np.logaddexp(np.log1p(-share) + self.words, np.log(share) + self.draft))


def rank_em_draft(
    sets: Sequence[CandidateSet],
    problems: Mapping[str, Problem],
    draft: Draft,
    *,
    chances: Sequence[Array] | None = None,
    unseen: tuple[Sequence[CandidateSet], Sequence[Array]] | None = None,
    prior: str = SHIPPED,
) -> Iterator[Label]:
    """Labels by a mixture of a draft model and `word_chances`.

    Parameters
    ----------
    sets
        The candidate sets of the problems.
    problems
        The problems by id, whose texts are read.
    draft
        The model that scores equations, see `Draft`.
    chances
        Those of `word_chances`, if known.
    unseen
        Candidate sets and chances of problems that the draft was not trained on.  They decide the share of the draft
        and the temperature.  Without any, the problems themselves decide the share: right for a draft that has not been
        trained on them, too much for one that has.
    prior
        "shipped", "none" or the path of a prior table.

    Yields
    ------
    Label
        For each problem with candidates, in order.

    Notes
    -----
    The cost is that of the draft's scores, and of a fit of one number.
    """
    known = word_chances(sets, problems, prior=prior) if chances is None else chances
    own = _ask(sets, known, problems, draft)
    others = [] if unseen is None else _ask(*unseen, problems, draft)
    share = draft_share([(one.words, one.draft) for one in others or own])
    mixed = [one.mixed(share) for one in own]
    choices = [[logs for logs in rows if len(logs) > 2] for rows in (mixed, [one.mixed(share) for one in others])]
    heat = temperature(*choices)
    sizes = [len(found.candidates) for found in sets if found.candidates]
    for one, logs, size in zip(own, mixed, sizes, strict=True):
        label = make_label(one.found, beliefs(logs / heat)[:-1].tolist(), ranker="em", scores=one.draft[:-1].tolist())
        yield msgspec.structs.replace(label, candidates=size)


def _ask(
    sets: Sequence[CandidateSet], chances: Sequence[Array], problems: Mapping[str, Problem], draft: Draft
) -> list[_Experts]:
    """What words and draft say about the shortlist of each problem with candidates."""
    short = shortlist(sets, chances)
    scores = draft.score(
        [problems[found.id] for found, _ in short],
        [[candidate.expr for candidate in found.candidates] for found, _ in short],
    )
    with np.errstate(divide="ignore"):
        return [
            _Experts(found, np.log(chance), np.append(np.asarray(row, float), -np.inf))
            for (found, chance), row in zip(short, scores, strict=True)
        ]


def draft_share(experts: Sequence[tuple[Array, Array]]) -> float:
    """The draft's share in the mixture that best predicts the answers; rows are log-probabilities, the words first.

    >>> good, poor = np.log([0.3, 0.1]), np.log([0.01, 0.01])
    >>> round(draft_share([(poor, good)]), 3), round(draft_share([(good, poor)]), 3)
    (1.0, 0.0)
    >>> round(draft_share([(poor, good), (good, poor)]), 3)
    0.5
    """
    if not experts:
        return 0.5
    logs = np.array([[np.logaddexp.reduce(row) for row in pair] for pair in experts])
    logs = logs[np.isfinite(logs).any(1)]
    if not len(logs):
        return 0.5
    with np.errstate(under="ignore"):
        answers = np.exp(logs - logs.max(1, keepdims=True))
    share = 0.5
    for _ in range(_STEPS):
        drafted = share * answers[:, 1]
        share = float(np.mean(drafted / (drafted + (1 - share) * answers[:, 0])))
        share = min(max(share, _LEAST_SHARE), 1 - _LEAST_SHARE)
    return share


def temperature(own: Sequence[Array], unseen: Sequence[Array]) -> float:
    """The divisor that makes log-posteriors as confident, on average, as those of unseen problems; at least 1.

    Parameters
    ----------
    own, unseen
        The log-posteriors of the candidates of each problem.

    Returns
    -------
    float
        The divisor.

    Examples
    --------
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


def shortlist(sets: Sequence[CandidateSet], chances: Sequence[Array]) -> list[tuple[CandidateSet, Array]]:
    """The most likely candidates of each problem that has any, in the order of the set, with their chances.

    Candidates that are not on the list count as "none of it", whose chance comes last.
    """
    found = []
    for candidates, chance in zip(sets, chances, strict=True):
        if not candidates.candidates:
            continue
        size = _SHORT if len(candidates.values) <= 3 else _LONG
        kept = np.sort(np.argsort(-chance[:-1], kind="stable")[:size])
        chosen = tuple(candidates.candidates[i] for i in kept)
        rest = max(float(chance.sum() - chance[kept].sum()), 0.0)
        found.append((msgspec.structs.replace(candidates, candidates=chosen), np.append(chance[kept], rest)))
    return found
