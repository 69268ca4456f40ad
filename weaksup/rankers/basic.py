"""The paper's two rankers: choose the most likely candidate under a draft model trained on single-candidate problems.

The score of an equation is the sum of the log-probabilities of its tokens.  `basic` ranks the candidates of the search;
`beam` adds the equations of the draft's beam search that have the right value and are not yet among the candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import msgspec

from mathcanon import MathCanonError, evaluate

from ..meaning.operand_names import by_name
from ..meaning.value_level import expression_function
from ..records import Candidate, CandidateSet, Label, Problem
from .drafts import Draft, beliefs
from .labels import make_label

__all__ = ["add_explored", "rank_basic", "rank_beam"]


def rank_basic(sets: Iterable[CandidateSet], problems: Mapping[str, Problem], draft: Draft) -> Iterator[Label]:
    """The candidates that a draft model finds most likely: the Basic Ranker of the paper.

    Parameters
    ----------
    sets
        The candidate sets of the problems.
    problems
        The problems by id, whose texts are read.
    draft
        The model that scores equations, see `Draft`.

    Yields
    ------
    Label
        For each problem with candidates, in order.

    Notes
    -----
    The cost is that of the draft's scores.

    References
    ----------
    Liu et al., *ComSearch*, EACL 2023.
    """
    given = list(sets)
    return _best(given, _scores(given, problems, draft), ranker="basic")


def rank_beam(sets: Iterable[CandidateSet], problems: Mapping[str, Problem], draft: Draft) -> Iterator[Label]:
    """Like `rank_basic`, after adding the draft's own right-valued equations: the Beam Ranker of the paper.

    Problems without candidates may get some.  The candidates of the search are scored first, in the same call as
    `rank_basic` makes, so that a draft with a cache computes their scores only once.

    Parameters
    ----------
    sets
        The candidate sets of the problems.
    problems
        The problems by id, whose texts are read.
    draft
        A draft with the method `explore`.

    Yields
    ------
    Label
        For each problem with candidates, in order.

    Notes
    -----
    The cost is that of the draft's scores and of its beam search.

    References
    ----------
    Liu et al., *ComSearch*, EACL 2023.
    """
    given = list(sets)
    scores = _scores(given, problems, draft)
    extended = add_explored(given, problems, draft)
    scores = _scores(
        [found for found, old in zip(extended, given, strict=True) if found is not old], problems, draft, scores
    )
    return _best(extended, scores, ranker="beam")


def _scores(
    sets: Sequence[CandidateSet],
    problems: Mapping[str, Problem],
    draft: Draft,
    known: Mapping[str, Sequence[float]] | None = None,
) -> dict[str, Sequence[float]]:
    """The scores of the candidates by problem, for problems with several; the first of them may be `known` already."""
    scores = dict(known or {})
    asked = [found for found in sets if len(found.candidates) > 1]
    new = [_exprs(found)[len(scores.get(found.id, ())) :] for found in asked]
    rows = draft.score([problems[found.id] for found in asked], new)
    return scores | {found.id: [*scores.get(found.id, ()), *row] for found, row in zip(asked, rows, strict=True)}


def _best(sets: Iterable[CandidateSet], scores: Mapping[str, Sequence[float]], *, ranker: str) -> Iterator[Label]:
    """Yield the label of the most likely candidate of each problem."""
    for found in sets:
        if found.candidates:
            row = scores.get(found.id)
            yield make_label(found, beliefs(row or [0.0]).tolist(), ranker=ranker, scores=row)


def add_explored(sets: Sequence[CandidateSet], problems: Mapping[str, Problem], draft: Draft) -> list[CandidateSet]:
    """The sets extended by the right-valued equations that the draft proposes, with the stage "beam"."""
    proposed = draft.explore([problems[found.id] for found in sets])
    return [_extended(found, exprs) for found, exprs in zip(sets, proposed, strict=True)]


def _extended(found: CandidateSet, exprs: Sequence[str]) -> CandidateSet:
    values = [Fraction(value) for value in found.values]
    named = by_name(values)
    known = {expression_function(candidate.expr, values) for candidate in found.candidates}
    new = []
    for expr in exprs:
        try:
            right = evaluate(expr, named) == Fraction(found.answer)
        except MathCanonError:
            continue
        meaning = expression_function(expr, values)
        if right and meaning not in known:
            known.add(meaning)
            new.append(Candidate(expr=expr, stage="beam", value=found.answer))
    return msgspec.structs.replace(found, candidates=(*found.candidates, *new)) if new else found


def _exprs(found: CandidateSet) -> list[str]:
    return [candidate.expr for candidate in found.candidates]
