"""The paper's two rankers: the candidate that a draft model, trained on single-candidate problems, finds likeliest.

The score of an equation is the sum of the log-probabilities of its tokens.  `basic` ranks what the search found;
`beam` adds what beam search with the draft finds, where it has the right value and means something new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import msgspec

from mathcanon import MathCanonError, evaluate

from ..labels import make_label
from ..records import Candidate, CandidateSet, Label, Problem
from ..value_level import expression_function
from .draft import Draft, beliefs

__all__ = ["add_explored", "rank_basic", "rank_beam", "rank_scored"]


def rank_basic(sets: Iterable[CandidateSet], problems: Mapping[str, Problem], draft: Draft) -> Iterator[Label]:
    """A label for each problem with candidates, in order."""
    return rank_scored(sets, problems, draft, ranker="basic")


def rank_beam(sets: Iterable[CandidateSet], problems: Mapping[str, Problem], draft: Draft) -> Iterator[Label]:
    """The same after the draft's own right-valued equations were added; problems without candidates may gain some."""
    return rank_scored(add_explored(list(sets), problems, draft), problems, draft, ranker="beam")


def rank_scored(
    sets: Iterable[CandidateSet], problems: Mapping[str, Problem], draft: Draft, *, ranker: str
) -> Iterator[Label]:
    """The likeliest candidate of each problem; what is single is not asked about."""
    given = [found for found in sets if found.candidates]
    asked = [found for found in given if len(found.candidates) > 1]
    scores = draft.score([problems[found.id] for found in asked], [_exprs(found) for found in asked])
    by_id = {found.id: row for found, row in zip(asked, scores, strict=True)}
    for found in given:
        row = by_id.get(found.id)
        yield make_label(found, beliefs(row or [0.0]).tolist(), ranker=ranker, scores=row)


def add_explored(sets: Sequence[CandidateSet], problems: Mapping[str, Problem], draft: Draft) -> list[CandidateSet]:
    """The sets with the right-valued equations that the draft proposes, stage "beam"."""
    proposed = draft.explore([problems[found.id] for found in sets])
    return [_extended(found, exprs) for found, exprs in zip(sets, proposed, strict=True)]


def _extended(found: CandidateSet, exprs: Sequence[str]) -> CandidateSet:
    values = [Fraction(value) for value in found.values]
    named = {f"N{i}": value for i, value in enumerate(values)}
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
