"""The equations of the right value that were found for each problem, and the labels that they make.

A problem is labelled with the equation that was found most often (or is likeliest); writings of one function count as
one equation, written in the shortest way that was found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..labels import make_label
from ..records import Candidate, CandidateSet, Label, Problem
from ..solvers.trees import expression_of
from ..value_level import Function, expression_function

__all__ = ["Finds", "labels_of"]

#: For each problem by id: prefix sequence (tokens with spaces between) -> how often it was found, or how likely it is.
Finds = dict[str, dict[str, float]]


def labels_of(
    problems: Sequence[Problem], finds: Mapping[str, Mapping[str, float]], *, baseline: str
) -> Iterator[Label]:
    """A label for each problem with finds, in order, with the share of its finds as posterior."""
    for problem in problems:
        if given := finds.get(problem.id):
            yield _label(problem, given, baseline)


def _label(problem: Problem, given: Mapping[str, float], baseline: str) -> Label:
    values = [quantity.exact for quantity in problem.quantities]
    shares: dict[Function, float] = {}
    candidates: dict[Function, Candidate] = {}
    for prefix, weight in sorted(given.items(), key=lambda item: len(item[0].split())):  # the shortest writing of each
        expr = str(expression_of(prefix.split()))
        meaning = expression_function(expr, values)
        shares[meaning] = shares.get(meaning, 0.0) + weight
        candidates.setdefault(meaning, Candidate(expr=expr, stage=baseline, value=problem.answer))
    found = CandidateSet(
        id=problem.id,
        values=tuple(quantity.value for quantity in problem.quantities),
        surfaces=tuple(quantity.surface for quantity in problem.quantities),
        answer=problem.answer,
        candidates=tuple(candidates.values()),
    )
    whole = sum(shares.values())
    return make_label(found, [share / whole for share in shares.values()], ranker=baseline)
